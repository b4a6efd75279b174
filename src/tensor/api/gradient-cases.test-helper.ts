/** Functions of a matrix [3, 4] whose gradients are compared: with differences, and compiled with not compiled. */
import { functional as F, type Tensor, type Tensors } from "../../tensor.ts";

export type GradientCases = Readonly<Record<string, (x: Tensor) => Tensor>>;

/** Methods. @param own the tensors of the test, which are there when a case runs */
export function methodCases(own: () => Tensors): GradientCases {
  const torch = later(own);
  return {
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
}

const INDEX = [
  [0, 2],
  [1, 1],
  [3, 0],
];

/** Operations on parts, along dimensions and of matrices. */
export function operationCases(own: () => Tensors): GradientCases {
  const torch = later(own);
  const long = (values: number[] | number[][]): Tensor => torch.tensor(values, { dtype: "int64" });
  return {
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
}

/** Decompositions of a matrix: all of their factors. */
export function decompositionCases(own: () => Tensors): Readonly<Record<string, (a: Tensor) => Tensor[]>> {
  const torch = later(own);
  return {
    qr: (a) => Object.values(torch.linalg.qr(a)),
    // Signs of vectors are free: squares are not.
    eigh: (a) => {
      const { eigenvalues, eigenvectors } = torch.linalg.eigh(a.mT.matmul(a));
      return [eigenvalues, eigenvectors.square()];
    },
    svd: (a) => {
      const { u, s, vh } = torch.linalg.svd(a, { fullMatrices: false });
      return [u.square(), s, vh.square()];
    },
    pinv: (a) => [torch.linalg.pinv(a)],
    lstsq: (a) => [torch.linalg.lstsq(a, torch.ones([a.size(0), 2], { dtype: "float64" })).solution],
    nuclear: (a) => [torch.linalg.matrixNorm(a, "nuc")],
  };
}

function later(own: () => Tensors): Tensors {
  return new Proxy({} as Tensors, {
    get: (_, name) => {
      const value: unknown = Reflect.get(own(), name);
      return typeof value === "function" ? (value.bind(own()) as unknown) : value;
    },
  });
}
