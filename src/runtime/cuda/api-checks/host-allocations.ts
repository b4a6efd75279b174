import type { Place } from "../../../base/source-places.ts";
/**
 * Allocations of the host program's malloc, with sizes to the byte: an observed program reports them
 * (hostlib/observed.cpp).
 */

export interface HostAllocation {
  readonly start: number;
  readonly bytes: number;
  readonly place: Place | null;
}

/**
 * A pointer inside an allocation is looked for among so many; a program with more of them is asked about starts only.
 */
const SEARCHED = 20_000;
/** So many allocations know their line: each costs a look at the stack. */
const PLACES = 10_000;

export class HostAllocations {
  readonly #live = new Map<number, HostAllocation>();
  #made = 0;

  add(start: number, bytes: number, here: () => Place): void {
    this.#live.set(start, { start, bytes, place: this.#made++ < PLACES ? here() : null });
  }

  remove(start: number): void {
    this.#live.delete(start);
  }

  /** Whether an allocation may hold `address`: with too many of them nobody looks. */
  mayHold(address: number): boolean {
    return this.#live.size > SEARCHED || this.find(address) !== null;
  }

  find(address: number): HostAllocation | null {
    const exact = this.#live.get(address);
    if (exact !== undefined) return exact;
    if (this.#live.size > SEARCHED) return null;
    for (const allocation of this.#live.values())
      if (address > allocation.start && address < allocation.start + allocation.bytes) return allocation;
    return null;
  }
}
