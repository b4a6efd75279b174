/**
 * Memory of tensors on one device. On a GPU, memory that is given back is kept for the next tensor of its size: the
 * driver takes long to allocate. All operations are on one stream, so what is used again is used in order.
 */
import { HeddleError } from "../base/diagnostics.ts";
import type { MemoryHistory } from "./memory-history.ts";
import type { Device, DevicePointer } from "../device/device.ts";

/** Small allocations are multiples of this, as PyTorch's are. */
const SMALL_STEP = 512;
const LARGE = 1 << 20;
const LARGE_STEP = 2 << 20;

/** Tensors that hold less are no reason to collect garbage. */
const LEAST_GARBAGE = 64 << 20;

let collectGarbage: (() => void) | null = null;

/**
 * The garbage collector does not see the memory of devices: a tensor is a small object. So it is called when tensors
 * hold much more than at the last time. Their memory comes back when the event loop turns.
 */
export function useGarbageCollector(collect: () => void): void {
  collectGarbage = collect;
}

export interface MemoryStatistics {
  /** Bytes of tensors that live, in blocks as they were allocated. */
  readonly allocatedBytes: number;
  readonly peakAllocatedBytes: number;
  /** Bytes that were taken from the device: with those that are kept for later. */
  readonly reservedBytes: number;
  readonly peakReservedBytes: number;
  /** Allocations so far, and how many of them the device had to make. */
  readonly allocations: number;
  readonly deviceAllocations: number;
}

/** Memory that a recorded graph uses at each of its launches: no other tensor gets it while the graph exists. */
export class MemoryPool {
  /** @internal Blocks that nobody uses while the graph is recorded, by size. */
  readonly unused: Map<number, DevicePointer[]> = new Map();
  /** @internal Blocks that a branch has given back, likewise. */
  readonly kept: Map<number, DevicePointer[]> = new Map();
  /** @internal */
  isClosed = false;
}

export class DeviceMemory {
  readonly #device: Device;
  readonly #isCaching: boolean;
  /** Blocks that nobody uses, by size. */
  readonly #cached = new Map<number, DevicePointer[]>();
  /** Of what is allocated now; null: of no graph. */
  #pool: MemoryPool | null = null;
  readonly #pools = new Map<DevicePointer, MemoryPool>();
  /** Records what is allocated and given back; null: nobody asks for it. */
  history: MemoryHistory | null = null;
  #isKeeping = false;
  #allocated = 0;
  #peakAllocated = 0;
  #reserved = 0;
  #peakReserved = 0;
  #allocations = 0;
  #deviceAllocations = 0;
  /** What tensors held at least since garbage was collected, and when it will be again. */
  #leastHeld = 0;
  #collectAt = LEAST_GARBAGE;
  /** What they may hold; 0: not asked for yet. */
  #mostHeld = 0;

  constructor(device: Device) {
    this.#device = device;
    this.#isCaching = device.kind === "cuda";
  }

  get statistics(): MemoryStatistics {
    return {
      allocatedBytes: this.#allocated,
      peakAllocatedBytes: this.#peakAllocated,
      reservedBytes: this.#reserved,
      peakReservedBytes: this.#peakReserved,
      allocations: this.#allocations,
      deviceAllocations: this.#deviceAllocations,
    };
  }

  #note(kind: "allocate" | "free", pointer: DevicePointer, bytes: number): void {
    this.history?.add({ kind, pointer, bytes, allocatedBytes: this.#allocated, reservedBytes: this.#reserved });
  }

  resetPeaks(): void {
    this.#peakAllocated = this.#allocated;
    this.#peakReserved = this.#reserved;
  }

  /** The size of the block for so many bytes. */
  blockBytes(bytes: number): number {
    if (!this.#isCaching) return bytes;
    const step = bytes > LARGE ? LARGE_STEP : SMALL_STEP;
    return Math.ceil(bytes / step) * step;
  }

  /** Whether a graph is being recorded: the host neither reads nor writes then. */
  get isRecording(): boolean {
    return this.#pool !== null;
  }

  /** What is allocated during `work` is the pool's. */
  inPool<T>(pool: MemoryPool, work: () => T): T {
    this.#pool = pool;
    try {
      return work();
    } finally {
      this.#pool = null;
    }
  }

  /** What is given back during `work` is for no other tensor while the graph is recorded. */
  keeping(work: () => void): void {
    const before = this.#isKeeping;
    this.#isKeeping = true;
    try {
      work();
    } finally {
      this.#isKeeping = before;
    }
  }

  /** The graph is gone: its memory is for other tensors. */
  closePool(pool: MemoryPool): void {
    if (pool.isClosed) return;
    pool.isClosed = true;
    for (const blocks of [pool.unused, pool.kept]) {
      for (const [size, pointers] of blocks) for (const pointer of pointers) this.#keep(pointer, size);
      blocks.clear();
    }
  }

  /** @throws HeddleError "out-of-memory" */
  allocate(bytes: number): DevicePointer {
    const size = this.blockBytes(bytes);
    this.#allocations++;
    const pool = this.#pool;
    const pointer = (pool?.unused ?? this.#cached).get(size)?.pop() ?? this.#fromDevice(size);
    if (pool !== null) this.#pools.set(pointer, pool);
    this.#allocated += size;
    this.#peakAllocated = Math.max(this.#peakAllocated, this.#allocated);
    if (this.#allocated > this.#collectAt) this.#underPressure();
    this.#note("allocate", pointer, size);
    return pointer;
  }

  free(pointer: DevicePointer, bytes: number): void {
    const size = this.blockBytes(bytes);
    this.#allocated -= size;
    if (this.#allocated < this.#leastHeld) {
      this.#leastHeld = this.#allocated;
      this.#collectAt = this.#nextCollection();
    }
    this.#note("free", pointer, size);
    // After a fault the device's memory is gone as a whole.
    if (this.#device.fault !== null) return;
    const pool = this.#pools.size === 0 ? undefined : this.#pools.get(pointer);
    if (pool === undefined || pool.isClosed) this.#keep(pointer, size);
    else addTo(this.#isKeeping ? pool.kept : pool.unused, size, pointer);
  }

  /** When they hold twice as much as before and an eighth of the memory more, or half of what was free before. */
  #nextCollection(): number {
    const [least, most] = [this.#leastHeld, this.#mostHeld];
    return Math.max(LEAST_GARBAGE, least + Math.min(Math.max(least, most / 8), (most - least) / 2));
  }

  #underPressure(): void {
    this.#mostHeld = this.#device.memoryInfo().freeBytes + this.#reserved;
    if (this.#allocated > this.#nextCollection()) {
      collectGarbage?.();
      this.#leastHeld = this.#allocated;
    }
    this.#collectAt = this.#nextCollection();
  }

  /** For the next tensor of its size, or back to the device. */
  #keep(pointer: DevicePointer, size: number): void {
    this.#pools.delete(pointer);
    if (this.#isCaching) {
      addTo(this.#cached, size, pointer);
      return;
    }
    this.#reserved -= size;
    this.#device.free(pointer);
  }

  /** Gives back to the device what is kept for later. */
  emptyCache(): void {
    for (const [size, pointers] of this.#cached) {
      for (const pointer of pointers) this.#device.free(pointer);
      this.#reserved -= size * pointers.length;
    }
    this.#cached.clear();
  }

  #fromDevice(size: number): DevicePointer {
    let pointer: DevicePointer;
    try {
      pointer = this.#device.allocate(size);
    } catch (error) {
      if (!(error instanceof HeddleError) || error.code !== "out-of-memory") throw error;
      pointer = this.#afterFreeing(size, error);
    }
    this.#deviceAllocations++;
    this.#reserved += size;
    this.#peakReserved = Math.max(this.#peakReserved, this.#reserved);
    return pointer;
  }

  #afterFreeing(size: number, error: HeddleError): DevicePointer {
    if (this.#cached.size > 0) {
      this.emptyCache();
      try {
        return this.#device.allocate(size);
      } catch (again) {
        if (!(again instanceof HeddleError) || again.code !== "out-of-memory") throw again;
      }
    }
    throw new HeddleError("out-of-memory", error.summary, {
      notes: [
        ...error.notes,
        `tensors hold ${this.#allocated} bytes of the device`,
        "memory of tensors that nobody refers to comes back when the event loop turns: await something in the loop, " +
          "or make its tensors inside of torch.tidy(() => …)",
      ],
      cause: error,
    });
  }
}

function addTo(blocks: Map<number, DevicePointer[]>, size: number, pointer: DevicePointer): void {
  const list = blocks.get(size);
  if (list === undefined) blocks.set(size, [pointer]);
  else list.push(pointer);
}

const memories = new WeakMap<Device, DeviceMemory>();

export function memoryOf(device: Device): DeviceMemory {
  let memory = memories.get(device);
  if (memory === undefined) memories.set(device, (memory = new DeviceMemory(device)));
  return memory;
}
