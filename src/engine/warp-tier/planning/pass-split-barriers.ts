/** Ends a block after every suspension, so that a warp that waits there can go on at the start of a block. */
import { newBlock, newBr } from "../../../ir/model/build.ts";
import { predecessors, renameIncoming, successors } from "../../../ir/graph/cfg.ts";
import type { CallInstruction, IrBlock, IrFunction, IrInstruction } from "../../../ir/model/ir.ts";
import { suspendsWarp } from "./suspensions.ts";

export function splitBarriers(fn: IrFunction): void {
  const before = predecessors(fn);
  for (let b = 0; b < fn.blocks.length; b++) {
    const block = fn.blocks[b]!;
    const at = block.instructions.findIndex((i) => suspendsWarp(i));
    if (at < 0 || (at + 2 === block.instructions.length && goesOnAlone(block.instructions[at + 1]!, before))) continue;
    const rest = newBlock(fn, `${block.name}.after${b}`);
    fn.blocks.push(rest); // the loop comes to it later
    const moved = block.instructions.splice(at + 1);
    for (const i of moved) i.block = rest;
    rest.instructions.push(...moved);
    for (const s of new Set(successors(rest))) renameIncoming(s, block, rest);
    block.instructions.push(newBr({ block, location: moved[0]?.location ?? null }, rest));
  }
}

/**
 * After the barrier the block only branches, to a block that nobody else goes to. Any other target stays apart: a warp
 * that goes on in front of a loop must not come in at its header, where every iteration would pay for it; and
 * where phis are, their values would be moved before the warp waits, when a reduction's result is not there yet.
 */
function goesOnAlone(next: IrInstruction, before: ReadonlyMap<IrBlock, readonly IrBlock[]>): boolean {
  return next.op === "br" && before.get(next.target)?.length === 1 && next.target.instructions[0]?.op !== "phi";
}

/** The last but the branch, if a warp may have to wait there; else null. */
export function suspensionAtEnd(instructions: readonly IrInstruction[]): CallInstruction | null {
  const i = instructions.at(-2);
  return i?.op === "call" && suspendsWarp(i) ? i : null;
}
