/** Long sums are cut into parts that run side by side. */
import { elementCount } from "../tensor.ts";
import type { Load } from "./graph.ts";

/** Fewer sums than this do not keep a GPU busy. */
const LEAST_ROWS = 512;
const LEAST_COLUMNS = 2048;
/** The same for sums of what does not lie together in memory, of which a program has 64. */
const LEAST_TURNED_ROWS = 1 << 16;
const LEAST_TURNED = 256;

/** Whether what lies together in memory is kept, and what is summed lies apart. */
export function isTurnedLoad(load: Load | number, kept: number): boolean {
  return typeof load !== "number" && load.strides[kept - 1] === 1 && load.strides.at(-1) !== 0;
}

/** How many parts each sum is cut into: a divisor of its outermost dimension. */
export function partsOf(kept: readonly number[], reduced: readonly number[], isTurned: boolean): number {
  const [rows, columns] = [elementCount(kept), elementCount(reduced)];
  const [enough, long] = isTurned ? [LEAST_TURNED_ROWS, LEAST_TURNED] : [LEAST_ROWS, LEAST_COLUMNS];
  if (rows >= enough || columns < long) return 1;
  const wanted = Math.min(Math.ceil(enough / rows), Math.floor((columns * 2) / long));
  const [outer = 1] = reduced;
  let parts = 1;
  for (let divisor = 2; divisor <= wanted; divisor++) if (outer % divisor === 0) parts = divisor;
  return parts;
}
