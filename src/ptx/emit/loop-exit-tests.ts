/**
 * Finds loops that can be tested at their end. Their phi copies for the next iteration stand in front of the test, even
 * where no iteration follows, so that the conditional branch is the loop's back edge. The assembler unrolls loops of
 * this form only.
 */
import { findLoops, type Loop } from "../../ir/graph/loops.ts";
import { reversePostOrder } from "../../ir/graph/cfg.ts";
import { constantGepOffset, splitConstantOffset } from "../../ir/model/gep.ts";
import type { IrBlock, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { forEachOperand } from "../../ir/model/operands.ts";
import type { PointerSpace } from "../../analysis/pointers/pointer-spaces.ts";

/**
 * Header by latch: its last instruction goes there or leaves the loop, and nothing but the loop reads the registers of
 * the header's phis, be it that other values are in them or that instructions are made of more than their operands.
 */
export function loopsTestedAtEnd(
  fn: IrFunction,
  spaceOf: (pointer: IrValue) => PointerSpace,
): ReadonlyMap<IrBlock, IrBlock> {
  const found = new Map<IrBlock, IrBlock>();
  const phisOf = new Map<IrValue, Loop>();
  for (const loop of findLoops(fn).loops) {
    const latch = loop.latches[0] as IrBlock;
    const last = latch.instructions.at(-1) as IrInstruction;
    if (loop.latches.length !== 1 || last.op !== "condbr" || loop.blocks.has(last.then) === loop.blocks.has(last.else))
      continue;
    found.set(latch, loop.header);
    for (const i of loop.header.instructions) if (i.op === "phi") phisOf.set(i, loop);
  }
  const latches = new Set(found.keys());
  const read = (value: IrValue, isHarmless: (loop: Loop) => boolean): void => {
    const loop = phisOf.get(value);
    if (loop !== undefined && !isHarmless(loop)) found.delete(loop.latches[0] as IrBlock);
    forEachBehind(value, (behind) => read(behind, isHarmless));
  };
  for (const block of reversePostOrder(fn)) {
    for (const i of block.instructions) {
      const isInside = (loop: Loop): boolean => loop.blocks.has(block);
      if (i.op === "phi") {
        // A phi reads at the end of the block that it comes from: at the latch only the header's own may.
        for (const { value, block: from } of i.incoming)
          read(value, (loop) => block === loop.header || (loop.blocks.has(from) && from !== loop.latches[0]));
      } else if (i.op === "condbr") {
        read(i.condition, (loop) => loop.blocks.has(block) && block !== loop.latches[0]);
        // In front of the copies, a latch compares once more.
        if (latches.has(block) && i.condition.kind === "instruction" && i.condition.op === "icmp")
          forEachOperand(i.condition, (value) => read(value, isInside));
      } else {
        forEachOperand(i, (value) => read(value, isInside));
        forEachAddress(i, (pointer) => read(baseOf(pointer, i, spaceOf), isInside));
      }
    }
  }
  return found;
}

/**
 * The values whose registers may be read in place of an instruction's own: those it is an alias of, and those that
 * pairs of 16 bits are made of (packed-halves.ts).
 */
function forEachBehind(value: IrValue, visit: (behind: IrValue) => void): void {
  if (value.kind !== "instruction") return;
  switch (value.op) {
    case "cast":
    case "freeze":
      return visit(value.operand);
    case "gep":
      return constantGepOffset(value) === 0 ? visit(value.base) : undefined;
    case "binary":
      return (value.operator === "shl" || value.operator === "lshr") &&
        value.rhs.kind === "const-int" &&
        value.rhs.value === 16n
        ? visit(value.lhs)
        : undefined;
    case "insertelement":
      visit(value.vector);
      return visit(value.element);
  }
}

/** Pointers that instructions may have in brackets. */
function forEachAddress(i: IrInstruction, visit: (pointer: IrValue) => void): void {
  switch (i.op) {
    case "load":
    case "store":
    case "atomicrmw":
    case "cmpxchg":
      return visit(i.pointer);
    case "call":
      for (const argument of i.args) if (argument.type.kind === "ptr") visit(argument);
      return;
    case "va_arg":
      return visit(i.list);
  }
}

/**
 * An address begins at the base, and constants are part of the instruction; but the base of an access to global or
 * generic memory has a 64-bit register, made where the base is.
 */
function baseOf(pointer: IrValue, i: IrInstruction, spaceOf: (pointer: IrValue) => PointerSpace): IrValue {
  const { base } = splitConstantOffset(pointer);
  const space = spaceOf(base);
  return (space === "global" || space === "generic") && i.op !== "call" && i.op !== "va_arg" ? pointer : base;
}
