/**
 * Comparisons whose outcome follows from the values that their operands can have, for blocks of this shape:
 * `threadIdx.x < 1024`, a test whether an index stays inside of a shared array. What depends on them is for the
 * clean-up.
 *
 * Needs: the analysis of a function, and its value ranges. The function itself is shared between block shapes and stays
 * as it is.
 */
import { constBool } from "../../../ir/model/build.ts";
import { cloneFunction } from "../../../ir/model/clone.ts";
import type { IcmpInstruction, IntPredicate, IrFunction, IrValue } from "../../../ir/model/ir.ts";
import { replaceUses } from "../../../ir/model/uses.ts";
import { asSigned, asUnsigned, type Interval } from "../../../analysis/values/intervals.ts";
import type { ValueRange, ValueRanges } from "./value-ranges.ts";

/**
 * A copy of the function with constants in their place, or null when there are none. @param ranges what every lane has
 * that executes an instruction ("active").
 */
export function foldComparisons(fn: IrFunction, ranges: ValueRanges): IrFunction | null {
  /** By block and place in it, which a copy has in common with the original. */
  const decided: { readonly block: number; readonly at: number; readonly outcome: boolean }[] = [];
  for (const [block, { instructions }] of fn.blocks.entries()) {
    for (const [at, i] of instructions.entries()) {
      if (i.op !== "icmp" || !isWord(i)) continue;
      const outcome = outcomeOf(i.predicate, ranges.of(i.lhs), ranges.of(i.rhs));
      if (outcome !== null) decided.push({ block, at, outcome });
    }
  }
  if (decided.length === 0) return null;
  const copy = cloneFunction(fn);
  replaceUses(
    copy,
    new Map(
      decided.map(({ block, at, outcome }) => [copy.blocks[block]?.instructions[at] as IrValue, constBool(outcome)]),
    ),
  );
  return copy;
}

function isWord({ lhs }: IcmpInstruction): boolean {
  return lhs.type.kind === "int" && lhs.type.bits === 32;
}

/** What the comparison says in every case; null where that depends. */
function outcomeOf(predicate: IntPredicate, a: ValueRange, b: ValueRange): boolean | null {
  if (a.region !== null || b.region !== null) return null;
  const read = predicate.startsWith("s") ? asSigned : asUnsigned;
  const [x, y] = [read(a.interval), read(b.interval)];
  switch (predicate) {
    case "ult":
    case "slt":
      return less(x, y);
    case "uge":
    case "sge":
      return not(less(x, y));
    case "ugt":
    case "sgt":
      return less(y, x);
    case "ule":
    case "sle":
      return not(less(y, x));
    case "eq":
      return equal(x, y);
    case "ne":
      return not(equal(x, y));
  }
}

function less(a: Interval, b: Interval): boolean | null {
  if (a.hi < b.lo) return true;
  return a.lo >= b.hi ? false : null;
}

function equal(a: Interval, b: Interval): boolean | null {
  if (a.hi < b.lo || b.hi < a.lo) return false;
  return a.lo === a.hi && b.lo === b.hi ? true : null;
}

function not(outcome: boolean | null): boolean | null {
  return outcome === null ? null : !outcome;
}
