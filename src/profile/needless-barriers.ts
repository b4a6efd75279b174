/**
 * Barriers of a block that order nothing: no thread accesses memory between such a barrier and the one before it, or
 * between it and the end of the kernel. Only what one basic block shows is told, so that a barrier that is named is
 * needless on every path.
 */
import type { SourceLocation } from "../base/diagnostics.ts";
import { calledIntrinsic } from "../ir/model/called-intrinsic.ts";
import type { IrBlock, IrInstruction } from "../ir/model/ir.ts";

/** @param isKernel of the function that the block is of: another function returns to code that may access memory. */
export function needlessBarriers(block: IrBlock, isKernel: boolean): (SourceLocation | null)[] {
  const found: (SourceLocation | null)[] = [];
  // The last barrier with nothing behind it so far.
  let last: IrInstruction | null = null;
  for (const i of block.instructions) {
    if (isBlockBarrier(i)) {
      if (last !== null) found.push(i.location);
      last = i;
    } else if (mayAccessMemory(i)) last = null;
  }
  const end = block.instructions.at(-1);
  if (isKernel && last !== null && end?.op === "ret" && !found.includes(last.location)) found.push(last.location);
  return found;
}

/** A barrier of all threads of a block, with no result. */
function isBlockBarrier(i: IrInstruction): boolean {
  const barrier = calledIntrinsic(i)?.barrier ?? null;
  return barrier !== null && barrier.scope === "block" && barrier.reduction === null && barrier.action === "sync";
}

function mayAccessMemory(i: IrInstruction): boolean {
  switch (i.op) {
    case "load":
    case "store":
    case "atomicrmw":
    case "cmpxchg":
    case "fence":
      return true;
    case "call": {
      const facts = calledIntrinsic(i);
      return facts === null || (facts.memory.kind !== "none" && !facts.isHint);
    }
    default:
      return false;
  }
}
