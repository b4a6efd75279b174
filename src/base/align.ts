/** Alignment of addresses and sizes. */

/** `align` is a power of two; exact beyond 2^31. */
export function alignUp(value: number, align: number): number {
  return Math.ceil(value / align) * align;
}

/** The largest alignment that a 32-bit number can have. */
const MAX_ALIGN = 2 ** 31;

/** The largest power of two that divides v (2^31 for 0). */
export function alignOfConstant(v: number): number {
  const low = v & -v;
  return low === 0 ? MAX_ALIGN : low >>> 0;
}
