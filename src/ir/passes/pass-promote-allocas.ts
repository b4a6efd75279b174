/**
 * Local variables and arrays that are only read and written at known places become values (the idea is LLVM's SROA and
 * mem2reg).
 *
 * Needs: a legalised function. Afterwards: an alloca is left only where its address goes elsewhere, or an index is not
 * constant. Accesses of several widths to the same bytes (an array of halves that is read as words) are done with
 * integers of the smallest of them.
 */
import { NameSource, isConstant, newBlock } from "../model/build.ts";
import { predecessors } from "../graph/cfg.ts";
import { Emitter } from "../model/emitter.ts";
import { gepOffset } from "../model/gep.ts";
import type {
  AllocaInstruction,
  IntType,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrModule,
  IrType,
  IrValue,
  LoadInstruction,
  StoreInstruction,
} from "../model/ir.ts";
import { sizeOf } from "../model/layout.ts";
import { SsaRewriter } from "./ssa-rewriter.ts";
import { intType, sameType } from "../model/types.ts";
import { replaceUses, usesOf, type UseMap } from "../model/uses.ts";

interface Access {
  readonly instruction: LoadInstruction | StoreInstruction;
  readonly offset: number;
  readonly bytes: number;
  readonly type: IrType;
}

/** Bytes of an alloca that one or more variables of `type` hold: those of `width` bytes from `start` on. */
interface Slot {
  readonly start: number;
  readonly end: number;
  readonly width: number;
  readonly type: IrType;
  readonly rewriters: SsaRewriter[];
}

/** @returns whether a variable became a value */
export function promoteAllocas(fn: IrFunction, module: IrModule): boolean {
  const allocas = (fn.blocks[0]?.instructions ?? []).filter(
    (i): i is AllocaInstruction => i.op === "alloca" && (i.count === null || i.count.kind === "const-int"),
  );
  if (allocas.length === 0) return false;
  const uses = usesOf(fn);
  const before = predecessors(fn);
  const names = new NameSource(fn);
  const slotOf = new Map<IrInstruction, { slot: Slot; offset: number }>();
  for (const alloca of allocas) {
    const accesses: Access[] = [];
    if (!collect(alloca, 0, uses, accesses)) continue;
    for (const slot of slotsOf(accesses, before, names)) {
      for (const { instruction, offset } of accesses)
        if (offset >= slot.start && offset < slot.end) slotOf.set(instruction, { slot, offset: offset - slot.start });
    }
  }
  if (slotOf.size > 0) rewrite(fn, module, names, slotOf);
  return slotOf.size > 0;
}

/** Whether loads and stores at constant places are all that is done with the address. */
function collect(pointer: IrInstruction, offset: number, uses: UseMap, accesses: Access[]): boolean {
  for (const user of uses.get(pointer) ?? []) {
    switch (user.op) {
      case "load":
        if (user.volatile || user.ordering !== null) return false;
        accesses.push({ instruction: user, offset, bytes: sizeOf(user.type), type: user.type });
        break;
      case "store":
        if (user.volatile || user.ordering !== null || user.value === pointer) return false;
        accesses.push({ instruction: user, offset, bytes: sizeOf(user.value.type), type: user.value.type });
        break;
      case "gep": {
        if (user.base !== pointer || user.type.kind !== "ptr") return false;
        const step = gepOffset(user.sourceType, user.indices);
        if (step.terms.length > 0 || !collect(user, offset + step.constant, uses, accesses)) return false;
        break;
      }
      default:
        return false;
    }
  }
  return true;
}

/** Accesses that touch the same bytes share a slot. */
function slotsOf(
  accesses: readonly Access[],
  before: ReadonlyMap<IrBlock, readonly IrBlock[]>,
  names: NameSource,
): Slot[] {
  const sorted = [...accesses].sort((a, b) => a.offset - b.offset);
  const groups: { start: number; end: number; members: Access[] }[] = [];
  for (const access of sorted) {
    const last = groups.at(-1);
    if (last !== undefined && access.offset < last.end) {
      last.end = Math.max(last.end, access.offset + access.bytes);
      last.members.push(access);
    } else groups.push({ start: access.offset, end: access.offset + access.bytes, members: [access] });
  }
  return groups.map(({ start, end, members }) => {
    const [first] = members as [Access];
    const isUniform = members.every((access) => access.offset === start && access.bytes === first.bytes);
    // The strictest type that all agree on; integers of the smallest piece where they do not.
    const width = isUniform
      ? first.bytes
      : members.reduce((least, { offset, bytes }) => gcd(gcd(least, bytes), offset - start), end - start);
    // A constant has any type: an array of floats is cleared with integers.
    const typed = members.filter(({ instruction }) => !(instruction.op === "store" && isConstant(instruction.value)));
    const held = (typed[0] ?? first).type;
    const type = isUniform && typed.every((access) => sameType(access.type, held)) ? held : intType(width * 8);
    const count = (end - start) / width;
    return {
      start,
      end,
      width,
      type,
      rewriters: Array.from({ length: count }, () => new SsaRewriter(before, names, type, "var")),
    };
  });
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

function rewrite(
  fn: IrFunction,
  module: IrModule,
  names: NameSource,
  slotOf: ReadonlyMap<IrInstruction, { slot: Slot; offset: number }>,
): void {
  const e = new Emitter(module, fn, names, newBlock(fn, ""));
  const stored = new Map<StoreInstruction, IrValue[]>();
  // What each block leaves in the variables; the code that takes stored values apart stands at the stores.
  for (const block of fn.blocks) {
    const instructions = block.instructions;
    block.instructions = [];
    e.block = block;
    for (const i of instructions) {
      const place = slotOf.get(i);
      if (place === undefined || i.op !== "store") {
        block.instructions.push(i);
        continue;
      }
      e.location = i.location;
      const pieces = takeApart(e, i.value, place.slot);
      stored.set(i, pieces);
      pieces.forEach((piece, n) =>
        (place.slot.rewriters[place.offset / place.slot.width + n] as SsaRewriter).define(block, piece),
      );
      block.instructions.push(i);
    }
  }
  const replacements = new Map<IrValue, IrValue>();
  for (const block of Array.from(fn.blocks)) {
    const current = new Map<SsaRewriter, IrValue>();
    // A copy: the rewriters put phis in front of the block's own list.
    const instructions = [...block.instructions];
    const out: IrInstruction[] = [];
    for (const i of instructions) {
      const place = slotOf.get(i);
      if (place === undefined) {
        out.push(i);
        continue;
      }
      const from = place.offset / place.slot.width;
      if (i.op === "store") {
        (stored.get(i) as IrValue[]).forEach((piece, n) =>
          current.set(place.slot.rewriters[from + n] as SsaRewriter, piece),
        );
        continue;
      }
      const count = sizeOf(i.type) / place.slot.width;
      const pieces = place.slot.rewriters.slice(from, from + count).map((rewriter) => {
        let value = current.get(rewriter);
        if (value === undefined) current.set(rewriter, (value = rewriter.valueAtStart(block)));
        return value;
      });
      e.block = newBlock(fn, "");
      e.location = i.location;
      replacements.set(i, putTogether(e, pieces, place.slot, i.type));
      for (const made of e.block.instructions) {
        made.block = block;
        out.push(made);
      }
    }
    const known = new Set(instructions);
    block.instructions = [...block.instructions.filter((i) => !known.has(i)), ...out];
  }
  replaceUses(fn, replacements);
}

/** A stored value as the variables of its slot. */
function takeApart(e: Emitter, value: IrValue, slot: Slot): IrValue[] {
  const bytes = sizeOf(value.type);
  if (bytes === slot.width) return [retype(e, value, slot.type)];
  const whole = asInteger(e, value, bytes);
  return Array.from({ length: bytes / slot.width }, (_, n) =>
    retype(e, e.cast("trunc", e.lshr(whole, n * slot.width * 8), intType(slot.width * 8)), slot.type),
  );
}

function putTogether(e: Emitter, pieces: readonly IrValue[], slot: Slot, type: IrType): IrValue {
  const [first] = pieces as [IrValue];
  if (pieces.length === 1) return retype(e, first, type);
  const wide = intType(sizeOf(type) * 8);
  let sum: IrValue = e.cast("zext", first, wide);
  pieces.forEach((piece, n) => {
    if (n > 0) sum = e.or(sum, e.shl(e.cast("zext", piece, wide), n * slot.width * 8));
  });
  return retype(e, sum, type);
}

function asInteger(e: Emitter, value: IrValue, bytes: number): IrValue {
  if (value.type.kind === "int") return value;
  const type: IntType = intType(bytes * 8);
  return value.type.kind === "ptr" ? e.cast("ptrtoint", value, type) : e.cast("bitcast", value, type);
}

/** The same bits as another type of as many. */
function retype(e: Emitter, value: IrValue, type: IrType): IrValue {
  if (sameType(value.type, type)) return value;
  const bits = asInteger(e, value, sizeOf(type));
  if (sameType(bits.type, type)) return bits;
  return type.kind === "ptr" ? e.cast("inttoptr", bits, type) : e.cast("bitcast", bits, type);
}
