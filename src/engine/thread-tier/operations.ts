/** Which intrinsics make a thread stop, and what it then waits for. */
import type { BarrierFacts, CountFacts, IntrinsicFacts } from "../../ir/intrinsics/facts.ts";
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import type { CollectiveOperation, WaitOperation } from "../schedule/task.ts";

/** Which argument of the call holds what; -1: none. */
export interface WaitShape {
  readonly operation: WaitOperation | { readonly kind: "yield" };
  /** Membermask or barrier number; a number below 0 means the constant 0. */
  readonly mask: number;
  readonly threads: number;
  /** Arguments that become operand 0 (a 64-bit one fills 0 and 1), operand 2, operand 3. */
  readonly value: number;
  readonly lane: number;
  readonly control: number;
  /** The results: none, the low word, low word and predicate. */
  readonly result: "none" | "value" | "value-and-predicate";
}

const shape = (operation: WaitShape["operation"], fields: Partial<WaitShape> = {}): WaitShape => ({
  operation,
  mask: -1,
  threads: -1,
  value: -1,
  lane: -1,
  control: -1,
  result: "none",
  ...fields,
});

const collective = (operation: CollectiveOperation, fields: Partial<WaitShape>, converged = false): WaitShape =>
  shape({ kind: "collective", operation, converged }, fields);

/** What a thread waits for at a call of the intrinsic, or null when it goes on. */
export function waitShapeOf(name: string): WaitShape | null {
  const facts = intrinsicOf(name);
  if (facts === null) return null;
  if (facts.operation === "nanosleep") return shape({ kind: "yield" });
  if (facts.productGroup !== null) return facts.productGroup === "wait" ? shape({ kind: "products" }) : null;
  return facts.barrier === null ? laneShape(facts) : barrierShape(facts.barrier);
}

function laneShape({ operation, shuffle, vote, match, reduction, count }: IntrinsicFacts): WaitShape | null {
  if (count !== null) return countShape(count.what);
  if (operation === "bar.warp.sync") return collective("syncwarp", { mask: 0 });
  if (operation === "activemask") return collective("activemask", { result: "value" }, true);
  if (shuffle !== null) {
    const result = shuffle.withPredicate ? "value-and-predicate" : "value";
    const kind = `shfl-${shuffle.mode}` as const;
    if (shuffle.hasMask) return collective(kind, { mask: 0, value: 1, lane: 2, control: 3, result });
    return collective(kind, { value: 0, lane: 1, control: 2, result }, true);
  }
  if (vote !== null) return collective(`vote-${vote.mode}`, { mask: 0, value: 1, result: "value" });
  if (match !== null) {
    const result = match.mode === "all" ? "value-and-predicate" : "value";
    return collective(`match-${match.mode}`, { mask: 0, value: 1, result });
  }
  if (reduction === null) return null;
  const kind = `redux-${reduction.operator}${reduction.absolute ? "-abs" : ""}${reduction.nan ? "-nan" : ""}`;
  return collective(kind as CollectiveOperation, { mask: 1, value: 0, result: "value" });
}

/** The order stands in place of a mask, the record is operand 3. */
function countShape(what: CountFacts["what"]): WaitShape {
  const operation = `count-${what}` as const;
  if (what === "warps" || what === "begin" || what === "arrive")
    return collective(operation, { mask: 1, control: 0 }, true);
  if (what === "branch" || what === "clock") return collective(operation, { mask: 1, value: 2, control: 0 }, true);
  return collective(operation, { mask: 1, value: 2, lane: 3, control: 0 }, true);
}

function barrierShape({ scope, action, reduction, hasId, hasCount }: BarrierFacts): WaitShape | null {
  if (scope === "grid") return shape({ kind: "grid-sync" });
  if (scope === "cluster") return shape({ kind: "cluster", action: action === "arrive" ? "arrive" : "wait" });
  const mask = hasId ? 0 : -1;
  const threads = hasCount ? 1 : -1;
  if (action === "arrive") return shape({ kind: "barrier", reduction: "arrive" }, { mask, threads });
  if (reduction === null) return shape({ kind: "barrier", reduction: "none" }, { mask, threads });
  const value = Number(hasId) + Number(hasCount);
  return shape({ kind: "barrier", reduction }, { mask, threads, value, result: "value" });
}
