/** Who uses a value: built on demand, as the model keeps no use lists. Valid until the function changes. */
import type { IrFunction, IrInstruction, IrValue } from "./ir.ts";
import { forEachOperand, mapOperands } from "./operands.ts";

/**
 * For every instruction and parameter of the function that is used, its users; one that uses it twice is there twice.
 */
export type UseMap = ReadonlyMap<IrValue, readonly IrInstruction[]>;

export function usesOf(fn: IrFunction): UseMap {
  const uses = new Map<IrValue, IrInstruction[]>();
  for (const block of fn.blocks) {
    for (const user of block.instructions) {
      forEachOperand(user, (value) => {
        if (value.kind !== "instruction" && value.kind !== "param") return;
        const list = uses.get(value);
        if (list) list.push(user);
        else uses.set(value, [user]);
      });
    }
  }
  return uses;
}

/** Number of uses of each instruction and parameter. */
export function useCounts(fn: IrFunction): Map<IrValue, number> {
  const counts = new Map<IrValue, number>();
  for (const block of fn.blocks) {
    for (const user of block.instructions) {
      forEachOperand(user, (value) => {
        if (value.kind === "instruction" || value.kind === "param") counts.set(value, (counts.get(value) ?? 0) + 1);
      });
    }
  }
  return counts;
}

export function replaceAllUses(fn: IrFunction, old: IrValue, replacement: IrValue): void {
  for (const block of fn.blocks)
    for (const user of block.instructions) mapOperands(user, (value) => (value === old ? replacement : value));
}

/** Many replacements in one walk; a replacement may itself be replaced (chains are followed). */
export function replaceUses(fn: IrFunction, replacements: ReadonlyMap<IrValue, IrValue>): void {
  if (replacements.size === 0) return;
  const resolve = (value: IrValue): IrValue => {
    let current = value;
    for (let next = replacements.get(current); next !== undefined && next !== current; next = replacements.get(current))
      current = next;
    return current;
  };
  for (const block of fn.blocks) for (const user of block.instructions) mapOperands(user, resolve);
}
