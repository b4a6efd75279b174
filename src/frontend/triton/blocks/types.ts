/** Types of blocks, and their parts. */
import { formatType, sameType } from "../../../ir/model/types.ts";
import type { BlockType, ElementType } from "./model.ts";

export function blockType(element: ElementType, shape: readonly number[] = []): BlockType {
  return { element, shape };
}

export function sizeOfShape(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

export function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((size, i) => size === b[i]);
}

export function sameBlockType(a: BlockType, b: BlockType): boolean {
  return sameType(a.element, b.element) && sameShape(a.shape, b.shape);
}

/** `[128, 64] float`, or `float` for a scalar. */
export function formatBlockType({ element, shape }: BlockType): string {
  return shape.length === 0 ? formatType(element) : `[${shape.join(", ")}] ${formatType(element)}`;
}

export function isPowerOfTwo(value: number): boolean {
  return value >= 1 && Number.isInteger(Math.log2(value));
}

/** The distance in elements, row by row, between neighbours along each dimension. */
export function stridesOf(shape: readonly number[]): number[] {
  const strides: number[] = [];
  let stride = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = stride;
    stride *= shape[d] as number;
  }
  return strides;
}
