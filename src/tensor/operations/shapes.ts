/** Views: other shapes over the same memory. */
import { HeddleError } from "../../base/diagnostics.ts";
import { record } from "../autograd/tape.ts";
import { elementBytes, type TensorDtype } from "../dtypes.ts";
import { copyInto } from "./copies.ts";
import { denseStrides, elementCount, empty, failShape, Tensor, type Shape } from "../tensor.ts";

const text = (shape: Shape): string => `[${shape.join(", ")}]`;

/** A dimension from 0 on; negative ones count from the end. */
export function dimension(tensor: { readonly rank: number }, dim: number): number {
  const rank = Math.max(1, tensor.rank);
  if (!Number.isInteger(dim) || dim < -rank || dim >= rank)
    failShape(`Dimension out of range (expected to be in range of [${-rank}, ${rank - 1}], but got ${dim})`);
  return dim < 0 ? dim + rank : dim;
}

/** The shape that operands of these shapes broadcast to. */
export function broadcastShapes(a: Shape, b: Shape): number[] {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, d) => {
    const [p, q] = [a[d - rank + a.length] ?? 1, b[d - rank + b.length] ?? 1];
    if (p !== q && p !== 1 && q !== 1)
      throw new HeddleError(
        "bad-arguments",
        `The size of tensor a (${p}) must match the size of tensor b (${q}) at non-singleton dimension ${d}`,
        { notes: [`the shapes are ${text(a)} and ${text(b)}: sizes have to be equal, or 1, from the last one on`] },
      );
    return p === 1 ? q : p;
  });
}

/** `shape` with its one -1 filled in. */
function completeShape(tensor: Tensor, shape: Shape): number[] {
  const { length } = tensor;
  const unknown = shape.indexOf(-1);
  const known = elementCount(shape.filter((_, d) => d !== unknown));
  if (unknown >= 0 && known === 0)
    failShape(
      `cannot reshape tensor of ${length} elements into shape ${text(shape)} because the unspecified dimension size ` +
        "-1 can be any value and is ambiguous",
    );
  const sizes = shape.map((size, d) => (d === unknown ? length / Math.max(1, known) : size));
  if (elementCount(sizes) !== length || sizes.some((size) => !Number.isInteger(size) || size < 0))
    failShape(`shape '${text(shape)}' is invalid for input of size ${length}`, [tensor.shape]);
  return sizes;
}

/** Strides of the new shape over the same memory, or null where there are none. */
function viewStrides(tensor: Tensor, shape: Shape): number[] | null {
  if (tensor.isContiguous) return denseStrides(shape);
  const own = tensor.shape
    .map((size, d) => ({ size, stride: tensor.strides[d] as number }))
    .filter(({ size }) => size !== 1);
  const strides: number[] = [];
  let at = own.length - 1;
  /** Elements of the chunk (dimensions without gaps between them) that are still to be given out. */
  let left = 1;
  let stride = 1;
  for (const size of shape.toReversed()) {
    if (size === 1) {
      strides.unshift(stride);
      continue;
    }
    if (left === 1) {
      let inner = own[at--];
      if (inner === undefined) return null;
      [left, stride] = [inner.size, inner.stride];
      for (let outer = own[at]; outer !== undefined && outer.stride === inner.stride * inner.size; outer = own[at]) {
        left *= outer.size;
        inner = outer;
        at--;
      }
    }
    if (left % size !== 0) return null;
    strides.unshift(stride);
    stride *= size;
    left /= size;
  }
  return strides;
}

/** The same elements in another shape; a copy where the strides allow no view. */
export function reshape(tensor: Tensor, shape: Shape): Tensor {
  const sizes = completeShape(tensor, shape);
  const strides = viewStrides(tensor, sizes);
  if (strides === null) return reshape(contiguous(tensor), sizes);
  return viewOf(tensor, sizes, strides);
}

function viewOf(tensor: Tensor, sizes: Shape, strides: Shape): Tensor {
  const { shape: from } = tensor;
  return record("ViewBackward0", tensor.asStrided(sizes, strides), [tensor], (gradient) => [reshape(gradient, from)]);
}

/** As reshape, never a copy. */
export function viewAs(tensor: Tensor, shape: Shape): Tensor {
  const sizes = completeShape(tensor, shape);
  const strides = viewStrides(tensor, sizes);
  if (strides === null)
    failShape(
      "view size is not compatible with input tensor's size and stride (at least one dimension spans across two " +
        "contiguous subspaces). Use .reshape(...) instead.",
    );
  return viewOf(tensor, sizes, strides);
}

export function permute(tensor: Tensor, dims: Shape): Tensor {
  const order = dims.map((dim) => dimension(tensor, dim));
  if (new Set(order).size !== tensor.rank || order.length !== tensor.rank)
    failShape(`permute takes each of the ${tensor.rank} dimensions once, not ${text(dims)}`);
  const pick = (from: Shape): number[] => order.map((d) => from[d] as number);
  return record(
    "PermuteBackward0",
    tensor.asStrided(pick(tensor.shape), pick(tensor.strides)),
    [tensor],
    (gradient) => [
      permute(
        gradient,
        order.map((_, d) => order.indexOf(d)),
      ),
    ],
  );
}

export function transpose(tensor: Tensor, a: number, b: number): Tensor {
  const dims = tensor.shape.map((_, d) => d);
  const [p, q] = [dimension(tensor, a), dimension(tensor, b)];
  if (tensor.rank > 0) [dims[p], dims[q]] = [q, p];
  return permute(tensor, dims);
}

export function squeeze(tensor: Tensor, dims: Shape | null): Tensor {
  const named = dims?.map((dim) => dimension(tensor, dim));
  const shape = tensor.shape.filter((size, d) => size !== 1 || !(named?.includes(d) ?? true));
  return reshape(tensor, shape);
}

export function unsqueeze(tensor: Tensor, dim: number): Tensor {
  const at = dimension({ rank: tensor.rank + 1 }, dim);
  return reshape(tensor, tensor.shape.toSpliced(at, 0, 1));
}

/** Rows without gaps: the tensor itself, or a copy. */
export function contiguous(tensor: Tensor): Tensor {
  return tensor.isContiguous ? tensor : clone(tensor);
}

/** A copy with its own memory. */
export function clone(tensor: Tensor): Tensor {
  const copy = empty(tensor.shape, tensor.dtype, tensor.place);
  copyInto(copy, tensor);
  return record("CloneBackward0", copy, [tensor], (gradient) => [gradient]);
}

/** The same memory as elements of another type, as PyTorch's `view(dtype)`: rows become longer or shorter. */
export function viewAsType(tensor: Tensor, dtype: TensorDtype): Tensor {
  const [own, other] = [elementBytes(tensor.dtype), elementBytes(dtype)];
  const resize = (elements: number): number => (elements * own) / other;
  const [offset, ...strides] = [tensor.offset, ...tensor.strides.slice(0, -1)].map(resize) as [number, ...number[]];
  const row = resize(tensor.shape.at(-1) ?? 1);
  if (own === other) return new Tensor(tensor.storage, dtype, tensor.shape, tensor.strides, tensor.offset);
  if (tensor.rank === 0 || tensor.strides.at(-1) !== 1)
    failShape("self.stride(-1) must be 1 to view it as a type of another size");
  if (![row, offset, ...strides].every(Number.isInteger))
    failShape(`a row of ${tensor.shape.at(-1)} elements of ${tensor.dtype} holds no whole number of ${dtype}`);
  return new Tensor(tensor.storage, dtype, [...tensor.shape.slice(0, -1), row], [...strides, 1], offset);
}
