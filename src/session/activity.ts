/** What a program is doing at the moment, in shared memory: the main thread reads it when it stops the program. */
import type { Device } from "../device/device.ts";
import type { EmulatedDevice } from "../device/emulated/emulated-device.ts";
import { runningLoop } from "../device/emulated/loop-words.ts";
import type { Activity } from "./events.ts";

const LENGTH = 0;
const COUNT = 1;
const START_SECONDS = 1;
const HEADER_BYTES = 16;
const NAME_BYTES = 256;

export function createActivityMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER_BYTES + NAME_BYTES);
}

export class ActivityWriter {
  readonly #words: Int32Array;
  readonly #start: Float64Array;
  readonly #name: Uint8Array;
  readonly #encoded = new Map<string, Uint8Array>();
  #last = "";
  #length = 0;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory, 0, 2);
    this.#start = new Float64Array(memory, 0, HEADER_BYTES / 8);
    this.#name = new Uint8Array(memory, HEADER_BYTES);
  }

  begin(kernel: string): void {
    if (kernel !== this.#last) this.#change(kernel);
    this.#start[START_SECONDS] = Date.now() / 1000;
    Atomics.store(this.#words, LENGTH, this.#length);
    Atomics.add(this.#words, COUNT, 1);
  }

  /** A loop launches the same kernels in turns: each is encoded once. */
  #change(kernel: string): void {
    let encoded = this.#encoded.get(kernel);
    if (encoded === undefined) {
      encoded = new TextEncoder().encode(kernel).subarray(0, NAME_BYTES);
      this.#encoded.set(kernel, encoded);
    }
    this.#last = kernel;
    this.#length = encoded.length;
    this.#name.set(encoded);
  }

  end(): void {
    Atomics.store(this.#words, LENGTH, 0);
  }
}

/** The memories of emulated devices that other threads can read. */
export function sharedMemories(devices: readonly Device[]): WebAssembly.Memory[] {
  return devices.flatMap((device) => {
    if (device.kind !== "emulated") return [];
    const { memory } = device as EmulatedDevice;
    return memory.shared ? [memory.wasm] : [];
  });
}

/** @param devices memories of the program's emulated devices, which say in which loop a kernel is. */
export function readActivity(memory: SharedArrayBuffer, devices: readonly WebAssembly.Memory[]): Activity {
  const words = new Int32Array(memory, 0, 2);
  const length = Atomics.load(words, LENGTH);
  const launches = Atomics.load(words, COUNT);
  if (length === 0) return { kernel: null, seconds: 0, launches, loop: null };
  const started = new Float64Array(memory, 0, HEADER_BYTES / 8)[START_SECONDS] as number;
  return {
    kernel: new TextDecoder().decode(new Uint8Array(memory, HEADER_BYTES, length).slice()),
    seconds: Date.now() / 1000 - started,
    launches,
    loop: devices.map(runningLoop).find((loop) => loop !== null) ?? null,
  };
}
