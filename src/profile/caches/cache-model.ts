/**
 * A model of the caches of a GPU: what a sample of a launch's accesses finds in L1, in L2 and in DRAM.
 *
 * Block n runs on multiprocessor n modulo their number. A multiprocessor holds as many blocks as its occupancy says;
 * their warps take turns, one record of the trace at a time. Caches forget what was used the longest time ago, and a
 * sample of the lines meets caches that are smaller by the same factor (Waldspurger and others, "Efficient MRC
 * Construction with SHARDS", 2015). Caches are empty when a launch begins, as Nsight Compute measures.
 *
 * What L1 does follows measurements on an H200: it has a line for what is stored, too, and passes every store on.
 */
import { LINE_BYTES } from "../../machine/line-records.ts";
import { LINE_OPERATIONS, type LineTrace } from "./line-trace.ts";
import type { CacheSizes } from "./cache-sizes.ts";

/** In sectors of the sample. */
export interface CacheCounts {
  l1Lookups: number;
  l1Hits: number;
  /** What loads do not find in L1, and what is stored. */
  reads: number;
  writes: number;
  /** Sectors that are read before they are written, and sectors that are written: each once. */
  firstReads: number;
  written: number;
  /** The same as DRAM sees it: again when L2 had no room. */
  dramReads: number;
  dramWrites: number;
}

export interface CacheLaunch {
  readonly multiprocessors: number;
  /** Blocks that a multiprocessor holds at once. */
  readonly residentBlocks: number;
  readonly sizes: CacheSizes;
}

const LOAD = LINE_OPERATIONS.indexOf("load");
const STORE = LINE_OPERATIONS.indexOf("store");
const BITS = Uint8Array.from(
  { length: 16 },
  (_, mask) => (mask & 1) + ((mask >> 1) & 1) + ((mask >> 2) & 1) + (mask >> 3),
);

/** Lines with a state, the one that was used the longest time ago first. */
class LeastRecentlyUsed {
  readonly #lines = new Map<number, number>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = Math.max(1, Math.round(capacity));
  }

  /** undefined: the line is not there. */
  get(line: number): number | undefined {
    return this.#lines.get(line);
  }

  /** Makes the line the latest. @returns the state of the line that had to go, or 0 */
  put(line: number, state: number): number {
    this.#lines.delete(line);
    this.#lines.set(line, state);
    if (this.#lines.size <= this.#capacity) return 0;
    for (const [oldest, was] of this.#lines) {
      this.#lines.delete(oldest);
      return was;
    }
    return 0;
  }
}

export function modelCaches(trace: LineTrace, launch: CacheLaunch): CacheCounts {
  const caches = new Caches(trace.lineShare, launch);
  for (const record of inTurns(trace, launch)) {
    const multiprocessor = (trace.blocks[record] as number) % launch.multiprocessors;
    const [line, sectors] = [trace.lines[record] as number, trace.sectors[record] as number];
    caches.access(trace.operations[record] as number, multiprocessor, line, sectors);
  }
  return caches.counts;
}

/** A part of L2 keeps copies of what the other part reads, and DRAM's writes begin before all is full. */
const L2_USED = 0.75;

class Caches {
  readonly counts: CacheCounts = {
    l1Lookups: 0,
    l1Hits: 0,
    reads: 0,
    writes: 0,
    firstReads: 0,
    written: 0,
    dramReads: 0,
    dramWrites: 0,
  };
  /** Of each line: the sectors that were touched, and in bits 4 to 7 those that were written. */
  readonly #touched = new Map<number, number>();
  readonly #l1: LeastRecentlyUsed[];
  readonly #l2: LeastRecentlyUsed;

  constructor(share: number, { multiprocessors, sizes }: CacheLaunch) {
    const lines = (bytes: number): number => (share * bytes) / LINE_BYTES;
    this.#l1 = Array.from({ length: multiprocessors }, () => new LeastRecentlyUsed(lines(sizes.l1Bytes)));
    this.#l2 = new LeastRecentlyUsed(lines(L2_USED * sizes.l2Bytes));
  }

  access(operation: number, multiprocessor: number, line: number, sectors: number): void {
    const { counts } = this;
    const l1 = this.#l1[multiprocessor] as LeastRecentlyUsed;
    const number = BITS[sectors] as number;
    counts.l1Lookups += number;
    this.#touch(line, sectors, operation !== LOAD, operation !== STORE);
    if (operation === LOAD) {
      const there = l1.get(line) ?? 0;
      const missing = sectors & ~there;
      counts.l1Hits += number - (BITS[missing] as number);
      counts.reads += BITS[missing] as number;
      l1.put(line, there | sectors);
      if (missing !== 0) this.#inL2(line, missing, true, false);
      return;
    }
    if (operation === STORE) {
      const there = l1.get(line);
      if (there !== undefined) counts.l1Hits += number;
      l1.put(line, (there ?? 0) | sectors);
    }
    counts.writes += number;
    this.#inL2(line, sectors, operation !== STORE, true);
  }

  #touch(line: number, sectors: number, isWritten: boolean, isRead: boolean): void {
    const was = this.#touched.get(line) ?? 0;
    const now = was | sectors | (isWritten ? sectors << 4 : 0);
    if (now === was) return;
    this.#touched.set(line, now);
    if (isRead) this.counts.firstReads += BITS[sectors & ~was & 15] as number;
    this.counts.written += BITS[(now & ~was) >> 4] as number;
  }

  /** Bits 4 to 7 of a line's state are sectors that DRAM does not have yet. */
  #inL2(line: number, sectors: number, isRead: boolean, isWritten: boolean): void {
    const there = this.#l2.get(line) ?? 0;
    if (isRead) this.counts.dramReads += BITS[sectors & ~there & 15] as number;
    const gone = this.#l2.put(line, there | sectors | (isWritten ? sectors << 4 : 0));
    this.counts.dramWrites += BITS[gone >> 4] as number;
  }
}

/** The records in the order in which multiprocessors make them: all at once, their warps in turns. */
function* inTurns(trace: LineTrace, { multiprocessors, residentBlocks }: CacheLaunch): Generator<number> {
  const waiting = Array.from({ length: multiprocessors }, (): Warps[] => []);
  const blocks = new Map<number, Map<number, number[]>>();
  for (let record = 0; record < trace.records; record++) {
    const block = trace.blocks[record] as number;
    let warps = blocks.get(block);
    if (warps === undefined) blocks.set(block, (warps = new Map()));
    const warp = trace.warps[record] as number;
    const own = warps.get(warp);
    if (own === undefined) warps.set(warp, [record]);
    else own.push(record);
  }
  for (const [block, warps] of [...blocks].sort(([a], [b]) => a - b))
    waiting[block % multiprocessors]?.push({
      left: warps.size,
      records: [...warps].sort(([a], [b]) => a - b).map(([, records]) => ({ records, next: 0 })),
    });
  for (const queue of waiting) queue.reverse();
  const resident = waiting.map((queue) => queue.splice(-residentBlocks).reverse());
  for (let isBusy = true; isBusy;) {
    isBusy = false;
    for (const [multiprocessor, all] of resident.entries()) {
      for (let n = 0; n < all.length; n++) {
        const block = all[n] as Warps;
        for (const warp of block.records) {
          if (warp.next >= warp.records.length) continue;
          yield warp.records[warp.next++] as number;
          isBusy = true;
          if (warp.next === warp.records.length) block.left--;
        }
        if (block.left > 0) continue;
        const next = waiting[multiprocessor]?.pop();
        if (next !== undefined) all[n] = next;
        else all.splice(n--, 1);
      }
    }
  }
}

interface Warps {
  left: number;
  readonly records: { readonly records: readonly number[]; next: number }[];
}
