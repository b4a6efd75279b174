/** Operations by kernels against the same operations on the host, on an emulated device. */
import { beforeAll, describe, expect, it } from "vitest";
import { openDevice, type Gpu } from "../../index.ts";
import { openTensors, Tensor, type Tensors } from "../../tensor.ts";
import { isFloating, type TensorDtype } from "../dtypes.ts";
import { ELEMENT_FUNCTIONS, type ElementName } from "../operations/element-functions.ts";
import { elementwise } from "../operations/elementwise.ts";
import { tensorDeviceOf } from "./tensor-device.ts";

let gpu: Gpu;
let torch: Tensors;
beforeAll(async () => {
  gpu = await openDevice({ device: "emulated" });
  torch = await openTensors({ device: gpu });
  const device = tensorDeviceOf(gpu.raw);
  if (device !== null) device.leastElements = 1;
});

/** Relative to the greater of the element and `scale`. */
function expectSame(actual: Tensor, expected: Tensor, tolerance: number, scale = 1e-3): void {
  expect([actual.dtype, actual.shape]).toEqual([expected.dtype, expected.shape]);
  const [a, b] = [actual.values(), expected.values()];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    if (x === y || (x !== x && y !== y)) continue;
    expect(Math.abs(x - y) / Math.max(scale, Math.abs(y)), `element ${i}: ${x} for ${y}`).toBeLessThan(tolerance);
  }
}

const host = (values: readonly number[], shape: readonly number[], dtype: TensorDtype): Tensor =>
  torch
    .tensor([...values], { dtype: "float64", device: null })
    .to(dtype)
    .view([...shape]);

/** Operands that the function is defined for, and some that are not. */
function operandsOf(name: ElementName, dtype: TensorDtype): Tensor[] {
  const { operands, isConditional } = ELEMENT_FUNCTIONS[name];
  const n = 40;
  const isWhole = !isFloating(dtype);
  return Array.from({ length: operands }, (_, k) => {
    const first = (i: number): number => (i - 17) * (isWhole ? 1 : 0.37) + 0.01;
    const later = (i: number): number => (isWhole ? ((i * 5) % 7) + 1 : 0.3 + ((i * 7) % 11) / 4);
    const tensor = host(
      Array.from({ length: n }, (_unused, i) => (k === 0 ? first(i) : later(i))),
      [n],
      dtype,
    );
    return k === 0 && isConditional ? tensor.bool() : tensor;
  });
}

const names = Object.keys(ELEMENT_FUNCTIONS) as ElementName[];
const OF_BITS = /bitwise|shift/;
/** Differences of numbers that are nearly equal: what is left has few digits. */
const CANCELS: ReadonlySet<ElementName> = new Set<ElementName>(["gelu", "gelu_tanh", "sinc", "lerp"]);

describe("functions of elements", () => {
  it.each(names.filter((name) => !OF_BITS.test(name)))("%s of float32", (name) => {
    const operands = operandsOf(name, "float32");
    const expected = elementwise(name, ...operands);
    const actual = elementwise(name, ...operands.map((operand) => operand.to(gpu)));
    expectSame(actual.cpu(), expected, 3e-6, CANCELS.has(name) ? 1 : 1e-3);
  });

  it.each(names.filter((name) => ELEMENT_FUNCTIONS[name].gives !== "float" && name !== "nan_to_num"))(
    "%s of int32",
    (name) => {
      const operands = operandsOf(name, "int32");
      const expected = elementwise(name, ...operands);
      const actual = elementwise(name, ...operands.map((operand) => operand.to(gpu)));
      expectSame(actual.cpu(), expected, 1e-9);
    },
  );
});

const numbers = (length: number): number[] => Array.from({ length }, (_, i) => ((i * 7919) % 1009) / 503 - 1);

describe("elements in all orders", () => {
  const wide = (shape: readonly number[]): Tensor => host(numbers(shape.reduce((a, b) => a * b, 1)), shape, "float32");
  it.each([[[5, 7]], [[3, 4, 5, 6]], [[2, 3000]], [[700, 3]], [[64, 65]]])("%j", (shape) => {
    const x = wide(shape);
    const y = x.to(gpu);
    const turn = (of: Tensor): Tensor => of.permute(of.shape.map((_, d) => (d + 1) % of.dim()));
    for (const work of [
      (of: Tensor) => turn(of).add(turn(of).contiguous()),
      (of: Tensor) => of.mul(of.sum(-1, { keepdim: true })),
      (of: Tensor) => of.narrow(0, 1, 1).add(of),
      (of: Tensor) => turn(of).clone().flatten(),
      (of: Tensor) => torch.cat([of, of], 1).index(null, "..."),
    ])
      // Products with sums of up to 3000 elements of at most 1: their errors are those of the sums.
      expectSame(work(y).cpu(), work(x), 1e-5, 1);
  });

  it.each(["float16", "bfloat16", "float64", "int64", "int8", "uint8", "bool"] as const)("%s", (dtype) => {
    const x = host(
      numbers(37 * 41).map((value) => value * 50),
      [37, 41],
      dtype,
    );
    const y = x.to(gpu);
    for (const work of [
      (of: Tensor) => of.sum(1),
      (of: Tensor) => of.amax(0),
      (of: Tensor) => of.argmin(1),
      (of: Tensor) => of.any(1),
      (of: Tensor) => of.add(of),
      (of: Tensor) => of.to("float32"),
      (of: Tensor) => of.to("float64").to(dtype),
    ])
      expectSame(work(y).cpu(), work(x), 1e-6);
  });
});

describe("reductions", () => {
  it.each([[[5, 7]], [[3, 4, 5, 6]], [[2, 3000]], [[70000, 3]], [[100000]]])("%j", (shape) => {
    const x = host(numbers(shape.reduce((a, b) => a * b, 1)), shape, "float32");
    const y = x.to(gpu);
    for (const dims of [undefined, [0], [-1], shape.length > 2 ? [1, 3] : [0]])
      for (const name of ["sum", "mean", "amax", "amin", "any", "all"] as const)
        expectSame(y[name](dims).cpu(), x[name](dims), 1e-4, 1);
    for (const dim of [undefined, 0, -1])
      for (const name of ["argmax", "argmin"] as const) expectSame(y[name](dim).cpu(), x[name](dim), 1e-9);
    expectSame(y.var(0).cpu(), x.var(0), 1e-5);
    expectSame(y.softmax(-1).cpu(), x.softmax(-1), 1e-5);
    expectSame(y.logSoftmax(0).cpu(), x.logSoftmax(0), 1e-5);
    expectSame(y.logsumexp(0).cpu(), x.logsumexp(0), 1e-5);
  });

  it("NaN wins, and nothing has a sum, a product and truth", () => {
    const x = torch.tensor([1, NaN, 3]);
    expect([x.amax().item(), x.amin().item(), x.argmax().item()]).toEqual([NaN, NaN, 1]);
    const none = torch.zeros([0, 3]);
    expect([none.sum(0).tolist(), none.prod(0).tolist(), none.all(0).tolist(), none.any(0).tolist()]).toEqual([
      [0, 0, 0],
      [1, 1, 1],
      [true, true, true],
      [false, false, false],
    ]);
  });
});
