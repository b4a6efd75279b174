/**
 * Which sectors of global memory a launch touches: a byte for each, in one map for reads and one for writes. What a
 * kernel reads for the first time must come from DRAM, as Nsight Compute measures with its caches flushed before each
 * launch.
 */
import type { Emitter } from "../ir/model/emitter.ts";
import type { IrGlobal, IrModule, IrValue } from "../ir/model/ir.ts";
import { constI8 } from "../ir/model/build.ts";
import { I32 } from "../ir/model/types.ts";
import type { ObservedAllocation, ObservedMemory } from "../machine/observer.ts";
import { SECTOR_BYTES } from "../machine/warp-counts.ts";
import type { AccessOperation } from "./counted-accesses.ts";
import { PROFILE_NAMES } from "./profile-names.ts";

/** Variables of the two maps, in modules. */
export const TOUCHED = { read: "read_sectors", written: "written_sectors" } as const;

/** Distinct sectors of a launch. */
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
  if (operation !== "store") e.store(constI8(1), e.offset(maps.read, sector), 1);
  if (operation !== "load") e.store(constI8(1), e.offset(maps.written, sector), 1);
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
    return { read: this.#takeMap(this.#read), written: this.#takeMap(this.#written) };
  }

  #takeMap(map: number): number {
    if (this.#end === 0) return 0;
    // Whole words of eight marks; the memory that tools have lies elsewhere.
    const first = Math.floor(this.#start / SECTOR_BYTES / 8);
    const last = Math.ceil(this.#end / SECTOR_BYTES / 8);
    const words = new BigUint64Array(this.#memory.bytes.buffer, map + 8 * first, last - first);
    let count = 0;
    const halves = new Uint32Array(words.buffer, words.byteOffset, 2 * words.length);
    for (const half of halves) if (half !== 0) count += (Math.imul(half, 0x01010101) >>> 24) & 0xff;
    words.fill(0n);
    return count;
  }
}
