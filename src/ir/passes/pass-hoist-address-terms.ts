/**
 * Takes what a loop does not change out of the sums that its addresses are: `a[row * n + k]`, in a loop over k, becomes
 * `(a + row * n)[k]`, with the sum in brackets in front of the loop. LLVM does so itself where pointers have 32 bits;
 * where they had 64, the sum was of 32 bits and extended, and might have overflowed. Now addresses wrap around as their
 * sums do.
 *
 * Needs: a valid function with 32-bit pointers. Afterwards: the same addresses. A loop has no more values to keep than
 * before: terms are taken out where they, or the pointers that they are added to, have no other use in the loop.
 */
import { NameSource, newBinary, newInstruction } from "../model/build.ts";
import type { GepInstruction, IrBlock, IrFunction, IrInstruction, IrValue } from "../model/ir.ts";
import { predecessors } from "../graph/cfg.ts";
import { findLoops, type Loop } from "../graph/loops.ts";
import { scalarBits } from "../model/types.ts";
import { usesOf, type UseMap } from "../model/uses.ts";

/** How many additions deep a sum is taken apart. */
const MAX_DEPTH = 4;

export function hoistAddressTerms(fn: IrFunction): void {
  const { loops } = findLoops(fn);
  if (loops.length === 0) return;
  const names = new NameSource(fn);
  const before = predecessors(fn);
  // Inner loops first: what is taken out of one is in the loop around it.
  for (const loop of loops.toReversed()) {
    const outside = (before.get(loop.header) ?? []).filter((block) => !loop.blocks.has(block));
    if (outside.length === 1) hoistFrom(loop, outside[0] as IrBlock, usesOf(fn), names);
  }
}

interface Candidate {
  readonly gep: GepInstruction;
  /** The terms of its index, and the sums that they are the terms of. */
  readonly still: readonly IrValue[];
  readonly moving: readonly IrValue[];
  readonly sums: readonly IrInstruction[];
}

function hoistFrom(loop: Loop, preheader: IrBlock, uses: UseMap, names: NameSource): void {
  const groups = new Map<string, Candidate[]>();
  const numbers = new Map<IrValue, number>();
  const numberOf = (value: IrValue): number => {
    if (!numbers.has(value)) numbers.set(value, numbers.size);
    return numbers.get(value) as number;
  };
  for (const block of loop.blocks) {
    if (loop.children.some((child) => child.blocks.has(block))) continue;
    for (const i of block.instructions) {
      const candidate = i.op === "gep" ? candidateOf(i, loop, uses) : null;
      if (candidate === null) continue;
      const terms = candidate.still.map(numberOf).toSorted((a, b) => a - b);
      const key = [numberOf(candidate.gep.base), sizeKey(candidate.gep), ...terms].join(" ");
      groups.set(key, [...(groups.get(key) ?? []), candidate]);
    }
  }
  if (groups.size === 0) return;
  const all = [...groups.values()];
  if (!isCheap(all, loop, uses)) return;
  for (const group of all) hoistGroup(group, preheader, names);
}

/** Geps of the same element type only: their type is not looked into. */
const types = new WeakMap<object, number>();
let typeCount = 0;
function sizeKey({ sourceType }: GepInstruction): number {
  if (!types.has(sourceType)) types.set(sourceType, typeCount++);
  return types.get(sourceType) as number;
}

function isStill(value: IrValue, loop: Loop): boolean {
  return value.kind !== "instruction" || !loop.blocks.has(value.block);
}

function candidateOf(gep: GepInstruction, loop: Loop, uses: UseMap): Candidate | null {
  const [index, ...others] = gep.indices;
  if (index === undefined || others.length > 0 || gep.type.kind !== "ptr" || !isStill(gep.base, loop)) return null;
  if (scalarBits(index.type) !== 32) return null;
  const found = { gep, still: [] as IrValue[], moving: [] as IrValue[], sums: [] as IrInstruction[] };
  collect(index, MAX_DEPTH, loop, uses, found);
  return found.still.length === 0 || found.moving.length === 0 ? null : found;
}

/** The terms of a sum that is used here only. A constant moves: an address takes it for nothing. */
function collect(
  value: IrValue,
  depth: number,
  loop: Loop,
  uses: UseMap,
  found: { still: IrValue[]; moving: IrValue[]; sums: IrInstruction[] },
): void {
  if (isStill(value, loop)) {
    (value.kind === "instruction" || value.kind === "param" ? found.still : found.moving).push(value);
    return;
  }
  const isSum = value.kind === "instruction" && value.op === "binary" && value.operator === "add";
  if (!isSum || depth === 0 || (uses.get(value) ?? []).length > 1) {
    found.moving.push(value);
    return;
  }
  found.sums.push(value);
  collect(value.lhs, depth - 1, loop, uses, found);
  collect(value.rhs, depth - 1, loop, uses, found);
}

/** Whether the new pointers, one for each group, are no more than the values that the loop needs no longer. */
function isCheap(groups: readonly (readonly Candidate[])[], loop: Loop, uses: UseMap): boolean {
  const own = new Set<IrValue>(groups.flatMap((group) => group.flatMap(({ gep, sums }) => [gep, ...sums])));
  const inputs = new Set(groups.flatMap(([first]) => [(first as Candidate).gep.base, ...(first as Candidate).still]));
  let freed = 0;
  for (const value of inputs) {
    if (value.kind !== "instruction" && value.kind !== "param") continue;
    const isNeeded = (uses.get(value) ?? []).some((user) => loop.blocks.has(user.block) && !own.has(user));
    if (!isNeeded) freed++;
  }
  return groups.length <= freed;
}

function hoistGroup(group: readonly Candidate[], preheader: IrBlock, names: NameSource): void {
  const [{ gep: first, still }] = group as [Candidate];
  const place = { block: preheader, location: first.location };
  const added: IrInstruction[] = [];
  let pointer = first.base;
  for (const term of still) {
    const moved = newInstruction<GepInstruction>(place, {
      op: "gep",
      type: first.type,
      name: names.fresh(first.name),
      sourceType: first.sourceType,
      base: pointer,
      indices: [term],
      inbounds: false,
    });
    added.push(moved);
    pointer = moved;
  }
  preheader.instructions.splice(preheader.instructions.length - 1, 0, ...added);
  for (const { gep, moving, sums } of group) {
    const { block, location } = gep;
    const sum = moving.reduce((left, right) => {
      const made = newBinary({ block, location }, names.fresh(gep.name), "add", left, right);
      block.instructions.splice(block.instructions.indexOf(gep), 0, made);
      return made;
    });
    gep.base = pointer;
    gep.indices = [sum];
    gep.inbounds = false;
    for (const old of sums) old.block.instructions.splice(old.block.instructions.indexOf(old), 1);
  }
}
