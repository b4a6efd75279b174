/** Compiled functions against the same functions without `compile`, on an emulated device. */
import { beforeAll, describe, expect, it } from "vitest";
import { openDevice } from "../../index.ts";
import { functional as F, openTensors, type Tensor, type Tensors } from "../../tensor.ts";
import { casesOf, type Work } from "./cases.test-helper.ts";
import type { Compiled } from "./compile.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: await openDevice({ device: "emulated" }) });
  torch.manualSeed(7);
});

function expectClose(actual: Tensor, expected: Tensor, tolerance = 1e-5): void {
  expect([actual.dtype, actual.shape]).toEqual([expected.dtype, expected.shape]);
  const [a, b] = [actual.values(), expected.values()];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    if (x === y || (x !== x && y !== y)) continue;
    expect(Math.abs(x - y) / Math.max(1, Math.abs(y)), `element ${i}: ${x} for ${y}`).toBeLessThan(tolerance);
  }
}

const leaf = (of: Tensor): Tensor => of.detach().clone().requiresGrad_();

/** Values and gradients, from outside of the function, twice: traced, and called again. */
function expectSame(fn: Work, make: () => Tensor[], tolerance = 1e-5): Compiled<Tensor[], Tensor> {
  const compiled = torch.compile(fn, { silent: true });
  for (let call = 0; call < 2; call++) {
    const given = make();
    const ours = given.map((tensor) => (tensor.isFloatingPoint ? leaf(tensor) : tensor));
    const theirs = given.map((tensor) => (tensor.isFloatingPoint ? leaf(tensor) : tensor));
    torch.manualSeed(call);
    const actual = compiled(...ours);
    torch.manualSeed(call);
    const expected = fn(...theirs);
    expectClose(actual, expected, tolerance);
    if (!expected.requiresGrad) continue;
    const gradient = torch.randn([...expected.shape]);
    actual.backward(gradient);
    expected.backward(gradient);
    for (const [i, own] of ours.entries()) {
      expect(own.grad === null).toBe(theirs[i]?.grad === null);
      if (own.grad !== null) expectClose(own.grad, theirs[i]?.grad as Tensor, tolerance);
    }
  }
  expect(compiled.explain().breaks).toEqual([]);
  expect(compiled.explain().traces).toBe(1);
  return compiled;
}

describe("chains of elements", () => {
  it("are one kernel, and one for their gradients", () => {
    const compiled = expectSame(
      (x, y) => x.mul(2).add(y).gelu().sub(x.exp()),
      () => [torch.randn([5, 7]), torch.randn([5, 7])],
    );
    expect(compiled.explain().kernels, compiled.source.triton).toBe(2);
  });

  // All of them: operations.long.test.ts.
  const some = new Set(["views", "cat", "layer norm", "mean of columns", "in place", "dropout"]);
  it.each(casesOf(() => torch).filter(([name]) => some.has(name)))("%s", (_, fn, make) => {
    expectSame(fn, make);
  });
});

describe("a whole step", () => {
  it("gradients inside are set and added up", () => {
    const [w, x] = [torch.randn([5, 3]), torch.randn([4, 5])];
    const step = (own: Tensor, input: Tensor): Tensor => {
      const loss = input.matmul(own).square().mean();
      loss.backward();
      return loss.detach();
    };
    const compiled = torch.compile(step, { silent: true });
    const [ours, theirs] = [leaf(w), leaf(w)];
    for (let i = 0; i < 3; i++) {
      expectClose(compiled(ours, x), step(theirs, x));
      expectClose(ours.grad as Tensor, theirs.grad as Tensor);
    }
    expect(compiled.explain()).toMatchObject({ breaks: [], traces: 2 });
  });

  it("long rows are read once for their maximum and the sum of exponentials", () => {
    const x = torch.randn([64, 16400]).mul(4);
    x.select(0, 1).fill_(-Infinity);
    x.select(0, 2).fill_(-Infinity).select(0, 16399).fill_(2);
    x.select(0, 3).select(0, 9000).fill_(Infinity);
    x.select(0, 4).select(0, 100).fill_(NaN);
    const softmax = torch.compile((input: Tensor) => input.logSoftmax(1).select(1, 16399), { silent: true });
    expectClose(softmax(x), x.logSoftmax(1).select(1, 16399));
    expect(softmax.source.triton.match(/for start in range/g)).toHaveLength(1);
  });

  it("cross entropy", () => {
    const target = torch.tensor([1, 0, 4, 2, 4], { dtype: "int64" });
    expectSame(
      (x) => F.crossEntropy(x, target),
      () => [torch.randn([5, 6])],
    );
  });
});
