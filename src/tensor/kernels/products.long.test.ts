/** Kernels of products and convolutions against the host's loops. */
import { beforeAll, describe, expect, it } from "vitest";
import { functional as F, openTensors, type Tensor, type Tensors } from "../../tensor.ts";
import { tensorDeviceOf } from "./tensor-device.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
  torch.manualSeed(1);
});

/** Runs `work` with kernels for everything, or with none. */
function withKernels<T>(all: boolean, work: () => T): T {
  const device = tensorDeviceOf(torch.device.raw);
  if (device === null) throw new Error("no kernels");
  const before = device.leastElements;
  device.leastElements = all ? 1 : Infinity;
  try {
    return work();
  } finally {
    device.leastElements = before;
  }
}

function expectSame(work: () => Tensor[]): void {
  const [actual, expected] = [withKernels(true, work), withKernels(false, work)];
  for (const [i, tensor] of actual.entries()) {
    const want = expected[i] as Tensor;
    expect(tensor.shape).toEqual(want.shape);
    const values = tensor.values();
    const scale = Math.max(...want.values().map(Math.abs));
    for (const [at, value] of want.values().entries())
      expect(Math.abs((values[at] as number) - value), `result ${i}[${at}]`).toBeLessThanOrEqual(2e-6 * scale);
  }
}

const CASES: [string, number[], number[], Parameters<typeof F.conv2d>[2]][] = [
  ["3 × 3, padding 1", [2, 3, 9, 7], [5, 3, 3, 3], { padding: 1 }],
  ["1 × 1", [2, 4, 5, 5], [3, 4, 1, 1], {}],
  ["strides, dilation, groups", [2, 4, 11, 10], [6, 2, 3, 2], { stride: [2, 3], dilation: [1, 2], groups: 2 }],
  ["a kernel as large as the image", [3, 2, 4, 4], [2, 2, 4, 4], {}],
];

describe("convolutions", () => {
  it.each(CASES)("%s", (_, input, filters, options) => {
    const [x, w] = [torch.randn(input).requiresGrad_(), torch.randn(filters).requiresGrad_()];
    expectSame(() => {
      const y = F.conv2d(x, w, options ?? {});
      const [gx, gw] = torch.grad(y.square().sum(), [x, w]);
      return [y, gx as Tensor, gw as Tensor];
    });
  });

  it("of one and three dimensions", () => {
    const [x1, w1] = [torch.randn(2, 3, 12).requiresGrad_(), torch.randn(4, 3, 5).requiresGrad_()];
    const [x3, w3] = [torch.randn(1, 2, 4, 5, 6).requiresGrad_(), torch.randn(3, 2, 2, 3, 2).requiresGrad_()];
    expectSame(() => {
      const y1 = F.conv1d(x1, w1, { stride: 2, padding: 2 });
      const y3 = F.conv3d(x3, w3, { padding: 1 });
      const gradients = torch.grad(y1.square().sum().add(y3.square().sum()), [x1, w1, x3, w3]);
      return [y1, y3, ...(gradients as Tensor[])];
    });
  });
});

it("pooling, and losses by classes", () => {
  const x = torch.randn(3, 4, 9, 8).requiresGrad_();
  const logits = torch.randn(5, 7).requiresGrad_();
  const classes = torch.randint(0, 7, [5]);
  expectSame(() => {
    const y = F.maxPool2d(x, 2);
    const z = F.maxPool2d(x, 3, { stride: 2, padding: 1, ceilMode: true });
    const loss = F.crossEntropy(logits, classes);
    const [gx, gl] = torch.grad(y.square().sum().add(z.square().sum()).add(loss), [x, logits]);
    return [y, z, loss, gx as Tensor, gl as Tensor];
  });
});
