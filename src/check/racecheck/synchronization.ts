/** Which instructions make threads wait for one another, or order their memory accesses. */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { IrInstruction } from "../../ir/model/ir.ts";
import { ordersMemory } from "../../instrument/accesses.ts";
import { blockBarrierOf, isGridSync, isOfWholeBlock } from "../synccheck/sites.ts";

/**
 * "block": a barrier of the whole block; "grid": of all blocks; "warp": __syncwarp of the whole warp; "lanes", "part":
 * of some threads of a warp, a block, or what orders memory accesses otherwise; "call": code that may hold any of them.
 */
export type Synchronization = "block" | "grid" | "warp" | "lanes" | "part" | "call";

export function synchronizationOf(i: IrInstruction): Synchronization | null {
  if (ordersMemory(i) || isFence(i)) return "part";
  if (i.op !== "call") return null;
  if (i.callee.kind !== "function") return "call";
  if (isGridSync(i)) return "grid";
  const barrier = blockBarrierOf(i);
  if (barrier !== null) return isOfWholeBlock(barrier) ? "block" : "part";
  const { name } = i.callee;
  if (MBARRIER.test(name)) return "part";
  if (isClusterWait(i)) return "block";
  if (CLUSTER_ARRIVE.test(name)) return null;
  if (i.callee.blocks.length > 0) return "call";
  if (name !== "llvm.nvvm.bar.warp.sync") return null;
  const [mask] = i.args;
  return mask?.kind === "const-int" && BigInt.asUintN(32, mask.value) === 0xffffffffn ? "warp" : "lanes";
}

/**
 * Clusters have one block here: the waiting is a barrier of it, the arriving orders nobody (libdevice/cluster.cu, and
 * what inline PTX is turned into).
 */
function isClusterWait(i: IrInstruction): boolean {
  const barrier = calledIntrinsic(i)?.barrier;
  return barrier?.scope === "cluster" && barrier.action === "sync";
}
const CLUSTER_ARRIVE = /^__heddle_cluster_arrive$/;

/** What cuda::barrier and cuda::pipeline are made of (include/cuda/barrier). */
const MBARRIER = /^__heddle_mbarrier_(?:init|arrive|test)/;

/** A fence of NVVM's own: a call. */
export function isFence(i: IrInstruction): boolean {
  return calledIntrinsic(i)?.isFence === true;
}
