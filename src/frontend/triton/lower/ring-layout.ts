/** Sizes of tiles in shared memory, and which thread copies which elements (rings.ts). */
import { sizeOf } from "../../../ir/model/layout.ts";
import type { Ring } from "../blocks/model.ts";
import { sizeOfShape } from "../blocks/types.ts";
import { LANE_BITS, indexBits, type Layout } from "./layout.ts";

/** What ldmatrix reads of a row, in bytes. */
export const CHUNK = 16;
const ALIGNMENT = 128;
export function tileBytes({ type }: Ring): number {
  const bytes = sizeOfShape(type.shape) * sizeOf(type.element);
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

export function ringBytes(ring: Ring): number {
  return ring.slots * tileBytes(ring);
}

/**
 * The layout of what copies move: neighbouring lanes have neighbouring chunks, then rows; what the threads do not cover
 * is in registers.
 */
export function copyLayout({ type: { shape }, fast, vector }: Ring, numWarps: number): Layout {
  const bits = [
    ...indexBits(shape).filter(({ dim }) => dim === fast),
    ...indexBits(shape).filter(({ dim }) => dim !== fast),
  ];
  const inVector = Math.log2(vector);
  const [own, rest] = [bits.slice(0, inVector), bits.slice(inVector)];
  const [lanes, warps] = [LANE_BITS, Math.log2(numWarps)];
  const take = (from: number, count: number): Layout["lanes"] =>
    Array.from({ length: count }, (_, i) => (i + from < rest.length ? (rest[i + from] ?? null) : null));
  return {
    shape,
    registers: [...own, ...rest.slice(lanes + warps)],
    lanes: take(0, lanes),
    warps: take(lanes, warps),
  };
}

/** Where rings lie in shared memory, and all of their bytes. */
export interface StagedRings {
  readonly offsets: ReadonlyMap<Ring, number>;
  readonly bytes: number;
}
