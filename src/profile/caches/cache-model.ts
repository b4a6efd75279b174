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
import { MOST_WARPS } from "../../machine/barrier-skew.ts";
import { LINE_BYTES, LOCAL_WORDS, localWordOf } from "../../machine/line-records.ts";
import type { CacheSizes } from "./cache-sizes.ts";
import { LINE_OPERATIONS, type LineTrace } from "./line-trace.ts";
import { RecentLines } from "./recent-lines.ts";
import { inTurns, type Residency } from "./turns.ts";

/** In sectors of the sample. */
export interface CacheCounts {
  l1Lookups: number;
  l1Hits: number;
  /** What loads do not find in L1, and what is stored. */
  reads: number;
  writes: number;
  /** Sectors that are read before they are written, each once. */
  firstReads: number;
  /** What is read from DRAM: again when L2 had no room. */
  dramReads: number;
  /** Of the lookups and hits of L1, those of local memory; of what DRAM reads and what is written, those beside. */
  readonly local: LocalCounts;
}

export interface LocalCounts {
  loads: number;
  loadHits: number;
  stores: number;
  storeHits: number;
  dramReads: number;
  /** Sectors that are written, each once. */
  written: number;
}

export interface CacheLaunch extends Residency {
  readonly sizes: CacheSizes;
}

/** Measured on an H200. The rest of L2 keeps copies that its two parts have of each other's sectors. */
const L2_USED = 0.7;
const LOAD = LINE_OPERATIONS.indexOf("load");
const STORE = LINE_OPERATIONS.indexOf("store");
/** How many sectors a mask has. */
/** Lines of local memory are numbered from here on: those of global memory have less than 32 - 7 bits. */
const FIRST_LOCAL_LINE = 2 ** 30;
const COUNT = Uint8Array.from({ length: 16 }, (_, mask) => mask.toString(2).replaceAll("0", "").length);

export function modelCaches(trace: LineTrace, launch: CacheLaunch): CacheCounts {
  const { multiprocessors, sizes } = launch;
  const lines = (bytes: number): number => (trace.lineShare * bytes) / LINE_BYTES;
  const local: LocalCounts = { loads: 0, loadHits: 0, stores: 0, storeHits: 0, dramReads: 0, written: 0 };
  const counts: CacheCounts = { l1Lookups: 0, l1Hits: 0, reads: 0, writes: 0, firstReads: 0, dramReads: 0, local };
  const l1 = new RecentLines(new Array<number>(multiprocessors).fill(lines(sizes.l1Bytes)), trace.records);
  const l2 = new RecentLines([lines(L2_USED * sizes.l2Bytes), Infinity], 2 * trace.records);
  for (const record of inTurns(trace, launch)) {
    const multiprocessor = (trace.blocks[record] as number) % multiprocessors;
    const isLocal = trace.isLocal[record] === 1;
    const line = isLocal ? localLine(trace, record, launch) : (trace.lines[record] as number);
    const operation = trace.operations[record] as number;
    let sectors = trace.sectors[record] as number;
    const asked = COUNT[sectors] as number;
    counts.l1Lookups += asked;
    if (operation === LOAD) {
      const there = Math.max(0, l1.use(multiprocessor, line, sectors));
      sectors &= ~there;
      const missing = COUNT[sectors] as number;
      counts.l1Hits += asked - missing;
      counts.reads += missing;
      if (isLocal) local.loads += asked;
      if (isLocal) local.loadHits += asked - missing;
      if (missing === 0) continue;
    } else {
      const isHit = operation === STORE && l1.use(multiprocessor, line, sectors) >= 0;
      if (isHit) counts.l1Hits += asked;
      counts.writes += asked;
      if (isLocal) local.stores += asked;
      if (isLocal && isHit) local.storeHits += asked;
    }
    // The second cache forgets nothing: what was ever there.
    const [there, ever] = [Math.max(0, l2.use(0, line, sectors)), Math.max(0, l2.use(1, line, sectors))];
    if (operation === STORE) {
      if (isLocal) local.written += COUNT[sectors & ~ever] as number;
      continue;
    }
    const fromDram = COUNT[sectors & ~there] as number;
    if (isLocal) local.dramReads += fromDram;
    else {
      counts.dramReads += fromDram;
      counts.firstReads += COUNT[sectors & ~ever] as number;
    }
  }
  return counts;
}

/** Blocks that follow one another on a multiprocessor use the same local memory. */
function localLine(trace: LineTrace, record: number, { multiprocessors, residentBlocks }: Residency): number {
  const block = trace.blocks[record] as number;
  const slot = Math.floor(block / multiprocessors) % residentBlocks;
  const warp = ((block % multiprocessors) * residentBlocks + slot) * MOST_WARPS + (trace.warps[record] as number);
  return FIRST_LOCAL_LINE + warp * LOCAL_WORDS + localWordOf(trace.lines[record] as number);
}
