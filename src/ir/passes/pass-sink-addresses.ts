/**
 * Computes addresses at constant distances from others where they are used, instead of once, far above: compilers for
 * machines with many registers hoist dozens of them out of a loop; here each would be a value that lives on, and is
 * kept across every barrier. An addition in front of the access costs less (rematerialisation; Briggs, Cooper and
 * Torczon, PLDI 1992).
 *
 * Needs: a valid function. Afterwards: a gep with constant indices is used in its own block only.
 */
import { NameSource } from "../model/build.ts";
import { cloneInstruction } from "../model/clone.ts";
import type { GepInstruction, IrBlock, IrFunction, IrInstruction, IrValue } from "../model/ir.ts";
import { forEachOperand, mapOperands } from "../model/operands.ts";
import { hasConstantIndices } from "../model/gep.ts";

export function sinkAddresses(fn: IrFunction): void {
  const names = new NameSource(fn);
  /** Copies that stand in a block already. */
  const copies = new Map<IrBlock, Map<IrInstruction, IrInstruction>>();

  /**
   * The same value, computed in `block` before the instruction at `index` (by a copy that may already stand above it).
   */
  const near = (value: GepInstruction, block: IrBlock, added: IrInstruction[]): IrInstruction => {
    let own = copies.get(block);
    if (own === undefined) copies.set(block, (own = new Map()));
    const known = own.get(value);
    if (known !== undefined) return known;
    const copy = cloneInstruction(value, block) as GepInstruction;
    copy.name = names.fresh(value.name);
    if (isConstantDistance(copy.base) && copy.base.block !== block) copy.base = near(copy.base, block, added);
    own.set(value, copy);
    added.push(copy);
    return copy;
  };

  for (const block of fn.blocks) {
    const before = block.instructions;
    block.instructions = [];
    for (const i of before) {
      const added: IrInstruction[] = [];
      if (i.op !== "phi")
        mapOperands(i, (o) => (isConstantDistance(o) && o.block !== block ? near(o, block, added) : o));
      block.instructions.push(...added, i);
    }
  }
  // A phi's operands are used at the end of the block they come from.
  for (const block of fn.blocks) {
    for (const i of block.instructions) {
      if (i.op !== "phi") break;
      for (const incoming of i.incoming) {
        const { value, block: from } = incoming;
        if (!isConstantDistance(value) || value.block === from) continue;
        const added: IrInstruction[] = [];
        incoming.value = near(value, from, added);
        from.instructions.splice(from.instructions.length - 1, 0, ...added);
      }
    }
  }
  removeUnused(fn);
}

function isConstantDistance(value: IrValue): value is GepInstruction {
  return value.kind === "instruction" && value.op === "gep" && hasConstantIndices(value);
}

function removeUnused(fn: IrFunction): void {
  const uses = new Map<IrValue, number>();
  for (const block of fn.blocks)
    for (const i of block.instructions) forEachOperand(i, (o) => void uses.set(o, (uses.get(o) ?? 0) + 1));
  for (let removed = true; removed;) {
    removed = false;
    for (const block of fn.blocks) {
      block.instructions = block.instructions.filter((i) => {
        if (!isConstantDistance(i) || (uses.get(i) ?? 0) > 0) return true;
        forEachOperand(i, (o) => void uses.set(o, (uses.get(o) ?? 1) - 1));
        removed = true;
        return false;
      });
    }
  }
}
