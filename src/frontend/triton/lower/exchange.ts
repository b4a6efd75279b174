/** Values that move between threads: from one layout to another, and between the lanes of a warp. */
import { bug } from "../../../base/diagnostics.ts";
import { constI32 } from "../../../ir/model/build.ts";
import type { IrType, IrValue } from "../../../ir/model/ir.ts";
import { F32, I32, I64, intType, scalarBits } from "../../../ir/model/types.ts";
import type { BlockOp } from "../blocks/model.ts";
import { linearOffset, placeOf, registerCount, sameBit, threadBits, type Layout } from "./layout.ts";
import type { Lowering, Registers } from "./lowering.ts";

/**
 * The elements in another layout: chosen among the thread's own registers where it has them all, else through shared
 * memory, where a block lies in row-major order.
 */
export function convertLayout(l: Lowering, values: Registers, from: Layout, to: Layout): Registers {
  return withinThread(l, values, from, to) ?? throughSharedMemory(l, values, from, to);
}

/** Whether every thread has what it needs. */
export function canConvertInThread(from: Layout, to: Layout): boolean {
  const fromBits = threadBits(from);
  const isOwn = threadBits(to).every((bit, i) => {
    const old = fromBits[i] ?? null;
    return sameBit(bit, old) || (old === null && bit !== null && placeOf(from, bit)?.in === "registers");
  });
  return isOwn && to.registers.every((bit) => placeOf(from, bit)?.in === "registers");
}

/** Null: a thread needs elements that it does not have. */
function withinThread(l: Lowering, values: Registers, from: Layout, to: Layout): Registers | null {
  const fromBits = threadBits(from);
  const toBits = threadBits(to);
  /** Bits of the new layout's threads that are registers of the old one: each is a choice. */
  const choices: { readonly register: number; readonly thread: number }[] = [];
  for (const [i, bit] of toBits.entries()) {
    const old = fromBits[i] ?? null;
    if (sameBit(bit, old)) continue;
    if (old !== null || bit === null) return null;
    const place = placeOf(from, bit);
    if (place?.in !== "registers") return null;
    choices.push({ register: place.at, thread: i });
  }
  const places: number[] = [];
  for (const bit of to.registers) {
    const place = placeOf(from, bit);
    if (place?.in !== "registers") return null;
    places.push(place.at);
  }
  // One choice after the other halves the registers.
  let chosen: readonly IrValue[] = values;
  for (const { register, thread } of choices) {
    const isSet = l.threadBit(thread);
    chosen = chosen.map((low, r) =>
      (r >> register) & 1 ? low : l.e.select(isSet, chosen[r | (1 << register)] as IrValue, low),
    );
  }
  return Array.from({ length: registerCount(to) }, (_, r) => {
    const source = places.reduce((index, at, i) => ((r >> i) & 1 ? index | (1 << at) : index), 0);
    return chosen[source] ?? bug("a register of a conversion");
  });
}

function throughSharedMemory(l: Lowering, values: Registers, from: Layout, to: Layout): Registers {
  const { e } = l;
  const type = (values[0] ?? bug("a block without registers")).type;
  const base = writeShared(l, values, from, type, l.bytesOf(type));
  const bytes = l.bytesOf(type);
  const own = l.element(base, l.threadLinear(to), bytes);
  return Array.from({ length: registerCount(to) }, (_, r) => {
    const pointer = e.offset(own, constI32(linearOffset(to, r) * bytes));
    return l.fromMemory(e.load(l.memoryType(type), pointer, bytes), type);
  });
}

/** Writes a block to shared memory in row-major order, and waits for all threads. Returns its address. */
function writeShared(l: Lowering, values: Registers, from: Layout, _type: IrType, bytes: number): IrValue {
  const size = from.shape.reduce((a, b) => a * b, 1);
  const base = l.beginExchange(size * bytes);
  storeBlock(l, values, from, base);
  l.endWriting();
  return base;
}

/** Stores a block at an address in row-major order, each element once. */
export function storeBlock(l: Lowering, values: Registers, layout: Layout, base: IrValue): void {
  const { type } = values[0] ?? bug("a block without registers");
  storeElements(l, type, (r) => values[r] as IrValue, layout, base);
}

/** The same for elements that are computed one by one. */
export function storeElements(
  l: Lowering,
  type: IrType,
  elementOf: (register: number) => IrValue,
  layout: Layout,
  base: IrValue,
): void {
  const bytes = l.bytesOf(type);
  const own = l.element(base, l.threadLinear(layout), bytes);
  l.where(l.isOwner(layout), () => {
    for (let r = 0; r < registerCount(layout); r++) {
      const value = l.toMemory(elementOf(r));
      l.e.store(value, l.e.offset(own, constI32(linearOffset(layout, r) * bytes)), bytes);
    }
  });
}

export function lowerGather(l: Lowering, op: Extract<BlockOp, { op: "gather" }>): void {
  const { source, index, axis } = op;
  const [result] = op.results;
  if (result === undefined) return bug("a gather without a result");
  const from = l.layouts.preferred(source);
  const values = l.get(source, from);
  const layout = l.layouts.preferred(result);
  const indices = l.get(index, layout);
  const type = source.type.element;
  const bytes = l.bytesOf(type);
  const base = writeShared(l, values, from, type, bytes);
  const { shape } = source.type;
  const stride = (d: number): number => shape.slice(d + 1).reduce((a, b) => a * b, 1);
  const gathered = indices.map((at, r) => {
    let position = l.e.mul(at, constI32(stride(axis)));
    for (const d of shape.keys()) {
      if (d === axis) continue;
      const own = l.e.add(l.threadIndex(layout, d), constI32(registerIndex(layout, r, d)));
      position = l.e.add(position, l.e.mul(own, constI32(stride(d))));
    }
    return l.fromMemory(l.e.load(l.memoryType(type), l.element(base, position, bytes), bytes), type);
  });
  l.define(result, layout, gathered);
}

function registerIndex(layout: Layout, register: number, dim: number): number {
  return layout.registers.reduce(
    (index, bit, i) => (bit.dim === dim && (register >> i) & 1 ? index | (1 << bit.bit) : index),
    0,
  );
}

// ---------------------------------------------------------------- shuffles

/** The value of the lane whose number differs in the bits of `mask`. */
export function shuffleXor(l: Lowering, value: IrValue, mask: number): IrValue {
  return shuffled(l, value, (word) => shuffleWord(l, "bfly", word, constI32(mask)));
}

/** The value of lane `lane`. */
export function shuffleFrom(l: Lowering, value: IrValue, lane: IrValue): IrValue {
  return shuffled(l, value, (word) => shuffleWord(l, "idx", word, lane));
}

function shuffleWord(l: Lowering, mode: "bfly" | "idx", word: IrValue, lane: IrValue): IrValue {
  const type = word.type === F32 ? "f32" : "i32";
  return l.e.intrinsic(`llvm.nvvm.shfl.sync.${mode}.${type}`, word.type, [constI32(-1), word, lane, constI32(31)]);
}

/** Shuffles move 32 bits: smaller values are widened, larger ones go in two parts. */
function shuffled(l: Lowering, value: IrValue, move: (word: IrValue) => IrValue): IrValue {
  const { e } = l;
  const { type } = value;
  if (type === F32 || type === I32) return move(value);
  if (type.kind === "ptr") return e.cast("inttoptr", shuffled(l, e.cast("ptrtoint", value, I64), move), type);
  const bits = scalarBits(type);
  const whole = intType(bits);
  const asInteger = type.kind === "float" ? e.cast("bitcast", value, whole) : value;
  let moved: IrValue;
  if (bits < 32) moved = e.cast("trunc", move(e.cast("zext", asInteger, I32)), whole);
  else {
    const low = move(e.cast("trunc", asInteger, I32));
    const high = move(e.cast("trunc", e.lshr(asInteger, 32), I32));
    moved = e.or(e.cast("zext", low, I64), e.shl(e.cast("zext", high, I64), 32));
  }
  return type.kind === "float" ? e.cast("bitcast", moved, type) : moved;
}
