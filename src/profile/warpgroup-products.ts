/**
 * Products of warpgroups (wgmma): how many instructions they are, what they read of shared memory, and how much tensor
 * cores compute for them. Names as Nsight Compute has them for GH100.
 */
import { isWarpgroupProduct } from "../ptx/emit/library-functions.ts";
import type { CallInstruction, IrInstruction, IrValue } from "../ir/model/ir.ts";
import type { UnitRates } from "./gpu-rates.ts";
import type { Metrics } from "./line-profile.ts";

export const TENSOR_INSTRUCTIONS = "smsp__inst_executed_pipe_tensor.sum";
export const PRODUCT_INSTRUCTIONS = "smsp__inst_executed_pipe_tensor_op_gmma.sum";
export const PRODUCT_BYTES = "sm__sass_data_bytes_mem_shared_op_gmma.sum";
/**
 * In products of 16 x 8 x 16 halves, as one mma.sync takes. Of other types as many bytes are a step, since tensor cores
 * take as long for 32 bytes of K of any type, and for 64 of a sparse A.
 */
export const PRODUCT_STEPS = "heddle__gmma_m16n8k16.sum";
/** Multiply-adds of such a step. */
export const STEP_PRODUCTS = 2048;

/** How long the tensor cores of one multiprocessor take for a launch: wgmma is faster than mma.sync. */
export function tensorCycles(metrics: Metrics, { tensor, warpgroup }: UnitRates): number {
  const of = (name: string): number => metrics[name] ?? 0;
  const ofWarps = (of(TENSOR_INSTRUCTIONS) - of(PRODUCT_INSTRUCTIONS)) / tensor;
  return STEP_PRODUCTS * (ofWarps + of(PRODUCT_STEPS) / (warpgroup ?? tensor));
}

/** One warp's part of a product of its warpgroup. */
export interface WarpProduct {
  /** Bytes of shared memory that it reads. */
  readonly bytes: number;
  /** Steps of 16 x 8 x 16 halves. */
  readonly steps: number;
}

const WARPS = 4;
/** A product covers 32 bytes of K, of which a sparse A stands for 64; of A it has 64 rows, a warp 16. */
const [ROWS, DEPTH_BYTES] = [64, 32];
const HALF_BYTES = 2;

/** null: it is no product. The columns are the call's fifth argument (ir/inline-ptx/wgmma.ts). */
export function warpProduct(i: IrInstruction): WarpProduct | null {
  if (i.op !== "call" || i.callee.kind !== "function" || !isWarpgroupProduct(i.callee.name)) return null;
  const [, a, , , width] = (i as CallInstruction).args;
  const columns = width?.kind === "const-int" ? Number(width.value) : 0;
  const isSparse = i.callee.name.includes("_sp");
  return {
    bytes: ((isNull(a) ? ROWS * DEPTH_BYTES : 0) + columns * DEPTH_BYTES * (isSparse ? 2 : 1)) / WARPS,
    steps: Math.max(1, ((ROWS / WARPS) * columns * (DEPTH_BYTES / HALF_BYTES)) / STEP_PRODUCTS),
  };
}

/** Where A is in registers the argument is an array; else a null pointer. */
function isNull(pointer: IrValue | undefined): boolean {
  return !(pointer?.kind === "instruction" && pointer.op !== "cast");
}
