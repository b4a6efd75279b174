/** First and second derivatives of methods against differences. */
import { beforeAll, describe, expect, it } from "vitest";
import { gradcheck, gradgradcheck, openTensors, type Tensor, type Tensors } from "../../tensor.ts";
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

const CASES: Record<string, (x: Tensor) => Tensor> = {
  "powers and quotients": (x) => x.pow(3).div(x.square().add(1)),
  "a number to the power of a tensor": (x) => torch.tensor(1.7, { dtype: "float64" }).pow(x),
  "greatest and least of two": (x) => x.maximum(x.mul(-1)).add(x.minimum(0.3)),
  "activations with parameters": (x) =>
    x
      .elu(0.7)
      .add(x.celu(1.3))
      .add(x.softplus({ beta: 2 }))
      .add(x.leakyRelu(0.2))
      .add(x.hardtanh())
      .add(x.softshrink(0.1)),
  clamp: (x) => x.clamp({ min: -0.3, max: 0.4 }),
  "where and masks": (x) => x.where(x.gt(0), x.exp()).add(x.maskedFill(x.lt(0), 2)),
  "logaddexp, xlogy, hypot, atan2": (x) =>
    x
      .logaddexp(x.mul(2))
      .add(x.xlogy(x.square().add(1)))
      .add(x.hypot(3))
      .add(x.atan2(x.add(5))),
  "changes in place": (x) => {
    const y = x.mul(2);
    y.mul_(x);
    y.relu_();
    y.add_(x);
    return y.add(x.mul(y));
  },
  sums: (x) =>
    x
      .sum(1)
      .add(x.mean())
      .add(x.sum([0, 1], { keepdim: true }).squeeze()),
  products: (x) => x.prod(1),
  extremes: (x) => x.amax(0).add(x.max(0).values),
  "variance and standard deviation": (x) => x.var(0).add(x.std(0, { correction: 0 })),
  norms: (x) => x.norm(3, 1).add(x.norm(2, 1)).add(x.norm(1)),
  "softmax, its log, log of sums": (x) =>
    x
      .softmax(0)
      .add(x.logSoftmax(1))
      .add(x.logsumexp(1, { keepdim: true })),
  "running sums": (x) => x.cumsum(1),
  sorting: (x) => x.sort(0).values.add(x.topk(3, 0).values),
  parts: (x) => x.index([1, 3], null).add(x.select(0, 1)),
  "parts by tensors": (x) =>
    x
      .index(torch.tensor([0, 1, 0], { dtype: "int64" }))
      .add(x.indexSelect(0, torch.tensor([2, 2, 1], { dtype: "int64" }))),
  "gather and scatter": (x) => {
    const index = torch.tensor(
      [
        [0, 2],
        [1, 1],
        [3, 0],
      ],
      { dtype: "int64" },
    );
    return x.scatterAdd(1, index, x.gather(1, index));
  },
  "other shapes": (x) => x.repeat(2, 1).reshape(4, 6).flip(0).roll(1, 1).tril().unflatten(1, [2, 3]).flatten(),
  joined: (x) => torch.cat([x, x.exp()], 1).add(torch.stack([x, x], 1).flatten(1)),
  "matrix products": (x) =>
    x
      .matmul(x.t())
      .add(torch.stack([x, x]).matmul(x.mT.tanh()).sum(0))
      .add(x.mv(x.select(0, 1)).outer(x.select(1, 2))),
};

describe("gradients of other methods", () => {
  it.each(Object.entries(CASES))("%s", (_, fn) => {
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
