/** Layers and losses: first and second derivatives against differences, and values that are known. */
import { beforeAll, describe, expect, it } from "vitest";
import { functional as F, gradcheck, gradgradcheck, openTensors, type Tensor, type Tensors } from "../../tensor.ts";
import { layerCases } from "./layer-cases.test-helper.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
});

const long = (values: number[] | number[][]): Tensor => torch.tensor(values, { dtype: "int64" });
describe("gradients of layers and losses", () => {
  it.each(Object.entries(layerCases(() => torch)))("%s", (_, { fn, shapes }) => {
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
