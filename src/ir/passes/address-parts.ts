/** What a 64-bit program computes addresses of, in the forms that engines of 32-bit addresses know. */
import type { BinaryInstruction, CastInstruction, IrFunction, IrInstruction, IrValue } from "../model/ir.ts";
import { forEachOperand } from "../model/operands.ts";
import { isInt } from "../model/types.ts";

/** The instructions that the low bits of addresses are computed with. */
export function addressParts(fn: IrFunction): ReadonlySet<IrInstruction> {
  const parts = new Set<IrInstruction>();
  const take = (value: IrValue): void => {
    if (value.kind !== "instruction" || !["binary", "cast", "phi", "select"].includes(value.op)) return;
    if (parts.has(value) || !isInt(value.type)) return;
    parts.add(value);
    if (value.op === "select") [value.then, value.else].forEach(take);
    else forEachOperand(value, take);
  };
  for (const { instructions } of fn.blocks)
    for (const i of instructions)
      if (i.op === "gep") i.indices.forEach(take);
      else if (i.op === "cast" && i.operator === "inttoptr") take(i.operand);
  return parts;
}

/**
 * As a sum, which is what it was in the source. LLVM writes parts of 32-bit addresses as sums, and those of 64-bit ones
 * in this way; engines look for sums. Values that are no addresses stay as they are: initcheck tells copies from sums.
 */
export function asSum(i: BinaryInstruction): void {
  i.operator = "add";
  i.nuw = i.nsw = true;
  delete i.disjoint;
}

/** `(unsigned)(size_t)pointer` is the address itself: engines, and inline PTX, know the pointer behind it. */
export function takeAddress(i: CastInstruction): void {
  const { operand, type } = i;
  if (!isInt(type) || type.bits !== 32 || operand.kind !== "instruction") return;
  if (operand.op !== "cast" || operand.operator !== "ptrtoint") return;
  i.operator = "ptrtoint";
  i.operand = operand.operand;
}
