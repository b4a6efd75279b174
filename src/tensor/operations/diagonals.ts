/** Diagonals, triangles and their kin. */
import { record } from "../autograd/tape.ts";
import { copyInto } from "./copies.ts";
import { concatenate, full, narrow } from "./creation.ts";
import { failShape, type Shape, type Tensor } from "../tensor.ts";
import { withoutTape } from "../autograd/tape.ts";
import { constantPad } from "./padding.ts";
import { dimension, reshape } from "./shapes.ts";

/** A view of the elements whose indices in two dimensions differ by `offset`. It is the last dimension. */
export function diagonal(tensor: Tensor, offset: number, a: number, b: number): Tensor {
  const [p, q] = [dimension(tensor, a), dimension(tensor, b)];
  if (p === q || tensor.rank < 2) failShape(`diagonal dimensions cannot be identical ${a}, ${b}`);
  const view = diagonalView(tensor, offset, p, q);
  const { shape } = tensor;
  return record("DiagonalBackward0", view, [tensor], (gradient) => [onDiagonal(gradient, shape, offset, p, q)]);
}

function diagonalView(tensor: Tensor, offset: number, p: number, q: number): Tensor {
  const [rows, columns] = [tensor.shape[p] as number, tensor.shape[q] as number];
  const length = Math.max(0, offset >= 0 ? Math.min(rows, columns - offset) : Math.min(rows + offset, columns));
  const [stepP, stepQ] = [tensor.strides[p] as number, tensor.strides[q] as number];
  const rest = tensor.shape.map((_, d) => d).filter((d) => d !== p && d !== q);
  const first = offset >= 0 ? offset * stepQ : -offset * stepP;
  const begin = length === 0 ? 0 : first;
  return tensor.asStrided(
    [...rest.map((d) => tensor.shape[d] as number), length],
    [...rest.map((d) => tensor.strides[d] as number), stepP + stepQ],
    tensor.offset + begin,
  );
}

/** Zeros of this shape with elements on a diagonal. */
function onDiagonal(part: Tensor, shape: Shape, offset: number, p: number, q: number): Tensor {
  const all = full(shape, 0, part.dtype, part.place);
  withoutTape(() => copyInto(diagonalView(all, offset, p, q), part));
  return record("DiagonalScatterBackward0", all, [part], (gradient) => [diagonal(gradient, offset, p, q)]);
}

/** Matrices whose diagonal is the last dimension. */
export function diagEmbed(tensor: Tensor, offset: number, a: number, b: number): Tensor {
  const rank = { rank: tensor.rank + 1 };
  const [p, q] = [dimension(rank, a), dimension(rank, b)];
  if (p === q) failShape(`diagonal dimensions cannot be identical ${a}, ${b}`);
  const length = (tensor.shape.at(-1) as number) + Math.abs(offset);
  const rest = tensor.shape.slice(0, -1);
  const shape = Array.from({ length: rank.rank }, (_, d) => (d === p || d === q ? length : (rest.shift() as number)));
  // The first of the two dimensions is the rows.
  return onDiagonal(tensor, shape, offset, p, q);
}

/** A matrix of a vector, or the diagonal of a matrix. */
export function diag(tensor: Tensor, offset: number): Tensor {
  if (tensor.rank === 1) return diagEmbed(tensor, offset, 0, 1);
  if (tensor.rank === 2) return diagonal(tensor, offset, 0, 1);
  return failShape(`diag(): Supports 1D or 2D tensors. Got ${tensor.rank}D`);
}

/** Matrices on the diagonal of a matrix of zeros. */
export function blockDiag(tensors: readonly Tensor[]): Tensor {
  const matrices = tensors.map((tensor) => {
    if (tensor.rank > 2)
      failShape(`torch.block_diag: Input tensors must have 2 or fewer dimensions, not ${tensor.rank}`);
    return tensor.rank === 2 ? tensor : reshape(tensor, [1, tensor.length]);
  });
  const columns = matrices.reduce((sum, { shape }) => sum + (shape[1] as number), 0);
  let begin = 0;
  const rows = matrices.map((matrix) => {
    const width = matrix.shape[1] as number;
    const row = constantPad(matrix, [begin, columns - begin - width], 0);
    begin += width;
    return row;
  });
  return concatenate(rows, 0);
}

/** A view of windows of a dimension, in a new last dimension. */
export function windows(tensor: Tensor, dim: number, size: number, step: number): Tensor {
  const at = dimension(tensor, dim);
  const length = tensor.shape[at] ?? 1;
  if (size > length || size < 0)
    failShape(`maximum size for tensor at dimension ${at} is ${length} but size is ${size}`);
  if (step <= 0) failShape(`step is ${step} but must be > 0`);
  const count = Math.floor((length - size) / step) + 1;
  const stride = tensor.strides[at] ?? 1;
  if (tensor.rank === 0) return reshape(tensor, [size]);
  const view = tensor.asStrided(
    [...tensor.shape.with(at, count), size],
    [...tensor.strides.with(at, stride * step), stride],
  );
  const { shape } = tensor;
  return record("UnfoldBackward0", view, [tensor], (gradient) => [sumWindows(gradient, shape, at, step)]);
}

/** The transpose of `windows`: overlapping elements are added. */
function sumWindows(parts: Tensor, shape: Shape, at: number, step: number): Tensor {
  const size = parts.shape.at(-1) as number;
  const all = full(shape, 0, parts.dtype, parts.place);
  const count = parts.shape[at] as number;
  withoutTape(() => {
    for (let i = 0; i < size; i++) {
      const stride = all.strides[at] as number;
      const target = all.asStrided(shape.with(at, count), all.strides.with(at, stride * step), all.offset + i * stride);
      const part = narrow(parts, -1, i, 1);
      const own = part.asStrided(part.shape.slice(0, -1), part.strides.slice(0, -1));
      const [sums, given] = [target.values(), own.values()];
      for (let k = 0; k < sums.length; k++) sums[k] = (sums[k] as number) + (given[k] as number);
      target.setValues(sums);
    }
  });
  return record("UnfoldBackwardBackward0", all, [parts], (gradient) => [windows(gradient, at, size, step)]);
}
