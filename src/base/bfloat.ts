/** bfloat16, the upper half of a binary32: bits to number and back, rounded to nearest, ties to even, from float or double. */
import { float32FromBits } from "./float-bits.ts";
import { roundToFormat } from "./float-rounding.ts";

/** The value of 16 bits; NaN for every NaN pattern. */
export function bfloatToNumber(bits: number): number {
  return float32FromBits((bits & 0xffff) << 16);
}

/** The bits of the bfloat16 nearest to `value`; a NaN becomes 0x7fff, as the hardware's conversions give. */
export function numberToBfloat(value: number): number {
  return roundToFormat(value, 8, 7, 0x7fff);
}

/** The bfloat16 nearest to `value`, as a number. */
export function roundToBfloat(value: number): number {
  return bfloatToNumber(numberToBfloat(value));
}
