/**
 * Loops that are tested at their end. What the next turn begins with is copied in front of the test there, also when no turn follows, so that the conditional branch is the
 * loop's back edge: the assembler unrolls loops of that form.
 */
import { findLoops, type Loop } from "../../../ir/loops.ts";
import type { IrBlock, IrFunction, IrInstruction, IrValue } from "../../../ir/ir.ts";
import { forEachOperand } from "../../../ir/operands.ts";

/** Header by latch: its last instruction goes there or leaves the loop, and nothing but the loop needs what the header's phis were. */
export function loopsTestedAtEnd(fn: IrFunction): ReadonlyMap<IrBlock, IrBlock> {
  const found = new Map<IrBlock, IrBlock>();
  const phisOf = new Map<IrValue, Loop>();
  for (const loop of findLoops(fn).loops) {
    const latch = loop.latches[0] as IrBlock;
    const last = latch.instructions.at(-1) as IrInstruction;
    if (loop.latches.length !== 1 || last.op !== "condbr" || loop.blocks.has(last.then) === loop.blocks.has(last.else)) continue;
    found.set(latch, loop.header);
    for (const i of loop.header.instructions) if (i.op === "phi") phisOf.set(i, loop);
  }
  if (phisOf.size === 0) return found;
  const drop = (value: IrValue, isHarmless: (loop: Loop) => boolean): void => {
    const loop = phisOf.get(value);
    if (loop !== undefined && !isHarmless(loop)) found.delete(loop.latches[0] as IrBlock);
  };
  for (const block of fn.blocks) {
    for (const i of block.instructions) {
      if (i.op === "phi") {
        // A phi reads at the end of the block that it comes from: at the latch only the header's own may.
        for (const { value, block: from } of i.incoming) drop(value, (loop) => block === loop.header || (loop.blocks.has(from) && from !== loop.latches[0]));
      } else if (i.op === "condbr") drop(i.condition, (loop) => loop.blocks.has(block) && block !== loop.latches[0]);
      else forEachOperand(i, (value) => drop(value, (loop) => loop.blocks.has(block)));
    }
  }
  return found;
}
