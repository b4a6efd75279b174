/** Which instructions make threads wait for one another, or order their memory accesses. */
import type { AtomicOrdering, IrInstruction } from "../../ir/ir.ts";
import { isToolAddress } from "../../machine/observer.ts";

/**
 * "block": a barrier of the whole block; "grid": of all blocks; "warp": __syncwarp of the whole warp; "lanes", "part": of some threads of a warp, a block;
 * "fence": orders memory accesses, of other blocks, too; "call": code that may hold any of them.
 */
export type Synchronization = "block" | "grid" | "warp" | "lanes" | "part" | "call";

const BLOCK_BARRIER = /^llvm\.nvvm\.(?:barrier0|barrier\.cta\.(?:sync|red\.(?:popc|and|or))\.(?:aligned\.)?all|barrier\.cta\.arrive\.(?:aligned\.)?all)/;
const OTHER_BARRIER = /^llvm\.nvvm\.(?:barrier|bar\.(?!warp))/;

export function synchronizationOf(i: IrInstruction): Synchronization | null {
  if (isOrdering(i)) return "part";
  if (i.op !== "call") return null;
  if (i.callee.kind !== "function") return "call";
  const { name } = i.callee;
  if (MBARRIER.test(name)) return "part";
  if (CLUSTER_WAIT.test(name)) return "block";
  if (CLUSTER_ARRIVE.test(name)) return null;
  if (i.callee.blocks.length > 0) return "call";
  if (name === "__heddle_grid_sync") return "grid";
  const [first] = i.args;
  if (name === "llvm.nvvm.bar.warp.sync") return first?.kind === "const-int" && BigInt.asUintN(32, first.value) === 0xffffffffn ? "warp" : "lanes";
  if (BLOCK_BARRIER.test(name)) return name.includes("barrier0") || (!name.includes("arrive") && first?.kind === "const-int" && first.value === 0n) ? "block" : "part";
  return OTHER_BARRIER.test(name) || /^llvm\.nvvm\.(?:membar|fence|mbarrier)/.test(name) ? "part" : null;
}

/** Clusters have one block here: the waiting is a barrier of it, the arriving orders nobody (libdevice/cluster.cu, and what inline PTX is turned into). */
const CLUSTER_WAIT = /^(?:__heddle_cluster_wait$|llvm\.nvvm\.barrier\.cluster\.wait)/;
const CLUSTER_ARRIVE = /^(?:__heddle_cluster_arrive$|llvm\.nvvm\.barrier\.cluster\.arrive)/;

/** What cuda::barrier and cuda::pipeline are made of (include/cuda/barrier). */
const MBARRIER = /^__heddle_mbarrier_(?:init|arrive|test)/;

const ORDERED: ReadonlySet<AtomicOrdering> = new Set(["acquire", "release", "acq_rel", "seq_cst"]);

/** Fences, and atomic operations that order other accesses. */
export function isOrdering(i: IrInstruction): boolean {
  if (i.op === "fence") return i.scope !== "singlethread";
  if (i.op !== "load" && i.op !== "store" && i.op !== "atomicrmw" && i.op !== "cmpxchg") return i.op === "call" && i.callee.kind === "function" && /^llvm\.nvvm\.(?:membar|fence|mbarrier)/.test(i.callee.name);
  return i.ordering !== null && ORDERED.has(i.ordering) && !isToolAddress(i.pointer);
}
