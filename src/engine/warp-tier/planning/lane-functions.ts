/**
 * Functions of the device library that lanes call one after the other: copies of the tensor memory accelerator
 * (libdevice/hopper.cu). One lane of a warp asks for them as a rule, and their loops are long: as vectors they would be
 * most of a kernel's code.
 */
import { unsupported } from "../../../base/diagnostics.ts";
import { cloneFunction } from "../../../ir/model/clone.ts";
import type { CallInstruction, IrFunction, IrModule, IrValue } from "../../../ir/model/ir.ts";
import { sizeOf } from "../../../ir/model/layout.ts";
import { replaceUses } from "../../../ir/model/uses.ts";
import { cleanUp } from "../../../ir/passes/pass-cleanup.ts";
import { inlineCalls } from "../../../ir/passes/pass-inline.ts";
import { legalizeFunction } from "../../../ir/passes/pass-legalize.ts";

const COPIES = /^__heddle_(?:tensor|bulk)_/;

/** Bytes that the function's allocas take of a lane's local memory. */
export function localBytesOf(fn: IrFunction): number {
  let bytes = 0;
  for (const { instructions } of fn.blocks)
    for (const i of instructions) if (i.op === "alloca") bytes += (sizeOf(i.allocatedType) + 15) & ~15;
  return bytes;
}

export function isLaneFunction(fn: IrFunction): boolean {
  return COPIES.test(fn.name) && fn.blocks.length > 0 && fn.functionType.result.kind === "void";
}

/** The function by itself, for these calls: what all of them pass is known in it. */
export function prepareLaneFunction(module: IrModule, fn: IrFunction, calls: readonly CallInstruction[]): IrFunction {
  const own = cloneFunction(fn);
  const known = new Map<IrValue, IrValue>();
  own.params.forEach((param, n) => {
    const value = calls[0]?.args[n];
    if (value?.kind !== "const-int") return;
    const isSame = calls.every(({ args }) => args[n]?.kind === "const-int" && args[n].value === value.value);
    if (isSame) known.set(param, value);
  });
  replaceUses(own, known);
  if (inlineCalls(own, module).length > 0) throw unsupported(`a call in ${fn.name} in the warp tier`);
  legalizeFunction(own, module);
  cleanUp(own);
  return own;
}
