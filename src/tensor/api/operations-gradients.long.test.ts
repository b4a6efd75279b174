/** First and second derivatives of operations on parts, along dimensions and of matrices against differences. */
import { beforeAll, describe, it } from "vitest";
import { functional as F, gradcheck, gradgradcheck, openTensors, type Tensor, type Tensors } from "../../tensor.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
});

const long = (values: number[] | number[][]): Tensor => torch.tensor(values, { dtype: "int64" });
const INDEX = [
  [0, 2],
  [1, 1],
  [3, 0],
];

const CASES: Record<string, (x: Tensor) => Tensor> = {
  cumprod: (x) => x.cumprod(1),
  "cummax and cummin": (x) => x.cummax(1).values.add(x.cummin(0).values),
  logcumsumexp: (x) => x.logcumsumexp(1),
  diff: (x) => x.diff(2, 1),
  "median, kthvalue, mode": (x) =>
    x.median(1).values.add(x.kthvalue(2, 1).values).add(x.mode(1).values).add(x.median()),
  quantile: (x) => x.quantile(0.3, { dim: 1 }),
  // Each place once: of several, PyTorch's gradient is not defined, either.
  scatter: (x) => x.scatter(1, torch.cat([long(INDEX).narrow(0, 0, 1), long([[1, 3]])]), x.square()),
  scatterReduce: (x) =>
    x.scatterReduce(1, long(INDEX), x.square(), "mean").add(x.scatterReduce(1, long(INDEX), x, "amax")),
  "indexAdd, indexCopy, indexFill": (x) =>
    x
      .indexAdd(0, long([2, 0]), x.narrow(0, 0, 2), { alpha: 2 })
      .add(x.indexCopy(0, long([1]), x.narrow(0, 0, 1)))
      .add(x.indexFill(1, long([3]), 2)),
  indexPut: (x) => x.indexPut([long([0, 1, 0])], x, { accumulate: true }),
  "take, takeAlongDim": (x) =>
    x
      .take(long([1, -1, 1]))
      .sum()
      .add(x.takeAlongDim(long(INDEX), 1)),
  maskedScatter: (x) => x.maskedScatter(x.gt(0), x.square()),
  "diagonal, diagEmbed, diag": (x) => x.diagonal(1).diagEmbed().diag().add(x.diagonal(0)),
  "unfold, rot90, repeatInterleave": (x) =>
    x
      .unfold(1, 2, 1)
      .sum(-1)
      .add(x.rot90().repeatInterleave(3, 1).narrow(0, 0, 3).narrow(1, 0, 3)),
  einsum: (x) => torch.einsum("ij,kj->ik", x, x).add(torch.einsum("ij,ij->i", x, x)),
  "kron, cross, cdist": (x) =>
    torch
      .kron(x, x)
      .sum()
      .add(torch.cross(x.narrow(1, 0, 3), x.narrow(1, 1, 3)).sum())
      .add(torch.cdist(x, x.mul(2))),
  trapezoid: (x) => torch.trapezoid(x, { dx: 2 }),
  "inv, det, solve": (x) => {
    const a = x.matmul(x.mT).add(torch.eye(3, 3, { dtype: "float64" }));
    return torch.linalg.inv(a).add(torch.linalg.det(a)).add(torch.linalg.solve(a, a.square()));
  },
  "cholesky, logdet": (x) => {
    const a = x.matmul(x.mT).add(torch.eye(3, 3, { dtype: "float64" }));
    return torch.linalg.cholesky(a).add(a.logdet());
  },
  interpolate: (x) => F.interpolate(x.reshape(1, 1, 3, 4), { size: [5, 3], mode: "bicubic" }),
  attention: (x) => F.scaledDotProductAttention(x, x.mul(2), x, { isCausal: true }),
  pixelShuffle: (x) => F.pixelShuffle(x.reshape(4, 1, 3), 2),
};

describe("gradients of operations", () => {
  it.each(Object.entries(CASES))("%s", (_, fn) => {
    torch.manualSeed(3);
    const x = torch.randn([3, 4]);
    gradcheck(fn, [x]);
    gradgradcheck(fn, [x]);
  });
});
