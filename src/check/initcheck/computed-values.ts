/**
 * Copies and arithmetic. A value that nobody has set may be copied: rows are copied with their padding, structs with
 * their gaps. Arithmetic on such a value is a fault as soon as its result is stored to device memory.
 *
 * *Moves* bring bits to another place or another format: what they give of undefined bits is a copy still. They include
 * what the compiler makes of copies of structs and vectors: shifts, masks and disjoint ors by constants. Everything
 * else that depends on an undefined operand is arithmetic.
 */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import { isConstant } from "../../ir/model/build.ts";
import type { BinaryInstruction, CallInstruction, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { operandsOf } from "../../ir/model/operands.ts";
import { originsOf } from "../../analysis/pointers/pointer-origins.ts";
import { containsUndefined, isLoadIntrinsic, isShuffle } from "./definedness.ts";

/** Bits change places; where each goes is the same for all values. */
export const REORDERINGS: ReadonlySet<string> = new Set(["bswap", "bitreverse"]);
/** Bits of the first two operands move by a number of places, or as a selector says: the third operand. */
export const SHIFTS: ReadonlySet<string> = new Set(["fshl", "fshr", "prmt"]);

/** Whether the result of the instruction is its operands' bits, elsewhere or in another format. */
export function moves(i: IrInstruction): boolean {
  switch (i.op) {
    case "phi":
    case "select":
    case "cast":
    case "extractvalue":
    case "insertvalue":
    case "extractelement":
    case "insertelement":
    case "shufflevector":
      return true;
    case "binary":
      return movesBits(i);
    case "call":
      return reorders(i);
    default:
      return false;
  }
}

function movesBits({ operator, lhs, rhs }: BinaryInstruction): boolean {
  switch (operator) {
    case "shl":
    case "lshr":
    case "ashr":
      return isConstant(rhs);
    case "and":
      return isConstant(rhs) || isConstant(lhs);
    // Parts of a word that are put together.
    case "or":
      return isPart(lhs) && isPart(rhs);
    default:
      return false;
  }
}

function isPart(value: IrValue): boolean {
  if (value.kind !== "instruction") return isConstant(value);
  if (value.op === "cast") return value.operator === "zext";
  return value.op === "binary" && value.operator !== "ashr" && movesBits(value);
}

function reorders(i: CallInstruction): boolean {
  const operation = calledIntrinsic(i)?.operation ?? "";
  return REORDERINGS.has(operation) || (SHIFTS.has(operation) && isConstant(i.args[2] as IrValue));
}

/** Whether what the instruction gives comes from memory, or from another thread, as it is. */
function fetches(i: IrInstruction): boolean {
  if (i.op === "call") return isLoadIntrinsic(i) || (i.callee.kind === "function" && isShuffle(i.callee.name));
  return i.op === "load" || i.op === "atomicrmw";
}

/** Values with bits that arithmetic may have made of undefined ones. @param maybe values that can be undefined. */
export function maybeComputed(fn: IrFunction, maybe: ReadonlySet<IrValue>): ReadonlySet<IrValue> {
  return closed(fn, maybe, (i) => (!moves(i) && !fetches(i)) || (i.op === "select" && maybe.has(i.condition)));
}

/** Values with undefined bits that are, or may be, copies. @param maybe values that can be undefined. */
export function maybeCopied(fn: IrFunction, maybe: ReadonlySet<IrValue>): ReadonlySet<IrValue> {
  return closed(fn, maybe, (i) => fetches(i) || (moves(i) && operandsOf(i).some(containsUndefined)));
}

/** The values of `maybe` that are `made` so, and those that moves make of them. */
function closed(
  fn: IrFunction,
  maybe: ReadonlySet<IrValue>,
  made: (i: IrInstruction) => boolean,
): ReadonlySet<IrValue> {
  const found = new Set<IrValue>();
  const isFound = (i: IrInstruction): boolean => made(i) || (moves(i) && operandsOf(i).some((from) => found.has(from)));
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const { instructions } of fn.blocks)
      for (const i of instructions) if (maybe.has(i) && !found.has(i) && isFound(i)) found.add(i);
  }
  return found;
}

/**
 * Whether a pointer is into the memory of the device for certain: not into shared or local memory, where an undefined
 * value waits until somebody uses it.
 */
export function isDeviceMemory(fn: IrFunction, pointer: IrValue): boolean {
  return [...originsOf(pointer)].every((root) => root.kind === "global" || (root.kind === "param" && fn.isKernel));
}
