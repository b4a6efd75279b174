/**
 * The lattice of value ranges: sets of 32-bit values as intervals with a step, { lo, lo + step, …, hi } modulo 2^32.
 *
 * The bounds are integers of any sign, less than 2^32 apart, so that sums and products need no care about wrapping:
 * what is congruent stays congruent. Where the meaning of the bits matters (shifts right, divisions, comparisons) the
 * interval is first read as unsigned or signed numbers. Steps are powers of two: they say what alignments a value has.
 *
 * Used by: value-ranges.ts, bounded-induction.ts and pass-fold-comparisons.ts of the warp tier.
 */
import { alignOfConstant } from "../../base/align.ts";

export interface Interval {
  readonly lo: number;
  readonly hi: number;
  /** A power of two up to 2^31 that divides every difference of two values. */
  readonly step: number;
}

const WORD = 2 ** 32;
const HALF = 2 ** 31;
const MAX_STEP = HALF;

const mod = (a: number, b: number): number => ((a % b) + b) % b;

export function interval(lo: number, hi: number, step = 1): Interval {
  if (!(hi - lo < WORD) || Math.abs(lo) > Number.MAX_SAFE_INTEGER / 2) return anything(step, lo);
  const wraps = lo < -HALF || hi >= WORD ? Math.floor((lo + HALF) / WORD) * WORD : 0;
  const first = lo - wraps;
  const last = first + Math.floor((hi - lo) / step) * step;
  return { lo: first, hi: last, step: first === last ? MAX_STEP : step };
}

/** All values that are congruent to `residue` modulo the step. */
export function anything(step = 1, residue = 0): Interval {
  const r = Number.isSafeInteger(residue) ? mod(residue, step) : 0;
  const safeStep = Number.isSafeInteger(residue) ? step : 1;
  return { lo: r - HALF, hi: r + HALF - safeStep, step: safeStep };
}

export function exactly(value: number): Interval {
  return interval(value, value, MAX_STEP);
}

/** The interval as unsigned numbers; all of them where it crosses 0. */
export function asUnsigned(a: Interval): Interval {
  if (a.lo >= 0 && a.hi < WORD) return a;
  if (a.hi < 0 && a.lo >= -WORD) return { lo: a.lo + WORD, hi: a.hi + WORD, step: a.step };
  const r = mod(a.lo, a.step);
  return { lo: r, hi: r + WORD - a.step, step: a.step };
}

/** The interval as signed numbers; all of them where it crosses 2^31. */
export function asSigned(a: Interval): Interval {
  if (a.lo >= -HALF && a.hi < HALF) return a;
  if (a.lo >= HALF && a.hi < WORD + HALF) return { lo: a.lo - WORD, hi: a.hi - WORD, step: a.step };
  return anything(a.step, a.lo);
}

export function sameInterval(a: Interval, b: Interval): boolean {
  return a.lo === b.lo && a.hi === b.hi && a.step === b.step;
}

function commonStep(a: Interval, b: Interval): number {
  return Math.min(a.step, b.step, alignOfConstant(a.lo - b.lo));
}

export function union(a: Interval, b: Interval): Interval {
  return interval(Math.min(a.lo, b.lo), Math.max(a.hi, b.hi), commonStep(a, b));
}

export function add(a: Interval, b: Interval): Interval {
  return interval(a.lo + b.lo, a.hi + b.hi, Math.min(a.step, b.step));
}

export function subtract(a: Interval, b: Interval): Interval {
  return interval(a.lo - b.hi, a.hi - b.lo, Math.min(a.step, b.step));
}

export function multiply(a: Interval, b: Interval): Interval {
  const corners = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
  const step = Math.min(MAX_STEP, a.step * alignOfConstant(b.lo), b.step * alignOfConstant(a.lo), a.step * b.step);
  const lo = Math.min(...corners);
  if (corners.every(Number.isSafeInteger)) return interval(lo, Math.max(...corners), step);
  // a.lo·b.lo is one of the values: its low bits are the residue.
  return anything(step, Math.imul(a.lo, b.lo));
}

export function shiftLeft(a: Interval, count: Interval): Interval {
  if (count.lo < 0 || count.hi > 31) return anything();
  return multiply(a, interval(2 ** count.lo, 2 ** count.hi, Math.min(MAX_STEP, 2 ** count.lo)));
}

export function shiftRight(a: Interval, count: Interval, signed: boolean): Interval {
  if (count.lo < 0 || count.hi > 31) return anything();
  const from = signed ? asSigned(a) : asUnsigned(a);
  const candidates = [count.lo, count.hi].flatMap((c) => [Math.floor(from.lo / 2 ** c), Math.floor(from.hi / 2 ** c)]);
  const step = count.lo === count.hi ? Math.max(1, from.step / 2 ** count.lo) : 1;
  return interval(Math.min(...candidates), Math.max(...candidates), step);
}

export function divide(a: Interval, b: Interval, signed: boolean): Interval {
  const n = signed ? asSigned(a) : asUnsigned(a);
  const d = signed ? asSigned(b) : asUnsigned(b);
  if (d.lo < 1 || n.lo < 0) return anything();
  return interval(Math.floor(n.lo / d.hi), Math.floor(n.hi / d.lo));
}

export function remainder(a: Interval, b: Interval, signed: boolean): Interval {
  const n = signed ? asSigned(a) : asUnsigned(a);
  const d = signed ? asSigned(b) : asUnsigned(b);
  if (d.lo < 1) return anything();
  if (n.lo >= 0 && n.hi < d.lo) return n;
  const step = d.lo === d.hi ? Math.min(n.step, alignOfConstant(d.lo)) : 1;
  const residue = mod(n.lo, step);
  const hi = n.hi < 0 ? 0 : Math.min(n.hi, d.hi - 1);
  return n.lo >= 0 ? interval(residue, Math.max(residue, hi), step) : interval(-(d.hi - 1), Math.max(0, hi));
}

/** The lowest 2^k − 1 that is not below v. */
function onesAbove(v: number): number {
  let ones = 0;
  while (ones < v) ones = ones * 2 + 1;
  return ones;
}

export function and(a: Interval, b: Interval): Interval {
  const [x, mask] = b.lo === b.hi ? [a, b] : [b, a];
  const ux = asUnsigned(x);
  const um = asUnsigned(mask);
  const hi = Math.min(ux.hi, um.hi);
  if (um.lo !== um.hi) return interval(0, hi);
  const zeros = alignOfConstant(um.lo);
  if (x.step <= zeros) return interval(0, hi, zeros);
  const residue = mod((x.lo & um.lo) >>> 0, x.step);
  return interval(residue, Math.max(residue, hi), x.step);
}

export function or(a: Interval, b: Interval): Interval {
  // Where no bit can be in both it is a sum.
  for (const [high, low] of [
    [a, b],
    [b, a],
  ] as const) {
    if (low.lo >= 0 && low.hi < high.step && mod(high.lo, high.step) === 0) return add(high, low);
  }
  const ua = asUnsigned(a);
  const ub = asUnsigned(b);
  const step = mod(a.lo, a.step) === 0 && mod(b.lo, b.step) === 0 ? Math.min(a.step, b.step) : 1;
  return interval(step === 1 ? Math.max(ua.lo, ub.lo) : 0, onesAbove(Math.max(ua.hi, ub.hi)), step);
}

export function xor(a: Interval, b: Interval): Interval {
  return interval(0, onesAbove(Math.max(asUnsigned(a).hi, asUnsigned(b).hi)));
}

export function extremum(a: Interval, b: Interval, which: "min" | "max", signed: boolean): Interval {
  const x = signed ? asSigned(a) : asUnsigned(a);
  const y = signed ? asSigned(b) : asUnsigned(b);
  return interval(Math[which](x.lo, y.lo), Math[which](x.hi, y.hi), commonStep(x, y));
}
