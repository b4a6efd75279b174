/**
 * Where a function returns early, NVIDIA's compiler leaves each way to its end with its own last instructions. Today's
 * LLVM joins the ways in front of the return, and moves what they end with behind the joint, so that a store of each
 * becomes one store of what a phi chooses.
 *
 * Needs: nothing. Afterwards: what LLVM moved stands on each way again; the function does what it did.
 */
import { predecessors, redirectEdge, removeIncoming, terminatorOf } from "../../ir/graph/cfg.ts";
import { NameSource } from "../../ir/model/build.ts";
import { cloneBlocks } from "../../ir/model/clone.ts";
import type { IrBlock, IrFunction, IrValue } from "../../ir/model/ir.ts";

/** LLVM's name for a phi that it makes when it moves instructions (SimplifyCFG.cpp). */
const MOVED = /\.sink\d*$/;

export function partReturns(fn: IrFunction): void {
  const names = new NameSource(fn);
  const joints = fn.blocks.filter(
    (block) => endsFunction(block) && block.instructions.some((i) => i.op === "phi" && MOVED.test(i.name)),
  );
  for (const block of joints) {
    for (const before of predecessors(fn).get(block)?.slice(1) ?? []) part(fn, block, before, names);
  }
}

/** The block, or a block behind it that does nothing else, returns. */
function endsFunction(block: IrBlock): boolean {
  const last = terminatorOf(block);
  if (last.op === "ret") return true;
  return last.op === "br" && last.target.instructions[0]?.op === "ret";
}

/** The way from `before` through the block gets a copy of the block. */
function part(fn: IrFunction, block: IrBlock, before: IrBlock, names: NameSource): void {
  const values = new Map<IrValue, IrValue>();
  const { blockOf } = cloneBlocks([block], fn, values, (name) => names.fresh(name));
  const copy = blockOf.get(block) as IrBlock;
  for (const i of copy.instructions) {
    if (i.op !== "phi") break;
    i.incoming = i.incoming.filter((incoming) => incoming.block === before);
  }
  redirectEdge(before, block, copy);
  removeIncoming(block, before);
  fn.blocks.splice(fn.blocks.indexOf(block), 0, copy);
}
