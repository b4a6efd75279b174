/**
 * Operands of tensor cores: which elements of a matrix the registers of mma.sync hold (PTX ISA 8.5, 9.7.14.5), as
 * layouts like all others, and how they come there: from the thread's own registers, or from shared memory.
 */
import { constI32 } from "../../../ir/model/build.ts";
import type { IrValue } from "../../../ir/model/ir.ts";
import { I32, intType, ptrType, structType } from "../../../ir/model/types.ts";
import type { BlockValue } from "../blocks/model.ts";
import { LANE_BITS, type IndexBit, type Layout } from "./layout.ts";
import type { Lowering, Registers } from "./lowering.ts";
import { TilePlace, slotAddress } from "./rings.ts";

const TILE_N = 8;

/** An operand in shared memory. */
export interface Stored {
  /** The dimension whose neighbours are neighbours in memory. */
  readonly fast: 0 | 1;
  /** An element's address: the thread's parts of its index along the other and the fast dimension, and constants. */
  readonly address: (slow: IrValue, fast: IrValue, at: readonly [slow: number, fast: number]) => IrValue;
}

/** Rows some bytes apart. */
export function paddedPlace(l: Lowering, base: IrValue, fast: 0 | 1, pitch: number, bytes: number): Stored {
  const { e } = l;
  return {
    fast,
    address: (slow, along, at) => {
      const own = l.hoisted(() => e.add(e.mul(slow, constI32(pitch)), e.mul(along, constI32(bytes))));
      return e.offset(e.offset(base, own), constI32(at[0] * pitch + at[1] * bytes));
    },
  };
}

/**
 * A tile that copies have brought, seen through transposes; null: the value is no such tile.
 *
 * @param slot another one than the value's
 */
export function stagedPlace(l: Lowering, value: BlockValue, slot: IrValue | null = null): Stored | null {
  const { op } = value;
  if (op?.op === "transpose") {
    const stored = stagedPlace(l, op.source, slot);
    return stored === null || op.order[0] === 0 ? stored : { ...stored, fast: (1 - stored.fast) as 0 | 1 };
  }
  if (op?.op !== "staged" || op.ring.isPrivate || op.ring.type.shape.length !== 2) return null;
  const base = slotAddress(l, op.ring, slot ?? l.scalar(op.slot));
  const tile = new TilePlace(op.ring);
  return {
    fast: op.ring.fast as 0 | 1,
    address: (slow, along, at) => {
      const [own, fixed] = tile.offset(l, slow, along, at);
      return l.e.offset(l.e.offset(base, own), constI32(fixed));
    },
  };
}

const bits = (dim: number, from: number, size: number): IndexBit[] =>
  Array.from({ length: Math.max(0, Math.log2(size) - from) }, (_, i) => ({ dim, bit: from + i }));

/**
 * The elements of an operand that each thread's registers hold, for a product whose result has the layout `result`.
 * Registers are in the order of the instructions' words: of a tile of a m16k16, of b k16n8; then k, then rows or
 * columns.
 *
 * @param which 0: the first operand, m × k; 1: the second one, k × n
 */
export function fragmentLayout(result: Layout, shape: readonly [number, number], which: 0 | 1, bytes: number): Layout {
  const [k, free] = [1 - which, which] as const;
  const [kBit, freeBit] = [
    (bit: number): IndexBit => ({ dim: k, bit }),
    (bit: number): IndexBit => ({ dim: free, bit }),
  ];
  // Words are neighbours in k; a word of 32 bits is one of them or two.
  const inWord = bytes === 2 ? [kBit(0)] : [];
  const low = inWord.length;
  const own = which === 0 ? [freeBit(3), kBit(low + 2)] : [kBit(low + 2)];
  const more = result.registers.filter(({ dim, bit }) => dim === free && bit >= (which === 0 ? 4 : 3));
  return {
    shape,
    registers: [...inWord, ...own, ...bits(k, low + 3, shape[k] as number), ...more],
    lanes: [kBit(low), kBit(low + 1), freeBit(0), freeBit(1), freeBit(2)],
    warps: result.warps.map((bit) => (bit?.dim === free ? bit : null)),
  };
}

/** Registers of 32 bits, two elements of 16 bits in each. */
export function packedWords(l: Lowering, values: Registers): Registers {
  const { e } = l;
  const asInt = (value: IrValue, width: number): IrValue => e.cast("bitcast", value, intType(width));
  if (l.bytesOf((values[0] as IrValue).type) === 4) return values.map((value) => asInt(value, 32));
  return Array.from({ length: values.length / 2 }, (_, i) => {
    const [low, high] = [values[2 * i], values[2 * i + 1]].map((value) =>
      e.cast("zext", asInt(value as IrValue, 16), I32),
    ) as [IrValue, IrValue];
    return e.or(low, e.shl(high, 16));
  });
}

// ---------------------------------------------------------------- from shared memory

/** Registers of the fragments, from `step` on in k: for the rows of a from `row` on, and for each of b's columns. */
export interface FragmentLoads {
  readonly a: (stored: Stored, row: number, step: number) => readonly IrValue[];
  readonly b: (stored: Stored, columns: readonly number[], step: number) => ReadonlyMap<number, readonly IrValue[]>;
}

/** The part of the index along `dim` that the warp decides. */
function warpIndex(l: Lowering, layout: Layout, dim: number): IrValue {
  return l.hoisted(() => l.threadIndex({ ...layout, lanes: layout.lanes.map(() => null) }, dim));
}

/** Bits of the lane's number. */
function laneBits(l: Lowering, from: number, count: number): IrValue {
  const all = LANE_BITS + Math.log2(l.numWarps);
  return l.hoisted(() =>
    l.gatherBits(Array.from({ length: all }, (_, i) => (i >= from && i < from + count ? i - from : null))),
  );
}

const WORD = structType([I32, I32]);
const WORDS = structType([I32, I32, I32, I32]);

/** Elements of 16 bits: ldmatrix, 8 lanes a matrix of 8 rows, each with the address of one row of 16 bytes. */
export function matrixLoads(l: Lowering, layout: Layout): FragmentLoads {
  const { e } = l;
  const [row, first, second] = [laneBits(l, 0, 3), laneBits(l, 3, 1), laneBits(l, 4, 1)];
  const eight = (bit: IrValue): IrValue => l.hoisted(() => e.mul(bit, constI32(8)));
  const sum = (a: IrValue, b: IrValue): IrValue => l.hoisted(() => e.add(a, b));
  const load = (
    stored: Stored,
    own: readonly [slow: IrValue, fast: IrValue],
    at: readonly [slow: number, fast: number],
    [count, isTransposed]: readonly [2 | 4, boolean],
  ): IrValue[] => {
    const generic = e.cast("addrspacecast", stored.address(own[0], own[1], at), ptrType(0));
    const name = `__heddle_ldmatrix_x${count}${isTransposed ? "_trans" : ""}`;
    const words = e.intrinsic(name, count === 4 ? WORDS : WORD, [generic]);
    return Array.from({ length: count }, (_, i) => e.extractValue(words, [i], I32));
  };
  const [warpM, warpN] = [warpIndex(l, layout, 0), warpIndex(l, layout, 1)];
  return {
    a: (stored, m, k) =>
      stored.fast === 1
        ? load(stored, [sum(warpM, sum(row, eight(first))), eight(second)], [m, k], [4, false])
        : load(stored, [sum(row, eight(second)), sum(warpM, eight(first))], [k, m], [4, true]),
    b: (stored, columns, k) => {
      const loaded = new Map<number, readonly IrValue[]>();
      for (const n of columns) {
        if (loaded.has(n)) continue;
        const isPair = n % (2 * TILE_N) === 0 && columns.includes(n + TILE_N);
        const other = isPair ? eight(second) : constI32(0);
        const count = isPair ? 4 : 2;
        const words =
          stored.fast === 0
            ? load(stored, [sum(warpN, sum(row, other)), eight(first)], [n, k], [count, false])
            : load(stored, [sum(row, eight(first)), sum(warpN, other)], [k, n], [count, true]);
        loaded.set(n, words.slice(0, 2));
        if (isPair) loaded.set(n + TILE_N, words.slice(2));
      }
      return loaded;
    },
  };
}

/** Elements of 32 bits, one load each. */
export function wordLoads(l: Lowering, layout: Layout): FragmentLoads {
  const { e } = l;
  const [t, g] = [laneBits(l, 0, 2), laneBits(l, 2, 3)];
  /** Of an operand whose dimensions are the row or column, and k. */
  const load = (stored: Stored, isAlongK: boolean, index: IrValue, at: readonly [number, number]): IrValue => {
    const [row, word] = isAlongK ? [index, t] : [t, index];
    const [slow, fast] = isAlongK ? at : [at[1], at[0]];
    return e.load(I32, stored.address(row, word, [slow, fast]), 4);
  };
  const own = (dim: 0 | 1): IrValue => {
    const warp = warpIndex(l, layout, dim);
    return l.hoisted(() => e.add(warp, g));
  };
  const [m, n] = [own(0), own(1)];
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
