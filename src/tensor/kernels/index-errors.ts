/**
 * Indices that are out of range, found by kernels: a kernel leaves such an element out and notes it, and whoever reads
 * memory of the device next (or synchronises) gets the error. A read of memory beside the tensor never happens.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import { allocate, onRead, type Storage } from "../storage.ts";
import type { TensorDevice } from "./tensor-device.ts";

/** What a kernel noted: whether there is an error, the index, and the size of its dimension. */
const WORDS = 3;

class IndexErrors {
  readonly #device: TensorDevice;
  readonly #notes: Storage;
  #isOpen = false;
  /** How many kernels were given the notes. */
  kernels = 0;

  constructor(device: TensorDevice) {
    this.#device = device;
    // No tensor: it stays, whatever scope is open.
    this.#notes = allocate(device.raw, WORDS * 8);
    this.#notes.retain();
    this.#notes.write(0, new Uint8Array(WORDS * 8));
    onRead(device.raw, () => this.check());
  }

  /** Where the next kernel notes what it finds. */
  open(): number {
    this.#isOpen = true;
    this.kernels++;
    return this.#notes.pointer;
  }

  /** @throws HeddleError "bad-arguments" */
  check(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { raw } = this.#device;
    const bytes = new Uint8Array(WORDS * 8);
    raw.read(this.#notes.pointer, bytes);
    const [found, index, size] = new BigInt64Array(bytes.buffer) as unknown as [bigint, bigint, bigint];
    if (found === 0n) return;
    raw.write(this.#notes.pointer, new Uint8Array(WORDS * 8));
    // Where a place is a sum of several indices, the one that is wrong is not known any more.
    const which = index < -(2n ** 40n) ? "an index" : `index ${index}`;
    throw new HeddleError("bad-arguments", `${which} is out of bounds for a dimension with size ${size}`, {
      notes: ["a kernel found it; operations since then computed with 0 in its place"],
    });
  }
}

const errors = new WeakMap<TensorDevice, IndexErrors>();

function errorsOf(device: TensorDevice): IndexErrors {
  let own = errors.get(device);
  if (own === undefined) errors.set(device, (own = new IndexErrors(device)));
  return own;
}

/** The pointer for a kernel's notes. */
export function noteIndices(device: TensorDevice): number {
  return errorsOf(device).open();
}

/**
 * Before launches are recorded, which cannot write memory from the host: the notes are there afterwards. The result
 * tells later whether a recorded kernel has them: then each replay opens them, by `noteIndices`.
 */
export function prepareIndices(device: TensorDevice): () => boolean {
  const own = errorsOf(device);
  const before = own.kernels;
  return () => own.kernels > before;
}

/** On a device without a queue an error is there as soon as a kernel is done. */
export function checkIndices(device: TensorDevice): void {
  if (device.raw.queue === null) errors.get(device)?.check();
}

/** Lines of a kernel: `valid` is whether an index is in range, where `inside` holds; others are noted. */
export const CHECK_LINES: readonly string[] = [
  "valid = inside & (index >= 0) & (index < size)",
  "wrong = inside & ((index < 0) | (index >= size))",
  "tl.store(notes + index * 0, index * 0 + 1, mask=wrong)",
  "tl.store(notes + 1 + index * 0, index, mask=wrong)",
  "tl.store(notes + 2 + index * 0, index * 0 + size, mask=wrong)",
];
