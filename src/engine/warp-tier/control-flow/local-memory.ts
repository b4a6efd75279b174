/** Local memory: where a kernel's allocas lie in the memory of each thread. */
import { bug } from "../../../base/diagnostics.ts";
import type { IrFunction, IrInstruction } from "../../../ir/model/ir.ts";
import { sizeOf } from "../../../ir/model/layout.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { LoadedKernel } from "../../executor.ts";
import { LANES } from "../../../analysis/lane-addresses/lane-shape.ts";
import { localBytesOf } from "../planning/lane-functions.ts";

export interface LocalLayout {
  readonly offsets: ReadonlyMap<IrInstruction, number>;
  /** What the kernel's own allocas take; those of functions that lanes call lie behind them. */
  readonly ownBytes: number;
  readonly bytesPerThread: number;
}

/** Places the allocas of a kernel in a thread's local memory. `called`: functions of scalar code that lanes call. */
export function layoutLocals(kernel: LoadedKernel, called: Iterable<IrFunction>): LocalLayout {
  const offsets = new Map<IrInstruction, number>();
  let bytes = 0;
  for (const block of kernel.function.blocks) {
    for (const i of block.instructions) {
      if (i.op !== "alloca") continue;
      const align = Math.max(i.align, 1);
      bytes = Math.ceil(bytes / align) * align;
      offsets.set(i, bytes);
      bytes += sizeOf(i.allocatedType) * (i.count?.kind === "const-int" ? Number(i.count.value) : 1);
    }
  }
  const ownBytes = Math.ceil(bytes / 16) * 16;
  return { offsets, ownBytes, bytesPerThread: ownBytes + Math.max(0, ...[...called].map((fn) => localBytesOf(fn))) };
}

/**
 * Pushes the address of an alloca in lane 0 of a warp. The copy of lane l is l × bytesPerThread further on.
 *
 * @param windowGlobal index of the global that holds the address of the block's local memory.
 */
export function pushLocalBase(
  code: FunctionBuilder,
  layout: LocalLayout,
  windowGlobal: number,
  warp: Local,
  i: IrInstruction,
): void {
  code
    .globalGet(windowGlobal)
    .localGet(warp)
    .i32Const(LANES * layout.bytesPerThread)
    .i32Mul()
    .i32Add();
  code.i32Const(layout.offsets.get(i) ?? bug("an alloca without a place")).i32Add();
}
