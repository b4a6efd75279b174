/**
 * Where the warp tier suspends a whole warp, to run the others meanwhile: at barriers of the block, of some of its
 * warps or of a cluster, after a test of an mbarrier that found its phase incomplete (pass-suspend-at-tests.ts), and
 * where products of its warpgroup are missing (pass-suspend-at-products.ts).
 */
import { declareFunction } from "../../../ir/model/build-module.ts";
import { calledIntrinsic, calleeName } from "../../../ir/model/called-intrinsic.ts";
import type { CallInstruction, IrFunction, IrInstruction, IrModule, IrValue } from "../../../ir/model/ir.ts";
import { I64, VOID } from "../../../ir/model/types.ts";

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

/** A barrier with a number, of some warps or of all. */
export interface NamedBarrier {
  readonly waits: boolean;
  readonly id: IrValue;
  /** Null: all threads of the block. */
  readonly threads: IrValue | null;
}

/** A barrier without a reduction that is not the block's own; null for anything else. */
export function namedBarrierOf(call: CallInstruction): NamedBarrier | null {
  const barrier = calledIntrinsic(call)?.barrier ?? null;
  if (barrier === null || barrier.scope !== "block" || barrier.reduction !== null || !barrier.hasId) return null;
  if (barrierOf(call) !== null) return null;
  const [id, threads] = call.args;
  return { waits: barrier.action === "sync", id: id!, threads: barrier.hasCount ? threads! : null };
}

/** What a call does at the barrier of a thread block cluster; null for anything else. */
export function clusterBarrierOf(call: CallInstruction): "arrive" | "wait" | null {
  const barrier = calledIntrinsic(call)?.barrier ?? null;
  if (barrier === null || barrier.scope !== "cluster") return null;
  return barrier.action === "arrive" ? "arrive" : "wait";
}

/** Stands behind a test that failed: the warp lets the others run. Its argument is what the test has read. */
const SUSPEND = "llvm.nvvm.heddle.suspend";

export function declareSuspend(module: IrModule): IrFunction {
  return declareFunction(module, SUSPEND, VOID, [I64]);
}

export function isSuspend(i: IrInstruction | undefined): boolean {
  return i?.op === "call" && calleeName(i) === SUSPEND;
}

/** What a suspension's test has read. */
export function testedBy(i: IrInstruction | undefined): IrInstruction | undefined {
  const tested = i?.op === "call" && isSuspend(i) ? i.args[0] : undefined;
  return tested?.kind === "instruction" ? tested : undefined;
}

/** The warp may have to wait here. */
export function suspendsWarp(i: IrInstruction | undefined): boolean {
  if (i?.op !== "call") return false;
  return barrierOf(i) !== null || (namedBarrierOf(i)?.waits ?? false) || clusterBarrierOf(i) === "wait" || isSuspend(i);
}

/** Warps may wait apart from one another: their scheduler must know who waits for what. */
export function waitsApart(fn: IrFunction): boolean {
  return fn.blocks.some(({ instructions }) =>
    instructions.some(
      (i) => i.op === "call" && (namedBarrierOf(i) !== null || clusterBarrierOf(i) !== null || isSuspend(i)),
    ),
  );
}
