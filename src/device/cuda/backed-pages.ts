/** Reserved addresses of a GPU with memory mapped behind them page by page, as allocations need it. */
import type { GpuContext } from "./context.ts";
import { DriverStatus } from "./driver.ts";
import { outOfMemory } from "./gpu-memory.ts";
import { mapAt, pinnedOn } from "./mapped-memory.ts";

/** Pages that were mapped together. */
interface Mapping {
  readonly address: number;
  readonly bytes: number;
  readonly handle: bigint;
}

export class BackedPages {
  readonly #context: GpuContext;
  readonly #base: number;
  readonly #pageBytes: number;
  /** Where reservations meet, from `base` on: a mapping must not reach over such a place. */
  readonly #seams: readonly number[];
  /** By page: whether memory is behind it. */
  readonly #mapped: Uint8Array;
  #mappings: Mapping[] = [];

  /** @param base the first address, @param bytes how many there are, in whole pages */
  constructor(context: GpuContext, base: number, bytes: number, pageBytes: number, seams: readonly number[] = []) {
    this.#context = context;
    this.#base = base;
    this.#pageBytes = pageBytes;
    this.#seams = seams;
    this.#mapped = new Uint8Array(bytes / pageBytes);
  }

  get mappedBytes(): number {
    return this.#mappings.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Makes sure that there is memory behind [start, start + bytes), from the base on: what is missing is mapped. */
  map(start: number, bytes: number): void {
    const last = Math.floor((start + bytes - 1) / this.#pageBytes);
    for (let page = Math.floor(start / this.#pageBytes); page <= last; page++) {
      if (this.#mapped[page] !== 0) continue;
      let end = page + 1;
      while (end <= last && this.#mapped[end] === 0 && !this.#seams.includes(end * this.#pageBytes)) end++;
      this.#mapPages(page, end - page, bytes);
      page = end;
    }
  }

  #mapPages(page: number, count: number, asked: number): void {
    const { driver } = this.#context;
    const bytes = count * this.#pageBytes;
    const out = new BigUint64Array(1);
    const status = driver.status("cuMemCreate", out, bytes, pinnedOn(this.#context), 0);
    if (status === DriverStatus.outOfMemory)
      throw outOfMemory(asked, driver.getPair("cuMemGetInfo_v2")[0], [
        "another program, or the largest of this one's allocations, holds the rest",
      ]);
    if (status !== DriverStatus.success) throw driver.error("cuMemCreate", status);
    const handle = out[0] as bigint;
    const address = this.#base + page * this.#pageBytes;
    try {
      mapAt(this.#context, address, bytes, handle);
    } catch (error) {
      driver.status("cuMemRelease", handle);
      throw error;
    }
    this.#mapped.fill(1, page, page + count);
    this.#mappings.push({ address, bytes, handle });
  }

  /** The physical memory is not part of a context: it is given back here. */
  unmapAll(): void {
    for (const { address, bytes, handle } of this.#mappings) {
      this.#context.driver.status("cuMemUnmap", address, bytes);
      this.#context.driver.status("cuMemRelease", handle);
    }
    this.#mappings = [];
    this.#mapped.fill(0);
  }
}
