/**
 * Which sectors of global memory a launch touches: a byte for each, in one map for reads and one for writes. What a
 * kernel reads for the first time must come from DRAM, unless it has written it before, as Nsight Compute measures with
 * its caches flushed before each launch.
 */
import { ATOMIC, WRITTEN_FIRST } from "../machine/line-records.ts";
import type { ObservedAllocation, ObservedMemory } from "../machine/observer.ts";
import { SECTOR_BYTES } from "../machine/warp-counts.ts";

/** Distinct sectors of a launch. read: before it is written. */
export interface TouchedSectors {
  readonly read: number;
  readonly written: number;
  /** Of atomic operations. */
  readonly atomic: number;
  /** Of those that are read, those that the launch before this one wrote. */
  readonly fromLaunchBefore: number;
}

export const NOTHING_TOUCHED: TouchedSectors = { read: 0, written: 0, atomic: 0, fromLaunchBefore: 0 };

export function sumOfTouched(a: TouchedSectors, b: TouchedSectors): TouchedSectors {
  return {
    read: a.read + b.read,
    written: a.written + b.written,
    atomic: a.atomic + b.atomic,
    fromLaunchBefore: a.fromLaunchBefore + b.fromLaunchBefore,
  };
}

/** The maps in the device's memory. */
export class SectorMaps {
  readonly #memory: ObservedMemory;
  readonly read: number;
  readonly written: number;
  /** Memory that may be touched. */
  #start = Number.POSITIVE_INFINITY;
  #end = 0;
  /** What the launch before wrote: four bits for each word of marks, from the first of memory on. */
  #before = new Uint8Array(0);
  #now = new Uint8Array(0);

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
    if (this.#end === 0) return NOTHING_TOUCHED;
    // Whole words of four marks; the memory that tools have lies elsewhere.
    const first = Math.floor(this.#start / SECTOR_BYTES / 4);
    const last = Math.ceil(this.#end / SECTOR_BYTES / 4);
    const { buffer } = this.#memory.bytes;
    const reads = new Uint32Array(buffer, this.read + 4 * first, last - first);
    const writes = new Uint32Array(buffer, this.written + 4 * first, last - first);
    const [before, now] = [grown(this.#before, last), grown(this.#now, last).fill(0)];
    const touched: { -readonly [K in keyof TouchedSectors]: TouchedSectors[K] } = { ...NOTHING_TOUCHED };
    for (let n = 0; n < reads.length; n++) {
      const [marks, write] = [reads[n] as number, writes[n] as number];
      if ((marks | write) === 0) continue;
      const own = marks & ~(write >>> Math.log2(WRITTEN_FIRST));
      touched.read += marksIn(own);
      touched.written += marksIn(write);
      touched.atomic += marksIn(write >>> Math.log2(ATOMIC));
      now[first + n] = gathered(write);
      if ((before[first + n] as number) !== 0)
        touched.fromLaunchBefore += BITS[gathered(own) & (before[first + n] as number)] as number;
    }
    reads.fill(0);
    writes.fill(0);
    [this.#before, this.#now] = [now, before];
    return touched;
  }
}

/** How many of the four bytes are odd. */
function marksIn(word: number): number {
  return (Math.imul(word & 0x01010101, 0x01010101) >>> 24) & 0xff;
}

/** The lowest bits of the four bytes, side by side. */
function gathered(word: number): number {
  return (Math.imul(word & 0x01010101, 0x01020408) >>> 24) & 0xf;
}

/** How many bits of a number of four bits are set. */
const BITS = Uint8Array.from({ length: 16 }, (_, mask) => mask.toString(2).replaceAll("0", "").length);

function grown(map: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (map.length >= length) return map;
  const larger = new Uint8Array(length);
  larger.set(map);
  return larger;
}
