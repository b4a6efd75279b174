/** Layers and losses: first and second derivatives against differences, and values that are known. */
import { beforeAll, describe, expect, it } from "vitest";
import { functional as F, gradcheck, gradgradcheck, openTensors, type Tensor, type Tensors } from "../../tensor.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
});

const long = (values: number[] | number[][]): Tensor => torch.tensor(values, { dtype: "int64" });
const double = { dtype: "float64" } as const;

interface Case {
  readonly shapes: readonly (readonly number[])[];
  readonly fn: (...inputs: Tensor[]) => Tensor;
}

const of = (fn: (...inputs: Tensor[]) => Tensor, ...shapes: readonly (readonly number[])[]): Case => ({ fn, shapes });

const CASES: Record<string, Case> = {
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
  batchNorm: of((x, weight, bias) => F.batchNorm(x, null, null, { weight, bias, training: true }), [3, 2, 2], [2], [2]),
  "batchNorm of running numbers": of(
    (x, weight) => F.batchNorm(x, torch.zeros([2], double), torch.ones([2], double), { weight }),
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
  cosineEmbeddingLoss: of((a, b) => F.cosineEmbeddingLoss(a, b, torch.tensor([1, -1, 1])), [3, 2], [3, 2]),
  glu: of((x) => F.glu(x, 1), [2, 4]),
  prelu: of((x, weight) => F.prelu(x, weight), [2, 3, 2], [3]),
};

describe("gradients of layers and losses", () => {
  it.each(Object.entries(CASES))("%s", (_, { fn, shapes }) => {
    torch.manualSeed(11);
    const inputs = shapes.map((shape) => torch.randn([...shape]));
    gradcheck(fn, inputs);
    gradgradcheck(fn, inputs);
  });
});

describe("values", () => {
  it("a convolution is a sum of products", () => {
    const x = torch.arange(16).to("float32").view(1, 1, 4, 4);
    const w = torch.ones([1, 1, 3, 3]);
    expect(F.conv2d(x, w).tolist()).toEqual([[[[45, 54], [81, 90]]]]); // prettier-ignore
    expect(() => F.conv2d(x, torch.ones([1, 2, 3, 3]))).toThrow(
      "Given groups=1, weight of size [1, 2, 3, 3], expected input[1, 1, 4, 4] to have 2 channels, but got " +
        "1 channels instead",
    );
    expect(() => F.conv2d(x, torch.ones([1, 1, 5, 5]))).toThrow("Kernel size can't be greater than actual input size");
  });

  it("an embedding refuses what it does not have, and has no gradient at its padding", () => {
    const weight = torch.ones([3, 2], { requiresGrad: true });
    F.embedding(long([0, 1, 1]), weight, { paddingIdx: 1 })
      .sum()
      .backward();
    expect(weight.grad?.tolist()).toEqual([[1, 1], [0, 0], [0, 0]]); // prettier-ignore
    expect(() => F.embedding(long([3]), weight)).toThrow("index 3 is out of bounds for dimension 0 with size 3");
  });

  it("dropout keeps the mean, and does nothing outside of training", () => {
    const x = torch.ones([4000]);
    const y = F.dropout(x, { p: 0.25 });
    expect(Math.abs(y.mean().item() - 1)).toBeLessThan(0.05);
    expect(new Set(y.toArray() as Float32Array)).toEqual(new Set([0, Math.fround(1 / 0.75)]));
    expect(F.dropout(x, { training: false })).toBe(x);
  });

  it("batch norm follows the mean and the variance of its batches", () => {
    const [mean, variance] = [torch.zeros([1]), torch.ones([1])];
    F.batchNorm(torch.tensor([[1], [3]]), mean, variance, { training: true, momentum: 0.5 });
    expect([mean.item(), variance.item()]).toEqual([1, 1.5]);
  });
});
