/** Functions of floats that JavaScript does not have, or has with other corner cases. */
import { fmaFloat32, fmaFloat64, fmaRoundToOdd } from "../../base/float-rounding.ts";
import type { FloatFormat } from "../../ir/model/ir.ts";
import { roundTo } from "./value.ts";

/** llvm.minnum: a NaN operand is ignored; -0 is below +0. */
export function minNumber(a: number, b: number): number {
  if (a !== a) return b;
  return b !== b ? a : Math.min(a, b);
}

export function maxNumber(a: number, b: number): number {
  if (a !== a) return b;
  return b !== b ? a : Math.max(a, b);
}

/** C's round: halves away from zero. */
export function roundHalfAway(value: number): number {
  const integer = Math.trunc(value);
  const result = Math.abs(value - integer) >= 0.5 ? integer + Math.sign(value) : integer;
  return result === 0 ? copySign(0, value) : result;
}

export function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0);
}

export function copySign(magnitude: number, sign: number): number {
  return isNegative(sign) ? -Math.abs(magnitude) : Math.abs(magnitude);
}

/** a*b+c rounded once to the format. */
export function fmaOf(format: FloatFormat): (a: number, b: number, c: number) => number {
  if (format === "double") return fmaFloat64;
  if (format === "float") return fmaFloat32;
  const round = roundTo(format);
  return (a, b, c) => round(fmaRoundToOdd(a, b, c));
}

/** Subnormal floats become zeros of their sign (.ftz). */
export function flushToZero(value: number): number {
  return Math.abs(value) < 2 ** -126 ? copySign(0, value) : value;
}

/** Clamped to [0, 1]; a NaN becomes 0 (.sat). */
export function saturate(value: number): number {
  return value > 0 ? Math.min(value, 1) : 0;
}

const SMALLEST_NORMAL = { half: 2 ** -14, bfloat: 2 ** -126, float: 2 ** -126, double: 2 ** -1022 } as const;

/** The classes of llvm.is.fpclass, one bit each (LangRef, "llvm.is.fpclass"). A NaN here is quiet. */
export function floatClass(value: number, format: FloatFormat): number {
  if (value !== value) return 1 << 1;
  const negative = isNegative(value);
  if (!Number.isFinite(value)) return negative ? 1 << 2 : 1 << 9;
  if (value === 0) return negative ? 1 << 5 : 1 << 6;
  const smallest = SMALLEST_NORMAL[format];
  if (Math.abs(value) < smallest) return negative ? 1 << 4 : 1 << 7;
  return negative ? 1 << 3 : 1 << 8;
}
