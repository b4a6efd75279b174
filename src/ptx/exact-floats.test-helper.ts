/**
 * Arithmetic of floats as PTX has it, in whole numbers: an exact result, rounded once by one of the four modes (PTX ISA
 * 8.5, 9.7.3 and table "Floating-Point Rounding Modifiers"; IEEE 754-2008, 4.3). Slow, and without any float of the
 * machine that runs it.
 */

export interface Format {
  readonly bits: number;
  /** Bits of the significand, with the hidden one. */
  readonly precision: number;
  readonly minExponent: number;
  readonly maxExponent: number;
}

export const FORMATS: Readonly<Record<string, Format>> = {
  f16: { bits: 16, precision: 11, minExponent: -14, maxExponent: 15 },
  bf16: { bits: 16, precision: 8, minExponent: -126, maxExponent: 127 },
  f32: { bits: 32, precision: 24, minExponent: -126, maxExponent: 127 },
  f64: { bits: 64, precision: 53, minExponent: -1022, maxExponent: 1023 },
};

export type Mode = "rn" | "rz" | "rm" | "rp";

/** (-1)^negative · whole · 2^exponent; `more`: and a little more, away from zero. */
export interface Exact {
  readonly kind: "finite";
  readonly negative: boolean;
  readonly whole: bigint;
  readonly exponent: number;
  readonly more?: boolean;
}
export type Value = Exact | { readonly kind: "infinite"; readonly negative: boolean } | { readonly kind: "nan" };

const NAN: Value = { kind: "nan" };
/** More than any quotient or root needs. */
const EXTRA_BITS = 200;

const lengthOf = (whole: bigint): number => (whole === 0n ? 0 : whole.toString(2).length);

export function decode(bits: bigint, { bits: width, precision, minExponent }: Format): Value {
  const fractionBits = BigInt(precision - 1);
  const negative = (bits >> BigInt(width - 1)) % 2n === 1n;
  const fraction = bits & ((1n << fractionBits) - 1n);
  const ones = (1n << BigInt(width - precision)) - 1n;
  const exponent = (bits >> fractionBits) & ones;
  if (exponent === ones) return fraction === 0n ? { kind: "infinite", negative } : NAN;
  const isNormal = exponent !== 0n;
  return {
    kind: "finite",
    negative,
    whole: isNormal ? fraction | (1n << fractionBits) : fraction,
    exponent: minExponent - (precision - 1) + (isNormal ? Number(exponent) - 1 : 0),
  };
}

/** Away from zero, of a magnitude between two neighbours? `half`: -1 below the middle, 0 at it, 1 above. */
function roundsUp(mode: Mode, negative: boolean, isOdd: boolean, half: number, isExact: boolean): boolean {
  if (isExact || mode === "rz") return false;
  if (mode === "rn") return half > 0 || (half === 0 && isOdd);
  return (mode === "rm") === negative;
}

/** The whole multiple of 2^quantum that the value is rounded to. */
function toMultiple({ negative, whole, exponent, more = false }: Exact, quantum: number, mode: Mode): bigint {
  if (quantum <= exponent) return whole << BigInt(exponent - quantum);
  const shift = BigInt(quantum - exponent);
  const kept = whole >> shift;
  const rest = whole - (kept << shift);
  const middle = 1n << (shift - 1n);
  let half = Number(rest > middle) - Number(rest < middle);
  if (half === 0 && more) half = 1;
  return kept + BigInt(roundsUp(mode, negative, kept % 2n === 1n, half, rest === 0n && !more));
}

export function encode(value: Value, format: Format, mode: Mode = "rn"): bigint {
  const { bits, precision, minExponent, maxExponent } = format;
  const fractionBits = BigInt(precision - 1);
  const infinity = ((1n << BigInt(bits - precision)) - 1n) << fractionBits;
  if (value.kind === "nan") return infinity | ((1n << fractionBits) - 1n);
  const sign = value.negative ? 1n << BigInt(bits - 1) : 0n;
  if (value.kind === "infinite") return sign | infinity;
  const leading = value.exponent + lengthOf(value.whole) - 1;
  let quantum = Math.max(leading, minExponent) - (precision - 1);
  let whole = toMultiple(value, quantum, mode);
  if (lengthOf(whole) > precision) {
    whole >>= 1n;
    quantum++;
  }
  if (quantum + precision - 1 > maxExponent && whole !== 0n) {
    const isInfinite = mode === "rn" || (mode !== "rz" && (mode === "rm") === value.negative);
    return sign | (isInfinite ? infinity : infinity - 1n);
  }
  const isNormal = lengthOf(whole) === precision;
  const exponent = isNormal ? BigInt(quantum + precision - 1 - minExponent + 1) : 0n;
  return sign | (exponent << fractionBits) | (whole & ((1n << fractionBits) - 1n));
}

/** The whole number nearest by the mode. */
export function toWhole(value: Exact, mode: Mode): bigint {
  const magnitude = toMultiple(value, 0, mode);
  return value.negative ? -magnitude : magnitude;
}

export function fromWhole(value: bigint): Exact {
  return { kind: "finite", negative: value < 0n, whole: value < 0n ? -value : value, exponent: 0 };
}

export function negated(value: Value): Value {
  return value.kind === "nan" ? value : { ...value, negative: !value.negative };
}

/** The sum; an exact zero of two that are none has the sign that the mode gives. */
export function sum(a: Value, b: Value, mode: Mode): Value {
  if (a.kind === "nan" || b.kind === "nan") return NAN;
  if (a.kind === "infinite") return b.kind === "infinite" && a.negative !== b.negative ? NAN : a;
  if (b.kind === "infinite") return b;
  const exponent = Math.min(a.exponent, b.exponent);
  const signed = (x: Exact): bigint => (x.negative ? -1n : 1n) * (x.whole << BigInt(x.exponent - exponent));
  const total = signed(a) + signed(b);
  const signOfZero = a.negative === b.negative ? a.negative : mode === "rm";
  const negative = total === 0n ? signOfZero : total < 0n;
  return { kind: "finite", negative, whole: total < 0n ? -total : total, exponent };
}

export function product(a: Value, b: Value): Value {
  if (a.kind === "nan" || b.kind === "nan") return NAN;
  const negative = a.negative !== b.negative;
  const isZero = (x: Value): boolean => x.kind === "finite" && x.whole === 0n;
  if (a.kind === "infinite" || b.kind === "infinite")
    return isZero(a) || isZero(b) ? NAN : { kind: "infinite", negative };
  return { kind: "finite", negative, whole: a.whole * b.whole, exponent: a.exponent + b.exponent };
}

export function quotient(a: Value, b: Value): Value {
  if (a.kind === "nan" || b.kind === "nan") return NAN;
  const negative = a.negative !== b.negative;
  if (a.kind === "infinite") return b.kind === "infinite" ? NAN : { kind: "infinite", negative };
  if (b.kind === "infinite") return { kind: "finite", negative, whole: 0n, exponent: 0 };
  if (b.whole === 0n) return a.whole === 0n ? NAN : { kind: "infinite", negative };
  const dividend = a.whole << BigInt(EXTRA_BITS);
  const whole = dividend / b.whole;
  const more = whole * b.whole !== dividend;
  return { kind: "finite", negative, whole, exponent: a.exponent - b.exponent - EXTRA_BITS, more };
}

export function root(a: Value): Value {
  if (a.kind === "nan" || (a.kind === "finite" && a.whole === 0n)) return a;
  if (a.negative) return NAN;
  if (a.kind === "infinite") return a;
  const odd = a.exponent % 2 === 0 ? 0 : 1;
  const square = a.whole << BigInt(2 * EXTRA_BITS + odd);
  let whole = 1n << BigInt(Math.ceil(lengthOf(square) / 2));
  for (let next = (whole + square / whole) >> 1n; next < whole; next = (whole + square / whole) >> 1n) whole = next;
  return {
    kind: "finite",
    negative: false,
    whole,
    exponent: (a.exponent - odd) / 2 - EXTRA_BITS,
    more: whole * whole !== square,
  };
}

/** -1, 0 or 1; null: unordered. */
export function compare(a: Value, b: Value): number | null {
  if (a.kind === "nan" || b.kind === "nan") return null;
  const rank = (x: Exclude<Value, { kind: "nan" }>): number => {
    if (x.kind === "infinite") return x.negative ? -2 : 2;
    if (x.whole === 0n) return 0;
    return x.negative ? -1 : 1;
  };
  const [ra, rb] = [rank(a), rank(b)];
  if (ra !== rb || a.kind === "infinite" || b.kind === "infinite") return Math.sign(ra - rb);
  const difference = sum(a, negated(b), "rn") as Exact;
  if (difference.whole === 0n) return 0;
  return difference.negative ? -1 : 1;
}
