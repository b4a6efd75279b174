/**
 * Unrolls loops of a known number of iterations that index arrays in local memory, so that the arrays can become
 * registers (pass-promote-allocas.ts). Other loops are left to the assembler, which unrolls by its own measure.
 *
 * Needs: a valid function. Afterwards: such loops, if they are small enough, are straight code.
 */
import { NameSource } from "../../ir/model/build.ts";
import { cloneBlocks } from "../../ir/model/clone.ts";
import { foldBinary, foldCast, foldIcmp } from "../../ir/model/fold.ts";
import { terminatorOf } from "../../ir/graph/cfg.ts";
import type { ConstInt, IrBlock, IrFunction, IrInstruction, IrValue, PhiInstruction } from "../../ir/model/ir.ts";
import { findLoops, type Loop } from "../../ir/graph/loops.ts";
import { mapTargets } from "../../ir/model/operands.ts";
import { cleanUp } from "../../ir/passes/pass-cleanup.ts";
import { simplifyLoops } from "../../ir/passes/pass-loop-simplify.ts";
import { hasConstantIndices } from "../../ir/model/gep.ts";
import { underlyingPointer } from "../../analysis/pointers/pointer-origins.ts";

const MAX_TURNS = 256;
/** Instructions that a loop may become. */
const MAX_INSTRUCTIONS = 12_000;

export function unrollLocalLoops(fn: IrFunction): void {
  if (!fn.blocks.some((block) => block.instructions.some((i) => i.op === "alloca"))) return;
  for (;;) {
    simplifyLoops(fn);
    const { loops } = findLoops(fn);
    // Inner loops first: an outer one may then be straight code, too.
    const found = [...loops]
      .sort((a, b) => b.depth - a.depth)
      .map((loop) => ({ loop, turns: turnsOf(loop) }))
      .find(({ loop, turns }) => turns !== null && isWorthwhile(loop, turns));
    if (found === undefined) break;
    const names = new NameSource(fn);
    for (let turn = 0; turn < (found.turns as number); turn++) peel(fn, found.loop, names);
    cleanUp(fn);
  }
  cleanUp(fn);
}

function isWorthwhile(loop: Loop, turns: number): boolean {
  let size = 0;
  let indexes = false;
  for (const block of loop.blocks) {
    size += block.instructions.length;
    for (const i of block.instructions) {
      if (i.op === "phi" && i.type.kind === "ptr" && i.incoming.some(({ value }) => isLocal(value))) indexes = true;
      if (i.op === "gep" && !hasConstantIndices(i) && isLocal(i.base)) indexes = true;
      if (i.op === "call" && i.callee.kind === "inline-asm" && /\blabel|:\s/.test(i.callee.template)) return false;
    }
  }
  return indexes && size * turns <= MAX_INSTRUCTIONS;
}

function isLocal(pointer: IrValue): boolean {
  const from = underlyingPointer(pointer);
  return from.kind === "instruction" && from.op === "alloca";
}

/**
 * How often the header runs, where that follows from what the header's phis begin with; the loop is left at the header
 * or the latch.
 */
function turnsOf(loop: Loop): number | null {
  const latch = loop.latches[0];
  if (latch === undefined || loop.latches.length !== 1) return null;
  for (const block of new Set([loop.header, latch])) {
    const last = terminatorOf(block);
    if (last.op !== "condbr" || loop.blocks.has(last.then) === loop.blocks.has(last.else)) continue;
    const leaves = loop.blocks.has(last.then) ? 0n : 1n;
    const phis = loop.header.instructions.filter((i): i is PhiInstruction => i.op === "phi" && i.type.kind === "int");
    let state: Constants = new Map();
    for (const phi of phis) {
      const start = phi.incoming.find((incoming) => incoming.block !== latch)?.value;
      if (start?.kind === "const-int") state.set(phi, start);
    }
    for (let turn = 1; turn <= MAX_TURNS && state.size > 0; turn++) {
      const condition = evaluate(last.condition, state, MAX_DEPTH);
      if (condition === null) break;
      if (condition.value === leaves) return turn;
      const next: Constants = new Map();
      for (const phi of phis) {
        const back = phi.incoming.find((incoming) => incoming.block === latch)?.value;
        const value = back === undefined ? null : evaluate(back, state, MAX_DEPTH);
        if (value !== null) next.set(phi, value);
      }
      state = next;
    }
  }
  return null;
}

type Constants = Map<IrValue, ConstInt>;
const MAX_DEPTH = 8;

/** The value where the header's phis are what `state` says, or null. */
function evaluate(value: IrValue, state: Constants, depth: number): ConstInt | null {
  if (value.kind === "const-int") return value;
  const known = state.get(value);
  if (known !== undefined || depth === 0 || value.kind !== "instruction") return known ?? null;
  const of = (operand: IrValue): ConstInt | null => evaluate(operand, state, depth - 1);
  let result: IrValue | null = null;
  if (value.op === "binary" || value.op === "icmp") {
    const [lhs, rhs] = [of(value.lhs), of(value.rhs)];
    if (lhs !== null && rhs !== null)
      result = value.op === "binary" ? foldBinary(value.operator, lhs, rhs) : foldIcmp(value.predicate, lhs, rhs);
  } else if (value.op === "cast") {
    const operand = of(value.operand);
    if (operand !== null) result = foldCast(value.operator, operand, value.type);
  } else if (value.op === "select") {
    const condition = of(value.condition);
    if (condition !== null) result = of(condition.value === 1n ? value.then : value.else);
  }
  return result?.kind === "const-int" ? result : null;
}

/**
 * A copy of the loop in front of it does its first iteration. The loop has a preheader, one latch, and values leave it
 * through phis.
 */
function peel(fn: IrFunction, loop: Loop, names: NameSource): void {
  const { header } = loop;
  const latch = loop.latches[0] as IrBlock;
  const phis = header.instructions.filter((i): i is PhiInstruction => i.op === "phi");
  const entries = new Set(
    phis.flatMap((phi) => phi.incoming.map(({ block }) => block)).filter((block) => block !== latch),
  );
  const preheaders =
    entries.size > 0 ? [...entries] : fn.blocks.filter((block) => !loop.blocks.has(block) && reaches(block, header));
  const blocks = fn.blocks.filter((block) => loop.blocks.has(block));
  const values = new Map<IrValue, IrValue>();
  const { blockOf } = cloneBlocks(blocks, fn, values, (name) => names.fresh(name));
  const copyOf = (value: IrValue): IrValue => values.get(value) ?? value;
  const [newHeader, newLatch] = [blockOf.get(header) as IrBlock, blockOf.get(latch) as IrBlock];
  // The copy is entered once: its phis are what the loop starts with.
  for (const phi of phis) {
    const copy = copyOf(phi) as PhiInstruction;
    copy.incoming = copy.incoming.filter(({ block }) => block !== newLatch);
  }
  for (const preheader of preheaders)
    mapTargets(preheader.instructions.at(-1) as IrInstruction, (target) => (target === header ? newHeader : target));
  mapTargets(newLatch.instructions.at(-1) as IrInstruction, (target) => (target === newHeader ? header : target));
  for (const phi of phis) {
    const back = phi.incoming.find(({ block }) => block === latch);
    if (back === undefined) continue;
    phi.incoming = [back, { value: copyOf(back.value), block: newLatch }];
  }
  // Exits are reached from the copy, too.
  for (const { from, to } of loop.exits) {
    for (const phi of to.instructions) {
      if (phi.op !== "phi") break;
      const left = phi.incoming.find(({ block }) => block === from);
      if (left !== undefined) phi.incoming.push({ value: copyOf(left.value), block: blockOf.get(from) as IrBlock });
    }
  }
  fn.blocks.splice(fn.blocks.indexOf(header), 0, ...blocks.map((block) => blockOf.get(block) as IrBlock));
}

function reaches(block: IrBlock, target: IrBlock): boolean {
  const last = block.instructions.at(-1) as IrInstruction;
  let found = false;
  mapTargets(last, (next) => {
    if (next === target) found = true;
    return next;
  });
  return found;
}
