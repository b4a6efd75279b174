/**
 * What is known of a value over the 32 lanes of a warp.
 *
 *   uniform    every lane has the same value: kept as one scalar
 *   pattern    lane l has base + offsets[l], offsets known when compiling: kept as the scalar base (32-bit integers, pointers)
 *   groups     the same with a base for each half or quarter of the warp: kept as two or four scalars. In blocks that are 16 or 8
 *              wide these are the rows of a warp; any type, where the offsets are all zero: one value a row
 *   varying    anything else: kept as vectors; `stride` says that within each slice of four lanes the value (its low 32 bits)
 *              grows by a known constant from lane to lane, which is what makes a memory access contiguous
 *
 * The lattice goes uniform → pattern → groups of two, of four → varying(stride) → varying. Arithmetic on offsets is
 * modulo 2^32, as the machine's. After Karrenberg and Hack, "Whole-Function Vectorization" (CGO 2011), and Moll and
 * Hack, "Partial control-flow linearization" (PLDI 2018); offsets per lane instead of one warp-wide stride because CUDA
 * blocks are often 16 wide.
 */
import type { Dim3 } from "../../../base/dim3.ts";
import { alignOfConstant } from "../../../base/align.ts";

export const LANES = 32;
/** Lanes in one v128 of 32-bit elements. */
export const SLICE_LANES = 4;
export const SLICES = 8;

export type LaneShape =
  | { readonly kind: "uniform"; readonly align: number }
  | { readonly kind: "pattern"; readonly offsets: readonly number[]; readonly align: number }
  | {
      readonly kind: "groups";
      readonly groups: GroupCount;
      readonly offsets: readonly number[];
      readonly align: number;
    }
  | { readonly kind: "varying"; readonly stride: number | null };

/** How many bases a warp has: its first lane's, its 16th lane's too, or every eighth lane's. */
export type GroupCount = 2 | 4;

const MAX_ALIGN = 2 ** 31;

export const UNIFORM: LaneShape = { kind: "uniform", align: 1 };
export const VARYING: LaneShape = { kind: "varying", stride: null };

export function uniform(align: number): LaneShape {
  return align === 1 ? UNIFORM : { kind: "uniform", align };
}

export function pattern(offsets: readonly number[], align: number): LaneShape {
  const wrapped = offsets.map((o) => o | 0);
  return wrapped.every((o) => o === 0) ? uniform(align) : { kind: "pattern", offsets: wrapped, align };
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
  return shape.kind === "pattern" ? shape.offsets : null;
}
export const ZERO_OFFSETS: readonly number[] = new Array<number>(LANES).fill(0);

/** The group that a lane belongs to. */
export function groupOf(lane: number, groups: number): number {
  return Math.floor((lane * groups) / LANES);
}

/** The bits of a group's lanes. */
export function lanesOfGroup(group: number, groups: number): number {
  return groups === 1 ? -1 : ((2 ** (LANES / groups) - 1) << ((group * LANES) / groups)) | 0;
}

/** Groups with these offsets from any bases, told from each group's first lane. */
export function groupsOf(groups: GroupCount, offsets: readonly number[], align: number): LaneShape {
  const width = LANES / groups;
  const own = offsets.map((o, lane) => (o - offsets[lane - (lane % width)]!) | 0);
  for (let lane = 0; lane < LANES; lane += width) align = Math.min(align, alignOfConstant(offsets[lane]!));
  return { kind: "groups", groups, offsets: own, align };
}

/**
 * The lanes' distances from the first lane of their group, and what divides its values; null where the shape does not
 * tell.
 */
function asGroups(shape: LaneShape, groups: GroupCount): Extract<LaneShape, { kind: "groups" }> | null {
  if (shape.kind === "varying" || (shape.kind === "groups" && shape.groups > groups)) return null;
  const offsets = shape.kind === "uniform" ? ZERO_OFFSETS : shape.offsets;
  return groupsOf(groups, offsets, shape.align) as Extract<LaneShape, { kind: "groups" }>;
}

const GROUP_COUNTS: readonly GroupCount[] = [2, 4];

/**
 * The shape of any function of operands that are each the same within a group; null when they are not. Not for uniform
 * ones.
 */
export function groupsOfAll(shapes: readonly LaneShape[]): LaneShape | null {
  for (const groups of GROUP_COUNTS) {
    if (shapes.every((shape) => asGroups(shape, groups)?.offsets.every((o) => o === 0) === true))
      return { kind: "groups", groups, offsets: ZERO_OFFSETS, align: 1 };
  }
  return null;
}

/** Two shapes' offsets combined group by group. */
function combineGroups(
  a: LaneShape,
  b: LaneShape,
  combine: (a: number, b: number) => number,
  align: (a: number, b: number) => number,
): LaneShape | null {
  for (const groups of GROUP_COUNTS) {
    const ga = asGroups(a, groups);
    const gb = asGroups(b, groups);
    if (ga !== null && gb !== null)
      return groupsOf(
        groups,
        ga.offsets.map((o, l) => combine(o, gb.offsets[l]!)),
        align(ga.align, gb.align),
      );
  }
  return null;
}

export function sameShape(a: LaneShape, b: LaneShape): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === "uniform") return a.align === (b as typeof a).align;
  if (a.kind === "varying") return a.stride === (b as typeof a).stride;
  const other = b as typeof a;
  if (a.kind === "groups" && a.groups !== (other as typeof a).groups) return false;
  return a.align === other.align && a.offsets.every((o, i) => o === other.offsets[i]);
}

/** Lower bound of two shapes that meet where all lanes come the same way. */
export function meet(a: LaneShape, b: LaneShape): LaneShape {
  const pa = offsetsOf(a);
  const pb = offsetsOf(b);
  if (pa && pb && pa.every((o, i) => o === pb[i])) return pattern(pa, Math.min(alignOf(a), alignOf(b)));
  for (const groups of GROUP_COUNTS) {
    const ga = asGroups(a, groups);
    const gb = asGroups(b, groups);
    if (ga !== null && gb !== null && ga.offsets.every((o, i) => o === gb.offsets[i]))
      return { ...ga, align: Math.min(ga.align, gb.align) };
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
    return pattern(
      pa.map((o, i) => o + sign * pb[i]!),
      Math.min(alignOf(a), alignOf(b)),
    );
  const grouped = combineGroups(a, b, (x, y) => x + sign * y, Math.min);
  if (grouped !== null) return grouped;
  const sa = strideOf(a);
  const sb = strideOf(b);
  return varying(sa !== null && sb !== null ? sa + sign * sb : null);
}

/** a times the constant c. */
export function scaleShape(a: LaneShape, c: number): LaneShape {
  const pa = offsetsOf(a);
  if (pa)
    return pattern(
      pa.map((o) => Math.imul(o, c)),
      Math.min(MAX_ALIGN, alignOf(a) * alignOfConstant(c)),
    );
  if (a.kind === "groups")
    return groupsOf(
      a.groups,
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
        return pattern(
          lanes.map((l) => Math.floor(l / divisor)),
          perWarp,
        );
      if (extent % perWarp === 0)
        return pattern(
          lanes.map((l) => Math.floor(l / divisor)),
          perWarp,
        );
      if (perWarp % extent === 0)
        return pattern(
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
