/** First and second derivatives of methods against differences. */
import { beforeAll, describe, expect, it } from "vitest";
import { gradcheck, gradgradcheck, openTensors, type Tensor, type Tensors } from "../../tensor.ts";
import { methodCases } from "./gradient-cases.test-helper.ts";
import { UNARY } from "../operations/element-functions.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
});

type Method = () => Tensor;
const methodOf = (name: string) => (x: Tensor) =>
  (x as unknown as Record<string, Method>)[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())]?.call(
    x,
  ) as Tensor;

/** Derivatives that nobody has written: trigamma's, which is lgamma's third. */
const FIRST_ONLY = new Set(["digamma", "lgamma"]);
const WITHOUT = new Set(["bitwise_not", ...Object.keys(UNARY).filter((name) => UNARY[name as "exp"].gives === "bool")]);

describe("gradients of functions of elements", () => {
  it.each(Object.keys(UNARY).filter((name) => !WITHOUT.has(name)))("%s", (name) => {
    torch.manualSeed(7);
    const x = torch
      .rand([5])
      .mul(0.5)
      .add(name === "acosh" ? 1.2 : 0.2);
    if (!FIRST_ONLY.has(name)) gradgradcheck(methodOf(name), [x]);
    gradcheck(methodOf(name), [x]);
  });
});

describe("gradients of other methods", () => {
  it.each(Object.entries(methodCases(() => torch)))("%s", (_, fn) => {
    torch.manualSeed(3);
    const x = torch.randn([3, 4]);
    gradcheck(fn, [x]);
    gradgradcheck(fn, [x]);
  });

  it("of two inputs", () => {
    const fn = (a: Tensor, b: Tensor): Tensor => a.matmul(b).tanh().logSoftmax(1).mul(a.sum()).sub(b.t().std());
    gradcheck(fn, [torch.randn([3, 4]), torch.randn([4, 3])]);
    gradgradcheck(fn, [torch.randn([3, 4]), torch.randn([4, 3])]);
  });

  it("a wrong gradient is found, with the element and both values", () => {
    const wrong = (x: Tensor): Tensor => x.square().detach().add(x.mul(3));
    expect(() => gradcheck(wrong, [torch.tensor([1, 2])])).toThrow(
      /gradient by element \[0\] of input 0 is 1\.2\d*, but differences of values give 1\.99999/,
    );
  });
});

describe("the tape", () => {
  it("refuses what was changed in place", () => {
    const x = torch.tensor([1, 2], { requiresGrad: true });
    const y = x.mul(2);
    const z = y.square();
    y.add_(1);
    expect(() => z.sum().backward()).toThrow("has been modified by an inplace operation");
    const other = x.mul(2);
    const sum = other.add(1);
    other.mul_(3);
    sum.sum().backward();
    expect(x.grad?.tolist()).toEqual([2, 2]);
  });

  it("refuses a second backward, unless the first one keeps what it needs", () => {
    const x = torch.tensor([3], { requiresGrad: true });
    const y = x.square();
    y.backward(undefined, { retainGraph: true });
    y.backward();
    expect(x.grad?.tolist()).toEqual([12]);
    expect(() => y.backward()).toThrow("Trying to backward through the graph a second time");
  });

  it("leaves, hooks, gradients on the way", () => {
    const x = torch.tensor([1, 2], { requiresGrad: true });
    expect(() => x.add_(1)).toThrow("a leaf Variable that requires grad is being used in an in-place operation");
    torch.noGrad(() => x.add_(1));
    const y = x.mul(3);
    y.retainGrad();
    const remove = y.registerHook((gradient) => gradient.mul(10));
    y.square().sum().backward();
    expect([y.grad?.tolist(), x.grad?.tolist()]).toEqual([
      [120, 180],
      [360, 540],
    ]);
    remove();
    expect(torch.grad(x.mul(3).square().sum(), x)[0]?.tolist()).toEqual([36, 54]);
    expect(torch.grad(x.mul(3).sum(), torch.ones([2], { requiresGrad: true }))).toEqual([null]);
    expect(() => torch.ones([2]).backward(torch.ones([2]))).toThrow("does not require grad");
    expect(() => x.mul(2).backward()).toThrow("grad can be implicitly created only for scalar outputs");
  });
});
