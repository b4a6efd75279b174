/** The intrinsic that a value is a call of. */
import type { IntrinsicFacts } from "../intrinsics/facts.ts";
import { intrinsicOf } from "../intrinsics/lookup.ts";
import type { IrValue } from "./ir.ts";

/** Null for other values, and for calls of functions that have a body or are in no table. */
export function calledIntrinsic(value: IrValue): IntrinsicFacts | null {
  if (value.kind !== "instruction" || value.op !== "call") return null;
  const { callee } = value;
  return callee.kind === "function" && callee.blocks.length === 0 ? intrinsicOf(callee.name) : null;
}
