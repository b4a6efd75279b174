/** How a kernel's rows and columns are cut into programs. */
import { nextPowerOfTwo } from "../kernels/layout.ts";
import { product, type Lowered } from "./lower.ts";

export interface Tiling {
  /** Elements one after the other, or rows. */
  readonly kind: "flat" | "rows";
  /** Of a program. */
  readonly rows: number;
  readonly columns: number;
  /** A program has its rows at once; else it reads them once for each level of reductions. */
  readonly isHeld: boolean;
  /** Rows are what lies together in memory: a tile is turned. */
  readonly isTurned: boolean;
  readonly warps: number;
}

/** Columns of a row that a program holds at once. */
const MOST_HELD = 1 << 14;
const CHUNK = 4096;
const TILE = 2048;
const FLAT = 1024;

function warpsFor(elements: number): number {
  if (elements <= 1024) return 4;
  if (elements <= 4096) return 8;
  return 16;
}

/** Whether what is read by column lies by rows: threads beside one another should take rows. */
export function isTurned({ rows, values }: Lowered): boolean {
  const rank = rows.length;
  return values.some(
    (value) =>
      value.kind === "load" &&
      rank > 0 &&
      value.access.strides[rank - 1] === 1 &&
      value.byColumn &&
      value.access.strides.at(-1) !== 1,
  );
}

/** Ways to cut a kernel, the usual one first. @param isGpu the others are worth a try */
export function tilingsOf(lowered: Lowered, isGpu: boolean): Tiling[] {
  const { rows, columns, values } = lowered;
  const [height, width] = [product(rows), product(columns)];
  const rank = rows.length;
  if (rank === 0 && !values.some(({ kind }) => kind === "reduce")) return flatTilings(isGpu);
  const base = { kind: "rows", isTurned: false } as const;
  if (isTurned(lowered)) return turnedTilings(height, width, isGpu);
  const whole = nextPowerOfTwo(width);
  if (whole > MOST_HELD) {
    const looped = (chunk: number, warps: number): Tiling => ({
      ...base,
      rows: 1,
      columns: chunk,
      isHeld: false,
      warps,
    });
    const usual = looped(CHUNK, 16);
    return isGpu ? [usual, looped(CHUNK, 8), looped(CHUNK / 2, 8), looped(CHUNK * 2, 16)] : [usual];
  }
  const held = (own: number, warps: number): Tiling => ({ ...base, rows: own, columns: whole, isHeld: true, warps });
  const own = Math.max(1, Math.min(TILE / whole, nextPowerOfTwo(height)));
  const usual = held(own, warpsFor(own * whole));
  if (!isGpu) return [usual];
  if (whole <= 64) return [usual, held(Math.max(1, Math.min(1024 / whole, own)), 4)];
  // A row to each one or two warps: its reductions need no barrier, or a cheap one.
  if (whole <= 1024) return [held(1, 2), held(1, 1), held(1, 4), usual];
  const warps = Math.max(4, Math.min(32, whole / 512));
  return [held(1, warps), held(1, Math.max(2, warps / 2)), held(1, Math.min(32, warps * 2))];
}

function flatTilings(isGpu: boolean): Tiling[] {
  const flat = (columns: number, warps: number): Tiling => ({
    kind: "flat",
    rows: 1,
    columns,
    isHeld: true,
    isTurned: false,
    warps,
  });
  return isGpu ? [flat(FLAT, 4), flat(FLAT / 2, 4), flat(FLAT * 2, 8)] : [flat(FLAT, 4)];
}

function turnedTilings(height: number, width: number, isGpu: boolean): Tiling[] {
  const turned = (most: number, tile: number): Tiling => {
    const rows = Math.min(most, nextPowerOfTwo(height));
    const columns = Math.max(1, Math.min(tile / rows, nextPowerOfTwo(width)));
    const isHeld = columns >= width;
    return { kind: "rows", rows, columns, isHeld, isTurned: true, warps: warpsFor(rows * columns) };
  };
  const usual = turned(64, TILE);
  return isGpu ? [usual, turned(32, TILE), turned(128, TILE), turned(64, TILE / 2)] : [usual];
}
