/** Kernels of layers and of indices against the same operations on the host, on an emulated device. */
import { describe, expect, it } from "vitest";
import { functional as F, type Tensor } from "../../tensor.ts";
import { compare, gpu, randn, torch } from "./kernels-beside-host.test-helper.ts";

const channelsLast = (x: Tensor): Tensor => x.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2);

describe("convolutions", () => {
  it.each([
    ["plain", [2, 3, 8, 9], [5, 3, 3, 3], {}],
    ["stride, padding, dilation", [2, 4, 9, 8], [6, 4, 3, 2], { stride: [2, 1], padding: [1, 2], dilation: [1, 2] }],
    ["groups", [2, 6, 7, 7], [4, 3, 3, 3], { groups: 2, padding: 1 }],
    ["depthwise", [1, 5, 6, 6], [5, 1, 3, 3], { groups: 5 }],
    ["many windows", [3, 2, 40, 40], [3, 2, 3, 3], { padding: 1, stride: 2 }],
    ["1 × 1", [2, 8, 5, 5], [70, 8, 1, 1], {}],
  ] as const)("conv2d, %s", (_, x, w, options) => {
    const [a, b] = [randn(...x), randn(...w)];
    compare((p, q) => F.conv2d(p, q, options), [a, b]);
    compare((p, q) => F.conv2d(channelsLast(p), channelsLast(q), options), [a, b]);
  });

  it("conv1d, conv3d, and transposed ones", () => {
    compare((x, w) => F.conv1d(x, w, { padding: 2, stride: 2 }), [randn(2, 3, 20), randn(4, 3, 5)]);
    compare((x, w) => F.conv3d(x, w, { padding: 1 }), [randn(1, 2, 4, 5, 3), randn(3, 2, 3, 2, 3)]);
    compare(
      (x, w) => F.convTranspose2d(x, w, { stride: 2, padding: 1, outputPadding: 1 }),
      [randn(2, 3, 5, 4), randn(3, 4, 3, 3)],
    );
  });

  it("of halves", () => {
    const [x, w] = [randn(2, 3, 8, 8).half(), randn(4, 3, 3, 3).half()];
    compare((p, q) => F.conv2d(p, q, { padding: 1 }), [x, w], 2e-2);
  });
});

describe("indices", () => {
  const long = (values: number[], ...shape: number[]): Tensor =>
    torch.tensor(values, { dtype: "int64", device: null }).reshape(shape);
  const spread = (n: number, size: number): number[] => Array.from({ length: n }, (_, i) => (i * 7919) % size);

  it("rows, and elements, and their transposes", () => {
    compare((w) => F.embedding(long(spread(60, 9), 6, 10).to(w.device), w), [randn(9, 33)]);
    compare(
      (x, s) => x.indexAdd(1, long(spread(11, 7), 11).to(x.device), s, { alpha: 2 }),
      [randn(3, 7, 5), randn(3, 11, 5)],
    );
    compare((x) => x.gather(1, long(spread(3 * 11 * 5, 7), 3, 11, 5).to(x.device)), [randn(3, 7, 5)]);
    compare((x) => x.permute(1, 0).gather(0, long(spread(6, 4), 2, 3).to(x.device)), [randn(3, 4)]);
    compare(
      (x) =>
        x
          .half()
          .indexSelect(0, long([2, 2, 0], 3).to(x.device))
          .float(),
      [randn(3, 4)],
    );
    compare((x) => x.sort(1).values.add(x.topk(7, 1).values), [randn(4, 7)]);
  });

  it("one that is out of range is an error, also of a kernel", () => {
    const x = torch.ones([3, 4]);
    expect(() => x.indexSelect(0, long([0, 3], 2).to(gpu)).tolist()).toThrow("index 3 is out of bounds");
    expect(() => x.gather(1, long([0, 0, -1], 3, 1).to(gpu)).tolist()).toThrow("index -1 is out of bounds");
    expect(x.indexSelect(0, long([0], 1).to(gpu)).tolist()).toEqual([[1, 1, 1, 1]]);
  });
});

describe("pooling", () => {
  const x = (): Tensor => randn(2, 3, 9, 8);
  it.each([
    ["maxPool2d", (t: Tensor) => F.maxPool2d(t, 2)],
    ["maxPool2d, padded and dilated", (t: Tensor) => F.maxPool2d(t, 3, { padding: 1, stride: 2, dilation: 2 })],
    ["avgPool2d", (t: Tensor) => F.avgPool2d(t, 2)],
    ["avgPool2d, padded", (t: Tensor) => F.avgPool2d(t, [3, 2], { padding: 1, stride: 2, ceilMode: true })],
    [
      "avgPool2d, of elements alone",
      (t: Tensor) => F.avgPool2d(t, 3, { padding: 1, stride: 2, ceilMode: true, countIncludePad: false }),
    ],
    ["avgPool2d, a divisor", (t: Tensor) => F.avgPool2d(t, 3, { divisorOverride: 5 })],
    ["adaptiveAvgPool2d", (t: Tensor) => F.adaptiveAvgPool2d(t, [3, 1])],
    ["adaptiveMaxPool2d", (t: Tensor) => F.adaptiveMaxPool2d(t, [1, 4])],
  ] as const)("%s", (_, fn) => {
    compare(fn, [x()]);
  });
});
