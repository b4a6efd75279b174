/**
 * What a thread has read it does not read again before something is written: a local array that becomes registers
 * leaves such loads, and NVIDIA's compiler has none of them.
 *
 * Needs: equal addresses are one value (numberValues). Afterwards: the function does what it did.
 */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { IrFunction, IrInstruction, IrValue, LoadInstruction } from "../../ir/model/ir.ts";
import { hasSideEffects } from "../../ir/model/operands.ts";
import { formatType } from "../../ir/model/types.ts";
import { replaceUses } from "../../ir/model/uses.ts";

export function removeRepeatedLoads(fn: IrFunction): void {
  const replacements = new Map<IrValue, IrValue>();
  for (const block of fn.blocks) {
    const read = new Map<IrValue, Map<string, LoadInstruction>>();
    block.instructions = block.instructions.filter((i) => {
      if (mayWrite(i)) read.clear();
      if (i.op !== "load" || i.volatile || i.ordering !== null) return true;
      const own = read.get(i.pointer) ?? new Map<string, LoadInstruction>();
      read.set(i.pointer, own);
      const known = own.get(formatType(i.type));
      if (known === undefined) own.set(formatType(i.type), i);
      else replacements.set(i, known);
      return known === undefined;
    });
  }
  replaceUses(fn, replacements);
}

function mayWrite(i: IrInstruction): boolean {
  if (i.op !== "call" || !hasSideEffects(i)) return hasSideEffects(i);
  // Functions of the device library that are instructions are declared without saying that they have no effect.
  const isMath = i.callee.kind === "function" && i.callee.blocks.length === 0 && i.callee.name.startsWith("__nv_");
  const facts = calledIntrinsic(i);
  return !isMath && (facts === null || facts.register === null || facts.readsClock);
}
