/**
 * What only the threads need that take one side of a branch is computed by those alone, where the other side ends the
 * thread: NVIDIA's assembler moves it there. Into a side with a loop it moves loads. In front of other branches all
 * stays: the assembler executes short sides under a predicate, without a branch.
 *
 * Needs: nothing. Afterwards: the function does what it did.
 */
import { firstNonPhi, predecessors, successors, terminatorOf } from "../../ir/graph/cfg.ts";
import { dominatorTree, type DominatorTree } from "../../ir/graph/dominators.ts";
import { findLoops } from "../../ir/graph/loops.ts";
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { IrBlock, IrFunction, IrInstruction } from "../../ir/model/ir.ts";
import { hasSideEffects } from "../../ir/model/operands.ts";
import { simplifyLoops } from "../../ir/passes/pass-loop-simplify.ts";
import { usesOf, type UseMap } from "../../ir/model/uses.ts";

export function sinkBehindBranches(fn: IrFunction): void {
  // The side with a loop begins with a block of its own.
  simplifyLoops(fn);
  const before = predecessors(fn);
  const tree = dominatorTree(fn);
  const headers = findLoops(fn).loops.map(({ header }) => header);
  for (const block of fn.blocks) {
    const targets = successors(block);
    if (terminatorOf(block).op !== "condbr" || targets[0] === targets[1]) continue;
    for (const [index, target] of targets.entries()) {
      if (isExit(target) || before.get(target)?.length !== 1) continue;
      const hasLoop = headers.some((header) => tree.dominates(target, header));
      const movable = hasLoop ? LOADED : COMPUTED;
      if (hasLoop || isExit(targets[1 - index] as IrBlock)) sink(block, target, movable, { uses: usesOf(fn), tree });
    }
  }
}

const LOADED: ReadonlySet<IrInstruction["op"]> = new Set(["gep", "load"]);
const COMPUTED: ReadonlySet<IrInstruction["op"]> = new Set([
  ...LOADED,
  ...(["binary", "fneg", "cast", "icmp", "fcmp", "select", "call"] as const),
]);

function isExit({ instructions }: IrBlock): boolean {
  return instructions[0]?.op === "ret";
}

/** Moves what has no use but behind `to`. */
function sink(
  from: IrBlock,
  to: IrBlock,
  movable: ReadonlySet<IrInstruction["op"]>,
  { uses, tree }: { readonly uses: UseMap; readonly tree: DominatorTree },
): void {
  const moved = new Set<IrInstruction>();
  let isWritten = false;
  for (const i of from.instructions.slice(0, -1).toReversed()) {
    const users = uses.get(i) ?? [];
    if (hasSideEffects(i) && !isMathCall(i)) isWritten = true;
    if (!movable.has(i.op) || !isPure(i, isWritten) || users.length === 0) continue;
    if (users.every((user) => moved.has(user) || (user.op !== "phi" && tree.dominates(to, user.block)))) moved.add(i);
  }
  if (moved.size === 0) return;
  to.instructions.splice(firstNonPhi(to), 0, ...from.instructions.filter((i) => moved.has(i)));
  from.instructions = from.instructions.filter((i) => !moved.has(i));
  for (const i of moved) i.block = to;
}

/** @param isWritten something may have been written to memory since */
function isPure(i: IrInstruction, isWritten: boolean): boolean {
  if (i.op === "load") return !isWritten && !i.volatile && i.ordering === null;
  if (i.op !== "call") return true;
  return isMathCall(i) || calledIntrinsic(i)?.operation === "fma";
}

function isMathCall(i: IrInstruction): boolean {
  return i.op === "call" && i.callee.kind === "function" && i.callee.name.startsWith("__nv_");
}
