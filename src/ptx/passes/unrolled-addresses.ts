/**
 * Addresses of 64 bits in iterations that run at once (pass-unroll-counted.ts): `b[k * n + column]` is n elements
 * behind that of the iteration before. The sum in 32 bits is not computed again, as nvcc does not.
 *
 * An index may overflow where no address is used. So only addresses that every iteration reads or writes count: what is
 * computed of them has not overflowed.
 */
import { type NameSource, constInt, newBinary, newCast, signedValue } from "../../ir/model/build.ts";
import { dominatorTree } from "../../ir/graph/dominators.ts";
import type { GepInstruction, IrBlock, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { sizeOf } from "../../ir/model/layout.ts";
import { I64, I8, scalarBits } from "../../ir/model/types.ts";
import type { Loop } from "../../ir/graph/loops.ts";
import type { Unrolled } from "./unrolled-tests.ts";

/** A change from one iteration to the next: a number, and values that the loop does not change, by factors. */
interface Change {
  readonly constant: bigint;
  readonly terms: readonly { readonly value: IrValue; readonly factor: bigint }[];
}

const NONE: Change = { constant: 0n, terms: [] };
/** How many operations deep an index is looked into. */
const MAX_DEPTH = 5;

export interface MovedAddress {
  readonly gep: GepInstruction;
  /** The bytes between two iterations, as an i64: a constant, or computed in front of the loop. */
  readonly bytes: IrValue;
}

/** The addresses of a loop that move by the same distance in every iteration. Distances are computed in front of it. */
export function movedAddresses(fn: IrFunction, loop: Loop, counted: Unrolled, names: NameSource): MovedAddress[] {
  if (typeof counted.step !== "number" || !fits(counted)) return [];
  const tree = dominatorTree(fn);
  const isEvery = (block: IrBlock): boolean => tree.dominates(block, counted.latch);
  const used = new Set<IrValue>();
  for (const block of loop.blocks)
    if (isEvery(block))
      for (const i of block.instructions) if (i.op === "load" || i.op === "store") used.add(i.pointer);
  const found: MovedAddress[] = [];
  const known = new Map<string, IrValue>();
  for (const block of loop.blocks)
    for (const i of block.instructions) {
      if (i.op !== "gep" || i.type.kind !== "ptr" || i.type.bits !== 64 || !used.has(i)) continue;
      const [index, ...others] = i.indices;
      if (index === undefined || others.length > 0 || !isOutside(i.base, loop)) continue;
      const change = changeOf(index, loop, counted, MAX_DEPTH);
      if (change === null || (change.constant === 0n && change.terms.length === 0)) continue;
      const bytes = distance(change, BigInt(sizeOf(i.sourceType)), counted.preheader, names, known);
      found.push({ gep: i, bytes });
    }
  return found;
}

/** Whether the counter, as a signed number, does not wrap around between iterations that run at once. */
function fits({ counter, latch, goesOn }: Unrolled): boolean {
  if (goesOn === "slt" || goesOn === "sle" || scalarBits(counter.type) === 64) return true;
  const next = counter.incoming.find(({ block }) => block === latch)?.value;
  return next?.kind === "instruction" && next.op === "binary" && next.nsw;
}

/** The address in an iteration, as that of the iteration before and the distance. */
export function behind(gep: GepInstruction, before: IrValue, bytes: IrValue): void {
  gep.base = before;
  gep.sourceType = I8;
  gep.indices = [bytes];
  gep.inbounds = false;
}

const isOutside = (value: IrValue, loop: Loop): boolean =>
  value.kind !== "instruction" || !loop.blocks.has(value.block);

/** How an integer changes with the counter's step, where nothing overflows; null: that is not known. */
function changeOf(value: IrValue, loop: Loop, counted: Unrolled, depth: number): Change | null {
  if (isOutside(value, loop)) return NONE;
  if (value === counted.counter) return { constant: BigInt(counted.step as number), terms: [] };
  if (depth === 0 || value.kind !== "instruction") return null;
  const of = (operand: IrValue): Change | null => changeOf(operand, loop, counted, depth - 1);
  if (value.op === "cast") {
    const keeps = value.operator === "sext" || (value.operator === "zext" && value.nneg);
    return keeps && scalarBits(value.operand.type) >= 32 ? of(value.operand) : null;
  }
  if (value.op !== "binary" || (!value.nsw && scalarBits(value.type) < 64)) return null;
  const [left, right] = [of(value.lhs), of(value.rhs)];
  if (left === null || right === null) return null;
  if (value.operator === "add" || value.operator === "sub")
    return plus(left, times(right, value.operator === "add" ? 1n : -1n));
  if (value.operator === "shl" && value.rhs.kind === "const-int") return times(left, 1n << value.rhs.value);
  if (value.operator !== "mul") return null;
  if (isNone(right)) return product(left, value.rhs);
  return isNone(left) ? product(right, value.lhs) : null;
}

const isNone = ({ constant, terms }: Change): boolean => constant === 0n && terms.length === 0;

function plus(a: Change, b: Change): Change {
  return { constant: a.constant + b.constant, terms: [...a.terms, ...b.terms] };
}

function times({ constant, terms }: Change, by: bigint): Change {
  return { constant: constant * by, terms: terms.map(({ value, factor }) => ({ value, factor: factor * by })) };
}

/** By a value that the loop does not change. */
function product(change: Change, by: IrValue): Change | null {
  if (isNone(change)) return NONE;
  if (by.kind === "const-int") return times(change, signedValue(by));
  const bits = scalarBits(by.type);
  if (change.terms.length > 0 || (bits !== 32 && bits !== 64)) return null;
  return { constant: 0n, terms: [{ value: by, factor: change.constant }] };
}

function distance(
  { constant, terms }: Change,
  scale: bigint,
  block: IrBlock,
  names: NameSource,
  known: Map<string, IrValue>,
): IrValue {
  let sum: IrValue | null = constant === 0n ? null : constInt(I64, constant * scale);
  const push = <T extends IrInstruction>(i: T): T => {
    block.instructions.splice(block.instructions.length - 1, 0, i);
    return i;
  };
  const place = { block, location: null };
  for (const { value, factor } of terms) {
    const key = value.kind === "param" || value.kind === "instruction" ? `${value.name} ${factor * scale}` : null;
    let bytes = key === null ? undefined : known.get(key);
    if (bytes === undefined) {
      const wide =
        scalarBits(value.type) === 64 ? value : push(newCast(place, names.fresh("step"), "sext", value, I64));
      bytes = push(newBinary(place, names.fresh("step"), "mul", wide, constInt(I64, factor * scale)));
      if (key !== null) known.set(key, bytes);
    }
    sum = sum === null ? bytes : push(newBinary(place, names.fresh("step"), "add", sum, bytes));
  }
  return sum ?? constInt(I64, 0n);
}
