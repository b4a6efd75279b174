/**
 * The argument buffer of a device printf: the arguments one after the other, each at its natural alignment, float
 * promoted to double (CUDA C++ Programming Guide, "Formatted Output"; NVPTX's vprintf). Where the texts of %s lie,
 * whoever holds the buffer knows.
 */
import type { PrintfArguments } from "./printf-format.ts";

/** Arguments that no memory holds. */
export class OutsideMemory extends Error {}

export abstract class PackedArguments implements PrintfArguments {
  readonly #view: DataView;
  readonly #start: number;
  #at: number;

  /** @param start where the buffer begins in `view`; alignments are counted from there. */
  constructor(view: DataView, start: number) {
    this.#view = view;
    this.#start = start;
    this.#at = start;
  }

  integer(bytes: 4 | 8): bigint {
    const at = this.#next(bytes);
    return bytes === 8 ? this.#view.getBigUint64(at, true) : BigInt(this.#view.getUint32(at, true));
  }

  double(): number {
    return this.#view.getFloat64(this.#next(8), true);
  }

  abstract string(limit: number): string | null;

  #next(bytes: 4 | 8): number {
    const at = this.#start + Math.ceil((this.#at - this.#start) / bytes) * bytes;
    this.#at = at + bytes;
    if (this.#at > this.#view.byteLength) throw new OutsideMemory();
    return at;
  }
}
