/**
 * The table in device memory in which instrumented code looks up what a pointer points into, and the history of
 * allocations for reports.
 *
 * Two words for each granule of 256 bytes, the device's own alignment, so that no granule holds two allocations: start
 * and size. Memory that was never allocated has size 0 and start 0; freed memory keeps its start until it is used
 * again.
 */
import type { Place } from "../base/source-places.ts";
import type { ObservedAllocation, ObservedMemory } from "../machine/observer.ts";
import type { IrModule } from "../ir/model/ir.ts";
import { I32 } from "../ir/model/types.ts";
import type { BoundsSource } from "./pointer-bounds.ts";
import type { ToolNamespace } from "./tool-namespace.ts";

/** The table: two words for each granule, the start and the size of what lies there. */
export const TABLE_VARIABLE = "allocations";
/** What code knows of the launch, in words. */
export const LAUNCH_VARIABLE = "launch";
/** Where in it: bytes of dynamic shared memory; a number that no other launch under this tool has, from 1. */
export const LAUNCH_WORDS: Readonly<Record<"sharedBytes" | "serial", number>> = { sharedBytes: 0, serial: 4 };
export const GRANULE_SHIFT = 8;

const GRANULE_BYTES = 1 << GRANULE_SHIFT;
const ENTRY_BYTES = 8;
/** Where the host program allocated and freed. */
export interface AllocationHistory {
  readonly allocated: Place;
  readonly freed: Place | null;
}

/** Freed allocations that are remembered, for accesses through pointers that are still around. */
const REMEMBERED = 4096;

export class AllocationTable {
  readonly address: number;
  readonly #memory: ObservedMemory;
  readonly #live = new Map<number, ObservedAllocation>();
  /** By start; the latest of several. */
  readonly #freed = new Map<number, ObservedAllocation>();
  readonly #histories = new WeakMap<ObservedAllocation, AllocationHistory>();

  constructor(memory: ObservedMemory) {
    this.#memory = memory;
    this.address = memory.allocate(Math.ceil(memory.limit / GRANULE_BYTES) * ENTRY_BYTES);
    // A pointer into a window may be into any object there: nothing is said of it.
    this.#write(
      memory.windows.start,
      memory.windows.end - memory.windows.start,
      memory.windows.start,
      memory.windows.end - memory.windows.start,
    );
  }

  /** @param place where the host program is. */
  add(allocation: ObservedAllocation, place: Place | null = null): void {
    if (place !== null) this.#histories.set(allocation, { allocated: place, freed: null });
    this.#live.set(allocation.start, allocation);
    this.#freed.delete(allocation.start);
    this.#write(allocation.start, allocation.bytes, allocation.start, allocation.bytes);
  }

  remove(freed: ObservedAllocation, place: Place | null = null): void {
    // What is freed is known by its start: the device need not give the same object.
    const allocation = this.#live.get(freed.start) ?? freed;
    const history = this.#histories.get(allocation);
    if (history !== undefined) this.#histories.set(allocation, { ...history, freed: place });
    this.#live.delete(allocation.start);
    this.#freed.delete(allocation.start);
    this.#freed.set(allocation.start, allocation);
    if (this.#freed.size > REMEMBERED) this.#freed.delete(this.#freed.keys().next().value as number);
    this.#write(allocation.start, allocation.bytes, allocation.start, 0);
  }

  /** The live allocation that holds `address`. */
  find(address: number): ObservedAllocation | null {
    return [...this.#live.values()].find(({ start, bytes }) => address >= start && address < start + bytes) ?? null;
  }

  /** The live allocation of the program's own that lies where `address` is, or ends there. */
  ofProgram(address: number): ObservedAllocation | null {
    const [start, bytes] = new Uint32Array(
      this.#memory.bytes.buffer,
      this.address + (address >>> GRANULE_SHIFT) * ENTRY_BYTES,
      2,
    ) as unknown as [number, number];
    const allocation = bytes === 0 ? undefined : this.#live.get(start);
    return allocation?.purpose === "user" ? allocation : null;
  }

  /** The allocation, freed by now, that held `address` last. */
  findFreed(address: number): ObservedAllocation | null {
    return (
      [...this.#freed.values()]
        .reverse()
        .find(({ start, bytes }) => address >= start && address < start + Math.max(1, bytes)) ?? null
    );
  }

  /** Where the allocation that holds `address`, or held it last, was made and freed; null: that is not known. */
  historyOf(address: number): AllocationHistory | null {
    const allocation = this.find(address) ?? this.findFreed(address);
    return allocation === null ? null : (this.#histories.get(allocation) ?? null);
  }

  /** Where a live allocation was made. */
  placeOf(allocation: ObservedAllocation): Place | null {
    return this.#histories.get(allocation)?.allocated ?? null;
  }

  /** What is allocated now. */
  live(): Iterable<ObservedAllocation> {
    return this.#live.values();
  }

  /** What the program allocated and has not freed. */
  *leaked(): Generator<ObservedAllocation> {
    for (const allocation of this.#live.values()) if (allocation.purpose === "user") yield allocation;
  }

  #write(address: number, bytes: number, start: number, size: number): void {
    const first = Math.floor(address / GRANULE_BYTES);
    const last = Math.floor((address + Math.max(1, bytes) - 1) / GRANULE_BYTES);
    const { buffer } = this.#memory.bytes;
    const words = new Uint32Array(buffer, this.address + first * ENTRY_BYTES, 2 * (last - first + 1));
    words[0] = start;
    words[1] = size;
    // One entry, then ever longer copies of what is there.
    for (let done = 2; done < words.length; done *= 2) words.copyWithin(done, 0, Math.min(done, words.length - done));
  }
}

/** Lookups in the table, as instrumented code makes them. */
export function tableLookup(module: IrModule, names: ToolNamespace): BoundsSource {
  return {
    lookUp(at, pointer) {
      const granule = at.lshr(at.cast("ptrtoint", pointer, I32), GRANULE_SHIFT);
      const entry = at.offset(names.variable(module, TABLE_VARIABLE), at.shl(granule, 3));
      return { start: at.load(I32, entry, 4), bytes: at.load(I32, at.offset(entry, 4), 4) };
    },
    dynamicSharedBytes: (at) => at.load(I32, names.variable(module, LAUNCH_VARIABLE), 4),
  };
}
