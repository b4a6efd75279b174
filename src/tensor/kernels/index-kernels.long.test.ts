/** Elements by indices, masks and order as kernels, against the same operations on the host. */
import { describe, expect, it } from "vitest";
import type { Tensor } from "../../tensor.ts";
import { compare, expectSame, gpu, host, randn, torch } from "./kernels-beside-host.test-helper.ts";

const long = (values: number[], ...shape: number[]): Tensor =>
  torch.tensor(values, { dtype: "int64", device: null }).reshape(shape);
const there = (index: Tensor, x: Tensor): Tensor => index.to(x.place === null ? null : gpu);

/** Results that have no gradient. */
function same(fn: (x: Tensor) => readonly Tensor[], x: Tensor): void {
  const [a, b] = [fn(x.to(gpu)), fn(x)];
  expect(a.length).toBe(b.length);
  for (const [i, tensor] of a.entries()) expectSame(tensor.cpu(), b[i] as Tensor);
}

describe("by tensors of indices", () => {
  const given = (): [Tensor, Tensor] => [long([0, -1, 2, 0], 2, 2), long([1, 0], 2)];
  it("read, with gradients", () => {
    const [i, j] = given();
    compare((x) => x.index(there(i, x)), [randn(4, 3)]);
    compare((x) => x.index(null, [0, 2], there(j, x)), [randn(4, 3)]);
    compare((x) => x.index("...", there(j, x), there(i, x)), [randn(2, 4, 3)]);
    compare((x) => x.index(there(j, x), [0, 3], there(i, x)), [randn(2, 4, 3)]);
    compare((x) => x.index(x.gt(0)), [randn(4, 3)]);
    compare((x) => x.index([0, 4], there(torch.tensor([true, false, true], host), x)), [randn(4, 3, 2)]);
    compare((x) => x.maskedSelect(x.gt(0)), [randn(5, 7)]);
    compare((x) => x.take(there(i, x)), [randn(5, 7)]);
    compare((x) => x.takeAlongDim(there(long([0, -1, 1], 1, 3), x), 1), [randn(5, 7)]);
  });

  it("write", () => {
    const [, j] = given();
    compare((x, v) => x.indexPut([there(j, x)], v), [randn(4, 3), randn(2, 3)]);
    compare(
      (x, v) => x.indexPut([there(j, x), there(long([2, 2], 2), x)], v, { accumulate: true }),
      [randn(4, 3), randn(2)],
    );
    compare((x, v) => x.indexPut([x.gt(0)], v), [randn(4, 3), randn()]);
    compare((x, v) => x.indexCopy(1, there(j, x), v), [randn(4, 3), randn(4, 2)]);
    compare((x) => x.indexFill(0, there(j, x), 7), [randn(4, 3)]);
    compare((x, v) => x.scatter(1, there(long([2, 0, 1, 0], 4, 1), x), v), [randn(4, 3), randn(4, 1)]);
    compare((x) => x.scatter(1, there(long([2, 0, 1, 0], 4, 1), x), 5), [randn(4, 3)]);
  });

  it("one that is out of range is an error", () => {
    const x = torch.ones([3, 4]);
    expect(() => x.index(long([3], 1).to(gpu)).tolist()).toThrow("out of bounds");
    expect(() => x.index(long([0], 1).to(gpu), long([4], 1).to(gpu)).tolist()).toThrow("out of bounds");
    expect(() => x.take(long([-13], 1).to(gpu)).tolist()).toThrow("out of bounds");
    expect(() => x.narrow(1, 3, 2)).toThrow("start (3) + length (2) exceeds dimension size (4).");
  });
});

it("where elements are, and which are distinct", () => {
  const x = randn(6, 5, 4).mul(2).round();
  same((of) => [of.nonzero(), of.argwhere(), of.gt(9).nonzero()], x);
  same((of) => [of.transpose(0, 2).nonzero(), of.gt(0).transpose(1, 2).nonzero(), of.eq(of).nonzero()], x);
  same((of) => [of.gt(0).nonzero(), of.gt(1).index(of.gt(0)), of.maskedSelect(of.gt(0))], randn(70_001));
  // Tiles that are full, and one element more; types that are compared with 0 as they are.
  same((of) => [of.gt(0).nonzero(), of.half().nonzero(), of.long().nonzero()], randn(2, 1024));
  same((of) => [of.gt(0).nonzero(), of.mul(0).gt(0).nonzero()], randn(1025));
  for (const dtype of ["float32", "int64", "int32", "bfloat16"] as const)
    same((of) => Object.values(of.unique({})), x.to(dtype));
  same((of) => Object.values(of.uniqueConsecutive({})), x);
  same((of) => Object.values(of.unique({})), torch.tensor([NaN, 1, NaN, 1, -0, 0], host));
});

it("triangles and numbers at equal distances", () => {
  compare((x) => x.tril().add(x.triu(1)), [randn(2, 5, 7)]);
  compare((x) => x.tril(-2), [randn(4, 4)]);
  same((of) => [of.gt(0).triu(), of.to("int64").tril(1)], randn(3, 4));
  const numbers = (device: null | undefined): Tensor[] => {
    const on = device === null ? host : {};
    return [
      torch.arange(3, 40, 4, on),
      torch.arange(5, 0, -1, on),
      torch.arange(0, 1, 0.1, on),
      torch.arange(0, 7, 1, { ...on, dtype: "bfloat16" }),
    ];
  };
  for (const [k, tensor] of numbers(undefined).entries()) expectSame(tensor.cpu(), numbers(null)[k] as Tensor);
});
