/** Normalised elements: batch, group, instance, layer and RMS norm. */
import { record, withoutTape } from "../autograd/tape.ts";
import { isFloating, type TensorDtype } from "../dtypes.ts";
import { failShape, type Shape, type Tensor } from "../tensor.ts";
import { sumTo } from "./broadcasting.ts";
import { copyInto, isSameShape } from "./copies.ts";
import { binary, cast, unary } from "./elementwise.ts";
import { float } from "./operands.ts";
import { reduce, variance } from "./reductions.ts";
import {
  launchNorm,
  launchNormBackward,
  normWeightGradient,
  rowDevice,
  rowDeviceForBackward,
} from "./row-operations.ts";
import { reshape } from "./shapes.ts";

const wideOf = (dtype: TensorDtype): TensorDtype => (dtype === "float64" ? "float64" : "float32");

/** (x - mean) · rsqrt(variance + epsilon), over some dimensions. */
function normalized(x: Tensor, dims: Shape, epsilon: number): Tensor {
  const centred = binary("sub", x, reduce("mean", x, dims, true));
  return binary("mul", centred, unary("rsqrt", binary("add", variance(x, dims, 0, true), float(epsilon))));
}

/** One number for each channel, in the shape that it broadcasts with. */
function perChannel(of: Tensor, rank: number): Tensor {
  return reshape(of, [of.length, ...Array.from({ length: rank - 2 }, () => 1)]);
}

function affine(x: Tensor, weight: Tensor | null, bias: Tensor | null): Tensor {
  let result = x;
  if (weight !== null) result = binary("mul", result, perChannel(weight, x.rank));
  if (bias !== null) result = binary("add", result, perChannel(bias, x.rank));
  return result;
}

export interface Affine {
  readonly weight: Tensor | null;
  readonly bias: Tensor | null;
  readonly epsilon: number;
}

export interface Running {
  readonly mean: Tensor | null;
  readonly variance: Tensor | null;
  /** The part of the new value in the running one. */
  readonly momentum: number;
}

function checkChannels(what: string, x: Tensor, ...others: readonly (readonly [string, Tensor | null])[]): void {
  for (const [name, other] of others)
    if (other !== null && other.length !== x.shape[1])
      failShape(`${what}: ${name} should contain ${x.shape[1]} elements not ${other.length}`, [x.shape, other.shape]);
}

/** Over all dimensions but the second one. With `training` it changes the running mean and variance. */
export function batchNorm(x: Tensor, running: Running, { weight, bias, epsilon }: Affine, training: boolean): Tensor {
  if (x.rank === 1 && x.length === 0) return cast(affine(x, null, null), x.dtype);
  if (x.rank < 2) failShape(`batch_norm: expected at least 2D input (got ${x.rank}D input)`);
  checkChannels(
    "batch_norm",
    x,
    ["running_mean", running.mean],
    ["running_var", running.variance],
    ["weight", weight],
    ["bias", bias],
  );
  const wide = cast(x, wideOf(x.dtype));
  const count = x.length / Math.max(1, x.shape[1] as number);
  if (!training) {
    if (running.mean === null || running.variance === null)
      return failShape("Expected running_mean and running_var to be defined when training=False");
    const centred = binary("sub", wide, perChannel(running.mean, x.rank));
    const scale = unary("rsqrt", binary("add", running.variance, float(epsilon)));
    return cast(affine(binary("mul", centred, perChannel(scale, x.rank)), weight, bias), x.dtype);
  }
  if (count <= 1)
    failShape(
      `Expected more than 1 value per channel when training, got input size torch.Size([${x.shape.join(", ")}])`,
    );
  const dims = x.shape.map((_, d) => d).filter((d) => d !== 1);
  withoutTape(() => {
    follow(running.mean, reduce("mean", wide, dims), running.momentum);
    if (running.variance !== null) follow(running.variance, variance(wide, dims, 1, false), running.momentum);
  });
  return cast(affine(normalized(wide, dims, epsilon), weight, bias), x.dtype);
}

function follow(running: Tensor | null, now: Tensor, momentum: number): void {
  if (running === null) return;
  const kept = binary("mul", running, float(1 - momentum));
  copyInto(running, binary("add", kept, binary("mul", now, float(momentum))));
}

/** Over the channels of each group, and all dimensions behind them. */
export function groupNorm(x: Tensor, groups: number, { weight, bias, epsilon }: Affine): Tensor {
  if (x.rank < 2) failShape(`Expected at least 2 dimensions for input tensor but received ${x.rank}`);
  const [batch, channels] = x.shape as [number, number];
  if (!Number.isInteger(groups) || groups <= 0 || channels % groups !== 0)
    failShape(
      `Expected number of channels in input to be divisible by num_groups, but got input of shape ` +
        `[${x.shape.join(", ")}] and num_groups=${groups}`,
    );
  checkChannels("group_norm", x, ["weight", weight], ["bias", bias]);
  const rows = reshape(cast(x, wideOf(x.dtype)), [batch, groups, x.length === 0 ? 0 : x.length / (batch * groups)]);
  const plain = rowNorm(rows, 2, { weight: null, bias: null, epsilon }, true);
  return cast(affine(reshape(plain, x.shape), weight, bias), x.dtype);
}

/** Over all dimensions behind the channels; the running numbers are means over the batch. */
export function instanceNorm(x: Tensor, running: Running, own: Affine, usesInput: boolean): Tensor {
  if (x.rank < 3) failShape(`Expected more than 2 dimensions, but got input of shape [${x.shape.join(", ")}]`);
  if (!usesInput) return batchNorm(x, running, own, false);
  const dims = x.shape.map((_, d) => d).slice(2);
  if (dims.reduce((product, d) => product * (x.shape[d] as number), 1) <= 1)
    failShape(`Expected more than 1 spatial element when training, got input size torch.Size([${x.shape.join(", ")}])`);
  const wide = cast(x, wideOf(x.dtype));
  withoutTape(() => {
    follow(running.mean, reduce("mean", reduce("mean", wide, dims), [0]), running.momentum);
    if (running.variance !== null)
      follow(running.variance, reduce("mean", variance(wide, dims, 1, false), [0]), running.momentum);
  });
  return cast(affine(normalized(wide, dims, own.epsilon), own.weight, own.bias), x.dtype);
}

/** x · rsqrt(mean of squares + epsilon), over the last dimensions. @param epsilon null: the type's own */
export function rmsNorm(x: Tensor, shape: Shape, weight: Tensor | null, epsilon: number | null): Tensor {
  checkNormalized(x, shape);
  if (weight !== null && !isSameShape(weight.shape, shape))
    failShape(
      `Expected weight to be of same shape as normalized_shape, but got weight of shape ` +
        `[${weight.shape.join(", ")}] and normalized_shape = [${shape.join(", ")}]`,
    );
  const own = { weight, bias: null, epsilon: epsilon ?? epsilonOf(wideOf(x.dtype)) };
  return rowNorm(x, x.rank - shape.length, own, false);
}

/** Over the last dimensions, whose sizes `shape` repeats; weight and bias are of that shape. */
export function layerNorm(x: Tensor, shape: Shape, own: Affine): Tensor {
  checkNormalized(x, shape);
  return rowNorm(x, x.rank - shape.length, own, true);
}

function checkNormalized(x: Tensor, shape: Shape): void {
  const first = x.rank - shape.length;
  if (shape.length === 0 || shape.some((size, d) => size !== x.shape[first + d]))
    failShape(
      `Given normalized_shape=[${shape.join(", ")}], expected input with shape [*, ${shape.join(", ")}], ` +
        `but got input of size[${x.shape.join(", ")}]`,
    );
}

/** Over the dimensions from `first` on. @param isCentred the mean is subtracted */
function rowNorm(x: Tensor, first: number, own: Affine, isCentred: boolean): Tensor {
  const { weight, bias } = own;
  const device = isFloating(x.dtype) ? rowDevice(x) : null;
  if (device === null) return composedNorm(x, first, own, isCentred);
  const kept = launchNorm(device, x, first, own, isCentred);
  const { result, mean, scale } = kept;
  const inputs = [x, weight, bias].filter((tensor) => tensor !== null);
  const backward = (gradient: Tensor): (Tensor | null)[] => {
    const backwardDevice = rowDeviceForBackward(gradient);
    if (backwardDevice === null) return normGradients(gradient, x, first, own, isCentred);
    const dx = x.requiresGradient ? launchNormBackward(backwardDevice, gradient, x, first, weight, kept) : null;
    const dw = weight?.requiresGradient === true ? normWeightGradient(gradient, x, first, weight, kept) : null;
    const db = bias?.requiresGradient === true ? sumTo(cast(gradient, bias.dtype), bias.shape) : null;
    return [dx, ...(weight === null ? [] : [dw]), ...(bias === null ? [] : [db])];
  };
  const saves = [x, scale, ...(weight === null ? [] : [weight]), ...(mean === null ? [] : [mean])];
  return record(isCentred ? "NativeLayerNormBackward0" : "FusedRmsNormBackward0", result, inputs, backward, saves);
}

function composedNorm(x: Tensor, first: number, { weight, bias, epsilon }: Affine, isCentred: boolean): Tensor {
  const wide = cast(x, wideOf(x.dtype));
  const dims = x.shape.map((_, d) => d).slice(first);
  let result = isCentred ? normalized(wide, dims, epsilon) : binary("mul", wide, inverseRoot(wide, dims, epsilon));
  if (weight !== null) result = binary("mul", result, weight);
  if (bias !== null) result = binary("add", result, bias);
  return cast(result, x.dtype);
}

/** 1 / √(mean of squares + epsilon) */
function inverseRoot(x: Tensor, dims: Shape, epsilon: number): Tensor {
  return unary("rsqrt", binary("add", reduce("mean", unary("square", x), dims, true), float(epsilon)));
}

/** The gradients of x, weight and bias, as operations that have gradients themselves. */
function normGradients(
  gradient: Tensor,
  x: Tensor,
  first: number,
  { weight, bias, epsilon }: Affine,
  isCentred: boolean,
): (Tensor | null)[] {
  const wide = cast(x, wideOf(x.dtype));
  const dims = x.shape.map((_, d) => d).slice(first);
  const centred = isCentred ? binary("sub", wide, reduce("mean", wide, dims, true)) : wide;
  const scale = inverseRoot(centred, dims, epsilon);
  const unit = binary("mul", centred, scale);
  const g = cast(gradient, wide.dtype);
  const own = weight === null ? g : binary("mul", g, weight);
  const along = binary("mul", unit, reduce("mean", binary("mul", own, unit), dims, true));
  const rest = binary("sub", isCentred ? binary("sub", own, reduce("mean", own, dims, true)) : own, along);
  const results: (Tensor | null)[] = [cast(binary("mul", rest, scale), x.dtype)];
  if (weight !== null) results.push(cast(sumTo(binary("mul", g, unit), weight.shape), weight.dtype));
  if (bias !== null) results.push(cast(sumTo(g, bias.shape), bias.dtype));
  return results;
}

const epsilonOf = (dtype: TensorDtype): number => (dtype === "float64" ? 2 ** -52 : 2 ** -23);

/** x / max(norm, epsilon) along a dimension. */
export function unitLength(x: Tensor, norm: Tensor, epsilon: number): Tensor {
  return binary("div", x, binary("clamp_min", norm, float(epsilon)));
}
