/** What a call calls: its name, and what the table of intrinsics says about it. */
import type { IntrinsicFacts } from "../intrinsics/facts.ts";
import { intrinsicOf } from "../intrinsics/lookup.ts";
import type { CallInstruction, IrValue } from "./ir.ts";

/** Null for other values, and for calls of functions that have a body or are in no table. */
export function calledIntrinsic(value: IrValue): IntrinsicFacts | null {
  if (value.kind !== "instruction" || value.op !== "call") return null;
  const { callee } = value;
  return callee.kind === "function" && callee.blocks.length === 0 ? intrinsicOf(callee.name) : null;
}

/** The name of a directly called function, or null for an indirect call. */
export function calleeName(call: CallInstruction): string | null {
  return call.callee.kind === "function" ? call.callee.name : null;
}
