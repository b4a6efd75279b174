/** Layers and losses whose gradients are compared with differences, and the shapes of their inputs. */
import { functional as F, type Tensor, type Tensors } from "../../tensor.ts";

export interface Case {
  readonly shapes: readonly (readonly number[])[];
  readonly fn: (...inputs: Tensor[]) => Tensor;
}

const of = (fn: (...inputs: Tensor[]) => Tensor, ...shapes: readonly (readonly number[])[]): Case => ({ fn, shapes });

/** @param own the tensors of the test, which are there when a case runs */
export function layerCases(own: () => Tensors): Readonly<Record<string, Case>> {
  const double = { dtype: "float64" } as const;
  const long = (values: number[] | number[][]): Tensor => own().tensor(values, { dtype: "int64" });
  return {
    conv1d: of((x, w, bias) => F.conv1d(x, w, { bias, stride: 2, padding: 1, groups: 2 }), [2, 4, 7], [4, 2, 3], [4]),
    conv2d: of(
      (x, w, bias) => F.conv2d(x, w, { bias, stride: [2, 1], padding: [1, 2], dilation: [1, 2] }),
      [2, 2, 5, 6],
      [3, 2, 3, 2],
      [3],
    ),
    "conv2d, same": of((x, w) => F.conv2d(x, w, { padding: "same" }), [1, 2, 4, 5], [2, 2, 2, 3]),
    conv3d: of((x, w) => F.conv3d(x, w, { padding: 1 }), [1, 1, 2, 3, 2], [2, 1, 2, 2, 2]),
    convTranspose2d: of(
      (x, w, bias) => F.convTranspose2d(x, w, { bias, stride: 2, padding: 1, outputPadding: 1, groups: 2 }),
      [2, 4, 3, 2],
      [4, 1, 3, 3],
      [2],
    ),
    maxPool2d: of((x) => F.maxPool2d(x, 2, { padding: 1, stride: 1 }), [2, 2, 4, 3]),
    "maxPool1d, dilated": of((x) => F.maxPool1d(x, 2, { dilation: 2, ceilMode: true }), [2, 7]),
    avgPool2d: of((x) => F.avgPool2d(x, [3, 2], { padding: 1, ceilMode: true, countIncludePad: false }), [2, 2, 5, 4]),
    adaptiveAvgPool2d: of((x) => F.adaptiveAvgPool2d(x, [3, null]), [2, 2, 5, 4]),
    adaptiveMaxPool1d: of((x) => F.adaptiveMaxPool1d(x, 2), [2, 2, 5]),
    lpPool2d: of((x) => F.lpPool2d(x.square(), 2, 2), [2, 2, 4, 4]),
    maxUnpool2d: of(
      (x) => {
        const { values, indices } = F.maxPool2dWithIndices(x, 2);
        return F.maxUnpool2d(values, indices, 2);
      },
      [1, 2, 4, 4],
    ),
    batchNorm: of(
      (x, weight, bias) => F.batchNorm(x, null, null, { weight, bias, training: true }),
      [3, 2, 2],
      [2],
      [2],
    ),
    "batchNorm of running numbers": of(
      (x, weight) => F.batchNorm(x, own().zeros([2], double), own().ones([2], double), { weight }),
      [3, 2, 2],
      [2],
    ),
    groupNorm: of((x, weight, bias) => F.groupNorm(x, 2, { weight, bias }), [2, 4, 3], [4], [4]),
    instanceNorm: of((x, weight) => F.instanceNorm(x, { weight }), [2, 2, 4], [2]),
    layerNorm: of((x, weight, bias) => F.layerNorm(x, [2, 3], { weight, bias }), [3, 2, 3], [2, 3], [2, 3]),
    rmsNorm: of((x, weight) => F.rmsNorm(x, [3], { weight }), [2, 3], [3]),
    normalize: of((x) => F.normalize(x), [2, 3]),
    linear: of((x, w, b) => F.linear(x, w, b), [2, 3, 4], [5, 4], [5]),
    bilinear: of((a, b, w, bias) => F.bilinear(a, b, w, bias), [3, 2], [3, 4], [2, 2, 4], [2]),
    embedding: of((w) => F.embedding(long([[0, 2, 2]]), w), [4, 3]),
    "pad, reflect": of((x) => F.pad(x, [2, 1], { mode: "reflect" }), [2, 2, 4]),
    "pad, replicate": of((x) => F.pad(x, [2, 1, 0, 3], { mode: "replicate" }), [2, 2, 4]),
    "pad, circular": of((x) => F.pad(x, [2, -1], { mode: "circular" }), [2, 4]),
    "pad, constant": of((x) => F.pad(x, [1, -1, 2, 0], { value: 3 }), [2, 4]),
    unfold: of((x) => F.unfold(x, [2, 2], { padding: 1, stride: 2 }), [2, 2, 4, 3]),
    fold: of((x) => F.fold(x, [3, 4], 2), [2, 8, 6]),
    mseLoss: of((x, y) => F.mseLoss(x, y), [3, 2], [3, 2]),
    l1Loss: of((x, y) => F.l1Loss(x, y, { reduction: "sum" }), [3, 2], [3, 2]),
    smoothL1Loss: of((x, y) => F.smoothL1Loss(x, y, { beta: 0.4, reduction: "none" }), [3, 2], [3, 2]),
    huberLoss: of((x, y) => F.huberLoss(x, y, { delta: 0.4 }), [3, 2], [3, 2]),
    binaryCrossEntropy: of((x, y) => F.binaryCrossEntropy(x.sigmoid(), y.sigmoid()), [3, 2], [3, 2]),
    binaryCrossEntropyWithLogits: of(
      (x, y, posWeight) => F.binaryCrossEntropyWithLogits(x, y, { posWeight }),
      [3, 2],
      [3, 2],
      [2],
    ),
    klDiv: of((x, y) => F.klDiv(x.logSoftmax(1), y.softmax(1), { reduction: "batchmean" }), [3, 2], [3, 2]),
    nllLoss: of((x, weight) => F.nllLoss(x.logSoftmax(1), long([[1], [0], [2]]), { weight }), [3, 3, 1], [3]),
    crossEntropy: of(
      (x, weight) => F.crossEntropy(x, long([1, 0, -100]), { weight: weight.square(), labelSmoothing: 0.1 }),
      [3, 3],
      [3],
    ),
    "crossEntropy of probabilities": of(
      (x, y) => F.crossEntropy(x, y.softmax(1), { labelSmoothing: 0.2 }),
      [2, 3, 2],
      [2, 3, 2],
    ),
    tripletMarginLoss: of((a, b, c) => F.tripletMarginLoss(a, b, c, { swap: true }), [3, 2], [3, 2], [3, 2]),
    cosineEmbeddingLoss: of((a, b) => F.cosineEmbeddingLoss(a, b, own().tensor([1, -1, 1])), [3, 2], [3, 2]),
    glu: of((x) => F.glu(x, 1), [2, 4]),
    prelu: of((x, weight) => F.prelu(x, weight), [2, 3, 2], [3]),
  };
}
