/**
 * Computes conditions in the block whose branch they decide. A tile with a mask begins with the comparisons of all of
 * its elements, and has a branch for each. In between, each comparison of a warp is a value of eight vectors that lives
 * on. Right before its branch, one comparison of scalars often decides for all lanes.
 *
 * Needs: a valid function. Afterwards: a condition that only one branch uses is computed in the branch's block, if that
 * is in the same loop, and if what it compares lives on anyway.
 */
import { findLoops } from "../graph/loops.ts";
import type { BinaryInstruction, IrFunction, IrInstruction, IrValue } from "../model/ir.ts";
import { forEachOperand } from "../model/operands.ts";

export function sinkConditions(fn: IrFunction): void {
  const uses = new Map<IrValue, number>();
  for (const { instructions } of fn.blocks)
    for (const i of instructions) forEachOperand(i, (o) => void uses.set(o, (uses.get(o) ?? 0) + 1));
  const isShared = (value: IrValue): boolean => (uses.get(value) ?? 0) > 1;
  const lives = (value: IrValue): boolean => value.kind !== "instruction" || isShared(value);
  const isCheap = (i: IrValue): boolean =>
    i.kind === "instruction" &&
    !isShared(i) &&
    ((i.op === "icmp" && lives(i.lhs) && lives(i.rhs)) ||
      (isConnective(i) && [i.lhs, i.rhs].some((operand) => lives(operand) || isCheap(operand))));
  const { loopOf } = findLoops(fn);

  for (const block of fn.blocks) {
    const sink = (value: IrValue, user: IrInstruction): void => {
      if (value.kind !== "instruction" || value.block === block || !isCheap(value)) return;
      if (loopOf(value.block) !== loopOf(block)) return;
      const from = value.block.instructions;
      from.splice(from.indexOf(value), 1);
      block.instructions.splice(block.instructions.indexOf(user), 0, value);
      value.block = block;
      if (isConnective(value)) forEachOperand(value, (operand) => sink(operand, value));
    };
    const last = block.instructions.at(-1);
    if (last?.op === "condbr") sink(last.condition, last);
  }
}

/** and, or, not of conditions. */
function isConnective(i: IrInstruction): i is BinaryInstruction {
  return i.op === "binary" && i.type.kind === "int" && i.type.bits === 1;
}
