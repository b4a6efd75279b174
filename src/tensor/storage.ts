/** Memory of tensors: on the host, or on a device. Tensors that are views of one another share it. */
import { HeddleError } from "../base/diagnostics.ts";
import type { Device, DevicePointer } from "../device/device.ts";
import { record } from "../library/recording.ts";
import { memoryOf, type DeviceMemory } from "./device-memory.ts";
import { currentTracer, type Follower } from "./follower.ts";

/** Where a tensor's memory is: a device, or null for the host. */
export type Place = Device | null;

/** How the contents of memory are made when somebody looks at them. */
export interface Deferred {
  /** Makes them. Storages that are made along with this one forget theirs. */
  readonly run: () => void;
  /** Nobody will look at them. */
  readonly drop: () => void;
  /** The value of all elements; null: not one value. */
  readonly value: number | null;
}

export abstract class Storage {
  readonly place: Place;
  readonly bytes: number;
  /** How often elements were changed in place: gradients notice that what they need is not there any more. */
  version = 0;
  /** What traced operations when it was made. */
  readonly madeBy: Follower | null = currentTracer();
  /** What makes its contents; null: they are there. */
  deferred: Deferred | null = null;
  #references = 0;

  constructor(place: Place, bytes: number) {
    this.place = place;
    this.bytes = bytes;
  }

  /** The address of the first byte. */
  abstract readonly pointer: DevicePointer;
  /** A copy of `bytes` bytes. */
  abstract read(begin: number, bytes: number): Uint8Array<ArrayBuffer>;
  abstract write(begin: number, bytes: Uint8Array): void;
  protected abstract free(): void;

  /** Whether a tensor has it. */
  get isUsed(): boolean {
    return this.#references > 0;
  }

  retain(): void {
    this.#references++;
  }

  release(): void {
    if (--this.#references === 0) this.free();
  }
}

let hostAddresses = 4096;

class HostStorage extends Storage {
  readonly #memory: Uint8Array<ArrayBuffer>;
  readonly pointer = hostAddresses;

  constructor(bytes: number) {
    super(null, bytes);
    this.#memory = new Uint8Array(bytes);
    hostAddresses += Math.ceil((bytes + 1) / 64) * 64;
  }

  read(begin: number, bytes: number): Uint8Array<ArrayBuffer> {
    currentTracer()?.touch(this, "reads");
    return this.#memory.slice(begin, begin + bytes);
  }

  write(begin: number, bytes: Uint8Array): void {
    currentTracer()?.touch(this, "writes");
    this.#memory.set(bytes, begin);
  }

  protected free(): void {
    // The garbage collector does.
  }
}

interface Watched {
  readonly memory: DeviceMemory;
  readonly pointer: DevicePointer;
  readonly bytes: number;
  /** It was released. To take it out of the registry instead would make each entry four times as dear. */
  isFreed: boolean;
}

/** Memory that nobody refers to any more is given back. */
const collected = new FinalizationRegistry<Watched>(({ memory, pointer, bytes, isFreed }) => {
  if (isFreed) return;
  try {
    memory.free(pointer, bytes);
  } catch (error) {
    // The device was closed, and all of its memory with it.
    if (!(error instanceof HeddleError)) throw error;
  }
});

/**
 * Small storages that were made last. Most are released soon: only those that are still used when the event loop
 * turns, or when so many others were made, are put into the registry, which takes longer than the rest of an operation.
 */
const young: (DeviceStorage | null)[] = Array.from({ length: 64 }, () => null);
const YOUNG_BYTES = 1 << 20;
let nextYoung = 0;
let isFlushing = false;

function addYoung(storage: DeviceStorage): number {
  const at = nextYoung;
  nextYoung = (at + 1) % young.length;
  young[at]?.watch();
  young[at] = storage;
  turnSoon();
  return at;
}

const waiting = new Set<Storage>();

/** From now on the contents are made when somebody looks at them, and at the latest when the event loop turns. */
export function defer(storage: Storage, deferred: Deferred): void {
  storage.deferred = deferred;
  waiting.add(storage);
  turnSoon();
}

/** Nothing is left to be made of this storage. */
export function forgetDeferred(storage: Storage): void {
  storage.deferred = null;
  waiting.delete(storage);
}

/** Makes what is deferred, of a device or of all. */
export function settleAll(place: Place | "all"): void {
  for (const storage of waiting) if (place === "all" || storage.place === place) settle(storage);
}

function settle(storage: Storage): void {
  const { deferred } = storage;
  forgetDeferred(storage);
  if (deferred !== null && storage.place?.fault === null) deferred.run();
}

function turnSoon(): void {
  if (isFlushing) return;
  isFlushing = true;
  setTimeout(flushYoung, 0);
}

function flushYoung(): void {
  isFlushing = false;
  try {
    settleAll("all");
  } catch (error) {
    // The device was closed, or has failed: whoever uses it next is told.
    if (!(error instanceof HeddleError)) throw error;
    waiting.clear();
  }
  for (let at = 0; at < young.length; at++) {
    young[at]?.watch();
    young[at] = null;
  }
}

const readers = new WeakMap<Device, () => void>();

/** Calls `check` before memory of the device is read: it may throw what kernels found. */
export function onRead(device: Device, check: () => void): void {
  readers.set(device, check);
}

class DeviceStorage extends Storage {
  readonly #device: Device;
  readonly #memory: DeviceMemory | null;
  readonly #pointer: DevicePointer;
  /** Its place among the young; -1: none. */
  #young = -1;
  #watched: Watched | null = null;
  #isFreed = false;

  /** @param borrowed memory that somebody else owns */
  constructor(device: Device, bytes: number, borrowed: DevicePointer | null = null) {
    super(device, bytes);
    this.#device = device;
    this.#memory = borrowed === null && bytes > 0 ? memoryOf(device) : null;
    this.#pointer = borrowed ?? this.#memory?.allocate(bytes) ?? 0;
    if (this.#memory === null) return;
    if (bytes <= YOUNG_BYTES) this.#young = addYoung(this);
    else this.watch();
  }

  /** Its memory is given back when nobody refers to it any more. */
  watch(): void {
    this.#young = -1;
    const memory = this.#memory as DeviceMemory;
    this.#watched = { memory, pointer: this.#pointer, bytes: this.bytes, isFreed: false };
    collected.register(this, this.#watched);
  }

  get pointer(): DevicePointer {
    currentTracer()?.touch(this, "writes");
    this.#refuseFreed();
    if (this.deferred !== null) settle(this);
    return this.#pointer;
  }

  read(begin: number, bytes: number): Uint8Array<ArrayBuffer> {
    currentTracer()?.touch(this, "reads");
    this.#refuseFreed();
    this.#refuseRecording("reads");
    if (this.deferred !== null) settle(this);
    readers.get(this.#device)?.();
    const target = new Uint8Array(bytes);
    if (bytes > 0)
      record(this.#device, { copied: "device to host", bytes }, () => this.#device.read(this.#pointer + begin, target));
    return target;
  }

  write(begin: number, bytes: Uint8Array): void {
    currentTracer()?.touch(this, "writes");
    this.#refuseFreed();
    this.#refuseRecording("writes");
    if (this.deferred !== null) settle(this);
    if (bytes.length > 0)
      record(this.#device, { copied: "host to device", bytes: bytes.length }, () =>
        this.#device.write(this.#pointer + begin, bytes),
      );
  }

  #refuseFreed(): void {
    if (this.#isFreed)
      throw new HeddleError("bad-arguments", "the tensor's memory was given back: it was disposed", {
        notes: [
          "dispose(), the end of a using or of torch.tidy(() => …) gives back: return what is needed later from tidy",
        ],
      });
  }

  #refuseRecording(what: "reads" | "writes"): void {
    if (memoryOf(this.#device).isRecording)
      throw new HeddleError("unsupported", `an operation ${what} memory of the device from the host, in a graph`, {
        notes: [
          "a graph has launches of kernels only: read results behind it, and give it data with torch.upload",
          "an operation that has no kernel computes on the host: docs/tensor-operations.md tells which",
        ],
      });
  }

  protected free(): void {
    if (this.#memory === null) return;
    this.#isFreed = true;
    const { deferred } = this;
    if (deferred !== null) {
      forgetDeferred(this);
      deferred.drop();
    }
    if (this.#young >= 0) young[this.#young] = null;
    if (this.#watched !== null) this.#watched.isFreed = true;
    this.#memory.free(this.#pointer, this.bytes);
  }
}

/** @throws HeddleError "out-of-memory" */
export function allocate(place: Place, bytes: number): Storage {
  if (place === null) return new HostStorage(bytes);
  const tracer = currentTracer();
  return tracer?.place === place ? (tracer.allocate(bytes) as Storage) : new DeviceStorage(place, bytes);
}

/** Memory of a device that somebody else owns. */
export function borrow(device: Device, pointer: DevicePointer, bytes: number): Storage {
  return new DeviceStorage(device, bytes, pointer);
}
