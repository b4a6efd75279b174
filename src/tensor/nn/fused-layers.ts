/**
 * Layers of a `Sequential` that are computed as one operation, under autocast on a device with kernels:
 *
 *     Conv2d, BatchNorm2d, [ReLU], [MaxPool2d], [Flatten]
 *     Linear, [ReLU]
 */
import { perDimension } from "./place.ts";
import { autocastDtype } from "../autograd/autocast.ts";
import { convolutionBlock } from "../operations/convolution-block.ts";
import { linearLayer } from "../operations/linear-layer.ts";
import { asOperation } from "../operation-names.ts";
import type { Tensor } from "../tensor.ts";
import { MaxPool2d, ReLU } from "./activations.ts";
import { Conv2d } from "./convolution.ts";
import { hasHooks } from "./hooks.ts";
import { Flatten, Linear } from "./linear.ts";
import type { Module } from "./module.ts";
import { BatchNorm2d } from "./norms.ts";

export interface FusedLayers {
  readonly result: Tensor;
  /** How many layers it is the result of. */
  readonly count: number;
}

interface Layers {
  readonly length: number;
  at(index: number): Module;
}

/** Null: the layer at `first` is to be computed on its own. */
export function fusedLayers(layers: Layers, first: number, input: Tensor): FusedLayers | null {
  if (autocastDtype() === null) return null;
  const at = (index: number): Module | null => {
    const layer = index < layers.length ? layers.at(index) : null;
    // What hooks look at is computed on its own.
    return layer === null || hasHooks(layer) ? null : layer;
  };
  const layer = at(first);
  if (layer instanceof Linear) {
    const hasRelu = at(first + 1) instanceof ReLU;
    const { weight, bias } = layer;
    const name = hasRelu ? "linear, relu" : "linear";
    const result = asOperation(name, [input, weight, bias], () => linearLayer(input, weight, bias, hasRelu));
    return result === null ? null : { result, count: hasRelu ? 2 : 1 };
  }
  const norm = at(first + 1);
  if (!(layer instanceof Conv2d) || !(norm instanceof BatchNorm2d)) return null;
  let count = 2;
  const hasRelu = at(first + count) instanceof ReLU;
  if (hasRelu) count++;
  const pool = poolOf(at(first + count));
  if (pool !== null) count++;
  const flatten = at(first + count);
  const flattens = flatten instanceof Flatten && flatten.startDim === 1 && flatten.endDim === -1;
  if (flattens) count++;
  const result = block(layer, norm, input, { hasRelu, pool: pool ?? [1, 1], flattens });
  return result === null ? null : { result, count };
}

/** Windows beside each other; null: it is no such pooling. */
function poolOf(layer: Module | null): readonly number[] | null {
  if (!(layer instanceof MaxPool2d)) return null;
  const { kernelSize, options } = layer;
  const { stride = kernelSize, padding = 0, dilation = 1, ceilMode = false } = options;
  const [kernel, steps, margins, gaps] = [kernelSize, stride, padding, dilation].map((sizes) =>
    perDimension("MaxPool2d", "size", sizes, 2),
  ) as [readonly number[], readonly number[], readonly number[], readonly number[]];
  const isPlain = kernel.join() === steps.join() && margins.every((own) => own === 0) && gaps.every((own) => own === 1);
  return isPlain && !ceilMode ? kernel : null;
}

function block(
  { layout, paddingMode, weight, bias }: Conv2d,
  norm: BatchNorm2d,
  input: Tensor,
  rest: { readonly hasRelu: boolean; readonly pool: readonly number[]; readonly flattens: boolean },
): Tensor | null {
  const { stride, padding, dilation, groups } = layout;
  if (paddingMode !== "zeros" || typeof padding === "string" || groups !== 1) return null;
  const isTraining = norm.training || norm.runningMean === null;
  if (norm.weight === null || norm.bias === null || norm.momentum === null || weight.shape[0] !== norm.numFeatures)
    return null;
  const { eps, momentum, runningMean, runningVar } = norm;
  const own = { weight: norm.weight, bias: norm.bias, runningMean, runningVariance: runningVar };
  const isPooled = rest.pool.some((size) => size > 1);
  const name = `conv2d, batchNorm${rest.hasRelu ? ", relu" : ""}${isPooled ? ", maxPool2d" : ""}`;
  const result = asOperation(name, [input, weight], () =>
    convolutionBlock(
      input,
      weight,
      bias,
      { ...own, epsilon: eps, momentum },
      { stride, padding, dilation, ...rest },
      isTraining,
    ),
  );
  if (result !== null && isTraining) norm.countBatch();
  return result;
}
