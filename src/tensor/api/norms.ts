/** Norms of activations, and dropout, as functions. */
import { HeddleError } from "../../base/diagnostics.ts";
import { binary } from "../operations/elementwise.ts";
import { float } from "../operations/operands.ts";
import * as normalization from "../operations/normalization.ts";
import { dropoutMask } from "../operations/dropout.ts";
import type { Shape, Tensor } from "../tensor.ts";
import "./reduction-methods.ts";

export interface AffineOptions {
  readonly weight?: Tensor | null;
  readonly bias?: Tensor | null;
  /** Added to the variance; default 1e-5. */
  readonly eps?: number;
}

export interface BatchNormOptions extends AffineOptions {
  /** The mean and variance of the batch, instead of the running ones, which it changes. */
  readonly training?: boolean;
  readonly momentum?: number;
}

export interface InstanceNormOptions extends AffineOptions {
  readonly runningMean?: Tensor | null;
  readonly runningVar?: Tensor | null;
  readonly useInputStats?: boolean;
  readonly momentum?: number;
}

const affineOf = ({ weight = null, bias = null, eps = 1e-5 }: AffineOptions): normalization.Affine => ({
  weight,
  bias,
  epsilon: eps,
});

export function batchNorm(
  input: Tensor,
  runningMean: Tensor | null,
  runningVar: Tensor | null,
  options: BatchNormOptions = {},
): Tensor {
  const { training = false, momentum = 0.1 } = options;
  const running = { mean: runningMean, variance: runningVar, momentum };
  return normalization.batchNorm(input, running, affineOf(options), training);
}

export function instanceNorm(input: Tensor, options: InstanceNormOptions = {}): Tensor {
  const { runningMean = null, runningVar = null, useInputStats = true, momentum = 0.1 } = options;
  const running = { mean: runningMean, variance: runningVar, momentum };
  return normalization.instanceNorm(input, running, affineOf(options), useInputStats);
}

export function groupNorm(input: Tensor, groups: number, options: AffineOptions = {}): Tensor {
  return normalization.groupNorm(input, groups, affineOf(options));
}

/** Over the last dimensions, whose sizes `shape` repeats. */
export function layerNorm(input: Tensor, shape: Shape, options: AffineOptions = {}): Tensor {
  return normalization.layerNorm(input, shape, affineOf(options));
}

export function rmsNorm(
  input: Tensor,
  shape: Shape,
  { weight = null, eps = null }: { readonly weight?: Tensor | null; readonly eps?: number | null } = {},
): Tensor {
  return normalization.rmsNorm(input, shape, weight, eps);
}

export interface NormalizeOptions {
  readonly p?: number;
  readonly dim?: number;
  readonly eps?: number;
}

/** Divides by the norm along a dimension. */
export function normalize(input: Tensor, { p = 2, dim = 1, eps = 1e-12 }: NormalizeOptions = {}): Tensor {
  return normalization.unitLength(input, input.norm(p, dim, { keepdim: true }), eps);
}

export interface DropoutOptions {
  /** The part of the elements that become 0; default 0.5. */
  readonly p?: number;
  readonly training?: boolean;
}

function checked(p: number): number {
  if (!(p >= 0 && p <= 1))
    throw new HeddleError("bad-arguments", `dropout probability has to be between 0 and 1, but got ${p}`);
  return p;
}

function dropped(input: Tensor, { p = 0.5, training = true }: DropoutOptions, shape: Shape): Tensor {
  if (!training || checked(p) === 0) return input;
  if (p === 1) return binary("mul", input, float(0));
  return binary("mul", input, dropoutMask(shape, p, input));
}

/** Sets elements to 0 by chance, and divides the others by 1 - p. */
export function dropout(input: Tensor, options: DropoutOptions = {}): Tensor {
  return dropped(input, options, input.shape);
}

const ofChannels =
  (dims: number) =>
  (input: Tensor, options: DropoutOptions = {}): Tensor =>
    dropped(
      input,
      options,
      input.shape.map((size, d) => (d < input.rank - dims ? size : 1)),
    );

/** Sets whole channels to 0 by chance. */
export const dropout1d: (input: Tensor, options?: DropoutOptions) => Tensor = ofChannels(1);
export const dropout2d: (input: Tensor, options?: DropoutOptions) => Tensor = ofChannels(2);
export const dropout3d: (input: Tensor, options?: DropoutOptions) => Tensor = ofChannels(3);
