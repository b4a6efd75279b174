/** The operations at which threads wait for one another, as the IR has them, and what synccheck keeps of each. */
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
  /** A shuffle reads a lane that takes no part; alone, this harms nobody. */
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
  const name = intrinsicName(i);
  if (name === null) return null;
  const { args } = i as CallInstruction;
  const id = args[0] ?? null;
  const simple = /^llvm\.nvvm\.barrier0(?:\.(popc|and|or))?$/.exec(name);
  if (simple !== null) return { count: null, id: null, arrives: false, operation: reductionName(simple[1]) };
  if (/^llvm\.nvvm\.(bar\.sync|bar\.n|barrier\.sync)$/.test(name))
    return { count: null, id, arrives: false, operation: "bar.sync" };
  if (/^llvm\.nvvm\.(barrier|barrier\.sync\.cnt)$/.test(name))
    return { count: args[1] ?? null, id, arrives: false, operation: "bar.sync" };
  const cta = /^llvm\.nvvm\.barrier\.cta\.(sync|arrive|red\.(popc|and|or))\.(?:aligned\.)?(all|count)$/.exec(name);
  if (cta === null) return null;
  const arrives = cta[1] === "arrive";
  const isWhole = id?.kind === "const-int" && id.value === 0n && cta[3] === "all";
  return {
    count: cta[3] === "count" ? (args[1] ?? null) : null,
    id,
    arrives,
    operation: isWhole ? reductionName(cta[2]) : arrives ? "bar.arrive" : "bar.sync",
  };
}

/** Barrier 0, at which all threads of the block wait. */
export function isOfWholeBlock({ count, id, arrives }: BarrierForm): boolean {
  return count === null && !arrives && (id === null || (id.kind === "const-int" && id.value === 0n));
}

function reductionName(reduction: string | undefined): string {
  return reduction === undefined ? "__syncthreads" : `__syncthreads_${reduction === "popc" ? "count" : reduction}`;
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
  const name = intrinsicName(i);
  if (name === null) return null;
  const args = (i as CallInstruction).args as [IrValue, IrValue, IrValue, IrValue];
  const shuffle = /^llvm\.nvvm\.shfl\.sync\.(idx|up|down|bfly)\./.exec(name);
  if (shuffle !== null) {
    const mode = shuffle[1] as "idx";
    return {
      mask: args[0],
      operation: SHUFFLE_NAMES[mode],
      shuffle: { mode, value: args[1], lane: args[2], bounds: args[3] },
    };
  }
  const vote = /^llvm\.nvvm\.vote\.(all|any|uni|ballot)\.sync/.exec(name);
  if (vote !== null) return { mask: args[0], operation: `__${vote[1]}_sync`, shuffle: null };
  const match = /^llvm\.nvvm\.match\.(any|all)\.sync/.exec(name);
  if (match !== null) return { mask: args[0], operation: `__match_${match[1]}_sync`, shuffle: null };
  const reduction = /^llvm\.nvvm\.redux\.sync\.(\w+)/.exec(name);
  if (reduction !== null)
    return { mask: args[1], operation: `__reduce_${(reduction[1] as string).replace(/^u/, "")}_sync`, shuffle: null };
  return name === "llvm.nvvm.bar.warp.sync" ? { mask: args[0], operation: "__syncwarp", shuffle: null } : null;
}

export function isGridSync(i: IrInstruction): boolean {
  return intrinsicName(i) === "__heddle_grid_sync";
}

/** The name of the function without a body that is called. */
function intrinsicName(i: IrInstruction): string | null {
  return i.op === "call" && i.callee.kind === "function" && i.callee.blocks.length === 0 ? i.callee.name : null;
}
