/**
 * Initial weights, as torch.nn.init: the same numbers as PyTorch's for the same seed.
 *
 * All numbers are the host's generator's, on every device: one seed gives the same network everywhere, as it does in
 * PyTorch where a network is made on the host and moved.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import { defaultTensors } from "../api/default-tensors.ts";
import { withoutTape } from "../autograd/tape.ts";
import type { Values } from "../dtypes.ts";
import { fromValues, scoped, type Tensor } from "../tensor.ts";

export type FanMode = "fan_in" | "fan_out";
export type Nonlinearity =
  | "linear"
  | "conv1d"
  | "conv2d"
  | "conv3d"
  | "sigmoid"
  | "tanh"
  | "relu"
  | "leaky_relu"
  | "selu";

/** Sets all elements to what `make` gives on the host. */
function setTo(tensor: Tensor, make: () => Tensor): Tensor {
  withoutTape(() =>
    scoped(() => {
      const made = make();
      tensor.copy_(tensor.place === made.place ? made : made.to(tensor.device));
    }),
  );
  return tensor;
}

/** The type that PyTorch makes the numbers in. */
const drawn = (tensor: Tensor): "float32" | "float64" => (tensor.dtype === "float64" ? "float64" : "float32");

export function uniform_(tensor: Tensor, low = 0, high = 1): Tensor {
  const dtype = drawn(tensor);
  return setTo(tensor, () => defaultTensors().generators.uniform(tensor.shape, low, high, dtype));
}

export function normal_(tensor: Tensor, mean = 0, std = 1): Tensor {
  const dtype = drawn(tensor);
  return setTo(tensor, () => defaultTensors().generators.randn(tensor.shape, dtype, null).mul(std).add(mean));
}

/**
 * Normal numbers between `low` and `high`: others are drawn again. Where few would lie there, uniform numbers are
 * accepted by the density of the normal distribution.
 */
export function truncNormal_(tensor: Tensor, mean = 0, std = 1, low = -2, high = 2): Tensor {
  const cdf = (x: number): number => (1 + erf(x / Math.SQRT2)) / 2;
  const share = cdf((high - mean) / std) - cdf((low - mean) / std);
  const dtype = drawn(tensor);
  const round = dtype === "float32" ? Math.fround : (value: number): number => value;
  const { generators } = defaultTensors();
  const { shape } = tensor;
  const uniform = (from: number, to: number): Values => generators.uniform(shape, from, to, dtype).values();
  const normal = (): Values => {
    const numbers = generators.randn(shape, dtype, null).values();
    return numbers.map((value) => round(round(value * round(std)) + round(mean)));
  };
  const isOutside = (value: number): boolean => value < round(low) || value > round(high);
  return setTo(tensor, () => {
    const values = share > 0.3 ? normal() : uniform(low, high);
    if (share > 0.3)
      while (values.some(isOutside)) {
        const again = normal();
        for (const [i, value] of values.entries()) if (isOutside(value)) values[i] = again[i] as number;
      }
    else
      acceptByDensity(
        values,
        { mean, std, mode: Math.max(low, Math.min(mean, high)) },
        () => uniform(low, high),
        () => uniform(0, 1),
      );
    return fromValues(values, shape, dtype, null);
  });
}

interface Normal {
  readonly mean: number;
  readonly std: number;
  /** Where the density is greatest between the bounds. */
  readonly mode: number;
}

function acceptByDensity(values: Values, { mean, std, mode }: Normal, draw: () => Values, chances: () => Values): void {
  const logDensity = (x: number): number => -0.5 * ((x - mean) / std) ** 2 + 0.5 * ((mode - mean) / std) ** 2;
  let latest = values;
  const isPending = new Uint8Array(values.length).fill(1);
  for (;;) {
    const chance = chances();
    for (let i = 0; i < values.length; i++)
      if (isPending[i] === 1 && Math.log(chance[i] as number) <= logDensity(latest[i] as number)) isPending[i] = 0;
    if (!isPending.includes(1)) return;
    latest = draw();
    for (let i = 0; i < values.length; i++) if (isPending[i] === 1) values[i] = latest[i] as number;
  }
}

/** Its series, and a continued fraction from 3 on. */
function erf(x: number): number {
  if (x < 0) return -erf(-x);
  if (x > 6) return 1;
  if (x < 3) {
    let [sum, term] = [x, x];
    for (let n = 1; n < 200; n++) {
      term *= -(x * x) / n;
      sum += term / (2 * n + 1);
    }
    return (2 / Math.sqrt(Math.PI)) * sum;
  }
  let fraction = 0;
  for (let k = 100; k > 0; k--) fraction = k / 2 / (x + fraction);
  return 1 - Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
}

export function constant_(tensor: Tensor, value: number): Tensor {
  withoutTape(() => tensor.fill_(value));
  return tensor;
}

export function zeros_(tensor: Tensor): Tensor {
  return constant_(tensor, 0);
}

export function ones_(tensor: Tensor): Tensor {
  return constant_(tensor, 1);
}

/** 1 on the diagonal of a matrix. */
export function eye_(tensor: Tensor): Tensor {
  requireRank("eye_", tensor, 2);
  const [rows, columns] = tensor.shape as [number, number];
  return setTo(tensor, () => defaultTensors().eye(rows, columns, { device: null }));
}

function requireRank(what: string, tensor: Tensor, least: number): void {
  if (tensor.rank < least)
    throw new HeddleError(
      "bad-arguments",
      `${what} takes a tensor of at least ${least} dimensions, not one of shape [${tensor.shape.join(", ")}]`,
    );
}

/** How many elements an output is computed from, and how many an input goes to. */
export function fansOf(tensor: Tensor): { readonly fanIn: number; readonly fanOut: number } {
  if (tensor.rank < 2)
    throw new HeddleError(
      "bad-arguments",
      "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions",
      { notes: [`this one has the shape [${tensor.shape.join(", ")}]`] },
    );
  const [out, into, ...field] = tensor.shape as [number, number, ...number[]];
  const area = field.reduce((product, size) => product * size, 1);
  return { fanIn: into * area, fanOut: out * area };
}

/** What a nonlinearity needs its inputs scaled by, so that their variance stays. */
export function calculateGain(nonlinearity: Nonlinearity, slope = 0.01): number {
  switch (nonlinearity) {
    case "tanh":
      return 5 / 3;
    case "relu":
      return Math.SQRT2;
    case "leaky_relu":
      return Math.sqrt(2 / (1 + slope ** 2));
    case "selu":
      return 3 / 4;
    default:
      return 1;
  }
}

export function xavierUniform_(tensor: Tensor, gain = 1): Tensor {
  const { fanIn, fanOut } = fansOf(tensor);
  const bound = Math.sqrt(3) * (gain * Math.sqrt(2 / (fanIn + fanOut)));
  return uniform_(tensor, -bound, bound);
}

export function xavierNormal_(tensor: Tensor, gain = 1): Tensor {
  const { fanIn, fanOut } = fansOf(tensor);
  return normal_(tensor, 0, gain * Math.sqrt(2 / (fanIn + fanOut)));
}

export interface KaimingOptions {
  /** The slope of a leaky ReLU behind the layer. */
  readonly a?: number;
  readonly mode?: FanMode;
  readonly nonlinearity?: Nonlinearity;
}

function kaimingStd(tensor: Tensor, { a = 0, mode = "fan_in", nonlinearity = "leaky_relu" }: KaimingOptions): number {
  const { fanIn, fanOut } = fansOf(tensor);
  return calculateGain(nonlinearity, a) / Math.sqrt(mode === "fan_in" ? fanIn : fanOut);
}

export function kaimingUniform_(tensor: Tensor, options: KaimingOptions = {}): Tensor {
  const bound = Math.sqrt(3) * kaimingStd(tensor, options);
  return uniform_(tensor, -bound, bound);
}

export function kaimingNormal_(tensor: Tensor, options: KaimingOptions = {}): Tensor {
  return normal_(tensor, 0, kaimingStd(tensor, options));
}
