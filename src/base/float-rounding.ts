/**
 * Rounding a double to a small binary format, and the fused multiply-add for every format.
 *
 * A correctly rounded fma for a format of p bits needs the exact a*b+c rounded once. For p ≤ 25 we round a*b+c to a
 * double "to odd" first: an inexact result gets its last bit set, so that the second rounding (to p ≤ 53 − 2 bits) sees
 * which side of a tie it is on (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms
 * using rounding to odd", 2008). For double itself the sum is formed exactly in integers.
 */
import { float64FromWords, float64FromBits, float64ToBits, float64Words } from "./float-bits.ts";

/**
 * The bits of `value` in a format with `exponentBits` and `fractionBits` (together below 32, IEEE style), nearest even.
 * NaN gives `nanBits`, without the sign.
 */
export function roundToFormat(value: number, exponentBits: number, fractionBits: number, nanBits: number): number {
  if (value !== value) return nanBits;
  const sign = value < 0 || Object.is(value, -0) ? 1 << (exponentBits + fractionBits) : 0;
  const magnitude = Math.abs(value);
  const bias = 2 ** (exponentBits - 1) - 1;
  const infinity = (2 ** exponentBits - 1) * 2 ** fractionBits;
  if (magnitude === Infinity) return sign | infinity;
  if (magnitude === 0) return sign;
  // The exponent of the leading bit, clamped to where subnormals begin.
  const exponent = Math.max(((float64Words(magnitude).high >>> 20) & 0x7ff) - 1023, 1 - bias);
  if (exponent > bias) return sign | infinity;
  // Scaled so that one unit is the last place of the format: exact, as it only changes the exponent.
  const scaled = magnitude * 2 ** (fractionBits - exponent);
  const units = roundHalfEven(scaled);
  // A carry out of the fraction runs into the exponent, which is just what rounding up to a power of two means.
  return sign | ((exponent + bias - 1) * 2 ** fractionBits + units);
}

/** Rounds to an integral value, ties to even; keeps the sign of zero. */
export function roundHalfEven(value: number): number {
  if (!(Math.abs(value) < 2 ** 52)) return value;
  const floor = Math.floor(value);
  const rest = value - floor;
  let result = floor;
  if (rest > 0.5 || (rest === 0.5 && floor % 2 !== 0)) result = floor + 1;
  return result === 0 && (value < 0 || Object.is(value, -0)) ? -0 : result;
}

/** a*b+c for floats, rounded once. All three must be float values. */
export function fmaFloat32(a: number, b: number, c: number): number {
  return Math.fround(fmaRoundToOdd(a, b, c));
}

/**
 * a*b+c as a double rounded to odd, for a, b whose product is exact in a double (float, half and bfloat values).
 * Rounding the result to a format of at most 51 bits gives the correctly rounded fma of that format.
 */
export function fmaRoundToOdd(a: number, b: number, c: number): number {
  const product = a * b;
  const sum = product + c;
  if (!Number.isFinite(sum)) return sum;
  // Knuth's two-sum: `error` is exactly (product + c) − sum.
  const partOfC = sum - product;
  const error = product - (sum - partOfC) + (c - partOfC);
  if (error === 0) return sum;
  const { low, high } = float64Words(sum);
  if (low & 1) return sum;
  // The even neighbour was chosen: step one unit towards the exact value, whose last bit is then 1.
  const away = error > 0 === sum > 0;
  if (away) return float64FromWords(low | 1, high);
  return low === 0 ? float64FromWords(0xffffffff, high - 1) : float64FromWords(low - 1, high);
}

/** a*b+c for doubles, rounded once: exact in integers. */
export function fmaFloat64(a: number, b: number, c: number): number {
  const product = a * b;
  if (!Number.isFinite(a) || !Number.isFinite(b)) return product + c;
  // A finite product that overflows must not meet an infinite c as an infinity.
  if (!Number.isFinite(c)) return c;
  if (a === 0 || b === 0) return product + c;
  const x = decompose(a);
  const y = decompose(b);
  const z = decompose(c);
  const productExponent = x.exponent + y.exponent;
  const exponent = c === 0 ? productExponent : Math.min(productExponent, z.exponent);
  const exact =
    ((x.mantissa * y.mantissa) << BigInt(productExponent - exponent)) +
    (c === 0 ? 0n : z.mantissa << BigInt(z.exponent - exponent));
  // An exact zero from non-zero terms is +0; with c = ±0 the sum is the product, which is not zero.
  if (exact === 0n) return 0;
  return composeFloat64(exact, exponent);
}

/** value = mantissa · 2^exponent, exactly. Not for NaN or infinity. */
export function decompose(value: number): { mantissa: bigint; exponent: number } {
  const bits = float64ToBits(value);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const magnitude = biased === 0 ? fraction : fraction | (1n << 52n);
  return { mantissa: bits >> 63n ? -magnitude : magnitude, exponent: (biased === 0 ? 1 : biased) - 1075 };
}

/** The double nearest to mantissa · 2^exponent, ties to even. */
export function composeFloat64(mantissa: bigint, exponent: number): number {
  const negative = mantissa < 0n;
  let magnitude = negative ? -mantissa : mantissa;
  if (magnitude === 0n) return 0;
  const length = bitLength(magnitude);
  // How many low bits do not fit: 53 bits at most, and none below 2^-1074.
  const drop = Math.max(length - 53, -1074 - exponent);
  if (drop > 0) {
    const shift = BigInt(drop);
    const rest = magnitude & ((1n << shift) - 1n);
    const half = 1n << (shift - 1n);
    magnitude >>= shift;
    exponent += drop;
    if (rest > half || (rest === half && (magnitude & 1n) === 1n)) magnitude += 1n;
  }
  const sign = negative ? 1n << 63n : 0n;
  if (magnitude === 0n) return float64FromBits(sign);
  const top = bitLength(magnitude);
  if (exponent + top - 1 > 1023) return negative ? -Infinity : Infinity;
  // Subnormal: units of 2^-1074 (the exponent is at least -1074 here).
  if (exponent + top - 1 < -1022) return float64FromBits(sign | (magnitude << BigInt(exponent + 1074)));
  const aligned = magnitude << BigInt(53 - top);
  const alignedExponent = exponent - (53 - top);
  return float64FromBits(sign | (BigInt(alignedExponent + 1075) << 52n) | (aligned & 0xfffffffffffffn));
}

/** Number of bits of a non-negative integer; 0 for 0. */
export function bitLength(value: bigint): number {
  if (value === 0n) return 0;
  const hex = value.toString(16);
  return (hex.length - 1) * 4 + (32 - Math.clz32(parseInt(hex[0] as string, 16)));
}

/** An integer as a double rounded to odd: rounding the result to a smaller format rounds the integer correctly. */
export function bigintToOdd(value: bigint): number {
  const magnitude = value < 0n ? -value : value;
  const drop = bitLength(magnitude) - 53;
  if (drop <= 0) return Number(value);
  const shift = BigInt(drop);
  const kept = magnitude >> shift;
  const result = Number(kept << shift === magnitude ? kept : kept | 1n) * 2 ** drop;
  return value < 0n ? -result : result;
}

/** The float nearest to an integer of any size, ties to even. */
export function bigintToFloat32(value: bigint): number {
  return Math.fround(bigintToOdd(value));
}
