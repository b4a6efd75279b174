/**
 * A loop that asks the same question of the kernel's arguments several times in each iteration becomes two loops, one
 * for each answer (loop unswitching; Muchnick, "Advanced Compiler Design and Implementation", 18.6): `if (probs !=
 * nullptr) probs[i] = …` in an unrolled body would keep apart stores that the memory takes together.
 *
 * Needs: a valid function. Afterwards: no small innermost loop branches twice on one such condition.
 */
import { NameSource, constBool, newCondBr } from "../../ir/model/build.ts";
import { cloneBlocks } from "../../ir/model/clone.ts";
import type { CondBrInstruction, IrBlock, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { findLoops, type Loop } from "../../ir/graph/loops.ts";
import { operandsOf } from "../../ir/model/operands.ts";
import { cleanUp } from "../../ir/passes/pass-cleanup.ts";
import { simplifyLoops } from "../../ir/passes/pass-loop-simplify.ts";

/** Instructions of a loop that is doubled. */
const MAX_INSTRUCTIONS = 300;
/** Loops that may come into a function. */
const MAX_COPIES = 8;
const MAX_DEPTH = 8;

export function unswitchLoops(fn: IrFunction): void {
  // Of what is not a kernel the arguments may differ from thread to thread.
  if (!fn.isKernel) return;
  for (let copies = 0; copies < MAX_COPIES; copies++) {
    simplifyLoops(fn);
    const found = findLoops(fn)
      .loops.filter((loop) => loop.children.length === 0)
      .map((loop) => ({ loop, question: repeatedQuestion(loop) }))
      .find(({ question }) => question !== null);
    if (found === undefined) break;
    unswitch(fn, found.loop, found.question as IrValue);
    cleanUp(fn);
  }
}

/** A condition of two or more branches inside of the loop that is the same for all threads in all iterations. */
function repeatedQuestion(loop: Loop): IrValue | null {
  const branches = new Map<IrValue, number>();
  let size = 0;
  for (const block of loop.blocks) {
    size += block.instructions.length;
    const last = block.instructions.at(-1) as IrInstruction;
    if (last.op !== "condbr" || !loop.blocks.has(last.then) || !loop.blocks.has(last.else)) continue;
    branches.set(last.condition, (branches.get(last.condition) ?? 0) + 1);
  }
  if (size > MAX_INSTRUCTIONS) return null;
  for (const [condition, count] of branches)
    if (
      count > 1 &&
      condition.kind === "instruction" &&
      !loop.blocks.has(condition.block) &&
      isOfArguments(condition, MAX_DEPTH)
    )
      return condition;
  return null;
}

/** Whether all that it is computed of are the kernel's arguments. */
function isOfArguments(value: IrValue, depth: number): boolean {
  if (value.kind !== "instruction") return value.kind !== "inline-asm" && value.kind !== "metadata";
  if (depth === 0) return false;
  switch (value.op) {
    case "binary":
    case "icmp":
    case "fcmp":
    case "cast":
    case "select":
    case "gep":
    case "freeze":
      return operandsOf(value).every((operand) => isOfArguments(operand, depth - 1));
    default:
      return false;
  }
}

function unswitch(fn: IrFunction, loop: Loop, condition: IrValue): void {
  const preheader = fn.blocks.find((block) => !loop.blocks.has(block) && leadsTo(block, loop.header)) as IrBlock;
  const names = new NameSource(fn);
  const blocks = fn.blocks.filter((block) => loop.blocks.has(block));
  const values = new Map<IrValue, IrValue>();
  const { blockOf } = cloneBlocks(blocks, fn, values, (name) => names.fresh(name));
  for (const { from, to } of loop.exits) {
    for (const phi of to.instructions) {
      if (phi.op !== "phi") break;
      const left = phi.incoming.find(({ block }) => block === from);
      if (left !== undefined)
        phi.incoming.push({ value: values.get(left.value) ?? left.value, block: blockOf.get(from) as IrBlock });
    }
  }
  for (const block of blocks) {
    answer(block, condition, true);
    answer(blockOf.get(block) as IrBlock, condition, false);
  }
  const branch = preheader.instructions.pop() as IrInstruction;
  preheader.instructions.push(
    newCondBr(
      { block: preheader, location: branch.location },
      condition,
      loop.header,
      blockOf.get(loop.header) as IrBlock,
    ),
  );
  fn.blocks.splice(fn.blocks.indexOf(loop.header), 0, ...blocks.map((block) => blockOf.get(block) as IrBlock));
}

function answer(block: IrBlock, condition: IrValue, is: boolean): void {
  const last = block.instructions.at(-1) as IrInstruction;
  if (last.op === "condbr" && last.condition === condition) (last as CondBrInstruction).condition = constBool(is);
}

/** A loop in simple form is entered from one block, which goes nowhere else. */
function leadsTo(block: IrBlock, header: IrBlock): boolean {
  const last = block.instructions.at(-1) as IrInstruction;
  return last.op === "br" && last.target === header;
}
