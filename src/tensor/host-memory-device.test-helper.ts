/** A device's memory without a device: for tests that launch nothing. */
import { gpuProperties } from "../device/emulated/gpus.ts";

export class HostMemoryDevice {
  readonly kind: string = "emulated";
  readonly fault: null = null;
  readonly properties: ReturnType<typeof gpuProperties> = gpuProperties("a100");
  readonly live: Map<number, Uint8Array> = new Map();
  readonly #capacity: number;
  #next = 256;

  constructor(capacity: number = 2 ** 30) {
    this.#capacity = capacity;
  }

  memoryInfo(): { freeBytes: number; totalBytes: number } {
    const used = [...this.live.values()].reduce((sum, { length }) => sum + length, 0);
    return { freeBytes: this.#capacity - used, totalBytes: this.#capacity };
  }

  allocate(bytes: number): number {
    const pointer = this.#next;
    this.#next += Math.ceil(bytes / 256) * 256 + 256;
    this.live.set(pointer, new Uint8Array(bytes));
    return pointer;
  }

  free(pointer: number): void {
    if (!this.live.delete(pointer)) throw new RangeError(`${pointer} is no allocation`);
  }

  #find(address: number): { memory: Uint8Array; at: number } {
    for (const [pointer, memory] of this.live)
      if (address >= pointer && address <= pointer + memory.length) return { memory, at: address - pointer };
    throw new RangeError(`${address} is in no allocation`);
  }

  read(source: number, target: Uint8Array): void {
    const { memory, at } = this.#find(source);
    target.set(memory.subarray(at, at + target.length));
  }

  write(destination: number, source: Uint8Array): void {
    const { memory, at } = this.#find(destination);
    memory.set(source, at);
  }
}
