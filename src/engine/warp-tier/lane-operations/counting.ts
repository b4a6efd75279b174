/** What the code of a tool's counters needs of the kernel that it stands in. */
import type { IrValue } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { ConditionMasks } from "../control-flow/condition-masks.ts";
import type { CountHelpers } from "./count-helpers.ts";
import type { Values } from "./value-location.ts";

export interface CountContext {
  readonly code: FunctionBuilder;
  readonly values: Values;
  readonly helpers: CountHelpers;
  readonly conditions: ConditionMasks;
  /** The lanes that run the block; may be none. */
  readonly mask: Local;
  readonly isFull: boolean;
  /** Indices of globals: this thread's counters; the block's number, shared memory and its size, local memory. */
  readonly globals: Readonly<Record<"counts" | "block" | "shared" | "sharedBytes" | "local", number>>;
  /** Where a record is that all threads write. */
  recordAddress(record: IrValue): number;
  /** Distance of a record from the beginning of this thread's counters. */
  recordOffset(record: IrValue): number;
  readonly warp: Local;
  readonly warps: number;
  readonly localBytesPerThread: number;
  /** Emits what is deferred: the operands may be vectors that are not computed yet. */
  flush(): void;
}
