/**
 * Two words that are put together to 64 bits, and taken apart: complex numbers, keys with their values. In vectors each
 * is one shuffle, in place of extensions, shifts and an `or`.
 */
import type { IrInstruction, IrValue } from "../../../ir/model/ir.ts";
import { I32, I64 } from "../../../ir/model/types.ts";
import type { VectorEmitter } from "./vector-emitter.ts";

/** `zext low | zext high << 32`, all in one block, so that the words are still at hand. */
function wordsOf(i: IrInstruction): { readonly low: IrValue; readonly high: IrValue } | null {
  if (i.op !== "binary" || (i.operator !== "or" && i.operator !== "add") || i.type !== I64) return null;
  for (const [a, b] of [
    [i.lhs, i.rhs],
    [i.rhs, i.lhs],
  ] as const) {
    const low = extended(a, i);
    const shifted = shiftedBy32("shl", b, i);
    const high = shifted === null ? null : extended(shifted, i);
    if (low !== null && high !== null) return { low, high };
  }
  return null;
}

function extended(value: IrValue, user: IrInstruction): IrValue | null {
  if (value.kind !== "instruction" || value.op !== "cast" || value.operator !== "zext") return null;
  return value.block === user.block && value.operand.type === I32 ? value.operand : null;
}

function shiftedBy32(operator: "shl" | "lshr", value: IrValue, user: IrInstruction): IrValue | null {
  if (value.kind !== "instruction" || value.op !== "binary" || value.operator !== operator) return null;
  const isWhole = value.rhs.kind === "const-int" && value.rhs.value === 32n;
  return isWhole && value.block === user.block && value.type === I64 ? value.lhs : null;
}

/** Pushes part p of slice s; false, and nothing pushed, where the operation puts no words together. */
export function pushJoinedWords({ code, values }: VectorEmitter, i: IrInstruction, s: number, p: number): boolean {
  const words = wordsOf(i);
  if (words === null) return false;
  values.pushVector(words.low, s);
  values.pushVector(words.high, s);
  if (p === 0) code.i32x4Shuffle(0, 4, 1, 5);
  else code.i32x4Shuffle(2, 6, 3, 7);
  return true;
}

/** Pushes the high words of slice s; false, and nothing pushed, where it is no truncation of them. */
export function pushHighWords({ code, values }: VectorEmitter, i: IrInstruction, s: number): boolean {
  if (i.op !== "cast" || i.operator !== "trunc" || i.type !== I32) return false;
  const whole = shiftedBy32("lshr", i.operand, i);
  if (whole === null) return false;
  values.pushVector(whole, s, 0);
  values.pushVector(whole, s, 1);
  code.i32x4Shuffle(1, 3, 5, 7);
  return true;
}
