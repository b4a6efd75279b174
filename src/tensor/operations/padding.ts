/** Tensors with a margin. */
import { record, withoutTape } from "../autograd/tape.ts";
import { failShape, fromValues, type Shape, type Tensor } from "../tensor.ts";
import { copyInto } from "./copies.ts";
import { full, narrow } from "./creation.ts";
import { indexSelect } from "./selecting.ts";
import { clone } from "./shapes.ts";

export type PadMode = "constant" | "reflect" | "replicate" | "circular";

/** @param padding for each dimension from the last one on: before, after. Negative ones cut off. */
export function constantPad(tensor: Tensor, padding: Shape, value: number): Tensor {
  if (padding.length % 2 !== 0) failShape("Padding length must be divisible by 2");
  if (padding.length > 2 * tensor.rank)
    failShape(
      `Padding length should be less than or equal to two times the input dimension but got padding length ` +
        `${padding.length} and input of dimension ${tensor.rank}`,
    );
  const at = (d: number, side: 0 | 1): number => padding[2 * (tensor.rank - 1 - d) + side] ?? 0;
  let inner = tensor;
  for (const [d, size] of tensor.shape.entries()) {
    const [before, after] = [Math.max(0, -at(d, 0)), Math.max(0, -at(d, 1))];
    if (before + after === 0) continue;
    if (before + after > size)
      failShape(
        `The input size ${size}, plus negative padding ${-before} and ${-after}, resulted in a negative output size`,
      );
    inner = narrow(inner, d, before, size - before - after);
  }
  const shape = inner.shape.map((size, d) => size + Math.max(0, at(d, 0)) + Math.max(0, at(d, 1)));
  if (shape.every((size, d) => size === inner.shape[d])) return clone(inner);
  const result = full(shape, value, tensor.dtype, tensor.place);
  const middle = (of: Tensor): Tensor =>
    inner.shape.reduce(
      (part, size, d) => (size === part.shape[d] ? part : narrow(part, d, Math.max(0, at(d, 0)), size)),
      of,
    );
  withoutTape(() => copyInto(middle(result), inner));
  return record("ConstantPadNdBackward0", result, [inner], (gradient) => [middle(gradient)]);
}

/** Which element stands at each place of a row with a margin. */
function sources(size: number, before: number, after: number, mode: PadMode): Float64Array<ArrayBuffer> {
  if (mode === "reflect" && (before >= size || after >= size))
    failShape(
      `Argument #4: Padding size should be less than the corresponding input dimension, but got: padding (${before}, ` +
        `${after}) at a dimension of size ${size}`,
    );
  if (mode === "circular" && (before > size || after > size))
    failShape("Padding value causes wrapping around more than once.");
  if (before + size + after < 0 || size === 0) failShape(`a dimension of size ${size} has no margin of mode ${mode}`);
  return Float64Array.from({ length: Math.max(0, before + size + after) }, (_, i) => {
    const at = i - before;
    if (mode === "circular") return ((at % size) + size) % size;
    if (mode === "replicate") return Math.min(size - 1, Math.max(0, at));
    if (at < 0) return -at;
    return at < size ? at : 2 * (size - 1) - at;
  });
}

export function pad(tensor: Tensor, padding: Shape, mode: PadMode, value: number): Tensor {
  if (mode === "constant") return constantPad(tensor, padding, value);
  const count = padding.length / 2;
  const isBatched = tensor.rank === count + 2;
  if (!Number.isInteger(count) || count < 1 || count > 3 || (!isBatched && tensor.rank !== count + 1))
    failShape(
      `Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now: a padding of ${padding.length} ` +
        `numbers does not fit a tensor of shape [${tensor.shape.join(", ")}]`,
    );
  // What a negative margin cuts off is gone before the others repeat elements.
  const cut = padding.map((size) => Math.min(0, size));
  let result = cut.some((size) => size < 0) && mode === "circular" ? constantPad(tensor, cut, 0) : tensor;
  const own = mode === "circular" ? padding.map((size) => Math.max(0, size)) : padding;
  for (let i = 0; i < count; i++) {
    const d = tensor.rank - 1 - i;
    const [before, after] = [own[2 * i] as number, own[2 * i + 1] as number];
    const places = sources(result.shape[d] as number, before, after, mode);
    if (before !== 0 || after !== 0)
      result = indexSelect(result, d, fromValues(places, [places.length], "int64", tensor.place));
  }
  return result === tensor ? clone(tensor) : result;
}
