/**
 * One window of 4 GiB of GPU addresses for programs whose pointers have 32 bits (ptx/address-map.ts): a pointer is the
 * low half of an address. The addresses are reserved at once. Memory is mapped behind them at each allocation, in whole
 * pages of the GPU (CUDA Driver API, "Virtual Memory Management"). It stays mapped for later allocations until a reset.
 *
 * The window is always requested at the same addresses, because its address is a literal in the code and compiled code
 * is cached on disk. For the same reason the variables of modules have a range of their own: their addresses must not
 * depend on earlier allocations of the program.
 */
import { Arena } from "../common/arena.ts";
import { alignUp } from "../../base/align.ts";
import type { AllocateOptions } from "../device.ts";
import type { GpuContext } from "./context.ts";
import { DriverStatus, type Driver } from "./driver.ts";
import { checkAllocation, outOfMemory, type GpuBlock, type GpuMemory, type MemoryPurpose } from "./gpu-memory.ts";
import { CONSTANT_ALIAS, GLOBAL_START, WINDOW_BYTES } from "../../ptx/address-map.ts";

const SIZE = Number(WINDOW_BYTES);
/**
 * Multiples of 4 GiB at which processes on x86-64 and 64-bit Arm have nothing: far above a heap, far below stacks and
 * libraries.
 */
const PLACES: readonly number[] = [0x1a00_0000_0000, 0x1b00_0000_0000, 0x1c00_0000_0000, 0x0a00_0000_0000, 0];
const MODULES_END = GLOBAL_START + 256 * 1024 * 1024;
const GRANULE = 256;

const LOCATION_DEVICE = 1;
const ALLOCATION_PINNED = 1;
const ACCESS_READ_WRITE = 3;
const GRANULARITY_RECOMMENDED = 1;

/** The addresses alone: devices of one program share a window, each with a part of it. */
export class AddressWindow {
  readonly base: number;
  readonly #driver: Driver;
  #users = 0;

  constructor(driver: Driver) {
    this.#driver = driver;
    this.base = reserve(driver);
  }

  use(): void {
    this.#users++;
  }

  release(): void {
    if (--this.#users === 0) this.#driver.status("cuMemAddressFree", this.base, SIZE);
  }
}

function reserve(driver: Driver): number {
  for (const place of PLACES) {
    const out = new BigUint64Array(1);
    const status = driver.status("cuMemAddressReserve", out, SIZE, SIZE, place, 0);
    if (status !== DriverStatus.success) continue;
    const base = Number(out[0]);
    // Any other address works too, but the cache will have no code for it the next time.
    if (base % SIZE === 0 && (base === place || place === 0)) return base;
    driver.status("cuMemAddressFree", base, SIZE);
  }
  throw outOfMemory(SIZE, 0, ["the driver gives no 4 GiB of addresses at a multiple of 4 GiB"]);
}

/** Pages that were mapped together. */
interface Mapping {
  readonly start: number;
  readonly bytes: number;
  readonly handle: bigint;
}

export class WindowMemory implements GpuMemory {
  readonly kind = "window";
  readonly window: AddressWindow;
  readonly #context: GpuContext;
  readonly #pageBytes: number;
  readonly #bounds: readonly [modules: number, modulesEnd: number, end: number];
  #modules!: Arena<GpuBlock>;
  #heap!: Arena<GpuBlock>;
  /** By page of the window: whether memory is behind it. */
  readonly #mapped: Uint8Array;
  #mappings: Mapping[] = [];

  /** @param part which of `parts` equal parts of the window is this device's. */
  constructor(context: GpuContext, window: AddressWindow, part = 0, parts = 1) {
    this.#context = context;
    this.window = window;
    window.use();
    this.#pageBytes = context.driver.get("cuMemGetAllocationGranularity", this.#properties(), GRANULARITY_RECOMMENDED);
    this.#mapped = new Uint8Array(SIZE / this.#pageBytes);
    const share = (from: number, to: number, index: number): number =>
      from + Math.floor(((to - from) * index) / parts / this.#pageBytes) * this.#pageBytes;
    this.#bounds = [
      share(GLOBAL_START, MODULES_END, part),
      share(GLOBAL_START, MODULES_END, part + 1),
      share(MODULES_END, SIZE, part + 1),
    ];
    this.#heapStart = share(MODULES_END, SIZE, part);
    this.constants = {
      start: share(CONSTANT_ALIAS, GLOBAL_START, part),
      end: share(CONSTANT_ALIAS, GLOBAL_START, part + 1),
    };
    this.#clear();
  }
  readonly #heapStart: number;
  /** Addresses for __constant__ variables of this device's modules. */
  readonly constants: { readonly start: number; readonly end: number };

  get base(): number {
    return this.window.base;
  }

  allocate(bytes: number, options: AllocateOptions, purpose: MemoryPurpose): GpuBlock {
    const align = options.align ?? GRANULE;
    checkAllocation(bytes, align);
    const ofModules = purpose === "module" ? this.#modules.place(bytes, align, 0) : null;
    const arena = ofModules === null ? this.#heap : this.#modules;
    const start = ofModules ?? this.#heap.place(bytes, align, options.minAddress ?? 0);
    if (start === null) {
      throw outOfMemory(bytes, this.#heap.freeBytes, [
        `the largest free block has ${this.#heap.largestFree} bytes; programs with 32-bit pointers address 4 GiB, ` +
          `and ${this.#capacity} bytes of that are for allocations`,
      ]);
    }
    const block: GpuBlock = { start, bytes, purpose };
    this.#map(start, Math.max(bytes, 1));
    arena.take(block);
    return block;
  }

  /** Where the variables of the next module may begin: everything behind it in the modules' range is free. */
  get nextModuleBase(): number {
    return this.#modules.top;
  }

  /** The variables of a module, whose place is in its code already. @throws HeddleError "out-of-memory" */
  allocateModule(start: number, bytes: number): GpuBlock {
    if (this.#modules.place(bytes, GRANULE, start) !== start)
      throw outOfMemory(bytes, this.#modules.freeBytes, ["variables of modules have 256 MiB"]);
    const block: GpuBlock = { start, bytes, purpose: "module" };
    this.#map(start, bytes);
    this.#modules.take(block);
    return block;
  }

  /**
   * Memory at addresses of `constants`, until a reset: for a copy of what lies in constant memory, which has GPU
   * addresses of its own.
   */
  backConstants(start: number, bytes: number): void {
    this.#map(start, bytes);
  }

  free(pointer: number): GpuBlock | null {
    return this.#heap.release(pointer) ?? this.#modules.release(pointer);
  }

  at(pointer: number): GpuBlock | null {
    return this.#heap.at(pointer) ?? this.#modules.at(pointer);
  }

  find(address: number): GpuBlock | null {
    return this.#heap.find(address) ?? this.#modules.find(address);
  }

  nearest(address: number): GpuBlock | null {
    const distance = (block: GpuBlock): number =>
      address < block.start ? block.start - address : Math.max(0, address - (block.start + block.bytes - 1));
    const [a, b] = [this.#heap.nearest(address), this.#modules.nearest(address)];
    if (a === null || b === null) return a ?? b;
    return distance(a) <= distance(b) ? a : b;
  }

  address(pointer: number): number {
    return this.window.base + pointer;
  }

  info(): { freeBytes: number; totalBytes: number } {
    const [freeBytes, totalBytes] = this.#context.driver.getPair("cuMemGetInfo_v2");
    let mapped = 0;
    for (const { bytes } of this.#mappings) mapped += bytes;
    // Memory that is mapped but not allocated is available without the driver.
    const physical = freeBytes + Math.max(0, mapped - this.#allocatedBytes());
    return { freeBytes: Math.min(physical, this.#heap.freeBytes), totalBytes: Math.min(totalBytes, this.#capacity) };
  }

  *blocks(): Iterable<GpuBlock> {
    yield* this.#modules.blocks();
    yield* this.#heap.blocks();
  }

  /**
   * Everything is free again. Called when the context is a fresh one: the physical memory is not part of it and is
   * given back here.
   */
  reset(): void {
    for (const { start, bytes, handle } of this.#mappings) {
      this.#context.driver.status("cuMemUnmap", this.address(start), bytes);
      this.#context.driver.status("cuMemRelease", handle);
    }
    this.#mappings = [];
    this.#mapped.fill(0);
    this.#clear();
  }

  close(): void {
    this.reset();
    this.window.release();
  }

  get #capacity(): number {
    return this.#heap.end - this.#heap.base;
  }

  #clear(): void {
    const [modules, modulesEnd, end] = this.#bounds;
    this.#modules = new Arena(modules, modulesEnd, GRANULE);
    this.#heap = new Arena(this.#heapStart, end, GRANULE);
  }

  #allocatedBytes(): number {
    let bytes = 0;
    for (const block of this.blocks()) bytes += alignUp(Math.max(block.bytes, 1), GRANULE);
    return bytes;
  }

  /** Makes sure that there is memory behind [start, start + bytes): each run of pages without is mapped at once. */
  #map(start: number, bytes: number): void {
    const last = Math.floor((start + bytes - 1) / this.#pageBytes);
    for (let page = Math.floor(start / this.#pageBytes); page <= last; page++) {
      if (this.#mapped[page] !== 0) continue;
      let end = page + 1;
      while (end <= last && this.#mapped[end] === 0) end++;
      this.#mapPages(page, end - page, bytes);
      page = end;
    }
  }

  #mapPages(page: number, count: number, asked: number): void {
    const { driver } = this.#context;
    const bytes = count * this.#pageBytes;
    const out = new BigUint64Array(1);
    const status = driver.status("cuMemCreate", out, bytes, this.#properties(), 0);
    if (status === DriverStatus.outOfMemory)
      throw outOfMemory(asked, driver.getPair("cuMemGetInfo_v2")[0], [
        "another program, or the largest of this one's allocations, holds the rest",
      ]);
    if (status !== DriverStatus.success) throw driver.error("cuMemCreate", status);
    const handle = out[0] as bigint;
    const start = page * this.#pageBytes;
    try {
      driver.call("cuMemMap", this.address(start), bytes, 0, handle, 0);
      driver.call(
        "cuMemSetAccess",
        this.address(start),
        bytes,
        Int32Array.of(LOCATION_DEVICE, this.#context.device, ACCESS_READ_WRITE),
        1,
      );
    } catch (error) {
      driver.status("cuMemUnmap", this.address(start), bytes);
      driver.status("cuMemRelease", handle);
      throw error;
    }
    this.#mapped.fill(1, page, page + count);
    this.#mappings.push({ start, bytes, handle });
  }

  /** CUmemAllocationProp: type, handle types, location (type, id), Windows' metadata (8 bytes), flags (8 bytes). */
  #properties(): Int32Array {
    return Int32Array.of(ALLOCATION_PINNED, 0, LOCATION_DEVICE, this.#context.device, 0, 0, 0, 0);
  }
}
