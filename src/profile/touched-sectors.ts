/**
 * Which sectors of global memory a launch touches: a byte for each, in one map for reads and one for writes. What a
 * kernel reads for the first time must come from DRAM, unless it has written it before, as Nsight Compute measures with
 * its caches flushed before each launch.
 */
import type { Emitter } from "../ir/model/emitter.ts";
import type { IrGlobal, IrModule, IrValue } from "../ir/model/ir.ts";
import { constI8 } from "../ir/model/build.ts";
import { I32, I8 } from "../ir/model/types.ts";
import type { ObservedAllocation, ObservedMemory } from "../machine/observer.ts";
import { SECTOR_BYTES } from "../machine/warp-counts.ts";
import type { AccessOperation } from "./counted-accesses.ts";
import { PROFILE_NAMES } from "./profile-names.ts";

/** Variables of the two maps, in modules. */
export const TOUCHED = { read: "read_sectors", written: "written_sectors" } as const;

/** In the map of writes: the sector is written; it was not read before. */
const WRITTEN = 1;
const WRITTEN_FIRST = 2;

/** Distinct sectors of a launch. read: before it is written. */
export interface TouchedSectors {
  readonly read: number;
  readonly written: number;
}

export interface TouchMaps {
  readonly read: IrGlobal;
  readonly written: IrGlobal;
}

/** The maps as variables of a module. */
export function touchMaps(module: IrModule): TouchMaps {
  return {
    read: PROFILE_NAMES.variable(module, TOUCHED.read),
    written: PROFILE_NAMES.variable(module, TOUCHED.written),
  };
}

/** Marks the sector of an access. (An access is aligned to its size, so it has one.) */
export function markSector(e: Emitter, maps: TouchMaps, operation: AccessOperation, pointer: IrValue): void {
  const sector = e.lshr(e.cast("ptrtoint", pointer, I32), Math.log2(SECTOR_BYTES));
  const [read, written] = [e.offset(maps.read, sector), e.offset(maps.written, sector)];
  if (operation !== "store") e.store(constI8(1), read, 1);
  if (operation === "load") return;
  const before = e.load(I8, written, 1);
  if (operation !== "store") {
    // It is read at the same time.
    e.store(e.or(before, constI8(WRITTEN)), written, 1);
    return;
  }
  const isFirst = e.icmp("eq", e.or(before, e.load(I8, read, 1)), 0);
  e.store(e.or(before, e.select(isFirst, constI8(WRITTEN | WRITTEN_FIRST), constI8(WRITTEN))), written, 1);
}

/** The maps in the device's memory. */
export class SectorMaps {
  readonly #memory: ObservedMemory;
  readonly #read: number;
  readonly #written: number;
  /** Memory that may be touched. */
  #start = Number.POSITIVE_INFINITY;
  #end = 0;

  constructor(memory: ObservedMemory) {
    this.#memory = memory;
    const bytes = Math.ceil(memory.limit / SECTOR_BYTES);
    this.#read = memory.allocate(bytes);
    this.#written = memory.allocate(bytes);
  }

  addressOf(map: keyof typeof TOUCHED): number {
    return map === "read" ? this.#read : this.#written;
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
    const reads = new Uint32Array(buffer, this.#read + 4 * first, words);
    const writes = new Uint32Array(buffer, this.#written + 4 * first, words);
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
