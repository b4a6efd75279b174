/**
 * One window of 4 GiB of GPU addresses for programs whose pointers have 32 bits (ptx/address-map.ts): a pointer is the
 * low half of an address. The addresses are reserved at once. Memory is mapped behind them at each allocation, in whole
 * pages of the GPU (CUDA Driver API, "Virtual Memory Management"). It stays mapped for later allocations until a reset.
 *
 * Behind the modules' range lies a part that is either more of the GPU's memory or the host program's own
 * (shared-memory.ts), whichever is needed first.
 *
 * The window is always requested at the same addresses, because its address is a literal in the code and compiled code
 * is cached on disk. For the same reason the variables of modules have a range of their own: their addresses must not
 * depend on earlier allocations of the program.
 */
import { Arena } from "../common/arena.ts";
import { alignUp } from "../../base/align.ts";
import type { AllocateOptions } from "../device.ts";
import { BackedPages } from "./backed-pages.ts";
import type { GpuContext } from "./context.ts";
import { DriverStatus, type Driver } from "./driver.ts";
import { checkAllocation, outOfMemory, type GpuBlock, type GpuMemory, type MemoryPurpose } from "./gpu-memory.ts";
import { pageBytes } from "./mapped-memory.ts";
import { SharedMemory } from "./shared-memory.ts";
import { WindowViews } from "./window-views.ts";
import { CONSTANT_ALIAS, GLOBAL_START, WINDOW_BYTES } from "../../ptx/address-map.ts";

const SIZE = Number(WINDOW_BYTES);
/**
 * Multiples of 4 GiB at which processes on x86-64 and 64-bit Arm have nothing: far above a heap, far below stacks and
 * libraries.
 */
const PLACES: readonly number[] = [0x1a00_0000_0000, 0x1b00_0000_0000, 0x1c00_0000_0000, 0x0a00_0000_0000];
const MODULES_END = GLOBAL_START + 256 * 1024 * 1024;
const SHARED_END = MODULES_END + 512 * 1024 * 1024;
/** The driver reserves these apart: the one in the middle can be given back to the system. */
const PIECES: readonly number[] = [0, MODULES_END, SHARED_END, SIZE];
const GRANULE = 256;

/** Where a window that looks at another device's memory has its own: less, and the views behind it. */
const VIEWS_START = SHARED_END + 512 * 1024 * 1024;

/** The addresses alone: devices of one program share a window, each with a part of it. */
export class AddressWindow {
  readonly base: number;
  /** Where reservations begin, and where the last one ends. A mapping must not reach over such a seam. */
  readonly seams: readonly number[];
  readonly #driver: Driver;
  readonly #reserved: Set<number>;
  #users = 0;

  constructor(driver: Driver) {
    this.#driver = driver;
    const { base, seams } = reserve(driver);
    this.base = base;
    this.seams = seams;
    this.#reserved = new Set(seams.slice(0, -1).keys());
  }

  /** Gives the addresses of the part in the middle back to the system. False where that is not possible. */
  giveBackShared(): boolean {
    if (this.seams !== PIECES || this.#users !== 1) return false;
    const status = this.#driver.status("cuMemAddressFree", this.base + MODULES_END, SHARED_END - MODULES_END);
    return status === DriverStatus.success && this.#reserved.delete(1);
  }

  use(): void {
    this.#users++;
  }

  release(): void {
    if (--this.#users > 0) return;
    for (const piece of this.#reserved) freePiece(this.#driver, this.base, this.seams, piece);
  }
}

function freePiece(driver: Driver, base: number, seams: readonly number[], piece: number): void {
  const [from, to] = [seams[piece] as number, seams[piece + 1] as number];
  driver.status("cuMemAddressFree", base + from, to - from);
}

function reserve(driver: Driver): { readonly base: number; readonly seams: readonly number[] } {
  const out = new BigUint64Array(1);
  const reserveAt = (bytes: number, align: number, place: number): boolean => {
    const status = driver.status("cuMemAddressReserve", out, bytes, align, place, 0);
    if (status !== DriverStatus.success) return false;
    if (Number(out[0]) === place || (place === 0 && Number(out[0]) % SIZE === 0)) return true;
    driver.status("cuMemAddressFree", Number(out[0]), bytes);
    return false;
  };
  for (const place of PLACES) {
    let pieces = 0;
    for (; pieces < PIECES.length - 1; pieces++) {
      const [from, to] = [PIECES[pieces] as number, PIECES[pieces + 1] as number];
      if (!reserveAt(to - from, 0, place + from)) break;
    }
    if (pieces === PIECES.length - 1) return { base: place, seams: PIECES };
    while (pieces > 0) freePiece(driver, place, PIECES, --pieces);
  }
  // Any other address works too, but the cache will have no code for it the next time.
  if (reserveAt(SIZE, SIZE, 0)) return { base: Number(out[0]), seams: [0, SIZE] };
  throw outOfMemory(SIZE, 0, ["the driver gives no 4 GiB of addresses at a multiple of 4 GiB"]);
}

export class WindowMemory implements GpuMemory {
  readonly kind = "window";
  readonly window: AddressWindow;
  readonly #context: GpuContext;
  readonly #pageBytes: number;
  readonly #bounds: readonly [modules: number, modulesEnd: number, end: number];
  #modules!: Arena<GpuBlock>;
  #heap!: Arena<GpuBlock>;
  readonly #pages: BackedPages;
  /** What the part in the middle is. Programs on several GPUs have more of their memory there. */
  #middle: "undecided" | "device" | SharedMemory = "undecided";

  /** Of a window that shows another device's memory; else null. */
  readonly views: WindowViews | null;

  /** @param part which of `parts` equal parts of the window is this device's. @param hasViews see WindowViews */
  constructor(context: GpuContext, window: AddressWindow, part = 0, parts = 1, hasViews = false) {
    this.#context = context;
    this.window = window;
    window.use();
    this.#pageBytes = pageBytes(context);
    this.#pages = new BackedPages(context, window.base, SIZE, this.#pageBytes, window.seams);
    const share = (from: number, to: number, index: number): number =>
      from + Math.floor(((to - from) * index) / parts / this.#pageBytes) * this.#pageBytes;
    this.#bounds = [
      share(GLOBAL_START, MODULES_END, part),
      share(GLOBAL_START, MODULES_END, part + 1),
      hasViews ? VIEWS_START : share(MODULES_END, SIZE, part + 1),
    ];
    this.views = hasViews
      ? new WindowViews(context, window.base, { start: VIEWS_START, end: SIZE, page: this.#pageBytes })
      : null;
    this.#isAlone = parts === 1;
    this.#heapStart = share(this.#isAlone ? SHARED_END : MODULES_END, SIZE, part);
    this.constants = {
      start: share(CONSTANT_ALIAS, GLOBAL_START, part),
      end: share(CONSTANT_ALIAS, GLOBAL_START, part + 1),
    };
    this.#clear();
  }
  readonly #heapStart: number;
  readonly #isAlone: boolean;
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
    const place = (): number | null => this.#heap.place(bytes, align, options.minAddress ?? 0);
    const start = ofModules ?? place() ?? (this.#takeMiddle() ? place() : null);
    if (start === null) {
      throw outOfMemory(bytes, this.#heap.freeBytes, [
        `the largest free block has ${this.#heap.largestFree} bytes; programs with 32-bit pointers address 4 GiB, ` +
          `and ${this.#capacity} bytes of that are for allocations`,
      ]);
    }
    const block: GpuBlock = { start, bytes, purpose };
    this.#pages.map(start, Math.max(bytes, 1));
    arena.take(block);
    return block;
  }

  addressSpace(): null {
    return null;
  }

  shared(): SharedMemory | null {
    if (this.#middle === "undecided" && this.#isAlone)
      this.#middle =
        (this.window.giveBackShared()
          ? SharedMemory.open(this.#context, this.window.base, [MODULES_END, SHARED_END])
          : null) ?? "undecided";
    return this.#middle instanceof SharedMemory ? this.#middle : null;
  }

  /** The part in the middle becomes the GPU's memory, if nobody has it. */
  #takeMiddle(): boolean {
    if (this.#middle !== "undecided" || !this.#isAlone) return false;
    this.#middle = "device";
    this.#heap.extend(MODULES_END, SHARED_END);
    return true;
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
    this.#pages.map(start, bytes);
    this.#modules.take(block);
    return block;
  }

  /**
   * Memory at addresses of `constants`, until a reset: for a copy of what lies in constant memory, which has GPU
   * addresses of its own.
   */
  backConstants(start: number, bytes: number): void {
    this.#pages.map(start, bytes);
  }

  free(pointer: number): GpuBlock | null {
    return this.#heap.release(pointer) ?? this.#modules.release(pointer);
  }

  at(pointer: number): GpuBlock | null {
    return this.#heap.at(pointer) ?? this.#modules.at(pointer) ?? this.#sharedNow?.at(pointer) ?? null;
  }

  find(address: number): GpuBlock | null {
    const own = this.#heap.find(address) ?? this.#modules.find(address) ?? this.#sharedNow?.find(address);
    return own ?? this.views?.find(address) ?? null;
  }

  get #sharedNow(): SharedMemory | null {
    return this.#middle instanceof SharedMemory ? this.#middle : null;
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
    // Memory that is mapped but not allocated is available without the driver.
    const physical = freeBytes + Math.max(0, this.#pages.mappedBytes - this.#allocatedBytes());
    const reachable = this.#heap.freeBytes + this.#undecidedBytes;
    return { freeBytes: Math.min(physical, reachable), totalBytes: Math.min(totalBytes, this.#capacity) };
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
    this.views?.clear();
    this.#pages.unmapAll();
    this.#clear();
    this.#sharedNow?.reset();
  }

  close(): void {
    this.#sharedNow?.close();
    this.reset();
    this.window.release();
  }

  get #capacity(): number {
    return this.#heap.capacity + this.#undecidedBytes;
  }

  get #undecidedBytes(): number {
    return this.#middle === "undecided" && this.#isAlone ? SHARED_END - MODULES_END : 0;
  }

  #clear(): void {
    const [modules, modulesEnd, end] = this.#bounds;
    this.#modules = new Arena(modules, modulesEnd, GRANULE);
    this.#heap = new Arena(this.#heapStart, end, GRANULE);
    if (this.#middle === "device") this.#middle = "undecided";
  }

  #allocatedBytes(): number {
    let bytes = 0;
    for (const block of this.blocks()) bytes += alignUp(Math.max(block.bytes, 1), GRANULE);
    return bytes;
  }
}
