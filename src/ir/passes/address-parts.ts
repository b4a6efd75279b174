/** What 64-bit addresses are computed with, and how it changes where addresses have 32 bits (pass-narrow-pointers.ts). */
import type { BinaryInstruction, CastInstruction, IrFunction, IrInstruction, IrValue } from "../model/ir.ts";
import { forEachOperand } from "../model/operands.ts";
import { isInt } from "../model/types.ts";
import { useCounts } from "../model/uses.ts";

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

/** Of an index that is computed in 32 bits, what computed it in 64 may be of no use any more. */
export function removeUnusedIndices(fn: IrFunction): void {
  const uses = useCounts(fn);
  const isUnused = (i: IrInstruction): boolean =>
    (i.op === "cast" || i.op === "binary" || i.op === "select") && (uses.get(i) ?? 0) === 0;
  const work = fn.blocks.flatMap((block) => block.instructions.filter((i) => isUnused(i)));
  const removed = new Set<IrInstruction>();
  for (let i = work.pop(); i !== undefined; i = work.pop()) {
    removed.add(i);
    forEachOperand(i, (value) => {
      uses.set(value, (uses.get(value) ?? 0) - 1);
      if (value.kind === "instruction" && isUnused(value) && !removed.has(value)) work.push(value);
    });
  }
  if (removed.size === 0) return;
  for (const block of fn.blocks) block.instructions = block.instructions.filter((i) => !removed.has(i));
}
