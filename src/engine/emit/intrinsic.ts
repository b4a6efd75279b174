/** What the emitters of intrinsics have in common. */
import { unsupported } from "../../base/diagnostics.ts";
import type { CallInstruction, IrType, IrValue } from "../../ir/model/ir.ts";
import type { ScalarContext } from "./environment.ts";
import { wasmTypeOf } from "./value-types.ts";

/** Emits a call; its result, where there is one, is left on the stack. */
export type Emit = (context: ScalarContext, call: CallInstruction) => void;

export const arg = (call: CallInstruction, index: number): IrValue => {
  const value = call.args[index];
  if (value === undefined) throw unsupported(`a call with ${call.args.length} arguments`, call.location ?? undefined);
  return value;
};
export const carrierOf = (type: IrType): "i32" | "i64" => wasmTypeOf(type) as "i32" | "i64";
