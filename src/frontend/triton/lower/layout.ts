/**
 * Which thread holds which elements of a block.
 *
 * All sizes are powers of two, so an element's index is a string of bits, and so are the place of a value in its thread
 * (the register), the lane in the warp and the warp in the block. A layout names, for each bit of register, lane and
 * warp, the bit of the index that it is. A lane or warp bit without an index bit means that threads which differ in it
 * hold the same elements. Every index bit has exactly one place. (Triton's linear layouts, "Linear Layouts: Robust Code
 * Generation of Efficient Tensor Computation Using F2", 2025, restricted to permutations.)
 */
import { bug } from "../../../base/diagnostics.ts";

/** A bit of an index: of which dimension, and which one from the low end. */
export interface IndexBit {
  readonly dim: number;
  readonly bit: number;
}

export interface Layout {
  readonly shape: readonly number[];
  /** The low bit first. */
  readonly registers: readonly IndexBit[];
  readonly lanes: readonly (IndexBit | null)[];
  readonly warps: readonly (IndexBit | null)[];
}

export const LANE_BITS = 5;

function bitCount(size: number): number {
  return Math.log2(size);
}

/** The bits of a block's elements in row-major order, the low bit first. */
export function indexBits(shape: readonly number[]): IndexBit[] {
  return shape
    .map((size, dim) => Array.from({ length: bitCount(size) }, (_, bit): IndexBit => ({ dim, bit })))
    .reverse()
    .flat();
}

/**
 * The layout of blocks that nothing else decides: neighbours along the last dimension are in neighbouring lanes, so
 * that row-major accesses coalesce; warps take the largest parts; the rest is in registers.
 *
 * @param order dimensions from the one whose neighbours are in neighbouring lanes
 */
export function blockedLayout(shape: readonly number[], numWarps: number, order?: readonly number[]): Layout {
  let bits = indexBits(shape);
  if (order !== undefined) bits = order.flatMap((dim) => bits.filter((bit) => bit.dim === dim));
  const lanes = Array.from({ length: LANE_BITS }, (_, i) => bits[i] ?? null);
  const rest = bits.slice(LANE_BITS);
  const warpBits = bitCount(numWarps);
  const inWarps = rest.slice(Math.max(0, rest.length - warpBits));
  const warps = Array.from({ length: warpBits }, (_, i) => inWarps[i] ?? null);
  return { shape, registers: rest.slice(0, rest.length - inWarps.length), lanes, warps };
}

/** As blockedLayout, with runs of `vector` neighbours in one thread, for accesses of several elements. */
export function vectorLayout(
  shape: readonly number[],
  numWarps: number,
  order: readonly number[],
  vector: number,
): Layout {
  const bits = order.flatMap((dim) => indexBits(shape).filter((bit) => bit.dim === dim));
  // Threads come first: each has less to do.
  const inThread = Math.max(0, Math.min(bitCount(vector), bits.length - LANE_BITS - bitCount(numWarps)));
  const [own, rest] = [bits.slice(0, inThread), bits.slice(inThread)];
  const layout = blockedLayout(shape, numWarps, order);
  const lanes = Array.from({ length: LANE_BITS }, (_, i) => rest[i] ?? null);
  const others = rest.slice(LANE_BITS);
  const inWarps = others.slice(Math.max(0, others.length - bitCount(numWarps)));
  const warps = layout.warps.map((_, i) => inWarps[i] ?? null);
  return { shape, registers: [...own, ...others.slice(0, others.length - inWarps.length)], lanes, warps };
}

/** How many elements along `dim` the low bits of the register's number walk through. */
export function vectorIn({ registers }: Layout, dim: number): number {
  let count = 0;
  while (sameBit(registers[count] ?? null, { dim, bit: count })) count++;
  return 2 ** count;
}

export function registerCount({ registers }: Layout): number {
  return 2 ** registers.length;
}

const keys = new WeakMap<Layout, string>();

/** The same for equal layouts. */
export function layoutKey(layout: Layout): string {
  let key = keys.get(layout);
  if (key === undefined) {
    const list = (bits: readonly (IndexBit | null)[]): string =>
      bits.map((bit) => (bit === null ? "-" : `${bit.dim}.${bit.bit}`)).join(" ");
    key = `${layout.shape.join("x")}|${list(layout.registers)}|${list(layout.lanes)}|${list(layout.warps)}`;
    keys.set(layout, key);
  }
  return key;
}

export function sameBit(a: IndexBit | null, b: IndexBit | null): boolean {
  return a === b || (a !== null && b !== null && a.dim === b.dim && a.bit === b.bit);
}

/** Every bit through a function; null drops a register bit, and leaves a lane or warp bit without one. */
export function mapBits(
  layout: Layout,
  shape: readonly number[],
  map: (bit: IndexBit) => IndexBit | null,
): { readonly layout: Layout; readonly kept: readonly number[] } {
  const kept: number[] = [];
  const registers: IndexBit[] = [];
  for (const [i, bit] of layout.registers.entries()) {
    const mapped = map(bit);
    if (mapped === null) continue;
    kept.push(i);
    registers.push(mapped);
  }
  const some = (bit: IndexBit | null): IndexBit | null => (bit === null ? null : map(bit));
  return { layout: { shape, registers, lanes: layout.lanes.map(some), warps: layout.warps.map(some) }, kept };
}

/** The register of the mapped layout that holds what register `register` of the original holds. */
export function keptRegister(register: number, kept: readonly number[]): number {
  return kept.reduce((result, from, to) => result | (((register >> from) & 1) << to), 0);
}

/** Without dimension `axis`, whose bits have no place any more. */
export function sliceLayout(
  layout: Layout,
  axis: number,
): { readonly layout: Layout; readonly kept: readonly number[] } {
  return mapBits(layout, layout.shape.toSpliced(axis, 1), ({ dim, bit }) =>
    dim === axis ? null : { dim: dim > axis ? dim - 1 : dim, bit },
  );
}

/** The layout of what `expand` gets, from that of what it makes. */
export function withoutUnitDimension(layout: Layout, axis: number): Layout {
  return sliceLayout(layout, axis).layout;
}

export function withUnitDimension(layout: Layout, axis: number): Layout {
  return mapBits(layout, layout.shape.toSpliced(axis, 0, 1), ({ dim, bit }) => ({
    dim: dim >= axis ? dim + 1 : dim,
    bit,
  })).layout;
}

/** The same elements in row-major order, under another shape. */
export function reshapedLayout(layout: Layout, shape: readonly number[]): Layout {
  const from = indexBits(layout.shape);
  const to = indexBits(shape);
  return mapBits(layout, shape, (bit) => to[from.findIndex((other) => sameBit(bit, other))] ?? bug("a reshape's bits"))
    .layout;
}

/** Dimension i of the result is dimension order[i] of the layout. */
export function transposedLayout(layout: Layout, order: readonly number[]): Layout {
  const shape = order.map((dim) => layout.shape[dim] as number);
  return mapBits(layout, shape, ({ dim, bit }) => ({ dim: order.indexOf(dim), bit })).layout;
}

/** Where a bit is in a layout. */
export type BitPlace = { readonly in: "registers" | "lanes" | "warps"; readonly at: number };

export function placeOf(layout: Layout, bit: IndexBit): BitPlace | null {
  for (const where of ["registers", "lanes", "warps"] as const) {
    const at = layout[where].findIndex((other) => sameBit(bit, other));
    if (at >= 0) return { in: where, at };
  }
  return null;
}

/** Lane and warp bits, from the low bit of the thread's number. */
export function threadBits({ lanes, warps }: Layout): (IndexBit | null)[] {
  return [...lanes, ...warps];
}

/** Bits of the thread's number in which threads with the same elements differ. */
export function replicatedMask(layout: Layout): number {
  return threadBits(layout).reduce((mask, bit, i) => (bit === null ? mask | (1 << i) : mask), 0);
}

/** The index along each dimension that a register adds to that of the thread. */
export function registerOffset(layout: Layout, register: number, dim: number): number {
  return layout.registers.reduce(
    (offset, bit, i) => (bit.dim === dim && (register >> i) & 1 ? offset | (1 << bit.bit) : offset),
    0,
  );
}

/** The element in row-major order that a register adds to the thread's. */
export function linearOffset(layout: Layout, register: number): number {
  const bits = indexBits(layout.shape);
  return layout.registers.reduce((offset, bit, i) => {
    const at = bits.findIndex((other) => sameBit(bit, other));
    return (register >> i) & 1 ? offset + 2 ** at : offset;
  }, 0);
}
