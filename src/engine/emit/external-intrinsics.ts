/**
 * Pure intrinsics that are left to the interpreter's definition: rare ones, for which no tier emits code. They are
 * imports of module "pure".
 */
import type { IrFunction } from "../../ir/model/ir.ts";
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import { isScalarIntrinsic } from "./intrinsics.ts";
import type { ExternalIntrinsic } from "./environment.ts";

/** Those that the functions call, one for each name and signature. */
export function externalIntrinsics(functions: readonly IrFunction[]): ExternalIntrinsic[] {
  const found = new Map<string, ExternalIntrinsic>();
  for (const fn of functions) {
    for (const block of fn.blocks) {
      for (const i of block.instructions) {
        if (i.op !== "call" || i.callee.kind !== "function" || i.callee.blocks.length > 0) continue;
        const { name } = i.callee;
        if (isScalarIntrinsic(name) || intrinsicOf(name)?.kind !== "pure") continue;
        found.set(name, { name, type: i.functionType });
      }
    }
  }
  return [...found.values()];
}
