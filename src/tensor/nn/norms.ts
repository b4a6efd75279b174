/** Norms and dropout as modules. */
import { HeddleError } from "../../base/diagnostics.ts";
import { functional as F } from "./functional.ts";
import { sideEffect } from "../follower.ts";
import { full } from "../operations/creation.ts";
import type { Shape, Tensor } from "../tensor.ts";
import * as init from "./init.ts";
import { Module } from "./module.ts";
import { Buffer, type Parameter } from "./parameter.ts";
import { newParameter, newTensor, requireCount, tuple, type ModuleOptions } from "./place.ts";

export interface BatchNormModuleOptions extends ModuleOptions {
  readonly eps?: number;
  /** The share of a batch in the running mean; null: all batches have the same. */
  readonly momentum?: number | null;
  readonly affine?: boolean;
  readonly bias?: boolean;
  readonly trackRunningStats?: boolean;
}

const python = (value: boolean): string => (value ? "True" : "False");

/** As Python prints a number. */
export function pythonNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e16) return `${value}.0`;
  const [mantissa = "", exponent] = String(value).split("e");
  const size = Math.abs(value);
  if (size < 1e-4) {
    const [digits = "", power = "0"] = value.toExponential().split("e");
    return `${digits}e-${String(Math.abs(Number(power))).padStart(2, "0")}`;
  }
  return exponent === undefined ? mantissa : `${mantissa}e${exponent}`;
}

abstract class BatchNorm extends Module {
  readonly numFeatures: number;
  readonly eps: number;
  readonly momentum: number | null;
  readonly weight: Parameter | null;
  readonly bias: Parameter | null;
  readonly runningMean: Buffer | null;
  readonly runningVar: Buffer | null;
  readonly numBatchesTracked: Buffer | null;
  readonly #ranks: readonly number[];

  constructor(numFeatures: number, options: BatchNormModuleOptions, ranks: readonly number[]) {
    super();
    requireCount(this.constructor.name, "numFeatures", numFeatures);
    const { eps = 1e-5, momentum = 0.1, affine = true, trackRunningStats = true } = options;
    this.numFeatures = numFeatures;
    this.eps = eps;
    this.momentum = momentum;
    this.#ranks = ranks;
    this.weight = affine ? newParameter([numFeatures], options) : null;
    this.bias = affine && (options.bias ?? true) ? newParameter([numFeatures], options) : null;
    if (this.weight !== null) init.ones_(this.weight);
    if (this.bias !== null) init.zeros_(this.bias);
    const stats = (value: number): Buffer | null =>
      trackRunningStats ? new Buffer(init.constant_(newTensor([numFeatures], options), value)) : null;
    this.runningMean = stats(0);
    this.runningVar = stats(1);
    // A count that only the host needs: no launch for it.
    this.numBatchesTracked = trackRunningStats ? new Buffer(full([], 0, "int64", null), { onHost: true }) : null;
  }

  override forward(input: Tensor): Tensor {
    if (!this.#ranks.includes(input.rank))
      throw new HeddleError(
        "bad-arguments",
        `expected ${this.#ranks.map((rank) => `${rank}D`).join(" or ")} input (got ${input.rank}D input)`,
        { notes: [`${this.constructor.name} was given a tensor of shape [${input.shape.join(", ")}]`] },
      );
    const tracks = this.training && this.numBatchesTracked !== null;
    if (tracks) this.countBatch();
    const momentum = this.momentum ?? (tracks ? 1 / (this.numBatchesTracked?.item() ?? 1) : 0);
    return F.batchNorm(input, this.runningMean, this.runningVar, {
      weight: this.weight,
      bias: this.bias,
      eps: this.eps,
      momentum,
      training: this.training || this.runningMean === null,
    });
  }

  /** @internal One more batch is in the running mean. */
  countBatch(): void {
    sideEffect(() => {
      this.numBatchesTracked?.setValues(this.numBatchesTracked.values().map((count) => count + 1));
    });
  }

  override extraRepr(): string {
    const momentum = this.momentum === null ? "None" : pythonNumber(this.momentum);
    const affine = `affine=${python(this.weight !== null)}, bias=${python(this.bias !== null)}`;
    const stats = `track_running_stats=${python(this.runningMean !== null)}`;
    return `${this.numFeatures}, eps=${pythonNumber(this.eps)}, momentum=${momentum}, ${affine}, ${stats}`;
  }
}

/** Of [batch, channels] or [batch, channels, length]. */
export class BatchNorm1d extends BatchNorm {
  constructor(numFeatures: number, options: BatchNormModuleOptions = {}) {
    super(numFeatures, options, [2, 3]);
  }
}

/** Of [batch, channels, height, width]. */
export class BatchNorm2d extends BatchNorm {
  constructor(numFeatures: number, options: BatchNormModuleOptions = {}) {
    super(numFeatures, options, [4]);
  }
}

export class BatchNorm3d extends BatchNorm {
  constructor(numFeatures: number, options: BatchNormModuleOptions = {}) {
    super(numFeatures, options, [5]);
  }
}

export interface NormOptions extends ModuleOptions {
  readonly eps?: number;
  readonly affine?: boolean;
  readonly bias?: boolean;
}

export interface LayerNormOptions extends ModuleOptions {
  readonly eps?: number;
  readonly elementwiseAffine?: boolean;
  readonly bias?: boolean;
}

function ones(shape: Shape, options: ModuleOptions): Parameter {
  const parameter = newParameter(shape, options);
  init.ones_(parameter);
  return parameter;
}

function zeros(shape: Shape, options: ModuleOptions): Parameter {
  const parameter = newParameter(shape, options);
  init.zeros_(parameter);
  return parameter;
}

/** Over the last dimensions. */
export class LayerNorm extends Module {
  readonly normalizedShape: Shape;
  readonly eps: number;
  readonly weight: Parameter | null;
  readonly bias: Parameter | null;

  constructor(normalizedShape: number | Shape, options: LayerNormOptions = {}) {
    super();
    const { eps = 1e-5, elementwiseAffine = true, bias = true } = options;
    this.normalizedShape = typeof normalizedShape === "number" ? [normalizedShape] : normalizedShape;
    this.eps = eps;
    this.weight = elementwiseAffine ? ones(this.normalizedShape, options) : null;
    this.bias = elementwiseAffine && bias ? zeros(this.normalizedShape, options) : null;
  }

  override forward(input: Tensor): Tensor {
    const { weight, bias, eps } = this;
    return F.layerNorm(input, this.normalizedShape, { weight, bias, eps });
  }

  override extraRepr(): string {
    const affine = `elementwise_affine=${python(this.weight !== null)}`;
    const bias = `bias=${python(this.bias !== null)}`;
    return `${tuple(this.normalizedShape)}, eps=${pythonNumber(this.eps)}, ${affine}, ${bias}`;
  }
}

export class RMSNorm extends Module {
  readonly normalizedShape: Shape;
  readonly eps: number | null;
  readonly weight: Parameter | null;

  constructor(normalizedShape: number | Shape, options: LayerNormOptions = {}) {
    super();
    this.normalizedShape = typeof normalizedShape === "number" ? [normalizedShape] : normalizedShape;
    this.eps = options.eps ?? null;
    this.weight = (options.elementwiseAffine ?? true) ? ones(this.normalizedShape, options) : null;
  }

  override forward(input: Tensor): Tensor {
    return F.rmsNorm(input, this.normalizedShape, { weight: this.weight, eps: this.eps });
  }

  override extraRepr(): string {
    const eps = this.eps === null ? "None" : pythonNumber(this.eps);
    return `${tuple(this.normalizedShape)}, eps=${eps}, elementwise_affine=${python(this.weight !== null)}`;
  }
}

export class GroupNorm extends Module {
  readonly numGroups: number;
  readonly numChannels: number;
  readonly eps: number;
  readonly weight: Parameter | null;
  readonly bias: Parameter | null;

  constructor(numGroups: number, numChannels: number, options: NormOptions = {}) {
    super();
    if (numChannels % numGroups !== 0)
      throw new HeddleError(
        "bad-arguments",
        `num_channels (${numChannels}) must be divisible by num_groups (${numGroups})`,
      );
    const { eps = 1e-5, affine = true } = options;
    this.numGroups = numGroups;
    this.numChannels = numChannels;
    this.eps = eps;
    this.weight = affine ? ones([numChannels], options) : null;
    this.bias = affine && (options.bias ?? true) ? zeros([numChannels], options) : null;
  }

  override forward(input: Tensor): Tensor {
    const { weight, bias, eps } = this;
    return F.groupNorm(input, this.numGroups, { weight, bias, eps });
  }

  override extraRepr(): string {
    const affine = `affine=${python(this.weight !== null)}, bias=${python(this.bias !== null)}`;
    return `${this.numGroups}, ${this.numChannels}, eps=${pythonNumber(this.eps)}, ${affine}`;
  }
}

abstract class AnyDropout extends Module {
  readonly p: number;
  readonly #drop: typeof F.dropout;

  constructor(p: number, drop: typeof F.dropout) {
    super();
    if (!(p >= 0 && p <= 1))
      throw new HeddleError("bad-arguments", `dropout probability has to be between 0 and 1, but got ${p}`);
    this.p = p;
    this.#drop = drop;
  }

  override forward(input: Tensor): Tensor {
    return this.#drop(input, { p: this.p, training: this.training });
  }

  override extraRepr(): string {
    return `p=${pythonNumber(this.p)}, inplace=False`;
  }
}

/** Sets elements to 0 by chance while training. */
export class Dropout extends AnyDropout {
  constructor(p = 0.5) {
    super(p, F.dropout);
  }
}

/** Sets whole channels to 0 by chance while training. */
export class Dropout2d extends AnyDropout {
  constructor(p = 0.5) {
    super(p, F.dropout2d);
  }
}
