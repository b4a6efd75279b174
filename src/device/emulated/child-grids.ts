/**
 * What kernels launch on an emulated device: the region of memory into which they write launches, copies and fills, and
 * how these are read. The layouts are those of libdevice/launches.cu.
 *
 * A level is one grid that runs, with what it has queued. Levels of a module share its region: a grid that waits for
 * its children in the middle leaves its own records below theirs.
 */
import { bug, unsupported } from "../../base/diagnostics.ts";
import { alignUp } from "../../base/align.ts";
import type { Dim3 } from "../../base/dim3.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import type { LaunchConfig } from "../../machine/launch.ts";
import type { DeviceProperties, DeviceRuntimeLimits } from "../device.ts";
import type { EmulatedKernel, EmulatedModule } from "./emulated-module.ts";
import type { DeviceMemory } from "./memory.ts";

/** The variable that holds the region's address. */
const REGION_VARIABLE = "__heddle_launches";
/** A grid that a program has not limited may queue so many launches. A GPU begins with them meanwhile. */
const DEFAULT_SLOTS = 65536;
const MOST_DEFAULT_BYTES = 32 * 1024 * 1024;
/** Threads whose last error is kept. */
const FAILURE_SLOTS = 4096;
const FAILURE_BYTES = 16;
const RECORD_BYTES = 64;
const HEADER_BYTES = 128;

/** Words of a region. */
const WORD = {
  used: 0,
  open: 1,
  count: 2,
  slots: 3,
  failures: 4,
  failureSlots: 5,
  depth: 6,
  syncDepth: 7,
  mostGrid: 8,
  mostBlock: 11,
  mostThreads: 14,
  records: 16,
  recordBytes: 17,
  list: 18,
  failureList: 19,
  kernels: 20,
  kernelCount: 21,
} as const;

const KINDS = ["grid", "copy", "fill"] as const;
/** cudaStreamTailLaunch */
const TAIL = 3;

export interface QueuedGrid {
  readonly kind: "grid";
  readonly kernel: EmulatedKernel;
  readonly config: LaunchConfig;
  readonly params: Uint8Array;
  readonly isTail: boolean;
}

export interface QueuedTransfer {
  readonly kind: "copy" | "fill";
  readonly destination: number;
  /** An address, or the byte that is repeated. */
  readonly source: number;
  readonly bytes: number;
  readonly isTail: boolean;
}

export type QueuedWork = QueuedGrid | QueuedTransfer;

interface Region {
  readonly base: number;
  readonly slots: number;
}

export class ChildGrids {
  readonly #memory: DeviceMemory;
  readonly #properties: DeviceProperties;
  readonly #regions = new WeakMap<EmulatedModule, Region>();
  readonly #owned = new Set<number>();
  limits: DeviceRuntimeLimits = { syncDepth: 2, pendingLaunches: null };

  constructor(memory: DeviceMemory, properties: DeviceProperties) {
    this.#memory = memory;
    this.#properties = properties;
  }

  /** Before a grid of this module runs; null: the module launches nothing. @param depth 0: the host has launched it. */
  enter(module: EmulatedModule, depth: number): Level | null {
    const variable = module.symbol(REGION_VARIABLE);
    if (variable === null) return null;
    if (this.#memory.isWide)
      throw unsupported("kernels that launch kernels on a device with more than 4 GiB of memory");
    let region = this.#regions.get(module);
    if (region === undefined || (depth === 0 && region.slots !== this.#slots(module))) {
      if (region !== undefined) this.#free(region.base);
      this.#regions.set(module, (region = this.#make(module)));
      new DataView(this.#memory.wasm.buffer).setUint32(variable.pointer, region.base, true);
      this.#memory.touch(variable.pointer, 4);
    }
    return new Level(this.#memory, module, region.base, depth, this.limits.syncDepth);
  }

  /** On a reset, when no module is left. */
  release(): void {
    for (const base of this.#owned) this.#memory.free(base);
    this.#owned.clear();
  }

  /** When a module is unloaded. */
  forget(module: EmulatedModule): void {
    const region = this.#regions.get(module);
    this.#regions.delete(module);
    if (region !== undefined) this.#free(region.base);
  }

  #free(base: number): void {
    if (this.#owned.delete(base)) this.#memory.free(base);
  }

  #bytesPerLaunch(module: EmulatedModule): number {
    const params = module.kernelNames().map((name) => module.kernel(name).paramBytes);
    return RECORD_BYTES + alignUp(Math.max(16, ...params), RECORD_BYTES);
  }

  #slots(module: EmulatedModule): number {
    const { pendingLaunches } = this.limits;
    return pendingLaunches ?? Math.min(DEFAULT_SLOTS, Math.floor(MOST_DEFAULT_BYTES / this.#bytesPerLaunch(module)));
  }

  #make(module: EmulatedModule): Region {
    const slots = this.#slots(module);
    const kernels = module.current.functionTable;
    const kernelList = HEADER_BYTES;
    const list = alignUp(kernelList + 8 * kernels.length, RECORD_BYTES);
    const failureList = alignUp(list + 4 * slots, RECORD_BYTES);
    const records = failureList + FAILURE_BYTES * FAILURE_SLOTS;
    // One more than may be pending: the launch that is too many fails when it is queued.
    const recordBytes = (slots + 1) * this.#bytesPerLaunch(module);
    const { start } = this.#memory.allocate(records + recordBytes, { align: 256 }, "module");
    this.#owned.add(start);
    this.#memory.bytes.fill(0, start, start + records);
    const words = new Uint32Array(this.#memory.wasm.buffer, start, HEADER_BYTES / 4);
    const { maxGridSize, maxThreadsDim, maxThreadsPerBlock, sharedMemPerBlock } = this.#properties;
    words[WORD.slots] = slots;
    words[WORD.failureSlots] = FAILURE_SLOTS;
    words.set(maxGridSize, WORD.mostGrid);
    words.set(maxThreadsDim, WORD.mostBlock);
    words[WORD.mostThreads] = maxThreadsPerBlock;
    words[WORD.records] = records;
    words[WORD.recordBytes] = recordBytes;
    words[WORD.list] = list;
    words[WORD.failureList] = failureList;
    words[WORD.kernels] = kernelList;
    words[WORD.kernelCount] = kernels.length;
    const limits = new Uint32Array(this.#memory.wasm.buffer, start + kernelList, 2 * kernels.length);
    for (const [i, fn] of kernels.entries()) {
      if (fn === null || !fn.isKernel) continue;
      const kernel = module.kernel(fn.name);
      limits[2 * i] = kernel.maxThreadsPerBlock;
      limits[2 * i + 1] = Math.max(0, sharedMemPerBlock - kernel.staticSharedBytes);
    }
    this.#memory.touch(start, records);
    return { base: start, slots };
  }
}

/** One grid while it runs, and what it has queued. */
export class Level {
  readonly depth: number;
  /** For the time when the grid and all that it has launched have ended. */
  readonly tails: QueuedWork[] = [];
  /** Of a grid that this one waits for. */
  childFault: DeviceFault | null = null;
  readonly #memory: DeviceMemory;
  readonly #module: EmulatedModule;
  readonly #base: number;
  /** What the grid around this one has. */
  readonly #outer: Uint32Array;
  readonly #outerFailures: Uint8Array;

  constructor(memory: DeviceMemory, module: EmulatedModule, base: number, depth: number, syncDepth: number) {
    this.#memory = memory;
    this.#module = module;
    this.#base = base;
    this.depth = depth;
    const words = this.#words;
    this.#outer = words.slice();
    this.#outerFailures = this.#failures().slice();
    words[WORD.failures] = words[WORD.count] = words[WORD.open] = 0;
    words[WORD.depth] = depth;
    words[WORD.syncDepth] = syncDepth;
  }

  get #words(): Uint32Array {
    return new Uint32Array(this.#memory.wasm.buffer, this.#base, HEADER_BYTES / 4);
  }

  #failures(): Uint8Array {
    const words = this.#words;
    const count = Math.min(words[WORD.failures] as number, words[WORD.failureSlots] as number);
    const start = this.#base + (words[WORD.failureList] as number);
    return this.#memory.bytes.subarray(start, start + count * FAILURE_BYTES);
  }

  /**
   * What has been queued since the last time, in an order that CUDA allows: by the block that queued it, and within a
   * block in the order of its calls. Work for the grid's end is left in `tails`.
   */
  take(): QueuedWork[] {
    const words = this.#words;
    const list = new Uint32Array(
      this.#memory.wasm.buffer,
      this.#base + (words[WORD.list] as number),
      words[WORD.count] as number,
    );
    const records = Array.from(list, (distance) => this.#base + distance);
    const view = new DataView(this.#memory.wasm.buffer);
    const parent = (record: number): number => view.getUint32(record + 40, true);
    records.sort((a, b) => parent(a) - parent(b));
    const work = records.map((record) => this.#read(view, record));
    words[WORD.count] = 0;
    // A buffer that a thread has not launched yet may lie anywhere.
    if (words[WORD.open] === 0) words[WORD.used] = this.#outer[WORD.used] as number;
    this.tails.push(...work.filter(({ isTail }) => isTail));
    return work.filter(({ isTail }) => !isTail);
  }

  #read(view: DataView, record: number): QueuedWork {
    const word = (index: number): number => view.getUint32(record + 4 * index, true);
    const extent = (index: number): Dim3 => ({ x: word(index), y: word(index + 1), z: word(index + 2) });
    const kind = KINDS[word(0)] ?? bug(`a record of kind ${word(0)} among launches`);
    const isTail = word(9) === TAIL;
    if (kind !== "grid") {
      const [destination, source, bytes] = [word(16), word(17), word(18)];
      return { kind, destination, source, bytes, isTail };
    }
    const fn = this.#module.current.functionTable[word(1)] ?? bug("a launch of no kernel");
    const start = record + RECORD_BYTES;
    return {
      kind,
      kernel: this.#module.kernel(fn.name),
      config: { grid: extent(2), block: extent(5), sharedBytes: word(8) },
      params: this.#memory.bytes.slice(start, start + word(11)),
      isTail,
    };
  }

  /** The grid and all that it has launched have ended. */
  leave(): void {
    const words = this.#words;
    for (const field of [WORD.used, WORD.open, WORD.count, WORD.failures, WORD.depth])
      words[field] = this.#outer[field] as number;
    this.#failures().set(this.#outerFailures);
  }
}
