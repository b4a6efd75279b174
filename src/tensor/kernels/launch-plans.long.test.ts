/** What an operation launches the second time, for other tensors of the same form, against the host. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDevice, type Gpu } from "../../index.ts";
import { openTensors, type Tensor, type Tensors } from "../../tensor.ts";
import { tensorDeviceOf } from "./tensor-device.ts";

let gpu: Gpu;
let torch: Tensors;
beforeAll(async () => {
  gpu = await openDevice({ device: "emulated" });
  torch = await openTensors({ device: gpu });
  const device = tensorDeviceOf(gpu.raw);
  if (device !== null) device.leastElements = 1;
});
afterAll(() => gpu.close());

const randn = (...shape: number[]): Tensor => torch.randn(shape, { device: null });

const CASES: readonly (readonly [string, (a: Tensor, b: Tensor, by: number) => Tensor])[] = [
  ["two operands", (a, b) => a.add(b)],
  ["an operand and itself", (a) => a.mul(a)],
  ["a row for all rows", (a, b) => a.sub(b.select(0, 1))],
  ["a number", (a, _, by) => a.mul(by)],
  ["numbers of another kind", (a, _, by) => a.add(Math.round(by))],
  [
    "a part that lies at no multiple of 16 bytes",
    (a, b) =>
      a
        .view(-1)
        .narrow(0, 1, 16)
        .add(b.view(-1).narrow(0, 0, 16)),
  ],
  ["transposed", (a, b) => a.t().add(b.t())],
  ["conditions", (a, b) => a.gt(b)],
  ["in place", (a, b) => a.clone().add_(b)],
  [
    "in place, with itself",
    (a) => {
      const copy = a.clone();
      return copy.add_(copy);
    },
  ],
  ["sums of all", (a) => a.sum()],
  ["sums of rows", (a) => a.sum(1)],
  ["sums of columns, kept", (a) => a.sum(0, { keepdim: true })],
  ["means", (a) => a.mean(1)],
  ["softmax", (a) => a.softmax(1)],
  ["softmax of columns", (a) => a.softmax(0)],
  ["behind one another", (a, b) => torch.cat([a, b])],
  ["beside one another, of several widths", (a, b) => torch.cat([a, b.narrow(1, 0, 3).contiguous(), a], 1)],
  [
    "a gradient",
    (a, b) => {
      const x = a.detach().requiresGrad_();
      return torch.grad(x.mul(b).exp().sum(), [x])[0] as Tensor;
    },
  ],
];

it.each(CASES)("%s", (_, fn) => {
  for (let round = 0; round < 3; round++)
    for (const shape of [
      [6, 8],
      [4, 5],
    ] as const) {
      const [a, b, by] = [randn(...shape), randn(...shape), 1.5 + round];
      const there = fn(a.to(gpu), b.to(gpu), by).cpu();
      const here = fn(a, b, by);
      expect(there.shape).toEqual(here.shape);
      const [x, y] = [there.double().values(), here.double().values()];
      for (let i = 0; i < y.length; i++) expect(x[i]).toBeCloseTo(y[i] as number, 5);
    }
});

it("ones that nobody looked at are there when somebody does", () => {
  const x = torch.tensor([2], { device: gpu }).requiresGrad_();
  const seen: number[] = [];
  const y = x.sum();
  y.registerHook((gradient) => void seen.push(gradient.item()));
  y.backward();
  expect([seen, x.grad?.tolist()]).toEqual([[1], [1]]);
});
