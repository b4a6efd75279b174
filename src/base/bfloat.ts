/**
 * bfloat16, the upper half of a binary32: bits to number and back, rounded to nearest, ties to even, from float or
 * double.
 */
import { float32FromBits, float32ToBits } from "./float-bits.ts";
import { roundToFormat } from "./float-rounding.ts";

/** The value of 16 bits; NaN for every NaN pattern. */
export function bfloatToNumber(bits: number): number {
  return float32FromBits((bits & 0xffff) << 16);
}

/** The bits of the bfloat16 nearest to `value`; a NaN becomes 0x7fff, as the hardware's conversions give. */
export function numberToBfloat(value: number): number {
  const bits = float32ToBits(value);
  const rest = bits & 0xffff;
  // Rounding to float first matters only where it makes a tie of what was none. NaNs are made one, and what is infinite
  // as a float may not be.
  if (rest === 0x8000 || (bits & 0x7f800000) === 0x7f800000) return roundToFormat(value, 8, 7, 0x7fff);
  return (bits >>> 16) + (rest > 0x8000 ? 1 : 0);
}

/** The bfloat16 nearest to `value`, as a number. */
export function roundToBfloat(value: number): number {
  return bfloatToNumber(numberToBfloat(value));
}
