/** Which instructions make threads wait for one another, or order their memory accesses. */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { IrInstruction } from "../../ir/model/ir.ts";
import { ordersMemory } from "../../instrument/accesses.ts";
import { blockBarrierOf, isGridSync, isOfWholeBlock } from "../synccheck/sites.ts";

/**
 * "block": a barrier of the whole block; "grid": of all blocks; "cluster": the waiting at the barrier of the block's
 * cluster; "cluster-arrival": the arriving; "warp": __syncwarp of the whole warp; "lanes", "part": of some threads of a
 * warp, a block, or what orders memory accesses otherwise; "call": code that may hold any of them.
 */
export type Synchronization = "block" | "grid" | "cluster" | "cluster-arrival" | "warp" | "lanes" | "part" | "call";

export function synchronizationOf(i: IrInstruction): Synchronization | null {
  if (ordersMemory(i) || isFence(i)) return "part";
  if (i.op !== "call") return null;
  if (i.callee.kind !== "function") return "call";
  if (isGridSync(i)) return "grid";
  const action = clusterBarrierOf(i);
  if (action !== null) return action === "sync" ? "cluster" : "cluster-arrival";
  const barrier = blockBarrierOf(i);
  if (barrier !== null) return isOfWholeBlock(barrier) ? "block" : "part";
  const { name } = i.callee;
  if (MBARRIER.test(name)) return "part";
  if (i.callee.blocks.length > 0) return "call";
  if (name !== "llvm.nvvm.bar.warp.sync") return null;
  const [mask] = i.args;
  return mask?.kind === "const-int" && BigInt.asUintN(32, mask.value) === 0xffffffffn ? "warp" : "lanes";
}

function clusterBarrierOf(i: IrInstruction): "sync" | "arrive" | null {
  const barrier = calledIntrinsic(i)?.barrier;
  return barrier?.scope === "cluster" ? barrier.action : null;
}

/** An arrival that releases nothing of what the thread has done before it. */
export function isRelaxedArrival(i: IrInstruction): boolean {
  return i.op === "call" && i.callee.kind === "function" && i.callee.name.split(".").includes("relaxed");
}

/** Pointers to shared memory of other blocks come from here, and from nowhere else (libdevice/cluster.cu). */
export function mapsOtherBlocks(i: IrInstruction): boolean {
  return i.op === "call" && i.callee.kind === "function" && i.callee.name === "__heddle_cluster_map";
}

/** What cuda::barrier and cuda::pipeline are made of (include/cuda/barrier), and what st.async tells its mbarrier. */
const MBARRIER = /^__heddle_mbarrier_(?:init|arrive|test|complete_tx)/;

/** A fence of NVVM's own: a call. */
export function isFence(i: IrInstruction): boolean {
  return calledIntrinsic(i)?.isFence === true;
}
