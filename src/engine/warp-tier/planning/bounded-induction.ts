/**
 * The interval of an induction variable: from its first value, its step and the exit test that bounds it.
 *
 * Null where the variable may pass the bound and wrap around. Lattice: analysis/values/intervals.ts. Used by:
 * value-ranges.ts.
 */
import { alignOfConstant } from "../../../base/align.ts";
import type { BoundTest } from "../../../analysis/loops/induction.ts";
import { asSigned, asUnsigned, interval, type Interval } from "../../../analysis/values/intervals.ts";

/**
 * The values of an induction variable that starts in `init` and grows by `step` while the test holds; null where it may
 * run away.
 */
export function boundedInduction(
  init: Interval,
  step: Interval,
  test: Pick<BoundTest, "stays" | "tested">,
  bound: Interval,
  isBoundInvariant: boolean,
): Interval | null {
  const up = step.lo >= 1;
  if (!up && step.hi > -1) return null;
  const stepOfAll = Math.min(init.step, step.step, alignOfConstant(step.lo));
  if (test.stays === "ne") return untilEqual(init, step, test.tested, bound, isBoundInvariant, stepOfAll);
  const signed = test.stays.startsWith("s");
  const strict = test.stays.endsWith("t");
  if (test.stays === "eq" || test.stays.slice(1, 2) !== (up ? "l" : "g")) return null;
  const i = signed ? asSigned(init) : asUnsigned(init);
  const b = signed ? asSigned(bound) : asUnsigned(bound);
  const lowest = signed ? -(2 ** 31) : 0;
  const highest = signed ? 2 ** 31 - 1 : 2 ** 32 - 1;
  if (up) {
    const stays = b.hi - (strict ? 1 : 0);
    // No value of an iteration may wrap when the step is added.
    const last = test.tested === "next" ? Math.max(i.hi, stays) : stays;
    if (last + step.hi > highest) return null;
    return interval(i.lo, Math.max(i.hi, test.tested === "next" ? stays : stays + step.hi), stepOfAll);
  }
  const stays = b.lo + (strict ? 1 : 0);
  const last = test.tested === "next" ? Math.min(i.lo, stays) : stays;
  if (last + step.lo < lowest) return null;
  const lo = Math.min(i.lo, test.tested === "next" ? stays : stays + step.lo);
  return downFrom(i.hi, lo, stepOfAll);
}

/** { hi, hi − step, … } as far as `lo`. */
function downFrom(hi: number, lo: number, step: number): Interval {
  return interval(hi - Math.floor((hi - lo) / step) * step, hi, step);
}

/** `phi != bound`, in steps that cannot jump over the bound. */
function untilEqual(
  init: Interval,
  step: Interval,
  tested: "phi" | "next",
  bound: Interval,
  isBoundInvariant: boolean,
  stepOfAll: number,
): Interval | null {
  if (step.lo !== step.hi) return null;
  const by = step.lo;
  const i = asSigned(init);
  const b = asSigned(bound);
  const divides = Math.abs(by) === 1 || (i.lo === i.hi && b.lo === b.hi && (b.lo - i.lo) % by === 0);
  if (!divides || !isBoundInvariant) return null;
  // Where the phi is tested, the last iteration begins with the bound itself.
  const last = tested === "next" ? by : 0;
  if (by > 0) return b.lo >= i.hi + last ? interval(i.lo, b.hi - last, stepOfAll) : null;
  return b.hi <= i.lo + last ? downFrom(i.hi, b.lo - last, stepOfAll) : null;
}
