/**
 * IEEE 754 binary16 ("half"): bits to number and back, rounded to nearest, ties to even.
 *
 * Rounding goes from the exact double in one step; a float is a double without loss, so both sources are correct.
 * (Rounding double → float → half instead would round twice: 1 + 2^-11 + 2^-40 must give the upper neighbour.)
 */
import { roundToFormat } from "./float-rounding.ts";

/** The value of 16 bits; NaN for every NaN pattern. */
export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** The bits of the half nearest to `value`; a NaN becomes 0x7fff, as the hardware's conversions give. */
export function numberToHalf(value: number): number {
  return roundToFormat(value, 5, 10, 0x7fff);
}

/** The half nearest to `value`, as a number. */
export function roundToHalf(value: number): number {
  return halfToNumber(numberToHalf(value));
}
