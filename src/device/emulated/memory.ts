/**
 * The linear memory of one emulated device, and who owns which part of it (layout: memory-regions.ts).
 *
 * Freed memory is reused but cannot be returned to the operating system (WebAssembly memories only grow), and new
 * memory is not promised to be zero: as with cudaMalloc, its content is what was there before.
 *
 * Every heap allocation carries a version, which changes with every write; launch reuse compares versions.
 */
import { HeddleError, bug } from "../../base/diagnostics.ts";
import { MAX_PAGES, PAGE_BYTES, TAIL_SLACK_BYTES } from "../../machine/memory-map.ts";
import type { DeviceObserver } from "../../machine/observer.ts";
import type { AllocateOptions, AllocationInfo } from "../device.ts";
import { Arena, type ArenaBlock } from "../common/arena.ts";
import { alignUp } from "../../base/align.ts";
import { AddressSpace } from "./address-space.ts";
import { CONTROL, controlWords } from "./control-words.ts";
import { COORDINATOR_BASE, SCRATCH_BASE, regionsFor } from "./memory-regions.ts";
import { makeMemory, makeWideMemory } from "../../engine/wide-memory.ts";
import { ShadowMemory } from "./shadow-memory.ts";

/**
 * With a tool, kernels may access this much beyond the memory in use. The tool reports an access that is near its
 * object, and the launch goes on.
 */
const WATCHED_SLACK_BYTES = 16 * 1024 * 1024;
/**
 * With a tool, freed memory is not reused until this much has been freed since, or no other memory is left: so the tool
 * can report accesses after the free.
 */
const LEFT_ALONE_BYTES = 64 * 1024 * 1024;
/** Memory grows by at least this much at a time. */
const GROWTH_BYTES = 16 * 1024 * 1024;

export interface HeapBlock extends ArenaBlock {
  /** When the block was last written on its own (see `DeviceMemory.version`). */
  touched: number;
  /**
   * "user": the program's; "module": variables of a loaded module; "reserved": addresses without memory; "mapped":
   * those with memory (address-space.ts).
   */
  readonly purpose: "user" | "module" | "reserved" | "mapped";
}

export class DeviceMemory {
  readonly wasm: WebAssembly.Memory;
  readonly shared: boolean;
  /** Addresses have 64 bits. */
  readonly isWide: boolean;
  /** What programs may have, where that is less than there is. */
  readonly #mostBytes: number;
  /** Behind the last byte that is handed out. */
  readonly #end: number;
  #bytes: Uint8Array;
  readonly #engine = new Arena(COORDINATOR_BASE, SCRATCH_BASE, 64);
  readonly #heap: Arena<HeapBlock>;
  readonly addressSpace: AddressSpace;
  /** Counts writes. */
  #versions = 0;
  /** The count at which anything may have been written. */
  #epoch = 0;
  #top: number;
  /** Where a tool watches: allocations lie from here on; bytes freed since that went back to the start. */
  #next = 0;
  #freedBytes = 0;
  readonly #shadow: ShadowMemory;
  /** A tool that needs code; one that only hears of launches leaves memory as it is. */
  readonly #observer: DeviceObserver | null;

  /**
   * @param threads that will run blocks; more than one share the memory, which needs SharedArrayBuffer.
   * @param shared also for one thread: V8 counts no shared memory among what JavaScript holds. Of any other, it
   * collects all garbage when it is made, and each time it grows: gigabytes that JavaScript seems to hold.
   * @param heapBytes what programs may allocate, if that is more than fits into 4 GiB: the memory is wide. null: 4 GiB
   * @param mostBytes what programs may allocate of these 4 GiB; null: all that there is
   */
  constructor(
    threads: number,
    observer: DeviceObserver | null = null,
    shared: boolean = threads > 1,
    heapBytes: number | null = null,
    mostBytes: number | null = null,
  ) {
    this.shared = shared;
    this.isWide = heapBytes !== null;
    this.#observer = observer;
    this.#mostBytes = mostBytes ?? Infinity;
    const {
      tools,
      shadows,
      windows,
      heap: heapBase,
      end,
    } = regionsFor(threads, observer === null ? null : (observer.shadowPlanes ?? 0), heapBytes);
    this.#end = end;
    this.#heap = new Arena(heapBase, end, 256);
    this.#top = heapBase;
    this.addressSpace = new AddressSpace({
      heap: this.#heap,
      observer,
      reserve: (bytes, align) => this.allocate(bytes, { align }, "reserved"),
      newVersion: () => ++this.#versions,
      changed: () => (this.#top = Math.max(this.#heap.base, this.#heap.top)),
    });
    this.#shadow = new ShadowMemory(shadows, observer?.shadowPlanes ?? 0);
    this.wasm = this.isWide
      ? makeWideMemory(heapBase, end, this.shared)
      : makeMemory(heapBase, MAX_PAGES * PAGE_BYTES, this.shared);
    this.#bytes = new Uint8Array(this.wasm.buffer);
    const words = controlWords(this.wasm);
    Atomics.store(words, CONTROL.windowsStart, windows);
    Atomics.store(words, CONTROL.windowsEnd, heapBase);
    const bytesNow = (): Uint8Array => this.bytes;
    if (observer === null) return;
    const own = new Arena(tools, shadows, 256);
    const shadow = this.#shadow;
    observer.attach?.({
      get bytes() {
        return bytesNow();
      },
      limit: end,
      windows: { start: windows, end: heapBase },
      get shadowed() {
        return { start: shadow.dataStart(), end };
      },
      shadow: (plane) => shadow.distance(plane),
      // Far from the program's memory: what goes wrong there must not wipe out what there is to tell of it.
      allocate: (bytes) => {
        const start = own.place(bytes, 256, 0);
        if (start === null)
          throw new HeddleError(
            "out-of-memory",
            `the checkers need ${bytes} more bytes for what they note of this program, and ${own.freeBytes} are left`,
          );
        own.take({ start, bytes });
        return start;
      },
    });
  }

  /** What programs can allocate in all. */
  get capacityBytes(): number {
    return Math.min(this.#mostBytes, this.#heap.capacity + this.#obtainableBytes);
  }

  /** Of shadow memory that the program can have. */
  get #obtainableBytes(): number {
    const { planes } = this.#shadow;
    const least = Math.min(planes, this.#observer?.leastShadowPlanes ?? planes);
    return this.#shadow.dataStart() - this.#shadow.dataStart(least);
  }

  /** How many planes of shadow memory a tool has. */
  get shadowPlanes(): number {
    return this.#shadow.planes;
  }

  /** The whole memory as bytes. Do not keep it over an allocation: growing replaces the view. */
  get bytes(): Uint8Array {
    if (this.#bytes.byteLength !== this.wasm.buffer.byteLength) this.#bytes = new Uint8Array(this.wasm.buffer);
    return this.#bytes;
  }

  /**
   * Kernels may access [USER_BASE, top): to the end of the memory in use. At least TAIL_SLACK_BYTES beyond it are
   * backed.
   */
  get top(): number {
    return Math.min(this.#top + this.#slackBytes, this.#end);
  }

  get #slackBytes(): number {
    return this.#observer === null ? 0 : WATCHED_SLACK_BYTES;
  }

  get freeBytes(): number {
    return Math.min(this.#heap.freeBytes + this.#obtainableBytes, this.#unusedBytes);
  }

  /** Of what programs may have. */
  get #unusedBytes(): number {
    return Math.max(0, this.#mostBytes - (this.#heap.capacity - this.#heap.freeBytes));
  }

  /** @throws HeddleError "out-of-memory" with the size asked for and the size free. */
  allocate(bytes: number, options: AllocateOptions = {}, purpose: HeapBlock["purpose"] = "user"): HeapBlock {
    const align = options.align ?? 256;
    if (!Number.isSafeInteger(bytes) || bytes < 0)
      throw new HeddleError("bad-arguments", `an allocation's size must be a whole number of bytes, not ${bytes}`);
    if (!Number.isSafeInteger(align) || align <= 0 || 2 ** Math.round(Math.log2(align)) !== align)
      throw new HeddleError("bad-arguments", `an allocation's alignment must be a power of two, not ${align}`);
    if (bytes > this.#unusedBytes)
      throw new HeddleError("out-of-memory", `out of device memory: ${bytes} bytes asked for, ${this.freeBytes} free`, {
        notes: [this.#capacityNote()],
      });
    const from = options.minAddress ?? 0;
    let start = this.#place(bytes, align, Math.max(from, this.#next)) ?? this.#place(bytes, align, from);
    if (start === null && this.#takeShadowMemory(bytes, align, from)) start = this.#place(bytes, align, from);
    if (start === null) {
      throw new HeddleError(
        "out-of-memory",
        `out of device memory: ${bytes} bytes asked for, ${this.#heap.freeBytes} free, ` +
          `the largest free block has ${this.#heap.largestFree}${this.#heldText(bytes)}`,
        {
          notes:
            this.#heap.place(bytes, align, options.minAddress ?? 0) === null
              ? [this.#capacityNote()]
              : ["the system did not give this process more memory"],
        },
      );
    }
    const block: HeapBlock = { start, bytes, touched: ++this.#versions, purpose };
    this.#heap.take(block);
    this.#top = Math.max(this.#heap.base, this.#heap.top);
    if (this.#observer !== null) this.#next = start + bytes;
    if (purpose === "user" || purpose === "module")
      this.#observer?.allocated?.({ start, bytes, purpose, isHostCopied: options.isHostCopied === true });
    return block;
  }

  #capacityNote(): string {
    if (this.isWide || this.#mostBytes < Infinity)
      return `the device was given ${this.capacityBytes} bytes for programs`;
    const note = `an emulated device addresses 4 GiB, of which ${this.capacityBytes} bytes are for programs`;
    return `${note}; with --device-memory 8G, or openDevice({ memoryBytes }), it has more (Node.js 24 or newer)`;
  }

  /** Writes a pointer as a kernel of the device reads it. */
  writePointer(at: number, pointer: number): void {
    const view = new DataView(this.wasm.buffer);
    view.setUint32(at, pointer % 2 ** 32, true);
    if (this.isWide) view.setUint32(at + 4, Math.floor(pointer / 2 ** 32), true);
  }

  /** Asks the tool for its shadow memory, if the allocation then fits. */
  #takeShadowMemory(bytes: number, align: number, from: number): boolean {
    const end = this.#shadow.dataStart();
    const fits = (planes: number): boolean =>
      alignUp(Math.max(this.#shadow.dataStart(planes), from), align) + bytes <= end;
    if (this.#shadow.planes === 0 || !fits(0)) return false;
    const planes = this.#observer?.yieldShadow?.(bytes, fits) ?? null;
    if (planes === null) return false;
    this.#shadow.reduceTo(planes, this.bytes, this.#heap.base, Math.min(this.#top, this.#end));
    this.#heap.extend(this.#shadow.dataStart(), end);
    this.#observer?.shadowMoved?.();
    return true;
  }

  /** What the tool holds, if an allocation would fit there. */
  #heldText(bytes: number): string {
    if (this.#shadow.planes === 0 || this.#observer === null) return "";
    const held = this.#shadow.dataStart() - this.#shadow.dataStart(0);
    if (bytes > held) return "";
    return `; ${held} more hold the notes of ${this.#observer.name}: use others of the tools, or less data`;
  }

  /** Room that is backed; null: there is none. */
  #place(bytes: number, align: number, from: number): number | null {
    const start = this.#heap.place(bytes, align, from);
    return start !== null && this.#back(start + bytes) ? start : null;
  }

  /** The block that was freed, or null when no allocation starts at `start`. */
  free(start: number): HeapBlock | null {
    const block = this.#heap.release(start);
    this.#top = Math.max(this.#heap.base, this.#heap.top);
    this.#freedBytes += block?.bytes ?? 0;
    if (this.#freedBytes > LEFT_ALONE_BYTES) [this.#next, this.#freedBytes] = [0, 0];
    if (block?.purpose === "user" || block?.purpose === "module")
      this.#observer?.freed?.({ start, bytes: block.bytes, purpose: block.purpose });
    return block;
  }

  /**
   * For what passes between the coordinator and workers. null when it is full.
   *
   * @param from the lowest address that will do
   */
  allocateEngine(bytes: number, from = 0): number | null {
    const start = this.#engine.place(bytes, 64, from);
    if (start !== null) this.#engine.take({ start, bytes });
    return start;
  }

  freeEngine(start: number): void {
    if (this.#engine.release(start) === null) bug(`no engine allocation at ${start}`);
  }

  /** The allocation that holds `address`; addresses without memory are none. */
  find(address: number): HeapBlock | null {
    const block = this.#heap.find(address);
    return block?.purpose === "reserved" ? null : block;
  }

  /** The allocation that starts exactly here, empty ones included. */
  at(start: number): HeapBlock | null {
    return this.#heap.at(start);
  }

  nearest(address: number): AllocationInfo | null {
    const block = this.#heap.nearest(address);
    return block === null || block.purpose === "reserved" ? null : { pointer: block.start, bytes: block.bytes };
  }

  /** Live allocations in address order. */
  allocations(): IterableIterator<HeapBlock> {
    return this.#heap.blocks();
  }

  /** Notes a write to [start, start + bytes): every allocation it touches gets a new version. */
  touch(start: number, bytes: number): void {
    const end = start + bytes;
    for (let at = start; at < end;) {
      const block = this.#heap.find(at);
      if (block === null) return;
      block.touched = ++this.#versions;
      at = alignUp(block.start + Math.max(block.bytes, 1), this.#heap.granule);
    }
  }

  /** Notes that anything may have been written. */
  touchAll(): void {
    this.#epoch = ++this.#versions;
  }

  /** Changes with every write into the block; the same number is never used twice on a device. */
  version(block: HeapBlock): number {
    return Math.max(block.touched, this.#epoch);
  }

  /** Makes sure that [0, end + slack) exists; false when the system refuses. */
  #back(end: number): boolean {
    const have = this.wasm.buffer.byteLength;
    const most = this.#end + PAGE_BYTES;
    const need = Math.min(end + this.#slackBytes + TAIL_SLACK_BYTES, most);
    if (need <= have) return true;
    for (const size of [Math.max(need, have + GROWTH_BYTES), need]) {
      try {
        const pages = Math.ceil((Math.min(size, most) - have) / PAGE_BYTES);
        this.wasm.grow((this.isWide ? BigInt(pages) : pages) as number);
        return true;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
    }
    return false;
  }
}
