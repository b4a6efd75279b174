/**
 * A loop that fetches the next tile into registers, while it works on the one in shared memory, fetches it there again.
 * The program has such loads behind the barrier, with all of the work before the next barrier; LLVM makes one load of
 * the first tile's, before the loop, and the next one's (InstCombine, "foldPHIArgLoadIntoPHI"), at the beginning of the
 * loop, where a barrier and the stores follow at once and wait for it.
 *
 *   loop:  p = phi [a, …], [b, loop]          loop:  x = phi [load a, …], [y, rest]
 *          x = load p                                barrier, store x, barrier
 *          barrier, store x, barrier                 b = …, if the loop goes on: y = load b
 *          b = …, work                        rest:  work
 *
 * Needs: a legalised function. Afterwards: the same loads of the same addresses, of which none is made that was not
 * made before: whether the loop goes on is known where the next address is.
 */
import { firstNonPhi, predecessors, renameIncoming, successors, terminatorOf } from "../../ir/graph/cfg.ts";
import { findLoops, preheaderOf, type Loop } from "../../ir/graph/loops.ts";
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import { constUndef, NameSource, newBlock, newBr, newCondBr, newPhi } from "../../ir/model/build.ts";
import { cloneInstruction } from "../../ir/model/clone.ts";
import { hasConstantIndices } from "../../ir/model/gep.ts";
import type {
  CondBrInstruction,
  GepInstruction,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrValue,
  LoadInstruction,
  PhiInstruction,
} from "../../ir/model/ir.ts";
import { hasSideEffects, mapOperands, operandsOf } from "../../ir/model/operands.ts";
import { replaceAllUses, usesOf, type UseMap } from "../../ir/model/uses.ts";

/** With less between the load and the loop's end, it may stay where it is. */
const LEAST_WORK = 32;

/** Of the condition: more is not computed again for it. */
const MOST_STEPS = 4;

export function prefetchLoads(fn: IrFunction): void {
  const names = new NameSource(fn);
  for (const { header } of findLoops(fn).loops) {
    if (!header.instructions.some(isBarrier)) continue;
    // A loop before may have been changed.
    const loop = findLoops(fn).loops.find((one) => one.header === header) as Loop;
    const place = placeIn(loop, preheaderOf(loop, predecessors(fn)), usesOf(fn));
    if (place !== null) prefetch(fn, place, names);
  }
}

/** A load at the head of the loop, and how its address comes from a phi of it. */
interface Fetch {
  readonly load: LoadInstruction;
  readonly phi: PhiInstruction;
  /** From the phi to the address. */
  readonly offsets: readonly GepInstruction[];
}

interface Place {
  readonly header: IrBlock;
  readonly preheader: IrBlock;
  readonly latch: IrBlock;
  readonly fetches: readonly Fetch[];
  /** Of the latch: the loads come before it. */
  readonly at: number;
  /** Copies of what the condition is computed by, if that comes later in the latch; the last one is the condition. */
  readonly condition: readonly IrInstruction[];
}

function placeIn({ header, latches }: Loop, preheader: IrBlock | null, uses: UseMap): Place | null {
  const [latch] = latches;
  if (latches.length !== 1 || latch === undefined || preheader === null) return null;
  const end = terminatorOf(latch);
  if (end.op !== "condbr" || end.condition.kind !== "instruction") return null;
  const fetches = fetchesOf(header, uses);
  if (fetches.length === 0) return null;
  const { instructions } = latch;
  const addresses = fetches.map(({ phi }) => instructions.indexOf(incoming(phi, latch) as IrInstruction));
  const lastEffect = instructions.slice(0, -1).findLastIndex(hasSideEffects);
  const at = Math.max(firstNonPhi(latch), lastEffect + 1, ...addresses.map((i) => i + 1));
  // An address that comes from elsewhere changes with something else.
  if (addresses.includes(-1) || instructions.length - at < LEAST_WORK) return null;
  const condition = copiesFor(end.condition, latch, at);
  return condition === null ? null : { header, preheader, latch, fetches, at, condition };
}

/** Loads before everything that has an effect, whose values are used behind a barrier only. */
function fetchesOf(header: IrBlock, uses: UseMap): Fetch[] {
  const { instructions } = header;
  const head = instructions.slice(0, instructions.findIndex(hasSideEffects));
  const barrier = instructions.findIndex(isBarrier);
  const isLate = (user: IrInstruction): boolean =>
    user.op !== "phi" && (user.block !== header || instructions.indexOf(user) > barrier);
  return head.flatMap((load) => {
    if (load.op !== "load" || load.type.kind === "ptr" || !(uses.get(load) ?? []).every(isLate)) return [];
    const offsets: GepInstruction[] = [];
    let pointer = load.pointer;
    while (pointer.kind === "instruction" && pointer.op === "gep" && hasConstantIndices(pointer)) {
      offsets.unshift(pointer);
      pointer = pointer.base;
    }
    const isOwn = pointer.kind === "instruction" && pointer.op === "phi" && pointer.block === header;
    return isOwn ? [{ load, phi: pointer as PhiInstruction, offsets }] : [];
  });
}

function isBarrier(i: IrInstruction): boolean {
  return i.op === "call" && i.callee.kind === "function" && (intrinsicOf(i.callee.name)?.barrier ?? null) !== null;
}

function incoming(phi: PhiInstruction, from: IrBlock): IrValue {
  return (phi.incoming.find(({ block }) => block === from) as PhiInstruction["incoming"][number]).value;
}

/** null: a step has an effect, or reads memory, or there are too many. */
function copiesFor(condition: IrInstruction, latch: IrBlock, at: number): IrInstruction[] | null {
  const copies = new Map<IrValue, IrInstruction>();
  const copy = (value: IrValue): boolean => {
    if (value.kind !== "instruction" || value.block !== latch || copies.has(value)) return true;
    if (value.op === "phi" || latch.instructions.indexOf(value) < at) return true;
    const isSimple = ["icmp", "binary", "cast", "select"].includes(value.op);
    if (!isSimple || copies.size === MOST_STEPS || !operandsOf(value).every(copy)) return false;
    const own = cloneInstruction(value, latch);
    mapOperands(own, (operand) => copies.get(operand) ?? operand);
    copies.set(value, own);
    return true;
  };
  if (!copy(condition)) return null;
  return copies.size === 0 ? [condition] : [...copies.values()];
}

function prefetch(
  fn: IrFunction,
  { header, preheader, latch, fetches, at, condition }: Place,
  names: NameSource,
): void {
  const end = terminatorOf(latch) as CondBrInstruction;
  const { location } = (fetches[0] as Fetch).load;
  const [side, rest] = [newBlock(fn, names.fresh("next")), newBlock(fn, names.fresh("work"))];
  rest.instructions = latch.instructions.splice(at);
  for (const i of rest.instructions) i.block = rest;
  for (const next of successors(rest)) renameIncoming(next, latch, rest);
  const isNew = (i: IrInstruction): boolean => i !== end.condition;
  for (const i of condition.filter(isNew)) {
    if (i.name !== "") i.name = names.fresh(i.name);
    latch.instructions.push(i);
  }
  const goesOn = condition.at(-1) as IrInstruction;
  const [yes, no] = end.then === header ? [side, rest] : [rest, side];
  latch.instructions.push(newCondBr({ block: latch, location }, goesOn, yes, no));
  for (const { load, phi, offsets } of fetches) {
    const first = loadFrom(incoming(phi, preheader), preheader, preheader.instructions.length - 1);
    const next = loadFrom(incoming(phi, rest), side, side.instructions.length);
    const carried = newPhi({ block: rest, location }, names.fresh(load.name), load.type, [
      { value: next, block: side },
      { value: constUndef(load.type), block: latch },
    ]);
    rest.instructions.unshift(carried);
    const value = newPhi({ block: header, location }, names.fresh(load.name), load.type, [
      { value: first, block: preheader },
      { value: carried, block: rest },
    ]);
    header.instructions.splice(header.instructions.indexOf(load), 1);
    header.instructions.unshift(value);
    replaceAllUses(fn, load, value);

    function loadFrom(base: IrValue, block: IrBlock, index: number): LoadInstruction {
      let pointer = base;
      const made: IrInstruction[] = [];
      for (const offset of offsets) {
        const copy = cloneInstruction(offset, block) as GepInstruction;
        Object.assign(copy, { name: names.fresh(offset.name), base: pointer });
        made.push(copy);
        pointer = copy;
      }
      const own = cloneInstruction(load, block) as LoadInstruction;
      Object.assign(own, { name: names.fresh(load.name), pointer });
      block.instructions.splice(index, 0, ...made, own);
      return own;
    }
  }
  side.instructions.push(newBr({ block: side, location }, rest));
  fn.blocks.splice(fn.blocks.indexOf(latch) + 1, 0, side, rest);
}
