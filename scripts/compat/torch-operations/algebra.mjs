// Decompositions: what each of PyTorch's is here.
import { Unasked, add, given, session } from "./helpers.mjs";

const linalg = () => session.torch.linalg;
/** Each vector along `dim` with its greatest element positive: its sign is free. Beside it others with that sign. */
function signed(vectors, dim, ...others) {
  if (vectors.numel() === 0) return [vectors, ...others];
  const places = vectors.detach().abs().argmax(dim, { keepdim: true });
  const sign = vectors.detach().gather(dim, places).sign();
  return [vectors, ...others].map((of, i) => of.mul(i === 0 || others.length === 0 ? sign : sign.mT));
}
add("linalg.qr", "a mode", ({ a, mode }) => Object.values(linalg().qr(a, mode)));
add("linalg.eigh", "a UPLO", ({ a, UPLO }) => {
  const { eigenvalues, eigenvectors } = linalg().eigh(a, given({ UPLO }));
  return [eigenvalues, signed(eigenvectors, -2)[0]];
});
add("linalg.eigvalsh", "a UPLO", ({ a, UPLO }) => linalg().eigvalsh(a, given({ UPLO })));
add("linalg.svd", "a full_matrices", ({ a, full_matrices: isFull }) => {
  const { u, s, vh } = linalg().svd(a, given({ fullMatrices: isFull }));
  const k = s.shape.at(-1);
  const [left, right] = signed(u.narrow(-1, 0, k), -2, vh.narrow(-2, 0, k));
  return [left, s, right];
});
add("linalg.svdvals", "a", ({ a }) => linalg().svdvals(a));
add("linalg.pinv", "a atol rtol hermitian rcond", ({ a, atol, rtol, hermitian, rcond }) => {
  if (hermitian || typeof (atol ?? rtol ?? rcond) === "object") throw new Unasked("hermitian");
  return linalg().pinv(a, given({ atol: atol ?? undefined, rtol: rtol ?? rcond ?? undefined }));
});
add("linalg.matrix_rank", "a tol atol rtol hermitian", ({ a, tol, atol, rtol, hermitian }) => {
  if (hermitian || [tol, atol, rtol].some((of) => of != null && typeof of === "object")) throw new Unasked("tensors");
  return linalg().matrixRank(a, given({ atol: atol ?? tol ?? undefined, rtol: rtol ?? undefined }));
});
add("linalg.lstsq", "a b rcond driver", ({ a, b, rcond }) => [
  linalg().lstsq(a, b, given({ rcond: rcond ?? undefined })).solution,
]);
