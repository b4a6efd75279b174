import { expect, it } from "vitest";
import { fromNumbers, full } from "./creation.ts";
import { formatTensor } from "../format.ts";
import { Generators } from "./random.ts";
import { reduce, variance } from "./reductions.ts";
import type { Device } from "../../device/device.ts";
import { HostMemoryDevice } from "../host-memory-device.test-helper.ts";

const text = (numbers: readonly number[], shape: readonly number[], dtype: "float32" | "int64" | "bool" | "float16") =>
  formatTensor(fromNumbers(numbers, shape, dtype, null), null);

it("numbers of the host are PyTorch's for the same seed", () => {
  const generators = new Generators(0n);
  expect(formatTensor(generators.rand([3], "float32", null), null)).toBe("tensor([0.4963, 0.7682, 0.0885])");
  generators.seed(0n);
  expect(formatTensor(generators.randn([3], "float32", null), null)).toBe("tensor([ 1.5410, -0.2934, -2.1788])");
});

it("numbers of a device are those of PyTorch's CUDA kernels", () => {
  const device = new HostMemoryDevice() as unknown as Device;
  const generators = new Generators(0n);
  const x = generators.rand([98432], "float32", device).values();
  const y = generators.rand([98432], "float32", device).values();
  const sums = [0, 1, 2, -3, -2, -1].map((i) => (x.at(i) as number) + (y.at(i) as number));
  // What Triton's first tutorial prints on a GPU.
  expect(sums.map((sum) => sum.toFixed(4))).toEqual(["1.3713", "1.3076", "0.4940", "0.6724", "1.2141", "0.9733"]);
});

it("normal numbers have mean 0 and variance 1, on both; more than a GPU's threads draw, too", () => {
  const device = new HostMemoryDevice() as unknown as Device;
  for (const place of [null, device]) {
    const drawn = new Generators(7n).randn([300_000], "float32", place);
    expect(reduce("mean", drawn, null).values()[0]).toBeCloseTo(0, 1);
    expect(variance(drawn, null, 1, false).values()[0]).toBeCloseTo(1, 1);
  }
  const whole = new Generators(7n).randint(-3, 4, [1000], "int64", null).values();
  expect([...new Set(whole)].toSorted((a, b) => a - b)).toEqual([-3, -2, -1, 0, 1, 2, 3]);
  expect([...new Generators(1n).randperm(50, "int64", null).values()].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 50 }, (_, i) => i),
  );
});

it("tensors print as PyTorch prints them", () => {
  expect(text([1, 2, 3], [3], "float32")).toBe("tensor([1., 2., 3.])");
  expect(text([1, -20], [2], "int64")).toBe("tensor([  1, -20])");
  expect(text([1, 0], [2], "bool")).toBe("tensor([ True, False])");
  expect(text([1.5], [], "float32")).toBe("tensor(1.5000)");
  expect(text([24.15625, -0.5], [2], "float16")).toBe("tensor([24.1562, -0.5000], dtype=torch.float16)");
  expect(text([1e-5, 1], [2], "float32")).toBe("tensor([1.0000e-05, 1.0000e+00])");
  expect(text([1, NaN, Infinity], [3], "float32")).toBe("tensor([1., nan, inf])");
  expect(text([1, 2, 3, 4], [2, 2], "float32")).toBe("tensor([[1., 2.],\n        [3., 4.]])");
  expect(text([1, 2, 3, 4], [2, 1, 2], "float32")).toBe("tensor([[[1., 2.]],\n\n        [[3., 4.]]])");
  expect(formatTensor(full([2000], 0.5, "float32", null), "cuda:0")).toBe(
    "tensor([0.5000, 0.5000, 0.5000,  ..., 0.5000, 0.5000, 0.5000], device='cuda:0')",
  );
  expect(text([], [0], "float32")).toBe("tensor([])");
});
