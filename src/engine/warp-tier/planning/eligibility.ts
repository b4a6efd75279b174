/**
 * Which kernels the warp tier may run. It has no way to let some lanes of a warp go on while others wait, so everything
 * that waits must be reached by all live lanes together, and no lane may spin for what another lane of its warp does
 * later. The rest belongs to the thread tier. Decided on the code, never on a name.
 */
import type { IntrinsicFacts } from "../../../ir/intrinsics/facts.ts";
import { calledIntrinsic } from "../../../ir/model/called-intrinsic.ts";
import type { CallInstruction, IrFunction } from "../../../ir/model/ir.ts";
import { isRareToolRoutine } from "../../../machine/observer.ts";
import { intrinsicOf } from "../../../ir/intrinsics/lookup.ts";
import { type WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import { calleeName } from "../../../ir/model/called-intrinsic.ts";
import { mayWaitForOthers } from "../../../analysis/loops/waiting-loops.ts";
import type { Schedule } from "./block-order.ts";
import { matrixShapeOf } from "./matrix-shapes.ts";

export type BarrierReduction = "none" | "popc" | "and" | "or";

/** A barrier of the whole block under number 0, with its reduction; null for anything else. */
export function barrierOf(call: CallInstruction): { readonly reduction: BarrierReduction } | null {
  const barrier = calledIntrinsic(call)?.barrier ?? null;
  if (barrier === null || barrier.scope !== "block" || barrier.action !== "sync" || barrier.hasCount) return null;
  if (!barrier.hasId) return barrier.reduction === null ? { reduction: "none" } : null;
  const id = call.args[0];
  if (id?.kind !== "const-int" || id.value !== 0n) return null;
  return { reduction: barrier.reduction ?? "none" };
}

/**
 * Operations of the lanes of a warp that have code here. What activemask means depends on which lanes are converged:
 * in this tier all that are active.
 */
function isLaneOperation({ kind, shuffle, reduction }: IntrinsicFacts): boolean {
  if (kind !== "collective") return false;
  const isFloatReduction = reduction !== null && (reduction.operator === "fmin" || reduction.operator === "fmax");
  return !isFloatReduction && (shuffle === null || shuffle.hasMask);
}

const UNSUITABLE: ReadonlySet<string> = new Set(["exit", "malloc", "free"]);

/** Registers that only the thread tier has: where shared memory lies, and the place in a cluster. */
const OF_THE_THREAD_TIER = /^shared\.window$|^cluster/;

/** Why the warp tier cannot run the kernel, or null. */
export function whyNotEligible(analysis: WarpAnalysis, schedule: Schedule): string | null {
  for (const [b, block] of analysis.flow.blocks.entries()) {
    const alone = schedule.pendingAt(b).size === 0;
    for (const i of block.instructions) {
      if (i.op === "alloca" && (b !== 0 || (i.count !== null && i.count.kind !== "const-int")))
        return "a stack allocation of varying size";
      if (i.op === "va_arg") return "va_arg";
      if (i.op !== "call") continue;
      const name = calleeName(i);
      if (name === null) return "an indirect call";
      const known = intrinsicOf(name);
      if (known !== null && known.count !== null) continue;
      if (barrierOf(i) || (known !== null && isLaneOperation(known))) {
        if (!alone) return `${name} where lanes of the warp may wait elsewhere`;
        continue;
      }
      if (isRareToolRoutine(i.callee as IrFunction)) continue;
      if (known === null) return `a call of ${name}`;
      if (known.kind === "sync" || known.kind === "collective") return `${name}`;
      if (known.register !== null && OF_THE_THREAD_TIER.test(known.register.register)) return name;
      if (known.spaceTest !== null || UNSUITABLE.has(known.operation)) return name;
    }
  }
  for (const loop of analysis.flow.loops)
    if (mayWaitForOthers(analysis.flow, loop)) return "a loop that may wait for other threads";
  return null;
}

/** Intrinsics of the warp as a whole, by the first word of their names. */
const WARP_OPERATIONS: ReadonlySet<string> = new Set(["shfl", "vote", "match", "redux", "activemask"]);

export function isWarpOperation(name: string): boolean {
  const words = intrinsicOf(name)?.words ?? [];
  return (
    WARP_OPERATIONS.has(words[0] ?? "") || (words[0] === "bar" && words[1] === "warp") || matrixShapeOf(name) !== null
  );
}
