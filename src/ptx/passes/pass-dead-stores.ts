/**
 * Removes stores that a later store of the same block overwrites before anything can read them: a sum that is kept in
 * shared memory while a loop that was unrolled adds to it is stored once. LLVM leaves such stores, because it does not
 * know that loads of global memory do not read shared memory.
 *
 * Needs: a legalised function. Afterwards: fewer stores, the same memory wherever another thread may look at it: at
 * barriers, fences, atomic operations and calls all stores are made.
 */
import { inferPointerSpaces, spaceOfConstant, type PointerSpace } from "../../analysis/pointers/pointer-spaces.ts";
import { isConstant } from "../../ir/model/build.ts";
import { splitConstantOffset } from "../../ir/model/gep.ts";
import type { IrBlock, IrFunction, IrInstruction, IrType, IrValue } from "../../ir/model/ir.ts";
import { sizeOf } from "../../ir/model/layout.ts";
import { hasSideEffects } from "../../ir/model/operands.ts";

interface Place {
  readonly base: IrValue;
  readonly offset: number;
  readonly bytes: number;
  readonly space: PointerSpace | null;
}

export function removeDeadStores(fn: IrFunction): void {
  const spaces = inferPointerSpaces(fn);
  const placeOf = (pointer: IrValue, type: IrType): Place => {
    const { base, offset } = splitConstantOffset(pointer);
    const space = isConstant(pointer) ? spaceOfConstant(pointer) : (spaces.get(pointer) ?? "generic");
    return { base, offset, bytes: sizeOf(type), space };
  };
  for (const block of fn.blocks) removeIn(block, placeOf);
}

/** Backwards: what is overwritten further on, and not read until then. */
function removeIn(block: IrBlock, placeOf: (pointer: IrValue, type: IrType) => Place): void {
  if (block.instructions.filter((i) => i.op === "store").length < 2) return;
  let overwritten: Place[] = [];
  const dead = new Set<IrInstruction>();
  for (const i of block.instructions.toReversed()) {
    if (i.op === "store" && !i.volatile && i.ordering === null) {
      const place = placeOf(i.pointer, i.value.type);
      if (overwritten.some((later) => covers(later, place))) dead.add(i);
      else overwritten.push(place);
    } else if (i.op === "load" && !i.volatile && i.ordering === null) {
      const place = placeOf(i.pointer, i.type);
      overwritten = overwritten.filter((later) => !mayOverlap(later, place));
    } else if (hasSideEffects(i) || (i.op === "call" && i.args.some(({ type }) => type.kind === "ptr"))) {
      overwritten = [];
    }
  }
  if (dead.size > 0) block.instructions = block.instructions.filter((i) => !dead.has(i));
}

function covers(outer: Place, inner: Place): boolean {
  return (
    outer.base === inner.base &&
    outer.offset <= inner.offset &&
    outer.offset + outer.bytes >= inner.offset + inner.bytes
  );
}

function mayOverlap(one: Place, other: Place): boolean {
  if (one.base === other.base) return one.offset < other.offset + other.bytes && other.offset < one.offset + one.bytes;
  return !areApart(one.space, other.space);
}

const OWN: ReadonlySet<PointerSpace | null> = new Set<PointerSpace>(["global", "shared", "local", "constant", "param"]);

function areApart(one: PointerSpace | null, other: PointerSpace | null): boolean {
  return one !== other && OWN.has(one) && OWN.has(other);
}
