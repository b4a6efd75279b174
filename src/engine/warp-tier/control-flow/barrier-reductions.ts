/**
 * __syncthreads_count, _and and _or: each warp adds its part to a cell of engine memory before it waits at the barrier.
 * Two cells take turns by parity, so that the next barrier's cell is clear while the last one's is still read.
 */
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { BarrierReduction } from "../planning/suspensions.ts";
import type { ModuleGlobals } from "./module-context.ts";

export const BARRIER_OFFSETS = { popc: 0, and: 4, or: 8 } as const;
/** The distance between the cells of the two parities. */
const PARITY_BYTES = 16;
export const BARRIER_BYTES: number = 2 * PARITY_BYTES;

const COMBINE = { popc: "i32Add", and: "i32And", or: "i32Or" } as const;

/** Pushes the address of the cell for the barrier that the block's warps now arrive at. */
function pushCell(code: FunctionBuilder, globals: ModuleGlobals): FunctionBuilder {
  return code.globalGet(globals.barrier).globalGet(globals.parity).i32Add();
}

/** Before the first warp arrives: each cell holds the neutral element of its operation. */
export function emitClearBarrierCells(code: FunctionBuilder, globals: ModuleGlobals): void {
  pushCell(code, globals).i32Const(0).i32Store(BARRIER_OFFSETS.popc);
  pushCell(code, globals).i32Const(1).i32Store(BARRIER_OFFSETS.and);
  pushCell(code, globals).i32Const(0).i32Store(BARRIER_OFFSETS.or);
}

/** When all warps have arrived. */
export function emitSwapBarrierCells(code: FunctionBuilder, globals: ModuleGlobals): void {
  code.globalGet(globals.parity).i32Const(PARITY_BYTES).i32Xor().globalSet(globals.parity);
}

/** Adds a warp's part of a barrier reduction to the cell. `pushBits`: the predicate of each lane as a bit. */
export function emitBarrierArrival(
  code: FunctionBuilder,
  globals: ModuleGlobals,
  reduction: BarrierReduction,
  pushBits: () => void,
  mask: Local,
): void {
  if (reduction === "none") return;
  const offset = BARRIER_OFFSETS[reduction];
  pushCell(code, globals);
  pushCell(code, globals).i32Load(offset);
  pushWarpReduction(code, reduction, pushBits, mask);
  code.op(COMBINE[reduction]).i32Store(offset);
}

/** Pushes the reduction over one warp. */
export function pushWarpReduction(
  code: FunctionBuilder,
  reduction: Exclude<BarrierReduction, "none">,
  pushBits: () => void,
  mask: Local,
): void {
  pushBits();
  code.localGet(mask).i32And();
  if (reduction === "popc") code.i32Popcnt();
  else if (reduction === "and") code.localGet(mask).i32Eq();
  else code.i32Const(0).i32Ne();
}

/** Pushes the result of the barrier that the block has just passed. */
export function pushBarrierResult(
  code: FunctionBuilder,
  globals: ModuleGlobals,
  reduction: Exclude<BarrierReduction, "none">,
): void {
  code
    .globalGet(globals.barrier)
    .globalGet(globals.parity)
    .i32Const(PARITY_BYTES)
    .i32Xor()
    .i32Add()
    .i32Load(BARRIER_OFFSETS[reduction]);
}
