/** Copies and fills of an emulated device's memory, whoever has asked for them. The caller has checked the range. */
import type { DeviceObserver } from "../../machine/observer.ts";
import { HeddleError } from "../../base/diagnostics.ts";
import type { QueuedTransfer } from "./child-grids.ts";
import type { DeviceMemory, HeapBlock } from "./memory.ts";

export function copyBytes(
  memory: DeviceMemory,
  observer: DeviceObserver | null,
  destination: number,
  source: number,
  bytes: number,
): void {
  memory.bytes.copyWithin(destination, source, source + bytes);
  memory.touch(destination, bytes);
  observer?.copied?.(destination, source, bytes);
}

/** Repeats a little-endian element. */
export function fillElements(
  memory: DeviceMemory,
  destination: number,
  value: number,
  elementBytes: 1 | 2 | 4,
  count: number,
): void {
  const bytes = elementBytes * count;
  const { bytes: all } = memory;
  const byteAt = (i: number): number => (value >>> (8 * (i % elementBytes))) & 0xff;
  const fillBytes = (from: number, to: number): void => {
    for (let i = from; i < to; i++) all[destination + i] = byteAt(i);
  };
  // V8 fills shared memory element by element, so that bytes take eight times as long as words.
  const start = all.byteOffset + destination;
  const head = Math.min(bytes, -start & 7);
  const words = Math.floor((bytes - head) / 8);
  fillBytes(0, head);
  if (words > 0) {
    const word = Uint8Array.from({ length: 8 }, (_, i) => byteAt(head + i));
    new BigUint64Array(all.buffer, start + head, words).fill(new BigUint64Array(word.buffer)[0]!);
  }
  fillBytes(head + 8 * words, bytes);
  memory.touch(destination, bytes);
}

/** A copy or a fill that a kernel has queued. @throws HeddleError where it leaves an allocation */
export function transfer(
  memory: DeviceMemory,
  observer: DeviceObserver | null,
  { kind, destination, source, bytes }: QueuedTransfer,
): void {
  for (const address of kind === "copy" ? [destination, source] : [destination]) {
    const block = memory.find(address);
    if (block !== null && address + bytes <= block.start + block.bytes) continue;
    const name = kind === "copy" ? "cudaMemcpyAsync" : "cudaMemsetAsync";
    throw new HeddleError(
      "bad-arguments",
      `${name} in a kernel: ${bytes} bytes at device address 0x${address.toString(16)} are not inside one allocation`,
    );
  }
  if (kind === "copy") return copyBytes(memory, observer, destination, source, bytes);
  observer?.written?.(destination, bytes);
  return fillElements(memory, destination, source, 1, bytes);
}

interface Fill {
  readonly destination: number;
  readonly value: number;
  readonly elementBytes: number;
  readonly count: number;
}

/** The last fill of each allocation, and the version that it left. */
export class RepeatedFills {
  readonly #last = new WeakMap<HeapBlock, { readonly fill: Fill; readonly version: number }>();

  isThere(block: HeapBlock, { destination, value, elementBytes, count }: Fill, version: number): boolean {
    const last = this.#last.get(block);
    return (
      last !== undefined &&
      last.version === version &&
      last.fill.destination === destination &&
      last.fill.value === value &&
      last.fill.elementBytes === elementBytes &&
      last.fill.count === count
    );
  }

  note(block: HeapBlock, fill: Fill, version: number): void {
    this.#last.set(block, { fill, version });
  }
}
