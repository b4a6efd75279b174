/**
 * A tool's shadow memory: planes of one size, one behind the other. Behind them lies what they are for, up to the end
 * of all memory. With fewer planes there is more of that: it begins at a lower address.
 */
import { HEAP_END, planeBytesFor } from "./memory-regions.ts";

export class ShadowMemory {
  readonly #start: number;
  #planes: number;

  constructor(start: number, planes: number) {
    this.#start = start;
    this.#planes = planes;
  }

  get planes(): number {
    return this.#planes;
  }

  /** Where the memory begins that has shadows; with no planes, where shadow memory would begin. */
  dataStart(planes: number = this.#planes): number {
    return HEAP_END - planeBytesFor(this.#start, planes);
  }

  /** From an address to its byte in a plane. */
  distance(plane: number): number {
    return this.#start + plane * planeBytesFor(this.#start, this.#planes) - this.dataStart();
  }

  /**
   * The first so many planes stay, with what they hold of [heap, top), and get shadows for more memory. What they hold
   * of windows is zero: no block is resident.
   */
  reduceTo(planes: number, bytes: Uint8Array, heap: number, top: number): void {
    const from = this.dataStart();
    const before = Array.from({ length: this.#planes }, (_, plane) => from + this.distance(plane));
    this.#planes = planes;
    const after = Array.from({ length: planes }, (_, plane) => heap + this.distance(plane));
    // The last plane moves furthest, and none moves down.
    for (let plane = planes - 1; plane >= 0; plane--) {
      const old = (before[plane] as number) + heap - from;
      bytes.copyWithin(after[plane] as number, old, old + top - heap);
    }
    for (const start of before) wipe(bytes, start, Math.min(start + top - from, this.dataStart()), after, top - heap);
  }
}

const CHUNK_WORDS = 16384;

/**
 * Zeroes [start, end), less what lies in one of the ranges at `kept` of so many bytes, which are in order. What is zero
 * is not written: memory that nobody has touched stays uncommitted.
 */
function wipe(bytes: Uint8Array, start: number, end: number, kept: readonly number[], keptBytes: number): void {
  let at = start;
  const upTo = (to: number): void => {
    for (let left = to - at; left > 0; left = to - at) {
      const words = new Int32Array(bytes.buffer, at, Math.min(CHUNK_WORDS, Math.ceil(left / 4)));
      if (!isZero(words)) bytes.fill(0, at, Math.min(to, at + words.byteLength));
      at = Math.min(to, at + words.byteLength);
    }
  };
  for (const from of kept) {
    upTo(Math.min(from, end));
    at = Math.max(at, Math.min(from + keptBytes, end));
  }
  upTo(end);
}

/** A loop: it is done for a gigabyte, and takes a tenth of what Array.some does. */
function isZero(words: Int32Array): boolean {
  let any = 0;
  for (let i = 0; i < words.length; i++) any |= words[i] as number;
  return any === 0;
}
