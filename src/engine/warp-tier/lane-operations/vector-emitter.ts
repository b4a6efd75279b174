/** What the emitters of single vector instructions share. */
import type { IrInstruction } from "../../../ir/model/ir.ts";
import type { FunctionBuilder } from "../../../wasm/function-builder.ts";
import type { FloatHelpers } from "./float-helpers.ts";
import type { Values } from "./value-location.ts";

export interface VectorEmitter {
  readonly code: FunctionBuilder;
  readonly values: Values;
  readonly helpers: FloatHelpers;
  /** Emits the instruction lane by lane with scalar code: for what has no vector form. Leaves the v128. */
  laneByLane(i: IrInstruction, slice: number, part: number): void;
}
