/**
 * Which kernels the warp tier may run. It has no way to let some lanes of a warp go on while others wait, so everything
 * that waits must be reached by all live lanes together, and no lane may spin for what another lane of its warp does
 * later. A warp that waits for an mbarrier is suspended as a whole (pass-suspend-at-tests.ts); a loop that waits for
 * anything else, such as a flag in memory, is for the thread tier. Decided on the code, never on a name.
 */
import type { IntrinsicFacts } from "../../../ir/intrinsics/facts.ts";
import type { IrFunction, IrInstruction, IrValue } from "../../../ir/model/ir.ts";
import { isRareToolRoutine } from "../../../machine/observer.ts";
import { intrinsicOf } from "../../../ir/intrinsics/lookup.ts";
import { type WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import { calleeName } from "../../../ir/model/called-intrinsic.ts";
import { dominates, type FlowLoop } from "../../../analysis/loops/flow-graph.ts";
import { mayWaitForOthers } from "../../../analysis/loops/waiting-loops.ts";
import type { Schedule } from "./block-order.ts";
import { isLaneFunction } from "./lane-functions.ts";
import { matrixShapeOf } from "./matrix-shapes.ts";
import { barrierOf, clusterBarrierOf, isSuspend, namedBarrierOf, testedBy } from "./suspensions.ts";
import { warpgroupShapeOf } from "./warpgroup-products.ts";
import { waitInnocently } from "./waiting-lanes.ts";

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

/**
 * Why the warp tier cannot run the kernel, or null. `isShared`: the pointer is into the block's shared memory.
 * `apart`: warps wait apart from one another (suspensions.ts).
 */
export function whyNotEligible(
  analysis: WarpAnalysis,
  schedule: Schedule,
  apart: boolean,
  isShared: (pointer: IrValue) => boolean,
): string | null {
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
      if (isSuspend(i)) {
        if (!alone && !waitInnocently(analysis, schedule, b)) return "a wait while other lanes of the warp may go on";
        continue;
      }
      const named = namedBarrierOf(i);
      const isUniform = (value: IrValue | null): boolean =>
        value === null || analysis.shapeOf(value).kind === "uniform";
      if (named !== null && !(isUniform(named.id) && isUniform(named.threads))) return `${name} with numbers of lanes`;
      if (apart && (barrierOf(i)?.reduction ?? "none") !== "none") return `${name} beside waits of single warps`;
      const isBarrier = barrierOf(i) !== null || named !== null || clusterBarrierOf(i) !== null;
      const isCommit = known?.productGroup === "commit";
      if (isBarrier || isCommit || (known !== null && isLaneOperation(known))) {
        if (!alone) return `${name} where lanes of the warp may wait elsewhere`;
        continue;
      }
      if (isRareToolRoutine(i.callee as IrFunction) || isLaneFunction(i.callee as IrFunction)) continue;
      if (known === null) return `a call of ${name}`;
      if (known.kind === "sync" || known.kind === "collective") return `${name}`;
      if (known.spaceTest !== null || UNSUITABLE.has(known.operation)) return name;
    }
  }
  const tested = new Set<IrInstruction>();
  for (const { instructions } of analysis.flow.blocks)
    for (const i of instructions) if (testedBy(i) !== undefined) tested.add(testedBy(i)!);
  for (const loop of analysis.flow.loops) {
    // Where all warps of the block come by at a barrier in each iteration, what they read of its memory is there.
    const meets = apart && meetsOthers(analysis, loop);
    const isAnswered = (i: IrInstruction): boolean =>
      tested.has(i) || (meets && i.op === "load" && !i.volatile && i.ordering === null && isShared(i.pointer));
    if (mayWaitForOthers(analysis.flow, loop, isAnswered)) return "a loop that may wait for other threads";
  }
  return null;
}

/** Every iteration of the loop passes a barrier at which the warp waits for others. */
function meetsOthers({ flow }: WarpAnalysis, { blocks, latch }: FlowLoop): boolean {
  return [...blocks].some((b) => {
    const i = flow.blocks[b]!.instructions.at(-2);
    const waits = i?.op === "call" && (barrierOf(i) !== null || namedBarrierOf(i)?.waits === true);
    return waits && dominates(flow.idom, b, latch);
  });
}

/** Intrinsics of the warp as a whole, by the first word of their names. */
const WARP_OPERATIONS: ReadonlySet<string> = new Set(["shfl", "vote", "match", "redux", "activemask"]);

export function isWarpOperation(name: string): boolean {
  const words = intrinsicOf(name)?.words ?? [];
  return (
    WARP_OPERATIONS.has(words[0] ?? "") ||
    (words[0] === "bar" && words[1] === "warp") ||
    matrixShapeOf(name) !== null ||
    warpgroupShapeOf(name) !== null
  );
}
