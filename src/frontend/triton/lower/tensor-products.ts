/**
 * Products of matrices on tensor cores: mma.sync m16n8k16 for 16-bit floats, m16n8k8 for tf32 (PTX ISA 8.5, 9.7.14.5).
 * Both operands go to shared memory, each with its own fast dimension, rows 16 bytes apart more than they are long: the
 * 8 rows that a matrix instruction reads lie in different banks. Each warp then multiplies its part of the result.
 *
 * The fragments of these instructions are layouts as all others: bits of the index in lanes and registers.
 */
import { bug } from "../../../base/diagnostics.ts";
import { constI32 } from "../../../ir/model/build.ts";
import type { IrType, IrValue } from "../../../ir/model/ir.ts";
import { BF16, F16, F32, I32, ptrType, structType } from "../../../ir/model/types.ts";
import type { BlockValue, DotOp } from "../blocks/model.ts";
import { LANE_BITS, registerCount, registerOffset, threadBits, type IndexBit, type Layout } from "./layout.ts";
import type { Lowering, Registers } from "./lowering.ts";

/** More instructions of one product in a warp are done without tensor cores: nothing loops over them. */
const MAX_INSTRUCTIONS = 1024;
const TILE_M = 16;
const TILE_N = 8;
const PADDING_BYTES = 16;

interface Instruction {
  readonly name: string;
  readonly k: number;
  readonly bytes: number;
}

const INSTRUCTIONS = new Map<IrType, Instruction>([
  [F16, { name: "m16n8k16_f32_f16_f16_f32", k: 16, bytes: 2 }],
  [BF16, { name: "m16n8k16_f32_bf16_bf16_f32", k: 16, bytes: 2 }],
  [F32, { name: "m16n8k8_f32_tf32_tf32_f32", k: 8, bytes: 4 }],
]);

/** The instruction for a product; null: it is done without tensor cores. */
function instructionFor({ operands: [a, b], precision, results }: DotOp): Instruction | null {
  const [m, k, n] = [a.type.shape[0] ?? 0, a.type.shape[1] ?? 0, b.type.shape[1] ?? 0];
  const found = INSTRUCTIONS.get(a.type.element);
  const sum = results[0]?.type.element;
  if (a.type.shape.length !== 2 || found === undefined || a.type.element !== b.type.element) return null;
  if ((sum !== F32 && sum !== F16) || (a.type.element === F32 && precision !== "tf32")) return null;
  if (m < TILE_M || n < TILE_N || k < found.k) return null;
  return found;
}

/** The layout of the result, or null where tensor cores cannot make it. */
export function tensorLayout(op: DotOp, numWarps: number): Layout | null {
  const instruction = instructionFor(op);
  if (instruction === null) return null;
  const [a, b] = op.operands;
  const [m, k, n] = [...a.type.shape, b.type.shape[1]] as [number, number, number];
  const layout = resultLayout([m, n], numWarps);
  const perWarp = registerCount(layout) / 4;
  return (perWarp * k) / instruction.k > MAX_INSTRUCTIONS ? null : layout;
}

const bitsFrom = (dim: number, from: number, size: number): IndexBit[] =>
  Array.from({ length: Math.log2(size) - from }, (_, i) => ({ dim, bit: from + i }));

/**
 * The accumulator's fragment: lane 4 g + t has columns 2 t and 2 t + 1 of rows g and g + 8. Warps take halves of the
 * longer side, so that a warp's part is nearly square and each element that it reads is used often.
 */
function resultLayout(shape: readonly [number, number], numWarps: number): Layout {
  const [rows, columns] = [bitsFrom(0, 4, shape[0]), bitsFrom(1, 3, shape[1])];
  const warps: (IndexBit | null)[] = [];
  for (let count = numWarps; count > 1; count /= 2) {
    const isTall = TILE_M << rows.length >= TILE_N << columns.length;
    warps.push((isTall ? (rows.pop() ?? columns.pop()) : (columns.pop() ?? rows.pop())) ?? null);
  }
  const [row, column] = [(bit: number): IndexBit => ({ dim: 0, bit }), (bit: number): IndexBit => ({ dim: 1, bit })];
  return {
    shape,
    registers: [column(0), row(3), ...columns, ...rows],
    lanes: [column(1), column(2), row(0), row(1), row(2)],
    warps,
  };
}

/** An operand in shared memory. */
interface Stored {
  readonly base: IrValue;
  /** The dimension whose neighbours are neighbours in memory. */
  readonly fast: 0 | 1;
  /** Bytes from a row to the next. */
  readonly pitch: number;
}

export function lowerTensorDot(l: Lowering, op: DotOp): void {
  const { e } = l;
  const [a, b, c] = op.operands;
  const [result] = op.results as [BlockValue];
  const instruction = instructionFor(op) ?? bug("no tensor cores for this product");
  const layout = l.layouts.preferred(result);
  const isHalf = result.type.element === F16;
  const sums = l.get(c, layout).map((value) => (isHalf ? e.cast("fpext", value, F32) : value));
  const [storedA, storedB] = storeOperands(l, a, b, instruction);
  const fragments = instruction.bytes === 2 ? matrixLoads(l, layout) : wordLoads(l, layout);
  const registerAt = new Map<number, number>();
  const [m, n] = layout.shape as [number, number];
  for (let r = 0; r < registerCount(layout); r++)
    registerAt.set(registerOffset(layout, r, 0) * n + registerOffset(layout, r, 1), r);
  const offsets = (dim: 0 | 1, tile: number): number[] =>
    [...new Set(sums.map((_, r) => registerOffset(layout, r, dim)))].filter((at) => at % tile === 0);
  const [rows, columns] = [offsets(0, TILE_M), offsets(1, TILE_N)];
  const k = a.type.shape[1] as number;
  const type = structType([F32, F32, F32, F32]);
  for (let step = 0; step < k; step += instruction.k) {
    const ofA = new Map(rows.map((row) => [row, fragments.a(storedA, row, step)]));
    const ofB = fragments.b(storedB, columns, step);
    for (const row of rows)
      for (const column of columns) {
        const own = [0, 1, 8 * n, 8 * n + 1].map((at) => registerAt.get(row * n + column + at) ?? bug(`${m} rows`));
        const args = [...(ofA.get(row) ?? []), ...(ofB.get(column) ?? []), ...own.map((r) => sums[r] as IrValue)];
        const sum = e.intrinsic(`__heddle_mma_${instruction.name}`, type, args);
        for (const [i, r] of own.entries()) sums[r] = e.extractValue(sum, [i], F32);
      }
  }
  l.define(result, layout, isHalf ? sums.map((value) => e.cast("fptrunc", value, F16)) : sums);
}

// ---------------------------------------------------------------- to shared memory

function storeOperands(l: Lowering, a: BlockValue, b: BlockValue, { bytes }: Instruction): [Stored, Stored] {
  const parts = [a, b].map((value) => {
    const layout = l.layouts.preferred(value);
    const values = l.get(value, layout);
    const fast = fastDimension(layout);
    const [long, count] = [value.type.shape[fast] as number, value.type.shape[1 - fast] as number];
    // Elements of 4 bytes are read one at a time: along rows of k by 4 lanes, along rows of m or n by 8.
    const isAlongK = fast === (value === a ? 1 : 0);
    const pitch = long * bytes + (bytes === 4 && !isAlongK ? 2 * PADDING_BYTES : PADDING_BYTES);
    return { layout, values, fast, pitch, size: count * pitch };
  });
  const [first, second] = parts as [(typeof parts)[0], (typeof parts)[0]];
  const base = l.beginExchange(first.size + second.size);
  const stored = [
    { ...first, base },
    { ...second, base: l.e.offset(base, constI32(first.size)) },
  ] as const;
  for (const part of stored) storeRows(l, part.values, part.layout, part, bytes);
  l.endWriting();
  return [stored[0], stored[1]];
}

/** The dimension along which neighbours are in one thread, or else in neighbouring lanes. */
function fastDimension({ registers, lanes }: Layout): 0 | 1 {
  for (const bits of [registers, lanes]) {
    const low = bits.find((bit) => bit !== null && bit.bit === 0);
    if (low !== undefined && low !== null && low.dim <= 1) return low.dim as 0 | 1;
  }
  return 1;
}

function storeRows(l: Lowering, values: Registers, layout: Layout, { base, fast, pitch }: Stored, bytes: number): void {
  const { e } = l;
  const slow = (1 - fast) as 0 | 1;
  const own = e.offset(
    base,
    e.add(e.mul(l.threadIndex(layout, slow), constI32(pitch)), e.mul(l.threadIndex(layout, fast), constI32(bytes))),
  );
  // What the address is a multiple of, at least: neighbours in registers become one wide store.
  const lowest = Math.min(4, ...threadBits(layout).flatMap((bit) => (bit?.dim === fast ? [bit.bit] : [])));
  const aligned = Math.min(PADDING_BYTES, bytes << lowest);
  l.where(l.isOwner(layout), () => {
    for (const [r, value] of values.entries()) {
      const at = registerOffset(layout, r, slow) * pitch + registerOffset(layout, r, fast) * bytes;
      let align = aligned;
      while (at % align !== 0) align /= 2;
      e.store(value, e.offset(own, constI32(at)), align);
    }
  });
}

// ---------------------------------------------------------------- from shared memory

/** Registers of the fragments, from `step` on in k: for the rows of a from `row` on, and for each of b's columns. */
interface FragmentLoads {
  readonly a: (stored: Stored, row: number, step: number) => readonly IrValue[];
  readonly b: (stored: Stored, columns: readonly number[], step: number) => ReadonlyMap<number, readonly IrValue[]>;
}

/** The part of the index along `dim` that the warp decides. */
function warpIndex(l: Lowering, layout: Layout, dim: number): IrValue {
  return l.threadIndex({ ...layout, lanes: layout.lanes.map(() => null) }, dim);
}

/** Bits of the lane's number. */
function laneBits(l: Lowering, from: number, count: number): IrValue {
  const bits = LANE_BITS + Math.log2(l.numWarps);
  return l.gatherBits(Array.from({ length: bits }, (_, i) => (i >= from && i < from + count ? i - from : null)));
}

const WORD = structType([I32, I32]);
const WORDS = structType([I32, I32, I32, I32]);

/** Elements of 16 bits: ldmatrix, 8 lanes a matrix of 8 rows, each with the address of one row of 16 bytes. */
function matrixLoads(l: Lowering, layout: Layout): FragmentLoads {
  const { e } = l;
  const [row, first, second] = [laneBits(l, 0, 3), laneBits(l, 3, 1), laneBits(l, 4, 1)];
  const eight = (bit: IrValue): IrValue => e.mul(bit, constI32(8));
  const load = (
    { base, pitch }: Stored,
    own: readonly [slow: IrValue, fast: IrValue],
    at: readonly [slow: number, fast: number],
    [count, isTransposed]: readonly [2 | 4, boolean],
  ): IrValue[] => {
    const place = e.add(e.mul(own[0], constI32(pitch)), e.mul(own[1], constI32(2)));
    const pointer = e.offset(e.offset(base, place), constI32(at[0] * pitch + at[1] * 2));
    const generic = e.cast("addrspacecast", pointer, ptrType(0));
    const name = `__heddle_ldmatrix_x${count}${isTransposed ? "_trans" : ""}`;
    const words = e.intrinsic(name, count === 4 ? WORDS : WORD, [generic]);
    return Array.from({ length: count }, (_, i) => e.extractValue(words, [i], I32));
  };
  const [warpM, warpN] = [warpIndex(l, layout, 0), warpIndex(l, layout, 1)];
  return {
    a: (stored, m, k) =>
      stored.fast === 1
        ? load(stored, [e.add(warpM, e.add(row, eight(first))), eight(second)], [m, k], [4, false])
        : load(stored, [e.add(row, eight(second)), e.add(warpM, eight(first))], [k, m], [4, true]),
    b: (stored, columns, k) => {
      const loaded = new Map<number, readonly IrValue[]>();
      for (const n of columns) {
        if (loaded.has(n)) continue;
        const isPair = n % (2 * TILE_N) === 0 && columns.includes(n + TILE_N);
        const other = isPair ? eight(second) : constI32(0);
        const count = isPair ? 4 : 2;
        const words =
          stored.fast === 0
            ? load(stored, [e.add(warpN, e.add(row, other)), eight(first)], [n, k], [count, false])
            : load(stored, [e.add(row, eight(first)), e.add(warpN, other)], [k, n], [count, true]);
        loaded.set(n, words.slice(0, 2));
        if (isPair) loaded.set(n + TILE_N, words.slice(2));
      }
      return loaded;
    },
  };
}

/** Elements of 32 bits, one load each. */
function wordLoads(l: Lowering, layout: Layout): FragmentLoads {
  const { e } = l;
  const [t, g] = [laneBits(l, 0, 2), laneBits(l, 2, 3)];
  /** Of an operand whose dimensions are the row or column, and k. */
  const load = ({ base, pitch }: Stored, isAlongK: boolean, index: IrValue, at: readonly [number, number]): IrValue => {
    const [row, word] = isAlongK ? [index, t] : [t, index];
    const [slow, fast] = isAlongK ? at : [at[1], at[0]];
    const place = e.add(e.mul(row, constI32(pitch)), e.mul(word, constI32(4)));
    return e.load(I32, e.offset(e.offset(base, place), constI32(slow * pitch + fast * 4)), 4);
  };
  const [m, n] = [e.add(warpIndex(l, layout, 0), g), e.add(warpIndex(l, layout, 1), g)];
  return {
    a: (stored, row, k) =>
      [
        [row, k],
        [row + 8, k],
        [row, k + 4],
        [row + 8, k + 4],
      ].map((at) => load(stored, stored.fast === 1, m, at as [number, number])),
    b: (stored, columns, k) =>
      new Map(
        columns.map((column) => [column, [k, k + 4].map((at) => load(stored, stored.fast === 0, n, [column, at]))]),
      ),
  };
}
