/** Softmax, norms and cross entropy as kernels of rows, against the same operations on the host. */
import { describe, expect, it } from "vitest";
import { functional as F, type Tensor } from "../../tensor.ts";
import { compare, gpu, host, randn, torch } from "./kernels-beside-host.test-helper.ts";

/** Short rows, rows of a block, rows that are read again for each pass. */
const SHAPES = [
  [3, 5],
  [1, 1],
  [70, 3],
  [2, 1000],
  [3, 9001],
] as const;

describe("softmax", () => {
  it.each(SHAPES)("rows of %i × %i", (rows, columns) => {
    compare((x) => x.softmax(1), [randn(rows, columns)]);
    compare((x) => x.logSoftmax(-1), [randn(rows, columns).mul(20)]);
  });

  it("along other dimensions, in other orders, of other types", () => {
    compare((x) => x.softmax(0), [randn(33, 70)]);
    compare((x) => x.logSoftmax(1), [randn(3, 600, 5)]);
    compare((x) => x.softmax(1), [randn(2, 9000, 3)]);
    compare((x) => x.t().softmax(1), [randn(20, 7)]);
    for (const dtype of ["float64", "float16", "bfloat16"] as const)
      compare((x) => x.to(dtype).softmax(1).float(), [randn(5, 40)], dtype === "float64" ? 1e-6 : 2e-2);
  });

  it("of infinities and NaN", () => {
    const x = torch.tensor(
      [
        [-Infinity, 1, 2],
        [-Infinity, -Infinity, -Infinity],
        [Infinity, 1, 2],
        [NaN, 1, 2],
      ],
      host,
    );
    for (const isLog of [false, true]) {
      const fn = (of: Tensor): Tensor => (isLog ? of.logSoftmax(1) : of.softmax(1));
      const [there, here] = [fn(x.to(gpu)), fn(x)].map((of) => [...of.values()].map((value) => value.toFixed(5)));
      expect(there).toEqual(here);
    }
  });
});

describe("norms", () => {
  it.each(SHAPES)("rows of %i × %i", (rows, columns) => {
    const [x, w, b] = [randn(rows, columns), randn(columns), randn(columns)];
    if (columns > 1) compare((p) => F.layerNorm(p, [columns]), [x]);
    if (columns > 1) compare((p, q, r) => F.layerNorm(p, [columns], { weight: q, bias: r }), [x, w, b], 2e-3);
    compare((p, q) => F.rmsNorm(p, [columns], { weight: q }), [x, w], 1e-3);
  });

  it("several dimensions, groups, small floats", () => {
    compare((p, q) => F.layerNorm(p, [3, 4], { weight: q }), [randn(5, 2, 3, 4), randn(3, 4)]);
    compare((p, q, r) => F.groupNorm(p, 3, { weight: q, bias: r }), [randn(4, 6, 5, 2), randn(6), randn(6)]);
    const half = (p: Tensor, q: Tensor): Tensor => F.layerNorm(p.bfloat16(), [40], { weight: q.bfloat16() }).float();
    compare(half, [randn(6, 40), randn(40)], 4e-2);
  });
});

describe("cross entropy", () => {
  const classes = (n: number, count: number): Tensor => torch.arange(n, undefined, 1, host).mul(7).remainder(count);

  it.each(["mean", "sum", "none"] as const)("%s", (reduction) => {
    for (const [rows, columns] of SHAPES)
      compare((x, y) => F.crossEntropy(x, y, { reduction }), [randn(rows, columns), classes(rows, columns)]);
    compare(
      (x, y) => F.crossEntropy(x, y, { reduction }),
      [randn(2, 5, 3, 4), torch.arange(24, undefined, 1, host).remainder(5).view(2, 3, 4)],
    );
  });

  it("ignored classes; a class that is not there is an error", () => {
    const [x, y] = [randn(6, 4), torch.tensor([0, 3, -100, 2, -100, 1], { dtype: "int64", device: null })];
    compare((p, q) => F.crossEntropy(p, q), [x, y]);
    compare((p, q) => F.crossEntropy(p, q, { ignoreIndex: 3 }), [x, y.abs().remainder(4)]);
    const wrong = torch.tensor([0, 4], { dtype: "int64" });
    expect(() => F.crossEntropy(x.narrow(0, 0, 2).to(gpu), wrong).item()).toThrow("index 4 is out of bounds");
  });
});

it("gradients of gradients of kernels of rows", () => {
  const second = (fn: (x: Tensor) => Tensor, x: Tensor): void =>
    compare(
      (own) => {
        const leaf = own.detach().requiresGrad_(true);
        const result = fn(leaf);
        const [first] = torch.grad(result.mul(result).sum(), leaf, { createGraph: true }) as [Tensor];
        return (torch.grad(first.mul(first).sum(), leaf) as [Tensor])[0];
      },
      [x],
    );
  second((x) => x.softmax(1), randn(3, 5));
  second((x) => x.logSoftmax(0), randn(3, 5));
  second((x) => F.layerNorm(x, [5]), randn(3, 5));
  second((x) => F.rmsNorm(x, [5]), randn(3, 5));
  second(
    (x) => F.crossEntropy(x, torch.tensor([1, 0, 4], { dtype: "int64", device: x.place === null ? null : gpu })),
    randn(3, 5),
  );
});
