/** The GPU's memory with its own 64-bit addresses: what TypeScript programs use. All of the card can be had. */
import { RangeTree } from "../common/range-tree.ts";
import { alignUp } from "../../base/align.ts";
import type { AllocateOptions } from "../device.ts";
import type { GpuContext } from "./context.ts";
import { DriverStatus } from "./driver.ts";
import { checkAllocation, outOfMemory, type GpuBlock, type GpuMemory, type MemoryPurpose } from "./gpu-memory.ts";

/** What cuMemAlloc aligns to. */
const DRIVER_ALIGNMENT = 256;

interface FlatBlock extends GpuBlock {
  /** What the driver gave; before `start` where more alignment was asked for than it gives. */
  readonly allocation: number;
}

export class FlatMemory implements GpuMemory {
  readonly kind = "flat";
  readonly #context: GpuContext;
  #blocks = new RangeTree<FlatBlock>();

  constructor(context: GpuContext) {
    this.#context = context;
  }

  allocate(bytes: number, { align = DRIVER_ALIGNMENT }: AllocateOptions, purpose: MemoryPurpose): GpuBlock {
    checkAllocation(bytes, align);
    const { driver } = this.#context;
    const size = Math.max(bytes, 1) + (align > DRIVER_ALIGNMENT ? align : 0);
    const out = new BigUint64Array(1);
    const status = driver.status("cuMemAlloc_v2", out, size);
    if (status === DriverStatus.outOfMemory) throw outOfMemory(bytes, this.info().freeBytes);
    if (status !== DriverStatus.success) throw driver.error("cuMemAlloc_v2", status);
    const allocation = Number(out[0]);
    const block: FlatBlock = { start: alignUp(allocation, align), bytes, purpose, allocation };
    this.#blocks.insert(block);
    return block;
  }

  /** Makes memory known that something else allocated and will free: a module's variables, managed memory. */
  adopt(start: number, bytes: number, purpose: MemoryPurpose): void {
    this.#blocks.insert({ start, bytes, purpose, allocation: 0 });
  }

  free(pointer: number): GpuBlock | null {
    const block = this.#blocks.remove(pointer);
    if (block !== null && block.allocation !== 0) this.#context.driver.call("cuMemFree_v2", block.allocation);
    return block;
  }

  at(pointer: number): GpuBlock | null {
    const block = this.#blocks.floor(pointer);
    return block !== null && block.start === pointer ? block : null;
  }

  find(address: number): GpuBlock | null {
    const block = this.#blocks.floor(address);
    return block !== null && address < block.start + block.bytes ? block : null;
  }

  nearest(address: number): GpuBlock | null {
    const below = this.#blocks.floor(address);
    const above = this.#blocks.ceiling(address);
    if (below === null || above === null) return below ?? above;
    return Math.max(0, address - (below.start + below.bytes - 1)) <= above.start - address ? below : above;
  }

  address(pointer: number): number {
    return pointer;
  }

  /** Pinned memory of a program with 64-bit pointers is the driver's matter. */
  shared(): null {
    return null;
  }

  info(): { freeBytes: number; totalBytes: number } {
    const [freeBytes, totalBytes] = this.#context.driver.getPair("cuMemGetInfo_v2");
    return { freeBytes, totalBytes };
  }

  blocks(): Iterable<GpuBlock> {
    return this.#blocks;
  }

  reset(): void {
    this.#blocks = new RangeTree();
  }

  close(): void {
    for (const block of this.#blocks)
      if (block.allocation !== 0) this.#context.driver.status("cuMemFree_v2", block.allocation);
    this.reset();
  }
}
