/**
 * The argument buffer of a device printf: the arguments one after the other, each at its natural alignment, float promoted to
 * double (CUDA C++ Programming Guide, "Formatted Output"; NVPTX's vprintf).
 */
import { formatPrintf, type PrintfArguments } from "../base/printf-format.ts";

/** Arguments that no memory holds. */
class OutsideMemory extends Error {}

class PackedArguments implements PrintfArguments {
  readonly #memory: WebAssembly.Memory;
  readonly #view: DataView;
  #at: number;

  constructor(memory: WebAssembly.Memory, address: number) {
    this.#memory = memory;
    this.#view = new DataView(memory.buffer);
    this.#at = address;
  }

  #next(bytes: 4 | 8): number {
    const at = Math.ceil(this.#at / bytes) * bytes;
    this.#at = at + bytes;
    if (this.#at > this.#view.byteLength) throw new OutsideMemory();
    return at;
  }

  integer(bytes: 4 | 8): bigint {
    const at = this.#next(bytes);
    return bytes === 8 ? this.#view.getBigUint64(at, true) : BigInt(this.#view.getUint32(at, true));
  }

  double(): number {
    return this.#view.getFloat64(this.#next(8), true);
  }

  string(limit: number): string | null {
    const address = this.#view.getUint32(this.#next(4), true);
    return address === 0 ? null : readCString(this.#memory, address, limit);
  }
}

/** What a device printf writes; null when its arguments are not in memory. */
export function formatFromMemory(memory: WebAssembly.Memory, format: number, args: number): string | null {
  try {
    return formatPrintf(readCString(memory, format), new PackedArguments(memory, args));
  } catch (error) {
    if (error instanceof OutsideMemory) return null;
    throw error;
  }
}

/** What the import that prints returns for null; compiled code makes a fault of it. */
export const ARGUMENTS_OUTSIDE_MEMORY: number = -(2 ** 31);

const decoder = new TextDecoder();

/** The text at an address, up to its zero byte, the end of memory, or `limit` bytes. */
export function readCString(memory: WebAssembly.Memory, address: number, limit = 65536): string {
  const bytes = new Uint8Array(memory.buffer);
  let end = address;
  const stop = Math.min(bytes.length, address + limit);
  while (end < stop && bytes[end] !== 0) end++;
  return decoder.decode(bytes.slice(address, end)); // a copy: shared memory cannot be decoded in place
}
