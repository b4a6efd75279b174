/** Copies of host tensors to a GPU through memory that the GPU reads itself. */
import type { Gpu } from "../../library/gpu.ts";
import { elementMemory } from "../element-memory.ts";
import { empty, type Tensor } from "../tensor.ts";

/** One piece of pinned memory for all batches: a copy has ended when `write` returns. */
export class PinnedCopies {
  readonly #device: Gpu;
  #memory: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #pin: { close(): void } | null = null;

  constructor(device: Gpu) {
    this.#device = device;
  }

  /** Null: the tensor is not on the host, or the device reads the host's memory as it is. */
  copy(tensor: Tensor): Tensor | null {
    const { raw } = this.#device;
    if (tensor.place !== null || raw.queue === null || tensor.length === 0) return null;
    const bytes = elementMemory(tensor);
    if (this.#memory.length < bytes.length) this.#grow(bytes.length);
    const part = this.#memory.subarray(0, bytes.length);
    part.set(bytes);
    const result = empty(tensor.shape, tensor.dtype, raw);
    result.storage.write(0, part);
    return result;
  }

  #grow(bytes: number): void {
    this.#pin?.close();
    this.#memory = new Uint8Array(bytes);
    this.#pin = this.#device.pin(this.#memory);
  }
}
