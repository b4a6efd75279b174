/**
 * Unrolls small counted loops by four, so that the loads of four iterations are in flight together, and larger ones by
 * two, so that what an iteration hands to the next needs no copies. The driver's assembler unrolls loops that count
 * down by itself; it does not unroll loops that end at a bound it does not know.
 *
 * Needs: a legalised function. Afterwards: every innermost loop of few instructions that steps an i32 or i64 up to a
 * bound, and has one exit at its end, is two loops. The first runs several iterations at a time, the second the rest.
 * With a constant step and a strict bound the first loop counts down to 0. With another step (blockDim.x, say) it
 * runs while the last of its iterations is within the bound.
 */
import { NameSource, newBlock, newCondBr, newBr } from "../../ir/model/build.ts";
import { terminatorOf } from "../../ir/graph/cfg.ts";
import { cloneBlocks } from "../../ir/model/clone.ts";
import type {
  GepInstruction,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrValue,
  LoadInstruction,
  PhiInstruction,
} from "../../ir/model/ir.ts";
import { sizeOf } from "../../ir/model/layout.ts";
import { findLoops, type Loop } from "../../ir/graph/loops.ts";
import { behind, movedAddresses } from "./unrolled-addresses.ts";
import { countingDown, counting, upToLimit, type Counted, type Unrolled } from "./unrolled-tests.ts";
import { hasSideEffects } from "../../ir/model/operands.ts";
import { cleanUp } from "../../ir/passes/pass-cleanup.ts";
import { simplifyLoops } from "../../ir/passes/pass-loop-simplify.ts";

import { boundTestsOf, inductionIn, type BoundTest } from "../../analysis/loops/induction.ts";
import { laneStride } from "../../analysis/lane-addresses/lane-stride.ts";
import { isDivision } from "./pass-divisions.ts";
import { isLibraryInstruction } from "../emit/library-functions.ts";
import { inferPointerSpaces, type PointerSpaces } from "../../analysis/pointers/pointer-spaces.ts";
import { hasConstantIndices, splitConstantOffset } from "../../ir/model/gep.ts";

/**
 * Instructions of all iterations that run at once, as far as they become some of the GPU's: they must not crowd out
 * what the program keeps in registers. nvcc's limits are about 200 for four iterations and 185 for two.
 */
const MAX_INSTRUCTIONS = 160;
/** What a division by a variable becomes, about: it is no instruction of a GPU. */
const DIVISION_INSTRUCTIONS = 20;
/** What one instruction loads at most. */
const WIDEST_LOAD_BYTES = 16;
/** What caches and memory move at once. */
const SECTOR_BYTES = 32;

export function unrollCountedLoops(fn: IrFunction): void {
  simplifyLoops(fn);
  const names = new NameSource(fn);
  const spaces = inferPointerSpaces(fn);
  const found = findLoops(fn).loops.filter((loop) => loop.children.length === 0);
  for (const loop of found) {
    const together = iterationsTogether(loop);
    const counted = together === 1 ? null : countedLoop(loop);
    if (
      counted !== null &&
      !(isOneWideLoad(loop) && typeof counted.step === "number") &&
      !isScattered(loop, counted, spaces)
    )
      unroll(fn, loop, { ...counted, together }, names);
  }
  cleanUp(fn);
}

/** How many iterations of a loop run at once. */
function iterationsTogether(loop: Loop): 1 | 2 | 4 {
  const size = sizeOfBody(loop);
  if (4 * size <= MAX_INSTRUCTIONS) return 4;
  // Wide loads keep the memory busy by themselves: more of them at once cost registers, and evict one another's lines.
  return 2 * size <= MAX_INSTRUCTIONS && !hasWideLoad(loop) ? 2 : 1;
}

/**
 * Instructions of the body. Infinity for a loop that is left alone: threads that wait for one another at a barrier must
 * take the same path.
 */
function sizeOfBody(loop: Loop): number {
  let size = 0;
  let hasLoad = false;
  for (const block of loop.blocks) {
    for (const i of block.instructions) {
      if (!isFree(i)) size += isDivision(i) && i.rhs.kind !== "const-int" ? DIVISION_INSTRUCTIONS : 1;
      if (i.op === "load") hasLoad = true;
      if (
        i.op === "call" &&
        hasSideEffects(i) &&
        !(i.callee.kind === "function" && isLibraryInstruction(i.callee.name) && !i.callee.name.startsWith("__heddle"))
      )
        return Infinity;
      if (
        i.op === "alloca" ||
        i.op === "fence" ||
        i.op === "cmpxchg" ||
        (i.op === "load" && (i.volatile || i.ordering !== null))
      )
        return Infinity;
    }
  }
  const latch = loop.latches[0] as IrBlock;
  const last = terminatorOf(latch);
  const isDisabled = (last.op === "condbr" || last.op === "br") && (last.loop ?? "").includes("unroll.disable");
  return hasLoad && !isDisabled ? size : Infinity;
}

function loadsOf(loop: Loop): LoadInstruction[] {
  return [...loop.blocks].flatMap((block) => block.instructions.filter((i): i is LoadInstruction => i.op === "load"));
}

/**
 * True if the loop strides by the number of threads and each thread reads a sector of its own in every iteration. Such
 * loads saturate the memory already. More of them in flight evict sectors that other blocks share from the caches.
 */
function isScattered(loop: Loop, { step }: Counted, spaces: PointerSpaces): boolean {
  if (typeof step === "number") return false;
  const loads = loadsOf(loop).filter(({ pointer }) => (spaces.get(pointer) ?? "generic") === "global");
  return (
    loads.length > 0 &&
    loads.every(({ pointer }) => {
      const stride = laneStride(pointer);
      return stride === "far" || (stride !== null && Math.abs(stride) >= SECTOR_BYTES);
    })
  );
}

/** How many bytes an iteration loads from each place: what becomes one load is at constant distances of it. */
function bytesOfPlaces(loop: Loop): number[] {
  const places = new Map<IrValue, number>();
  for (const { pointer, type } of loadsOf(loop)) {
    const { base } = splitConstantOffset(pointer);
    places.set(base, (places.get(base) ?? 0) + sizeOf(type));
  }
  return [...places.values()];
}

const hasWideLoad = (loop: Loop): boolean => bytesOfPlaces(loop).some((bytes) => bytes >= WIDEST_LOAD_BYTES);

/**
 * True if an iteration has a single load of the full width. The assembler unrolls such a loop by itself, and knows how
 * many registers are left. It does not unroll iterations with several wide loads.
 */
const isOneWideLoad = (loop: Loop): boolean => hasWideLoad(loop) && bytesOfPlaces(loop).length === 1;

/** Distances in addresses, widths of integers and the like cost nothing. */
function isFree(i: IrInstruction): boolean {
  return (
    i.op === "phi" ||
    i.op === "br" ||
    (i.op === "gep" && hasConstantIndices(i)) ||
    (i.op === "cast" &&
      i.operator !== "fptosi" &&
      i.operator !== "fptoui" &&
      i.operator !== "sitofp" &&
      i.operator !== "uitofp")
  );
}

function countedLoop(loop: Loop): Counted | null {
  const latch = loop.latches[0] as IrBlock;
  if (loop.exits.length !== 1 || loop.exits[0]?.from !== latch) return null;
  const last = terminatorOf(latch);
  if (last.op !== "condbr" || last.condition.kind !== "instruction" || last.condition.op !== "icmp") return null;
  const isInside = (value: IrValue): boolean => value.kind === "instruction" && loop.blocks.has(value.block);
  for (const phi of loop.header.instructions) {
    if (phi.op !== "phi") break;
    const induction = inductionIn({ latch, contains: (block) => loop.blocks.has(block) }, phi, [32, 64]);
    if (induction === null || induction.sign === -1) continue;
    const test = boundTestsOf(last, induction, (block) => loop.blocks.has(block)).find(({ bound }) => !isInside(bound));
    if (test === undefined) continue;
    const { init, step: by } = induction;
    const step = by.kind === "const-int" ? Number(BigInt.asIntN(by.type.bits, by.value)) : by;
    if (typeof step === "number" && (step <= 0 || step >= 1 << 20)) continue;
    if (!isUnrollable(test, step)) continue;
    return {
      counter: phi,
      start: init,
      bound: test.bound,
      step,
      isNext: test.tested === "next",
      goesOn: test.stays as Counted["goesOn"],
      preheader: phi.incoming.find(({ block }) => block !== latch)?.block as IrBlock,
      latch,
      exit: loop.exits[0].to,
    };
  }
  return null;
}

/**
 * The iterations up to a bound that is itself reached, or by a step that is not known, are not counted in advance. Such
 * loops must compare the next value.
 */
function isUnrollable({ tested, stays }: BoundTest, step: number | IrValue): boolean {
  const isNext = tested === "next";
  if (stays === "ne") return step === 1;
  if (stays === "sle" || stays === "ule") return isNext;
  return (stays === "slt" || stays === "ult") && (isNext || typeof step === "number");
}

function unroll(fn: IrFunction, loop: Loop, counted: Unrolled, names: NameSource): void {
  const { preheader, latch, exit, together } = counted;
  const { header } = loop;
  if (preheader.instructions.at(-1)?.op !== "br") return;
  const moved = movedAddresses(fn, loop, counted, names);
  const branch = preheader.instructions.pop() as IrInstruction;
  const { step, goesOn } = counted;
  const tests =
    typeof step === "number" && goesOn !== "sle" && goesOn !== "ule"
      ? countingDown(counted, names)
      : upToLimit(counted, typeof step === "number" ? counting(counted, step) : step, names);
  const blocks = fn.blocks.filter((block) => loop.blocks.has(block));
  const copies = Array.from({ length: together }, () => {
    const values = new Map<IrValue, IrValue>();
    const { blockOf } = cloneBlocks(blocks, fn, values, (name) => names.fresh(name));
    return { blockOf, of: (value: IrValue): IrValue => values.get(value) ?? value };
  });
  type Copy = (typeof copies)[number];
  const [first, lastCopy] = [copies[0] as Copy, copies[together - 1] as Copy];
  const after = newBlock(fn, names.fresh("unrolled.after"));
  const phis = header.instructions.filter((i): i is PhiInstruction => i.op === "phi");
  const back = (phi: PhiInstruction): IrValue => phi.incoming.find(({ block }) => block === latch)?.value as IrValue;
  // Each copy begins with what the one before it leaves; the first with what the loop begins with, or the last leaves.
  copies.forEach((copy, n) => {
    const before = n === 0 ? lastCopy : (copies[n - 1] as Copy);
    for (const phi of phis) {
      const own = copy.of(phi) as PhiInstruction;
      const from = { value: before.of(back(phi)), block: before.blockOf.get(latch) as IrBlock };
      own.incoming =
        n === 0
          ? [...phi.incoming.filter(({ block }) => block === preheader).map((incoming) => ({ ...incoming })), from]
          : [from];
    }
  });
  const [firstHeader, lastLatch] = [first.blockOf.get(header) as IrBlock, lastCopy.blockOf.get(latch) as IrBlock];
  copies.forEach((copy, n) => {
    const end = copy.blockOf.get(latch) as IrBlock;
    end.instructions.pop();
    if (n < together - 1)
      end.instructions.push(
        newBr({ block: end, location: null }, (copies[n + 1] as Copy).blockOf.get(header) as IrBlock),
      );
  });
  for (const copy of copies.slice(0, -1)) tellThatItFits(copy.of(back(counted.counter)), goesOn);
  for (const [n, copy] of copies.entries())
    if (n > 0)
      for (const { gep, bytes } of moved)
        behind(copy.of(gep) as GepInstruction, (copies[n - 1] as Copy).of(gep), bytes);
  const next = lastCopy.of(back(counted.counter));
  const more = tests.more(firstHeader, lastLatch, next);
  lastLatch.instructions.push(newCondBr({ block: lastLatch, location: null }, more, firstHeader, after));
  // Then the loop as it was, for the rest.
  const rest = tests.rest(after, next);
  after.instructions.push(newCondBr({ block: after, location: null }, rest, header, exit));
  for (const phi of phis) phi.incoming.push({ value: lastCopy.of(back(phi)), block: after });
  for (const phi of exit.instructions) {
    if (phi.op !== "phi") break;
    const value = phi.incoming.find(({ block }) => block === latch)?.value;
    if (value !== undefined) phi.incoming.push({ value: lastCopy.of(value), block: after });
  }
  preheader.instructions.push(
    newCondBr({ block: preheader, location: branch.location }, tests.enough, firstHeader, header),
  );
  fn.blocks.splice(
    fn.blocks.indexOf(header),
    0,
    ...copies.flatMap((copy) => blocks.map((block) => copy.blockOf.get(block) as IrBlock)),
    after,
  );
}

/**
 * The steps between iterations that run at once do not overflow: all of these iterations are within the bound, which
 * the tests of unrolled-tests.ts have seen. Addresses of 64 bits take the steps for constants then (wide-offsets.ts).
 */
function tellThatItFits(step: IrValue, goesOn: Counted["goesOn"]): void {
  if (step.kind !== "instruction" || step.op !== "binary" || step.operator !== "add") return;
  if (goesOn === "slt" || goesOn === "sle") step.nsw = true;
  else if (goesOn === "ult" || goesOn === "ule") step.nuw = true;
}
