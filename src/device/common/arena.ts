/**
 * Hands out parts of one stretch of address space.
 *
 * Placement is the lowest free range that fits (first fit in address order, which keeps fragmentation near best fit's:
 * Wilson, Johnstone, Neely and Boles, "Dynamic storage allocation", 1995) and keeps the top of the memory in use low,
 * which is what makes wild accesses detectable. Neighbouring free ranges are joined at once. All operations are O(log
 * n), except that an alignment above the arena's granule may visit further candidates.
 */
import { bug } from "../../base/diagnostics.ts";
import { RangeTree, type AddressRange } from "./range-tree.ts";
import { alignUp } from "../../base/align.ts";

export interface ArenaBlock extends AddressRange {
  readonly start: number;
  /** As asked for; the block occupies this rounded up to the granule. */
  readonly bytes: number;
}

export class Arena<Block extends ArenaBlock = ArenaBlock> {
  readonly base: number;
  readonly end: number;
  /** Bytes that it hands out in all. */
  capacity: number;
  /** Starts and occupied sizes are multiples of this power of two. */
  readonly granule: number;
  readonly #free = new RangeTree<AddressRange>();
  readonly #live = new RangeTree<Block>();
  #freeBytes: number;

  constructor(base: number, end: number, granule: number) {
    if (base % granule !== 0 || end % granule !== 0 || end <= base)
      bug(`arena bounds ${base}..${end} are not multiples of ${granule}`);
    this.base = base;
    this.end = end;
    this.granule = granule;
    this.#freeBytes = end - base;
    this.capacity = end - base;
    this.#free.insert({ start: base, bytes: end - base });
  }

  /** Hands out [start, end), too, which is none of it so far; a block may reach over the seam. */
  extend(start: number, end: number): void {
    if (start % this.granule !== 0 || end % this.granule !== 0 || end <= start || (end > this.base && start < this.end))
      bug(`an arena cannot be extended by ${start}..${end}`);
    this.#join(start, end);
    this.#freeBytes += end - start;
    this.capacity += end - start;
  }

  get freeBytes(): number {
    return this.#freeBytes;
  }

  /** The largest block that can be had now. */
  get largestFree(): number {
    return this.#free.largest;
  }

  get liveCount(): number {
    return this.#live.size;
  }

  /** One past the last occupied byte; `base` when nothing is live. */
  get top(): number {
    const last = this.#live.last();
    return last === null ? this.base : last.start + this.#occupied(last.bytes);
  }

  /** The lowest fitting address, or null when there is none. `bytes` 0 occupies one granule. */
  place(bytes: number, align: number, minAddress: number): number | null {
    const size = this.#occupied(bytes);
    const startIn = (range: AddressRange): number =>
      alignUp(Math.max(range.start, minAddress), Math.max(align, this.granule));
    const range = this.#free.lowest(size, (r) => startIn(r) + size <= r.start + r.bytes);
    return range === null ? null : startIn(range);
  }

  /** Occupies the place that `place` returned. */
  take(block: Block): void {
    const size = this.#occupied(block.bytes);
    const range = this.#free.floor(block.start);
    if (range === null || block.start + size > range.start + range.bytes) bug(`address ${block.start} is not free`);
    this.#free.remove(range.start);
    if (block.start > range.start) this.#free.insert({ start: range.start, bytes: block.start - range.start });
    const after = range.start + range.bytes - (block.start + size);
    if (after > 0) this.#free.insert({ start: block.start + size, bytes: after });
    this.#live.insert(block);
    this.#freeBytes -= size;
  }

  /** Frees the block that starts exactly at `start`; null when there is none. */
  release(start: number): Block | null {
    const block = this.#live.remove(start);
    if (block === null) return null;
    const size = this.#occupied(block.bytes);
    this.#join(start, start + size);
    this.#freeBytes += size;
    return block;
  }

  /** Makes [start, end) free, in one with what is free beside it. */
  #join(start: number, end: number): void {
    let [from, to] = [start, end];
    const before = this.#free.floor(start);
    if (before !== null && before.start + before.bytes === start) {
      this.#free.remove(before.start);
      from = before.start;
    }
    const after = this.#free.ceiling(start);
    if (after !== null && after.start === to) {
      this.#free.remove(after.start);
      to += after.bytes;
    }
    this.#free.insert({ start: from, bytes: to - from });
  }

  at(start: number): Block | null {
    const block = this.#live.floor(start);
    return block !== null && block.start === start ? block : null;
  }

  /** The live block that holds `address`. */
  find(address: number): Block | null {
    const block = this.#live.floor(address);
    return block !== null && address < block.start + block.bytes ? block : null;
  }

  /** The live block fewest bytes away from `address` (the lower one on a tie). */
  nearest(address: number): Block | null {
    const below = this.#live.floor(address);
    const above = this.#live.ceiling(address);
    if (below === null || above === null) return below ?? above;
    return Math.max(0, address - (below.start + below.bytes - 1)) <= above.start - address ? below : above;
  }

  blocks(): IterableIterator<Block> {
    return this.#live[Symbol.iterator]();
  }

  #occupied(bytes: number): number {
    return alignUp(Math.max(bytes, 1), this.granule);
  }
}
