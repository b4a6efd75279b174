/** Which intrinsics make a thread stop, and what it then waits for. */
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
  if (name === "__heddle_grid_sync") return shape({ kind: "grid-sync" });
  const operation = /^llvm\.nvvm\.(.*)$/.exec(name)?.[1];
  if (operation === undefined) return null;
  if (operation === "nanosleep") return shape({ kind: "yield" });
  return warpShape(operation) ?? barrierShape(operation);
}

function warpShape(operation: string): WaitShape | null {
  if (operation === "bar.warp.sync") return collective("syncwarp", { mask: 0 });
  if (operation === "activemask") return collective("activemask", { result: "value" }, true);
  let match = /^shfl\.sync\.(idx|up|down|bfly)\.(i32|f32)(p?)$/.exec(operation);
  if (match !== null) {
    return collective(`shfl-${match[1]}` as CollectiveOperation, {
      mask: 0,
      value: 1,
      lane: 2,
      control: 3,
      result: match[3] === "p" ? "value-and-predicate" : "value",
    });
  }
  match = /^shfl\.(idx|up|down|bfly)\.(i32|f32)(p?)$/.exec(operation);
  if (match !== null) {
    return collective(
      `shfl-${match[1]}` as CollectiveOperation,
      { value: 0, lane: 1, control: 2, result: match[3] === "p" ? "value-and-predicate" : "value" },
      true,
    );
  }
  match = /^vote\.(all|any|uni|ballot)\.sync$/.exec(operation);
  if (match !== null)
    return collective(`vote-${match[1]}` as CollectiveOperation, { mask: 0, value: 1, result: "value" });
  match = /^match\.(any|all)\.sync\.(i32|i64)(p?)$/.exec(operation);
  if (match !== null) {
    return collective(`match-${match[1]}` as CollectiveOperation, {
      mask: 0,
      value: 1,
      result: match[1] === "all" ? "value-and-predicate" : "value",
    });
  }
  match = /^redux\.sync\.(add|min|max|umin|umax|and|or|xor|fmin|fmax)(\.abs)?(\.NaN)?$/.exec(operation);
  if (match !== null) {
    const name = `redux-${match[1]}${match[2] === undefined ? "" : "-abs"}${match[3] === undefined ? "" : "-nan"}`;
    return collective(name as CollectiveOperation, { mask: 1, value: 0, result: "value" });
  }
  return null;
}

function barrierShape(operation: string): WaitShape | null {
  if (/^barrier\.cluster\.wait/.test(operation)) return shape({ kind: "barrier", reduction: "none" });
  if (/^(barrier0|barrier\.cta\.sync\.(aligned\.)?all|bar\.sync|bar\.n|barrier\.sync)$/.test(operation)) {
    return shape({ kind: "barrier", reduction: "none" }, { mask: operation === "barrier0" ? -1 : 0 });
  }
  if (/^(barrier\.cta\.sync\.(aligned\.)?count|barrier|barrier\.sync\.cnt)$/.test(operation)) {
    return shape({ kind: "barrier", reduction: "none" }, { mask: 0, threads: 1 });
  }
  if (/^barrier\.cta\.arrive\.(aligned\.)?count$/.test(operation))
    return shape({ kind: "barrier", reduction: "arrive" }, { mask: 0, threads: 1 });
  let match = /^barrier\.cta\.red\.(popc|and|or)\.(?:aligned\.)?(all|count)$/.exec(operation);
  if (match !== null) {
    const reduction = match[1] as "popc" | "and" | "or";
    return shape(
      { kind: "barrier", reduction },
      match[2] === "all" ? { mask: 0, value: 1, result: "value" } : { mask: 0, threads: 1, value: 2, result: "value" },
    );
  }
  match = /^barrier0\.(popc|and|or)$/.exec(operation);
  if (match !== null)
    return shape({ kind: "barrier", reduction: match[1] as "popc" | "and" | "or" }, { value: 0, result: "value" });
  return null;
}
