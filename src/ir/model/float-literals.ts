/**
 * Bit patterns of the four float formats, and how LLVM writes them (LangRef, "Simple Constants").
 *
 * LLVM prints float and double as decimal where that is exact, else as the 64 bits of the value as a double; half and
 * bfloat as their own 16 bits (0xH…, 0xR…).
 */
import { float64FromBits, float64ToBits } from "../../base/float-bits.ts";
import type { FloatFormat } from "./ir.ts";

interface Shape {
  readonly exponentBits: number;
  readonly mantissaBits: number;
}
const shapes: Record<FloatFormat, Shape> = {
  half: { exponentBits: 5, mantissaBits: 10 },
  bfloat: { exponentBits: 8, mantissaBits: 7 },
  float: { exponentBits: 8, mantissaBits: 23 },
  double: { exponentBits: 11, mantissaBits: 52 },
};

/** The value rounded to nearest even in `format`, as bits. NaN becomes the canonical quiet NaN. */
export function numberToBits(value: number, format: FloatFormat): bigint {
  if (format === "double") return float64ToBits(value);
  return narrowDoubleBits(float64ToBits(value), format);
}

/** The value of a bit pattern; exact, as every format fits into a double (a NaN's payload may be lost). */
export function bitsToNumber(bits: bigint, format: FloatFormat): number {
  return float64FromBits(widenToDoubleBits(bits, format));
}

/** Rounds the bits of a double to `format`, to nearest even. A NaN keeps its sign and the top of its payload. */
export function narrowDoubleBits(bits: bigint, format: FloatFormat): bigint {
  if (format === "double") return bits;
  const { exponentBits, mantissaBits } = shapes[format];
  const sign = (bits >> 63n) << BigInt(exponentBits + mantissaBits);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const mantissa = bits & 0xfffffffffffffn;
  const maxExponent = (1 << exponentBits) - 1;
  const infinity = BigInt(maxExponent) << BigInt(mantissaBits);
  if (exponent === 0x7ff) {
    if (mantissa === 0n) return sign | infinity;
    const payload = mantissa >> BigInt(52 - mantissaBits);
    return sign | infinity | (payload === 0n ? 1n << BigInt(mantissaBits - 1) : payload);
  }
  if (exponent === 0) return sign; // a double's subnormal is far below half of any other format's least value
  const bias = (1 << (exponentBits - 1)) - 1;
  const newExponent = exponent - 1023 + bias;
  if (newExponent >= maxExponent) return sign | infinity;
  // Below the normal range the significand moves right, with its leading one.
  const shift = newExponent >= 1 ? 52 - mantissaBits : 52 - mantissaBits + 1 - newExponent;
  if (shift > 54) return sign;
  const significand = mantissa | (1n << 52n);
  let result = significand >> BigInt(shift);
  const rest = significand & ((1n << BigInt(shift)) - 1n);
  const half = 1n << BigInt(shift - 1);
  if (rest > half || (rest === half && (result & 1n) === 1n)) result += 1n;
  // Adding lets a carry out of the mantissa raise the exponent, up to infinity.
  if (newExponent >= 1) return sign | ((BigInt(newExponent - 1) << BigInt(mantissaBits)) + result);
  return sign | result;
}

export function widenToDoubleBits(bits: bigint, format: FloatFormat): bigint {
  if (format === "double") return bits;
  const { exponentBits, mantissaBits } = shapes[format];
  const sign = ((bits >> BigInt(exponentBits + mantissaBits)) & 1n) << 63n;
  const maxExponent = (1 << exponentBits) - 1;
  const exponent = Number((bits >> BigInt(mantissaBits)) & BigInt(maxExponent));
  let mantissa = bits & ((1n << BigInt(mantissaBits)) - 1n);
  const bias = (1 << (exponentBits - 1)) - 1;
  if (exponent === maxExponent) return sign | (0x7ffn << 52n) | (mantissa << BigInt(52 - mantissaBits));
  if (exponent === 0) {
    if (mantissa === 0n) return sign;
    let e = 1 - bias + 1023;
    while ((mantissa & (1n << BigInt(mantissaBits))) === 0n) {
      mantissa <<= 1n;
      e--;
    }
    mantissa &= (1n << BigInt(mantissaBits)) - 1n;
    return sign | (BigInt(e) << 52n) | (mantissa << BigInt(52 - mantissaBits));
  }
  return sign | (BigInt(exponent - bias + 1023) << 52n) | (mantissa << BigInt(52 - mantissaBits));
}

const hexPrefixes: Record<string, FloatFormat | undefined> = { H: "half", R: "bfloat" };

/** Bits of a literal as the lexer delivers it, or a sentence that says what is wrong with it. */
export function parseFloatLiteral(text: string, format: FloatFormat): bigint | string {
  if (!text.startsWith("0x")) return numberToBits(Number(text), format);
  const own = hexPrefixes[text[2] as string];
  if (own !== undefined) {
    if (own !== format) return `a ${format} constant cannot be written as ${own}`;
    if (text.length > 7) return "the constant has more than 16 bits";
    return BigInt(`0x${text.slice(3)}`);
  }
  if (/^0x[KLM]/.test(text)) return "80-bit and 128-bit float constants do not occur in device code";
  if (text.length > 18) return "the constant has more than 64 bits";
  const bits = BigInt(text);
  const narrow = narrowDoubleBits(bits, format);
  const isNaN = (bits & 0x7fffffffffffffffn) > 0x7ff0000000000000n;
  if (!isNaN && widenToDoubleBits(narrow, format) !== bits) return `the constant is not exact as ${format}`;
  return narrow;
}

/** The literal LLVM's own reader takes back to the same bits. */
export function formatFloatLiteral(bits: bigint, format: FloatFormat): string {
  if (format === "half") return `0xH${hex(bits, 4)}`;
  if (format === "bfloat") return `0xR${hex(bits, 4)}`;
  const value = bitsToNumber(bits, format);
  if (Number.isFinite(value)) {
    // LLVM prints six digits where they are exact; `1.000000e+00`.
    const text = value.toExponential(6).replace(/e([+-])(\d)$/, "e$10$2");
    const signed = Object.is(value, -0) ? `-${text}` : text;
    if (numberToBits(Number(signed), "double") === widenToDoubleBits(bits, format)) return signed;
  }
  return `0x${hex(widenToDoubleBits(bits, format), 16)}`;
}

function hex(bits: bigint, digits: number): string {
  return bits.toString(16).toUpperCase().padStart(digits, "0");
}
