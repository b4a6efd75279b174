/**
 * Replaces equal computations by one, where the first dominates the others (dominator-scoped hashing; Briggs, Cooper
 * and Simpson, "Value Numbering", 1997). Inlining and splitting of addresses repeat computations; once they are one
 * value, neighbouring accesses are recognised.
 *
 * Needs: a valid function. Afterwards: of equal operations without effects the first is left.
 */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import { dominatorTree } from "../../ir/graph/dominators.ts";
import type { IrBlock, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { mapOperands, operandsOf } from "../../ir/model/operands.ts";
import { formatType } from "../../ir/model/types.ts";
import { replaceUses } from "../../ir/model/uses.ts";
import { ValueKeys } from "../value-keys.ts";

export function numberValues(fn: IrFunction): void {
  const tree = dominatorTree(fn);
  const keys = new ValueKeys();
  const replacements = new Map<IrValue, IrValue>();
  const resolve = (value: IrValue): IrValue => replacements.get(value) ?? value;
  // Blocks in the order of the dominator tree; what a block adds to the table goes when its subtree is done.
  const table = new Map<string, IrInstruction>();
  const work: (IrBlock | (() => void))[] = [fn.blocks[0] as IrBlock];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (typeof next === "function") {
      next();
      continue;
    }
    const added: string[] = [];
    const out: IrInstruction[] = [];
    for (const i of next.instructions) {
      mapOperands(i, resolve);
      const key = keyOf(i, keys);
      const first = key === null ? undefined : table.get(key);
      if (first !== undefined) {
        replacements.set(i, first);
        continue;
      }
      if (key !== null) {
        table.set(key, i);
        added.push(key);
      }
      out.push(i);
    }
    next.instructions = out;
    work.push(() => {
      for (const key of added) table.delete(key);
    });
    for (const child of tree.children(next)) work.push(child);
  }
  replaceUses(fn, replacements);
}

/** Null for what may not be joined. */
function keyOf(i: IrInstruction, keys: ValueKeys): string | null {
  const operands = (): string =>
    operandsOf(i)
      .map((value) => keys.of(value))
      .join(",");
  switch (i.op) {
    case "binary":
      return i.type.kind === "int" ? `${i.operator} ${operands()}` : null;
    case "icmp":
      return `icmp ${i.predicate} ${operands()}`;
    case "cast":
      return `${i.operator} ${formatType(i.type)} ${operands()}`;
    case "gep":
      return `gep ${formatType(i.type)} ${formatType(i.sourceType)} ${operands()}`;
    case "select":
      return i.type.kind === "int" || i.type.kind === "ptr" ? `select ${formatType(i.type)} ${operands()}` : null;
    case "call":
      return keyOfRegister(i);
    default:
      return null;
  }
}

/** Registers that stay the same while a thread runs. */
const FIXED_REGISTERS: ReadonlySet<string> = new Set(["tid", "ntid", "ctaid", "nctaid", "laneid"]);

function keyOfRegister(i: IrInstruction): string | null {
  const facts = calledIntrinsic(i);
  return facts !== null && FIXED_REGISTERS.has(facts.register?.register ?? "") ? facts.name : null;
}
