/**
 * Memory of a GPU at addresses that a 64-bit host program has in its own memory as well: below 4 GiB, where nothing
 * else of the GPU lies. Managed memory has one address on both sides that way.
 *
 * The addresses are reserved at the first use. Programs that are linked to a fixed address, and their heaps, lie below
 * 1 GiB; the part from there on is pinned memory, which is the host program's own (shared-memory.ts).
 */
import { Arena } from "../common/arena.ts";
import { BackedPages } from "./backed-pages.ts";
import type { GpuContext } from "./context.ts";
import { DriverStatus } from "./driver.ts";
import { pageBytes } from "./mapped-memory.ts";
import type { GpuBlock, MemoryPurpose } from "./gpu-memory.ts";

const GB = 1024 * 1024 * 1024;
/**
 * Of pinned memory. The heap of Node.js (brk) begins anywhere below 1.1 GiB: in a part of all processes it lies at the
 * beginning of the largest range.
 */
export const PINNED_RANGES: readonly (readonly [start: number, end: number])[] = [
  [GB, 1.5 * GB],
  [1.125 * GB, 1.5 * GB],
  [1.25 * GB, 1.5 * GB],
  [1.375 * GB, 1.5 * GB],
];
/** The first that the driver gives is taken. */
const RANGES: readonly (readonly [start: number, end: number])[] = [
  [1.5 * GB, 4 * GB],
  [2 * GB, 4 * GB],
  [2 * GB, 3 * GB],
  [3 * GB, 4 * GB],
];
const GRANULE = 256;

interface Reserved {
  readonly start: number;
  readonly bytes: number;
  readonly pages: BackedPages;
  arena: Arena<GpuBlock>;
}

export class LowMemory {
  readonly #context: GpuContext;
  readonly #part: number;
  readonly #parts: number;
  /** null: the driver does not give such addresses. */
  #reserved: Reserved | null | undefined = undefined;

  /** @param part which of `parts` equal parts of the addresses is this device's */
  constructor(context: GpuContext, part: number, parts: number) {
    this.#context = context;
    this.#part = part;
    this.#parts = parts;
  }

  /** null: there is no such place. @throws HeddleError "out-of-memory" when the GPU has none left */
  allocate(bytes: number, align: number, minAddress: number, purpose: MemoryPurpose): GpuBlock | null {
    if (this.#reserved === undefined) this.#reserved = this.#reserve();
    const reserved = this.#reserved;
    const start = reserved?.arena.place(bytes, align, minAddress) ?? null;
    if (reserved === null || start === null) return null;
    reserved.pages.map(start - reserved.start, Math.max(bytes, 1));
    const block: GpuBlock = { start, bytes, purpose };
    reserved.arena.take(block);
    return block;
  }

  /** Mapped memory stays mapped for later allocations. */
  release(pointer: number): void {
    this.#reserved?.arena.release(pointer);
  }

  #reserve(): Reserved | null {
    const { driver } = this.#context;
    const page = pageBytes(this.#context);
    const out = new BigUint64Array(1);
    for (const range of RANGES) {
      const bytes = Math.floor((range[1] - range[0]) / this.#parts / page) * page;
      const start = range[0] + this.#part * bytes;
      if (driver.status("cuMemAddressReserve", out, bytes, 0, start, 0) !== DriverStatus.success) continue;
      if (Number(out[0]) === start) {
        const pages = new BackedPages(this.#context, start, bytes, page);
        return { start, bytes, pages, arena: new Arena(start, start + bytes, GRANULE) };
      }
      driver.status("cuMemAddressFree", Number(out[0]), bytes);
    }
    return null;
  }

  /** Everything is free again. */
  reset(): void {
    if (this.#reserved === undefined || this.#reserved === null) return;
    const { start, bytes, pages } = this.#reserved;
    pages.unmapAll();
    this.#reserved.arena = new Arena(start, start + bytes, GRANULE);
  }

  close(): void {
    if (this.#reserved === undefined || this.#reserved === null) return;
    this.reset();
    this.#context.driver.status("cuMemAddressFree", this.#reserved.start, this.#reserved.bytes);
    this.#reserved = undefined;
  }
}
