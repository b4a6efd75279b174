/**
 * Which sectors of global memory a launch touches: a byte for each, in one map for reads and one for writes. What a
 * kernel reads for the first time must come from DRAM, unless it has written it before, as Nsight Compute measures with
 * its caches flushed before each launch.
 */
import { WRITTEN_FIRST } from "../machine/line-records.ts";
import type { ObservedAllocation, ObservedMemory } from "../machine/observer.ts";
import { SECTOR_BYTES } from "../machine/warp-counts.ts";

/** Distinct sectors of a launch. read: before it is written. */
export interface TouchedSectors {
  readonly read: number;
  readonly written: number;
}

/** The maps in the device's memory. */
export class SectorMaps {
  readonly #memory: ObservedMemory;
  readonly read: number;
  readonly written: number;
  /** Memory that may be touched. */
  #start = Number.POSITIVE_INFINITY;
  #end = 0;

  constructor(memory: ObservedMemory) {
    this.#memory = memory;
    const bytes = Math.ceil(memory.limit / SECTOR_BYTES);
    this.read = memory.allocate(bytes);
    this.written = memory.allocate(bytes);
  }

  allocated({ start, bytes }: ObservedAllocation): void {
    this.#start = Math.min(this.#start, start);
    this.#end = Math.max(this.#end, start + bytes);
  }

  /** Counts what is marked, and takes the marks away. */
  take(): TouchedSectors {
    if (this.#end === 0) return { read: 0, written: 0 };
    // Whole words of four marks; the memory that tools have lies elsewhere.
    const first = Math.floor(this.#start / SECTOR_BYTES / 4);
    const words = Math.ceil(this.#end / SECTOR_BYTES / 4) - first;
    const { buffer } = this.#memory.bytes;
    const reads = new Uint32Array(buffer, this.read + 4 * first, words);
    const writes = new Uint32Array(buffer, this.written + 4 * first, words);
    let [read, written] = [0, 0];
    for (let n = 0; n < words; n++) {
      const [marks, write] = [reads[n] as number, writes[n] as number];
      if ((marks | write) === 0) continue;
      read += marksIn(marks & ~(write >>> Math.log2(WRITTEN_FIRST)));
      written += marksIn(write);
    }
    reads.fill(0);
    writes.fill(0);
    return { read, written };
  }
}

/** How many of the four bytes are odd. */
function marksIn(word: number): number {
  return (Math.imul(word & 0x01010101, 0x01010101) >>> 24) & 0xff;
}
