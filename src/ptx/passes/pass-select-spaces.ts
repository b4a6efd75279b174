/**
 * An access through a pointer that is chosen between two memories, a tile in shared memory and the array it was loaded
 * from, say, becomes an access on each side of a branch. The GPU needs dozens of instructions to find out where a
 * generic address points; the assembler executes two accesses under a predicate. LLVM makes one access of what the
 * source had on both sides of an `if`.
 *
 * Needs: a legalised function. Afterwards: no plain load or store goes through a select between two known spaces.
 */
import { inferPointerSpaces, spaceOfConstant, type PointerSpaces } from "../../analysis/pointers/pointer-spaces.ts";
import { renameIncoming, successors } from "../../ir/graph/cfg.ts";
import { NameSource, isConstant, newBlock, newBr, newCondBr, newPhi } from "../../ir/model/build.ts";
import { cloneInstruction } from "../../ir/model/clone.ts";
import { hasConstantIndices } from "../../ir/model/gep.ts";
import type {
  GepInstruction,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrValue,
  LoadInstruction,
  PhiInstruction,
  SelectInstruction,
  StoreInstruction,
} from "../../ir/model/ir.ts";
import { replaceAllUses } from "../../ir/model/uses.ts";

export function separateSelectedSpaces(fn: IrFunction): void {
  const spaces = inferPointerSpaces(fn);
  const names = new NameSource(fn);
  for (let at = 0; at < fn.blocks.length; at++) {
    const block = fn.blocks[at] as IrBlock;
    const n = block.instructions.findIndex((i) => chosenPointer(i, spaces) !== null);
    if (n >= 0) split(fn, block, n, chosenPointer(block.instructions[n] as IrInstruction, spaces) as Chosen, names);
  }
}

interface Chosen {
  readonly access: LoadInstruction | StoreInstruction;
  readonly select: SelectInstruction;
  /** From the select to the address, which adds constants. */
  readonly offsets: readonly GepInstruction[];
}

function chosenPointer(i: IrInstruction, spaces: PointerSpaces): Chosen | null {
  if ((i.op !== "load" && i.op !== "store") || i.volatile || i.ordering !== null) return null;
  const offsets: GepInstruction[] = [];
  let pointer = i.pointer;
  while (pointer.kind === "instruction" && pointer.op === "gep" && hasConstantIndices(pointer)) {
    offsets.unshift(pointer);
    pointer = pointer.base;
  }
  if (pointer.kind !== "instruction" || pointer.op !== "select" || pointer.condition.type.kind !== "int") return null;
  const [one, other] = [spaceOf(pointer.then, spaces), spaceOf(pointer.else, spaces)];
  return one === null || other === null || one === other ? null : { access: i, select: pointer, offsets };
}

/** null: it may be more than one. */
function spaceOf(pointer: IrValue, spaces: PointerSpaces): "global" | "shared" | "local" | null {
  const space = isConstant(pointer) ? spaceOfConstant(pointer) : spaces.get(pointer);
  return space === "global" || space === "shared" || space === "local" ? space : null;
}

/** block → two blocks with an access each → the rest of the block. */
function split(
  fn: IrFunction,
  block: IrBlock,
  n: number,
  { access, select, offsets }: Chosen,
  names: NameSource,
): void {
  const { location } = access;
  const rest = newBlock(fn, names.fresh("both"));
  rest.instructions = block.instructions.splice(n).slice(1);
  for (const i of rest.instructions) i.block = rest;
  for (const next of successors(rest)) renameIncoming(next, block, rest);
  const sides = [select.then, select.else].map((base) => {
    const side = newBlock(fn, names.fresh("side"));
    let pointer = base;
    for (const offset of offsets) {
      const copy = cloneInstruction(offset, side) as GepInstruction;
      Object.assign(copy, { name: names.fresh(offset.name), base: pointer });
      side.instructions.push(copy);
      pointer = copy;
    }
    const own = cloneInstruction(access, side) as LoadInstruction | StoreInstruction;
    own.pointer = pointer;
    if (own.op === "load") own.name = names.fresh(own.name);
    side.instructions.push(own, newBr({ block: side, location }, rest));
    return { side, own };
  });
  const [one, other] = sides as [(typeof sides)[number], (typeof sides)[number]];
  block.instructions.push(newCondBr({ block, location }, select.condition, one.side, other.side));
  let phi: PhiInstruction | null = null;
  if (access.op === "load") {
    phi = newPhi({ block: rest, location }, access.name, access.type);
    phi.incoming = sides.map(({ side, own }) => ({ value: own, block: side }));
    rest.instructions.unshift(phi);
  }
  fn.blocks.splice(fn.blocks.indexOf(block) + 1, 0, one.side, other.side, rest);
  if (phi !== null) replaceAllUses(fn, access, phi);
}
