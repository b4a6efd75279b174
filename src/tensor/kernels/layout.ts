/** How operands of one shape lie in memory, with as few dimensions as describe it. */
import type { Shape, Tensor } from "../tensor.ts";

export interface Layout {
  /** From the outermost dimension to the innermost one; none has size 1. */
  readonly sizes: readonly number[];
  /** For each operand, in elements; 0 where it is broadcast. */
  readonly strides: readonly (readonly number[])[];
}

/** @param operands all of this shape. The order of the dimensions is that of the first operand's strides. */
export function collapse(shape: Shape, operands: readonly Tensor[]): Layout {
  const own = operands.map(({ strides }) => strides);
  return collapseStrides(shape, own);
}

/** @param isOrdered the dimensions stay in the order of the shape. */
export function collapseStrides(shape: Shape, own: readonly Shape[], isOrdered = false): Layout {
  const dims: number[] = [];
  for (let d = 0; d < shape.length; d++) if (shape[d] !== 1) dims.push(d);
  const first = own[0] as Shape;
  if (!isOrdered && dims.length > 1 && !isDescending(dims, first))
    dims.sort((a, b) => (first[b] as number) - (first[a] as number));
  const sizes: number[] = [];
  const strides: number[][] = own.map(() => []);
  for (const d of dims) {
    const last = sizes.length - 1;
    const size = shape[d] as number;
    const joins = last >= 0 && own.every((of, k) => (strides[k] as number[])[last] === (of[d] as number) * size);
    if (joins) {
      sizes[last] = (sizes[last] as number) * size;
      for (let k = 0; k < own.length; k++) (strides[k] as number[])[last] = (own[k] as Shape)[d] as number;
    } else {
      sizes.push(size);
      for (let k = 0; k < own.length; k++) (strides[k] as number[]).push((own[k] as Shape)[d] as number);
    }
  }
  return { sizes, strides };
}

function isDescending(dims: readonly number[], strides: Shape): boolean {
  for (let i = 1; i < dims.length; i++)
    if ((strides[dims[i] as number] as number) > (strides[dims[i - 1] as number] as number)) return false;
  return true;
}

/** Elements between the first and the last one of an operand, at most. */
export function reachOf({ sizes, strides }: Layout): number {
  let most = sizes.reduce((product, size) => product * size, 1);
  for (const own of strides)
    most = Math.max(
      most,
      own.reduce((sum, stride, d) => sum + Math.abs(stride) * ((sizes[d] as number) - 1), 1),
    );
  return most;
}

export function nextPowerOfTwo(value: number): number {
  let power = 1;
  while (power < value) power *= 2;
  return power;
}
