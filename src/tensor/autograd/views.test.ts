/** Changes in place of views: values and gradients as PyTorch's (most are of its tests). */
import { beforeAll, describe, expect, it } from "vitest";
import { gradcheck, gradgradcheck, openTensors, type Tensor, type Tensors } from "../../tensor.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors();
});
const leaf = (values: number[][]): Tensor => torch.tensor(values, { dtype: "float64" }).requiresGrad_();
const gradient = (of: Tensor, by: Tensor): unknown => torch.grad(of.sum(), by)[0]?.tolist();

describe("a change in place of a view", () => {
  it("goes into the base", () => {
    const x = leaf([
      [1, 2],
      [3, 4],
    ]);
    const y = x.mul(1);
    y.select(0, 0).mul_(5);
    expect(y.tolist()).toEqual([
      [5, 10],
      [3, 4],
    ]);
    expect(gradient(y, x)).toEqual([
      [5, 5],
      [1, 1],
    ]);
  });

  it("goes into a base that had no gradient before, and into all of its views", () => {
    const x = leaf([[1, 2]]);
    const base = torch.zeros([2, 2], { dtype: "float64" });
    const [row, column] = [base.select(0, 1), base.select(1, 0)];
    row.copy_(x.select(0, 0));
    expect([base.requiresGrad, column.requiresGrad]).toEqual([true, true]);
    expect(column.tolist()).toEqual([0, 1]);
    expect(gradient(column, x)).toEqual([[1, 0]]);
    expect(gradient(base.mul(base), x)).toEqual([[2, 4]]);
  });

  it("of a view of a view, of a transposed base, and by an index", () => {
    const x = leaf([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const y = x.mul(2).t();
    y.narrow(0, 1, 2).select(1, 0).zero_();
    y.select(1, 1).indexPut_([0], x.select(0, 0).sum());
    expect(y.tolist()).toEqual([
      [2, 6],
      [0, 10],
      [0, 12],
    ]);
    expect(gradient(y, x)).toEqual([
      [3, 1, 1],
      [0, 2, 2],
    ]);
  });

  it("of the base reaches its views", () => {
    const x = leaf([[1, 2]]);
    const y = x.mul(1);
    const view = y.select(1, 1);
    y.mul_(7);
    expect(view.item()).toBe(14);
    expect(gradient(view, x)).toEqual([[0, 7]]);
  });

  it("has gradients of gradients", () => {
    const fn = (x: Tensor): Tensor => {
      const y = x.mul(x);
      const part = y.narrow(1, 1, 2);
      part.mul_(x.narrow(1, 0, 2));
      part.select(1, 0).tanh_();
      return y;
    };
    const x = torch.randn([3, 3]);
    expect(gradcheck(fn, [x])).toBe(true);
    expect(gradgradcheck(fn, [x])).toBe(true);
  });

  it("is refused where it can not be right", () => {
    const x = leaf([[1, 2]]);
    expect(() => x.select(0, 0).mul_(2)).toThrow(
      "a view of a leaf Variable that requires grad is being used in an in-place operation.",
    );
    torch.noGrad(() => x.select(0, 0).mul_(2));
    expect(x.tolist()).toEqual([[2, 4]]);
    expect(() => x.mul(1).select(0, 0).expand(3, 2).mul_(2)).toThrow("more than one element of the written-to tensor");
    const y = x.mul(1);
    const product = y.mul(y);
    y.select(0, 0).zero_();
    expect(() => product.sum().backward()).toThrow("has been modified by an inplace operation");
    const other = torch.zeros([2, 2], { dtype: "float64" }).detach().select(0, 0).detach();
    expect(() => other.copy_(x.select(0, 0))).toThrow("inside of noGrad, or by detach");
  });

  it("that overwrites all elements leaves the tensor on the tape", () => {
    const x = leaf([[1, 2]]);
    const y = x.mul(3);
    y.zero_();
    expect(gradient(y, x)).toEqual([[0, 0]]);
  });
});
