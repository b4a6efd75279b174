/**
 * The lattice of lane shapes: what is known, when compiling, of a value over the 32 lanes of a warp.
 *
 *   uniform      every lane has the same value: one scalar holds it
 *   offset       lane l has base + offsets[l], with constant offsets: the scalar base holds it (32-bit integers,
 *                pointers)
 *   rowUniform   the same with one base for each half or quarter of the warp: two or four scalars hold it. In blocks
 *                that are 16 or 8 wide these are the rows of a warp. Any type where the offsets are all zero: one value
 *                a row
 *   varying      anything else: vectors hold it. `stride` is the constant step from lane to lane of the value's low 32
 *                bits within each slice of four lanes; it is what makes a memory access contiguous
 *
 * The order is uniform → offset → rowUniform with two rows, with four → varying(stride) → varying. Offsets are numbers
 * modulo 2^32, as on the machine. `align` is a power of two that divides the base.
 *
 * Source: Karrenberg and Hack, "Whole-Function Vectorization" (CGO 2011), and Moll and Hack, "Partial control-flow
 * linearization" (PLDI 2018). Offsets for each lane replace their one stride for a warp because CUDA blocks are often
 * 16 wide. Used by: divergence.ts, and by all that the warp tier emits.
 */
import type { Dim3 } from "../../base/dim3.ts";
import { alignOfConstant } from "../../base/align.ts";

export const LANES = 32;
/** Lanes in one v128 of 32-bit elements. */
export const SLICE_LANES = 4;
export const SLICES = 8;

export type LaneShape =
  | { readonly kind: "uniform"; readonly align: number }
  | { readonly kind: "offset"; readonly offsets: readonly number[]; readonly align: number }
  | {
      readonly kind: "rowUniform";
      readonly rows: RowCount;
      readonly offsets: readonly number[];
      readonly align: number;
    }
  | { readonly kind: "varying"; readonly stride: number | null };

/** How many bases a warp has: its first lane's, its 16th lane's too, or every eighth lane's. */
export type RowCount = 2 | 4;

const MAX_ALIGN = 2 ** 31;

export const UNIFORM: LaneShape = { kind: "uniform", align: 1 };
export const VARYING: LaneShape = { kind: "varying", stride: null };

export function uniform(align: number): LaneShape {
  return align === 1 ? UNIFORM : { kind: "uniform", align };
}

export function offsetShape(offsets: readonly number[], align: number): LaneShape {
  const wrapped = offsets.map((o) => o | 0);
  return wrapped.every((o) => o === 0) ? uniform(align) : { kind: "offset", offsets: wrapped, align };
}

/** 0 in lane 0, 1 in lane 1, … */
export function laneNumbers(): LaneShape {
  return offsetShape(
    Array.from({ length: LANES }, (_, lane) => lane),
    MAX_ALIGN,
  );
}

export function varying(stride: number | null): LaneShape {
  return stride === null ? VARYING : { kind: "varying", stride: stride | 0 };
}

/** The constant step from lane to lane that holds within every slice, or null. */
export function strideOf(shape: LaneShape): number | null {
  if (shape.kind === "uniform") return 0;
  if (shape.kind === "varying") return shape.stride;
  const step = (shape.offsets[1]! - shape.offsets[0]!) | 0;
  for (let lane = 0; lane < LANES; lane++) {
    if (lane % SLICE_LANES !== 0 && ((shape.offsets[lane]! - shape.offsets[lane - 1]!) | 0) !== step) return null;
  }
  return step;
}

/** The lanes' distances from the one base; null when there is not one. */
export function offsetsOf(shape: LaneShape): readonly number[] | null {
  if (shape.kind === "uniform") return ZERO_OFFSETS;
  return shape.kind === "offset" ? shape.offsets : null;
}
export const ZERO_OFFSETS: readonly number[] = new Array<number>(LANES).fill(0);

/** The row that a lane belongs to. */
export function rowOfLane(lane: number, rows: number): number {
  return Math.floor((lane * rows) / LANES);
}

/** The bits of a row's lanes. */
export function lanesOfRow(row: number, rows: number): number {
  return rows === 1 ? -1 : ((2 ** (LANES / rows) - 1) << ((row * LANES) / rows)) | 0;
}

/** Rows with any bases: an offset counts from the row's first lane. */
export function rowUniform(rows: RowCount, offsets: readonly number[], align: number): LaneShape {
  const width = LANES / rows;
  const own = offsets.map((o, lane) => (o - offsets[lane - (lane % width)]!) | 0);
  for (let lane = 0; lane < LANES; lane += width) align = Math.min(align, alignOfConstant(offsets[lane]!));
  return { kind: "rowUniform", rows, offsets: own, align };
}

/** The shape as rows: the lanes' distances from the first lane of their row. Null where the distances are not known. */
function asRows(shape: LaneShape, rows: RowCount): Extract<LaneShape, { kind: "rowUniform" }> | null {
  if (shape.kind === "varying" || (shape.kind === "rowUniform" && shape.rows > rows)) return null;
  const offsets = shape.kind === "uniform" ? ZERO_OFFSETS : shape.offsets;
  return rowUniform(rows, offsets, shape.align) as Extract<LaneShape, { kind: "rowUniform" }>;
}

const ROW_COUNTS: readonly RowCount[] = [2, 4];

/**
 * The shape of any function of operands that are each the same within a row; null when an operand is not. Call it only
 * where an operand is not uniform.
 */
export function sharedRowShape(shapes: readonly LaneShape[]): LaneShape | null {
  for (const rows of ROW_COUNTS) {
    if (shapes.every((shape) => asRows(shape, rows)?.offsets.every((o) => o === 0) === true))
      return { kind: "rowUniform", rows, offsets: ZERO_OFFSETS, align: 1 };
  }
  return null;
}

/** Two shapes' offsets combined row by row. */
function combineRows(
  a: LaneShape,
  b: LaneShape,
  combine: (a: number, b: number) => number,
  align: (a: number, b: number) => number,
): LaneShape | null {
  for (const rows of ROW_COUNTS) {
    const ra = asRows(a, rows);
    const rb = asRows(b, rows);
    if (ra !== null && rb !== null)
      return rowUniform(
        rows,
        ra.offsets.map((o, l) => combine(o, rb.offsets[l]!)),
        align(ra.align, rb.align),
      );
  }
  return null;
}

export function sameShape(a: LaneShape, b: LaneShape): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === "uniform") return a.align === (b as typeof a).align;
  if (a.kind === "varying") return a.stride === (b as typeof a).stride;
  const other = b as typeof a;
  if (a.kind === "rowUniform" && a.rows !== (other as typeof a).rows) return false;
  return a.align === other.align && a.offsets.every((o, i) => o === other.offsets[i]);
}

/** Greatest lower bound of two shapes that meet where all lanes arrive by the same edge. */
export function meet(a: LaneShape, b: LaneShape): LaneShape {
  const pa = offsetsOf(a);
  const pb = offsetsOf(b);
  if (pa && pb && pa.every((o, i) => o === pb[i])) return offsetShape(pa, Math.min(alignOf(a), alignOf(b)));
  for (const rows of ROW_COUNTS) {
    const ra = asRows(a, rows);
    const rb = asRows(b, rows);
    if (ra !== null && rb !== null && ra.offsets.every((o, i) => o === rb.offsets[i]))
      return { ...ra, align: Math.min(ra.align, rb.align) };
  }
  const sa = strideOf(a);
  return varying(sa !== null && sa === strideOf(b) ? sa : null);
}

export function alignOf(shape: LaneShape): number {
  return shape.kind === "varying" ? 1 : shape.align;
}

/** base is a multiple of align and all offsets lie in [0, align): base and offset share no bit, and nothing carries. */
export function isDisjoint(shape: LaneShape): boolean {
  if (shape.kind === "varying") return false;
  return shape.kind === "uniform" || shape.offsets.every((o) => o >= 0 && o < shape.align);
}

export function addShapes(a: LaneShape, b: LaneShape, sign: 1 | -1): LaneShape {
  const pa = offsetsOf(a);
  const pb = offsetsOf(b);
  if (pa && pb)
    return offsetShape(
      pa.map((o, i) => o + sign * pb[i]!),
      Math.min(alignOf(a), alignOf(b)),
    );
  const grouped = combineRows(a, b, (x, y) => x + sign * y, Math.min);
  if (grouped !== null) return grouped;
  const sa = strideOf(a);
  const sb = strideOf(b);
  return varying(sa !== null && sb !== null ? sa + sign * sb : null);
}

/** a times the constant c. */
export function scaleShape(a: LaneShape, c: number): LaneShape {
  const pa = offsetsOf(a);
  if (pa)
    return offsetShape(
      pa.map((o) => Math.imul(o, c)),
      Math.min(MAX_ALIGN, alignOf(a) * alignOfConstant(c)),
    );
  if (a.kind === "rowUniform")
    return rowUniform(
      a.rows,
      a.offsets.map((o) => Math.imul(o, c)),
      Math.min(MAX_ALIGN, a.align * alignOfConstant(c)),
    );
  const sa = strideOf(a);
  return varying(sa === null ? null : Math.imul(sa, c));
}

/** Where the threads of a warp stand in a block of a known shape (x fastest). */
export interface LaneGeometry {
  readonly threads: number;
  readonly warps: number;
  readonly tid: { readonly x: LaneShape; readonly y: LaneShape; readonly z: LaneShape };
}

export function laneGeometry(block: Dim3): LaneGeometry {
  const threads = block.x * block.y * block.z;
  const lanes = Array.from({ length: LANES }, (_, lane) => lane);
  const coordinate = (divisor: number, extent: number): LaneShape => {
    if (extent === 1) return uniform(MAX_ALIGN);
    const isOutermost = divisor * extent >= threads;
    // coordinate = floor(linear / divisor) mod extent, linear = 32 w + lane
    if (divisor % LANES === 0) return uniform(1);
    if (LANES % divisor === 0) {
      const perWarp = LANES / divisor; // how far a warp advances this coordinate
      if (isOutermost)
        return offsetShape(
          lanes.map((l) => Math.floor(l / divisor)),
          perWarp,
        );
      if (extent % perWarp === 0)
        return offsetShape(
          lanes.map((l) => Math.floor(l / divisor)),
          perWarp,
        );
      if (perWarp % extent === 0)
        return offsetShape(
          lanes.map((l) => Math.floor(l / divisor) % extent),
          MAX_ALIGN,
        );
    }
    return VARYING;
  };
  return {
    threads,
    warps: Math.ceil(threads / LANES),
    tid: { x: coordinate(1, block.x), y: coordinate(block.x, block.y), z: coordinate(block.x * block.y, block.z) },
  };
}
