/** Sizes of tensors, and strides of rows without gaps. */

export type Shape = readonly number[];

export function elementCount(shape: Shape): number {
  let product = 1;
  for (let d = 0; d < shape.length; d++) product *= shape[d] as number;
  return product;
}

/** Strides of rows without gaps. */
export function denseStrides(shape: Shape): number[] {
  const strides = shape.map(() => 1);
  for (let d = shape.length - 2; d >= 0; d--)
    strides[d] = (strides[d + 1] as number) * Math.max(1, shape[d + 1] as number);
  return strides;
}
