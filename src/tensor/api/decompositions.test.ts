/** Decompositions: the factors make the matrix, and their gradients are right. */
import { beforeAll, describe, expect, it } from "vitest";
import { functional as F, gradcheck, gradgradcheck, openTensors, type Tensor, type Tensors } from "../../tensor.ts";
import { decompositionCases } from "./gradient-cases.test-helper.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors();
  torch.manualSeed(7);
});
const random = (...shape: number[]): Tensor => torch.randn(shape, { dtype: "float64" });
const close = (a: Tensor, b: Tensor): void => expect(a.allclose(b, { rtol: 1e-9, atol: 1e-9 })).toBe(true);
const eye = (n: number): Tensor => torch.eye(n, n, { dtype: "float64" });

describe("factors", () => {
  it.each([[[4, 3]], [[3, 4]], [[2, 3, 3]], [[1, 1]], [[0, 3, 2]], [[3, 0]]])("of %j", (shape) => {
    const a = random(...shape);
    for (const mode of ["reduced", "complete"] as const) {
      const { q, r } = torch.linalg.qr(a, mode);
      close(q.matmul(r), a);
      close(r.triu(), r);
    }
    for (const fullMatrices of [true, false]) {
      const { u, s, vh } = torch.linalg.svd(a, { fullMatrices });
      const k = s.shape.at(-1) as number;
      close(
        u
          .narrow(-1, 0, k)
          .mul(s.unsqueeze(-2))
          .matmul(vh.narrow(-2, 0, k)),
        a,
      );
      if (a.numel() > 0) close(u.mT.matmul(u), eye(u.shape.at(-1) as number).expandAs(u.mT.matmul(u)));
    }
    if (shape.at(-1) !== shape.at(-2)) return;
    const symmetric = a.add(a.mT);
    const { eigenvalues, eigenvectors } = torch.linalg.eigh(symmetric);
    close(symmetric.matmul(eigenvectors), eigenvectors.mul(eigenvalues.unsqueeze(-2)));
    close(torch.linalg.eigvalsh(symmetric, { UPLO: "U" }), eigenvalues);
  });

  it("of matrices without full rank", () => {
    const a = random(5, 2).matmul(random(2, 4));
    const { u, s, vh } = torch.linalg.svd(a);
    close(u.mT.matmul(u), eye(5));
    close(vh.matmul(vh.mT), eye(4));
    expect(s.select(0, 2).item()).toBeLessThan(1e-12);
    expect(torch.linalg.matrixRank(a).item()).toBe(2);
    close(a.matmul(torch.linalg.pinv(a)).matmul(a), a);
    const { solution, residuals, rank } = torch.linalg.lstsq(a, random(5, 3));
    expect([solution.shape, residuals.shape, rank.item()]).toEqual([[4, 3], [0], 2]);
  });

  it("least squares are PyTorch's", () => {
    const a = torch.tensor(
      [
        [1, 1],
        [1, 2],
        [1, 3],
      ],
      { dtype: "float64" },
    );
    const { solution, residuals } = torch.linalg.lstsq(a, torch.tensor([[1], [2], [2]], { dtype: "float64" }));
    close(solution, torch.tensor([[2 / 3], [0.5]], { dtype: "float64" }));
    close(residuals, torch.tensor([1 / 6], { dtype: "float64" }));
  });
});

describe("gradients", () => {
  const cases = decompositionCases(() => torch);
  it.each(Object.keys(cases))("of %s", (name) => {
    for (const shape of [[3, 3], [4, 2], ...(name === "eigh" ? [] : [[2, 4]])]) {
      const fn = (a: Tensor): Tensor => torch.cat(cases[name]?.(a).map((of) => of.reshape(-1)) ?? [], 0);
      const a = random(...shape);
      expect(gradcheck(fn, [a])).toBe(true);
    }
    expect(gradgradcheck((a: Tensor) => cases[name]?.(a)[0] as Tensor, [random(3, 2)])).toBe(true);
  });

  it("of samples of a grid", () => {
    const theta = torch.tensor(
      [
        [
          [0.71, 0.23, 0.1],
          [-0.3, 0.83, 0.05],
        ],
      ],
      { dtype: "float64" },
    );
    for (const mode of ["bilinear", "bicubic"] as const)
      for (const paddingMode of ["zeros", "border", "reflection"] as const) {
        const fn = (x: Tensor, map: Tensor): Tensor =>
          F.gridSample(x, F.affineGrid(map, [1, 2, 3, 2]), { mode, paddingMode });
        expect(gradcheck(fn, [random(1, 2, 3, 4), theta])).toBe(true);
      }
  });

  it("of bags of embeddings, and of ctcLoss behind a log softmax", () => {
    const [indices, offsets] = [torch.tensor([1n, 2n, 4n, 1n]), torch.tensor([0n, 3n])];
    for (const mode of ["sum", "mean", "max"] as const)
      expect(gradcheck((weight: Tensor) => F.embeddingBag(indices, weight, offsets, { mode }), [random(5, 3)])).toBe(
        true,
      );
    const targets = torch.tensor([
      [1n, 2n],
      [2n, 2n],
    ]);
    const loss = (x: Tensor): Tensor => F.ctcLoss(x.logSoftmax(2), targets, [5, 4], [2, 2]);
    expect(gradcheck(loss, [random(5, 2, 4)])).toBe(true);
  });
});
