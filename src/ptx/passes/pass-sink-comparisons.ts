/**
 * Moves comparisons to the blocks that use them. A GPU has seven predicate registers; a comparison far above its use
 * occupies one of them, while its operands are in registers anyway (as LLVM's CodeGenPrepare sinks comparisons).
 *
 * Needs: a valid function that no pass numbers any more. Afterwards: integer comparisons are used in their own blocks
 * only.
 */
import { NameSource } from "../../ir/model/build.ts";
import type { IcmpInstruction, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { mapOperands } from "../../ir/model/operands.ts";

export function sinkComparisons(fn: IrFunction): void {
  const names = new NameSource(fn);
  for (const block of fn.blocks) {
    const own = new Map<IcmpInstruction, IcmpInstruction>();
    const out: IrInstruction[] = [];
    const localize = (value: IrValue): IrValue => {
      if (value.kind !== "instruction" || value.op !== "icmp" || value.block === block) return value;
      let copy = own.get(value);
      if (copy === undefined) {
        copy = { ...value, name: names.fresh(value.name), block };
        own.set(value, copy);
        out.push(copy);
      }
      return copy;
    };
    for (const i of block.instructions) {
      if (i.op !== "phi") mapOperands(i, localize);
      out.push(i);
    }
    block.instructions = out;
  }
}
