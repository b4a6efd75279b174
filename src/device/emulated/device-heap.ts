/**
 * The region that device malloc takes from. The allocator itself is device code (libdevice/heap.cu): it wants a zeroed
 * region, and its address and size in two variables of the module. All modules of a device share one region, so that
 * what one allocates another may free.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import type { EmulatedModule } from "./emulated-module.ts";
import type { DeviceMemory, HeapBlock } from "./memory.ts";

/** cudaLimitMallocHeapSize's default. */
const DEFAULT_BYTES = 8 * 1024 * 1024;
/** The allocator's books need some, however small the limit is set. */
const MIN_BYTES = 64 * 1024;

export class DeviceHeap {
  readonly #memory: DeviceMemory;
  readonly #attached = new WeakSet<EmulatedModule>();
  #bytes = DEFAULT_BYTES;
  /** Made for the first launch of a program that calls malloc. */
  #region: HeapBlock | null = null;

  constructor(memory: DeviceMemory) {
    this.#memory = memory;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts for a region that is not made yet. */
  set bytes(bytes: number) {
    if (!Number.isSafeInteger(bytes) || bytes < 0)
      throw new HeddleError("bad-arguments", `a heap's size must be a whole number of bytes, not ${bytes}`);
    this.#bytes = bytes;
  }

  /** Before a launch: tells a module that uses device malloc where the heap is. */
  attach(module: EmulatedModule): void {
    if (this.#attached.has(module)) return;
    this.#attached.add(module);
    const base = module.symbol("__heddle_heap_base");
    const bytes = module.symbol("__heddle_heap_bytes");
    if (base === null || bytes === null) return;
    const region = (this.#region ??= this.#makeRegion());
    this.#memory.writePointer(base.pointer, region.start);
    this.#memory.writePointer(bytes.pointer, region.bytes);
    this.#memory.touch(base.pointer, 4);
    this.#memory.touch(bytes.pointer, 4);
  }

  /** On a reset, when no module is left. */
  release(): void {
    if (this.#region !== null) this.#memory.free(this.#region.start);
    this.#region = null;
  }

  #makeRegion(): HeapBlock {
    const region = this.#memory.allocate(Math.max(this.#bytes, MIN_BYTES), { align: 4096 }, "module");
    this.#memory.bytes.fill(0, region.start, region.start + region.bytes);
    return region;
  }
}
