/**
 * Removes what has no effect: constant expressions, dead instructions, blocks that nothing reaches, phis of one value,
 * branches on constants, blocks that only continue others.
 *
 * Needs: a valid function. Afterwards: every block is reachable; no terminator branches on a constant or to one target
 * twice; no block has a single successor whose only predecessor it is; every instruction has an effect or a use; no phi
 * stands for one value. Hints without meaning for execution (llvm.assume, llvm.lifetime,
 * llvm.experimental.noalias.scope.decl) are gone.
 */
import { calledIntrinsic } from "../model/called-intrinsic.ts";
import { newBr } from "../model/build.ts";
import { predecessors, removeIncoming, renameIncoming, successors, terminatorOf } from "../graph/cfg.ts";
import { simplify } from "../model/fold.ts";
import type { IrBlock, IrFunction, IrInstruction, IrValue } from "../model/ir.ts";
import { forEachOperand, hasSideEffects, mapOperands } from "../model/operands.ts";
import { replaceUses } from "../model/uses.ts";

export function cleanUp(fn: IrFunction): void {
  if (fn.blocks.length === 0) return;
  removeHints(fn);
  for (let changed = true; changed;) {
    changed = foldBranches(fn);
    if (removeUnreachableBlocks(fn)) changed = true;
    if (simplifyInstructions(fn)) changed = true;
    if (mergeBlocks(fn)) changed = true;
  }
  removeDeadInstructions(fn);
}

/** Drops blocks that no path from the entry reaches, and their edges out of phis. Returns whether there were any. */
export function removeUnreachableBlocks(fn: IrFunction): boolean {
  const entry = fn.blocks[0];
  if (entry === undefined) return false;
  const reached = new Set<IrBlock>([entry]);
  const work = [entry];
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    for (const next of successors(block)) {
      if (reached.has(next)) continue;
      reached.add(next);
      work.push(next);
    }
  }
  if (reached.size === fn.blocks.length) return false;
  for (const block of fn.blocks) {
    if (reached.has(block)) continue;
    for (const next of successors(block)) if (reached.has(next)) removeIncoming(next, block);
  }
  fn.blocks = fn.blocks.filter((block) => reached.has(block));
  return true;
}

function removeHints(fn: IrFunction): void {
  for (const block of fn.blocks) {
    block.instructions = block.instructions.filter((i) => !(i.type.kind === "void" && calledIntrinsic(i)?.isHint));
  }
}

function foldBranches(fn: IrFunction): boolean {
  let changed = false;
  for (const block of fn.blocks) {
    const last = terminatorOf(block);
    let target: IrBlock | null = null;
    if (last.op === "condbr") {
      if (last.condition.kind === "const-int") target = last.condition.value === 1n ? last.then : last.else;
      else if (last.then === last.else) target = last.then;
    } else if (last.op === "switch") {
      const { value } = last;
      if (value.kind === "const-int")
        target = last.cases.find((c) => c.value.value === value.value)?.target ?? last.defaultTarget;
      else if (last.cases.every((c) => c.target === last.defaultTarget)) target = last.defaultTarget;
    }
    if (target === null) continue;
    changed = true;
    for (const next of successors(block)) if (next !== target) removeIncoming(next, block);
    keepOneIncoming(target, block);
    block.instructions[block.instructions.length - 1] = newBr(last, target);
  }
  return changed;
}

/** A switch may have brought its value twice; one edge is left. */
function keepOneIncoming(block: IrBlock, from: IrBlock): void {
  for (const phi of block.instructions) {
    if (phi.op !== "phi") break;
    let seen = false;
    phi.incoming = phi.incoming.filter((incoming) => {
      if (incoming.block !== from) return true;
      const first = !seen;
      seen = true;
      return first;
    });
  }
}

function simplifyInstructions(fn: IrFunction): boolean {
  const replacements = new Map<IrValue, IrValue>();
  const resolve = (value: IrValue): IrValue => {
    let current = value;
    for (let next = replacements.get(current); next !== undefined; next = replacements.get(current)) current = next;
    return current;
  };
  for (const block of fn.blocks) {
    for (const instruction of block.instructions) {
      mapOperands(instruction, resolve);
      const value = simplify(instruction);
      if (value !== null && value !== instruction) replacements.set(instruction, value);
    }
  }
  if (replacements.size === 0) return false;
  replaceUses(fn, replacements);
  for (const block of fn.blocks)
    block.instructions = block.instructions.filter((instruction) => !replacements.has(instruction));
  return true;
}

function mergeBlocks(fn: IrFunction): boolean {
  const before = predecessors(fn);
  const gone = new Set<IrBlock>();
  const replacements = new Map<IrValue, IrValue>();
  for (const block of fn.blocks) {
    if (gone.has(block)) continue;
    for (;;) {
      const last = terminatorOf(block);
      if (
        last.op !== "br" ||
        last.target === block ||
        before.get(last.target)?.length !== 1 ||
        last.target === fn.blocks[0]
      )
        break;
      const next = last.target;
      block.instructions.pop();
      for (const instruction of next.instructions) {
        const only = instruction.op === "phi" ? instruction.incoming[0] : undefined;
        if (only !== undefined) {
          replacements.set(instruction, only.value);
          continue;
        }
        instruction.block = block;
        block.instructions.push(instruction);
      }
      for (const after of successors(block)) {
        renameIncoming(after, next, block);
        const list = before.get(after);
        if (list) list[list.indexOf(next)] = block;
      }
      gone.add(next);
    }
  }
  if (gone.size === 0) return false;
  fn.blocks = fn.blocks.filter((block) => !gone.has(block));
  replaceUses(fn, replacements);
  return true;
}

/** Keeps what has an effect, and what that needs: a cycle of phis that only feed each other goes, too. */
export function removeDeadInstructions(fn: IrFunction): void {
  const live = new Set<IrInstruction>();
  const work: IrInstruction[] = [];
  const mark = (value: IrValue): void => {
    if (value.kind !== "instruction" || live.has(value)) return;
    live.add(value);
    work.push(value);
  };
  for (const block of fn.blocks)
    for (const instruction of block.instructions) if (hasSideEffects(instruction)) mark(instruction);
  for (let instruction = work.pop(); instruction !== undefined; instruction = work.pop())
    forEachOperand(instruction, mark);
  for (const block of fn.blocks) block.instructions = block.instructions.filter((instruction) => live.has(instruction));
}
