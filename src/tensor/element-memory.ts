/** How the elements of a tensor lie in its memory: read and written row by row, whatever their strides. */
import { HeddleError } from "../base/diagnostics.ts";
import { decode, elementBytes, encode, type Values } from "./dtypes.ts";
import { elementCount, type Shape } from "./shape.ts";
import type { Tensor } from "./tensor.ts";

/** The first and the last element of the memory that a tensor's elements lie in. */
function extent({ shape, strides, offset }: Tensor): { first: number; last: number } {
  let [first, last] = [offset, offset];
  for (const [d, size] of shape.entries()) {
    const reach = (size - 1) * (strides[d] as number);
    if (reach < 0) first += reach;
    else last += reach;
  }
  return { first, last };
}

/** The memory of all elements, row by row, as a copy. */
export function elementMemory(tensor: Tensor): Uint8Array<ArrayBuffer> {
  const { dtype, shape, strides, storage, length } = tensor;
  const size = elementBytes(dtype);
  if (length === 0) return new Uint8Array(0);
  if (tensor.isContiguous) return storage.read(tensor.offset * size, length * size);
  const { first, last } = extent(tensor);
  const memory = storage.read(first * size, (last - first + 1) * size);
  const bytes = new Uint8Array(length * size);
  forEachRow(shape, strides, tensor.offset - first, (from, to, count, stride) => {
    for (let i = 0; i < count; i++) {
      const begin = (from + i * stride) * size;
      bytes.set(memory.subarray(begin, begin + size), (to + i) * size);
    }
  });
  return bytes;
}

export function gather(tensor: Tensor): Values {
  const { dtype, shape, strides, storage, length } = tensor;
  const size = elementBytes(dtype);
  if (length === 0) return decode(new Uint8Array(0), dtype);
  const { first, last } = extent(tensor);
  const memory = decode(storage.read(first * size, (last - first + 1) * size), dtype);
  if (tensor.isContiguous) return memory;
  const values = new (memory.constructor as new (length: number) => Values)(length);
  forEachRow(shape, strides, tensor.offset - first, (from, to, count, stride) => {
    for (let i = 0; i < count; i++) values[to + i] = memory[from + i * stride] as number;
  });
  return values;
}

export function scatter(tensor: Tensor, values: Values): void {
  const { dtype, length } = tensor;
  if (values.length !== length)
    throw new HeddleError("bad-arguments", `${values.length} values do not fill a tensor of ${length} elements`);
  scatterMemory(tensor, encode(values, dtype));
}

/** Replaces all elements by those of this memory, row by row, bit by bit. */
export function setElementMemory(tensor: Tensor, memory: Uint8Array): void {
  tensor.storage.version++;
  scatterMemory(tensor, memory);
}

function scatterMemory(tensor: Tensor, encoded: Uint8Array): void {
  const { dtype, shape, strides, storage, length } = tensor;
  const size = elementBytes(dtype);
  if (length === 0) return;
  if (tensor.isContiguous) {
    storage.write(tensor.offset * size, encoded);
    return;
  }
  const { first, last } = extent(tensor);
  const bytes = storage.read(first * size, (last - first + 1) * size);
  forEachRow(shape, strides, tensor.offset - first, (to, from, count, stride) => {
    for (let i = 0; i < count; i++)
      for (let b = 0; b < size; b++) bytes[(to + i * stride) * size + b] = encoded[(from + i) * size + b] as number;
  });
  storage.write(first * size, bytes);
}

/** Calls `row` for each row of the last dimension: where it begins in memory, and in the order of the elements. */
function forEachRow(
  shape: Shape,
  strides: Shape,
  start: number,
  row: (from: number, dense: number, count: number, stride: number) => void,
): void {
  const count = shape.at(-1) ?? 1;
  const stride = strides.at(-1) ?? 1;
  const outer = shape.slice(0, -1);
  const index = outer.map(() => 0);
  let from = start;
  const total = elementCount(shape);
  for (let dense = 0; dense < total; dense += count) {
    row(from, dense, count, stride);
    for (let d = outer.length - 1; d >= 0; d--) {
      from += strides[d] as number;
      const next = (index[d] as number) + 1;
      index[d] = next;
      if (next < (outer[d] as number)) break;
      index[d] = 0;
      from -= (outer[d] as number) * (strides[d] as number);
    }
  }
}
