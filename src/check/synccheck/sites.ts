/** The operations at which threads wait for one another, as the IR has them, and what synccheck records of each. */
import type { BarrierFacts } from "../../ir/intrinsics/facts.ts";
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { SiteOf } from "../../instrument/instrumenter.ts";
import type { CallInstruction, IrInstruction, IrValue } from "../../ir/model/ir.ts";

/** What can be wrong at a place. */
export type SyncCheckKind =
  /** A barrier of the whole block: reached by a part of it, or by parts in different places. */
  | "barrier"
  /** A barrier for a number of threads. */
  | "counted-barrier"
  /** The calling lane is not in the mask that it names. */
  | "caller"
  /** Lanes that the mask names do not come. */
  | "lanes"
  /** Lanes that come together name different masks. */
  | "masks"
  /** A shuffle reads a lane that takes no part, which does no harm as long as the value is not used. */
  | "shuffle"
  /** A value that a shuffle got from such a lane is used. */
  | "use"
  | "grid"
  | "not-cooperative";

export interface SyncDetail {
  readonly sync: SyncCheckKind;
  /** What the source calls it: __syncthreads, __shfl_down_sync, … */
  readonly operation: string;
  /** use: the shuffles that the value may come from. */
  readonly shuffles?: readonly SyncSite[];
  /** barrier: the other sites of the module by index. */
  readonly siblings?: ReadonlyMap<number, SyncSite>;
}

export type SyncSite = SiteOf<SyncDetail>;

export interface BarrierForm {
  /** null: all threads of the block. */
  readonly count: IrValue | null;
  readonly id: IrValue | null;
  readonly arrives: boolean;
  readonly operation: string;
}

/**
 * Of a cluster, in the device library (libdevice/cluster.cu): clusters have one block here, and its threads wait for
 * one another.
 */
const CLUSTER_WAIT = "__heddle_cluster_wait";

/** A barrier instruction of the block; null for anything else. */
export function blockBarrierOf(i: IrInstruction): BarrierForm | null {
  if (i.op === "call" && i.callee.kind === "function" && i.callee.name === CLUSTER_WAIT)
    return { count: null, id: null, arrives: false, operation: "cluster.sync()" };
  const barrier = calledIntrinsic(i)?.barrier ?? null;
  if (barrier === null || barrier.scope !== "block") return null;
  const { args } = i as CallInstruction;
  const form = {
    count: barrier.hasCount ? (args[1] ?? null) : null,
    id: barrier.hasId ? (args[0] ?? null) : null,
    arrives: barrier.action === "arrive",
  };
  if (isOfWholeBlock(form)) return { ...form, operation: reductionName(barrier.reduction) };
  return { ...form, operation: form.arrives ? "bar.arrive" : "bar.sync" };
}

/** Barrier 0, at which all threads of the block wait. */
export function isOfWholeBlock({ count, id, arrives }: Omit<BarrierForm, "operation">): boolean {
  return count === null && !arrives && (id === null || (id.kind === "const-int" && id.value === 0n));
}

function reductionName(reduction: BarrierFacts["reduction"]): string {
  return reduction === null ? "__syncthreads" : `__syncthreads_${reduction === "popc" ? "count" : reduction}`;
}

/** An operation of the lanes that a mask names. */
export interface LaneForm {
  readonly mask: IrValue;
  readonly operation: string;
  /** What all its lanes get depends on: the value and, of shuffles, lane and bounds. */
  readonly shuffle: {
    readonly mode: "idx" | "up" | "down" | "bfly";
    readonly value: IrValue;
    readonly lane: IrValue;
    readonly bounds: IrValue;
  } | null;
}

const SHUFFLE_NAMES = {
  idx: "__shfl_sync",
  up: "__shfl_up_sync",
  down: "__shfl_down_sync",
  bfly: "__shfl_xor_sync",
} as const;

export function laneOperationOf(i: IrInstruction): LaneForm | null {
  const facts = calledIntrinsic(i);
  if (facts === null) return null;
  const { shuffle, vote, match, reduction } = facts;
  const args = (i as CallInstruction).args as [IrValue, IrValue, IrValue, IrValue];
  const [mask, second] = args;
  if (shuffle?.hasMask) {
    const { mode } = shuffle;
    return {
      mask,
      operation: SHUFFLE_NAMES[mode],
      shuffle: { mode, value: second, lane: args[2], bounds: args[3] },
    };
  }
  if (vote !== null) return { mask, operation: `__${vote.mode}_sync`, shuffle: null };
  if (match !== null) return { mask, operation: `__match_${match.mode}_sync`, shuffle: null };
  if (reduction !== null)
    return { mask: second, operation: `__reduce_${reduction.operator.replace(/^u/, "")}_sync`, shuffle: null };
  return facts.operation === "bar.warp.sync" ? { mask, operation: "__syncwarp", shuffle: null } : null;
}

export function isGridSync(i: IrInstruction): boolean {
  return calledIntrinsic(i)?.barrier?.scope === "grid";
}
