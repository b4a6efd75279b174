/** The arguments of a device printf in the emulated device's memory. */
import { type LongBytes } from "../ir/intrinsics/print-functions.ts";
import { OutsideMemory, PackedArguments } from "../base/packed-arguments.ts";
import { formatPrintf } from "../base/printf-format.ts";

class ArgumentsInMemory extends PackedArguments {
  readonly #memory: WebAssembly.Memory;
  readonly #pointerBytes: LongBytes;

  constructor(memory: WebAssembly.Memory, address: number, pointerBytes: LongBytes) {
    super(new DataView(memory.buffer), address);
    this.#memory = memory;
    this.#pointerBytes = pointerBytes;
  }

  string(limit: number): string | null {
    const address = Number(this.integer(this.#pointerBytes));
    return address === 0 ? null : readCString(this.#memory, address, limit);
  }
}

/** What a device printf writes; null when its arguments are not in memory. */
export function formatFromMemory(
  memory: WebAssembly.Memory,
  format: number,
  args: number,
  longBytes: LongBytes,
): string | null {
  try {
    return formatPrintf(readCString(memory, format), new ArgumentsInMemory(memory, args, longBytes), longBytes);
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
