/** The buffer of device printf (ptx/ptx-module.ts): created for the first module that prints, read after each wait. */
import { PackedArguments } from "../../base/packed-arguments.ts";
import { formatPrintf } from "../../base/printf-format.ts";
import type { GpuContext } from "./context.ts";
import type { GpuMemory } from "./gpu-memory.ts";
import { PRINTF_HEADER_BYTES } from "../../ptx/ptx-module.ts";

/** cudaLimitPrintfFifoSize's default. */
const BUFFER_BYTES = 1024 * 1024;
const RECORD_HEADER_BYTES = 16;

export class PrintfBuffer {
  readonly #context: GpuContext;
  readonly #memory: GpuMemory;
  readonly #header = new Uint32Array(new ArrayBuffer(PRINTF_HEADER_BYTES));
  #region: { pointer: number; bytes: number } | null = null;

  constructor(context: GpuContext, memory: GpuMemory) {
    this.#context = context;
    this.#memory = memory;
  }

  get region(): { readonly pointer: number; readonly bytes: number } {
    if (this.#region === null) {
      const bytes = PRINTF_HEADER_BYTES + BUFFER_BYTES;
      this.#region = { pointer: this.#memory.allocate(bytes, { align: 16 }, "module").start, bytes };
      this.#context.driver.call(
        "cuMemcpyHtoD_v2",
        this.#memory.address(this.#region.pointer),
        new Uint8Array(bytes),
        bytes,
      );
    }
    return this.#region;
  }

  /** The output since the last call. It does not wait: no kernel that prints may be running. */
  drain(): string {
    if (this.#region === null) return "";
    const { driver } = this.#context;
    const address = this.#memory.address(this.#region.pointer);
    driver.call("cuMemcpyDtoH_v2", this.#header, address, PRINTF_HEADER_BYTES);
    const asked = this.#header[0] as number;
    if (asked === 0) return "";
    const records = new Uint8Array(Math.min(asked, BUFFER_BYTES));
    driver.call("cuMemcpyDtoH_v2", records, address + PRINTF_HEADER_BYTES, records.length);
    // Zeros again: a record of size 0 is one that no thread has finished.
    const clear = new Uint8Array(PRINTF_HEADER_BYTES + records.length);
    driver.call("cuMemcpyHtoD_v2", address, clear, clear.length);
    return formatRecords(records, this.#memory.kind === "flat" ? 8 : 4);
  }

  /** Its memory is gone. */
  forget(): void {
    this.#region = null;
  }
}

/** The text of the records one after the other. @param longBytes of long and pointers in the program that printed. */
export function formatRecords(records: Uint8Array, longBytes: 4 | 8): string {
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength);
  let text = "";
  for (let at = 0; at + RECORD_HEADER_BYTES <= records.length;) {
    const bytes = view.getUint32(at, true);
    if (bytes === 0 || at + bytes > records.length) break;
    const formatBytes = view.getUint32(at + 4, true);
    const argumentBytes = view.getUint32(at + 8, true);
    const argumentsAt = at + RECORD_HEADER_BYTES;
    const formatAt = argumentsAt + Math.ceil(argumentBytes / 8) * 8;
    text += formatPrintf(
      decode(records.subarray(formatAt, formatAt + formatBytes)),
      new RecordArguments(view, argumentsAt, records.subarray(formatAt + formatBytes, at + bytes), longBytes),
      longBytes,
    );
    at += bytes;
  }
  return text;
}

class RecordArguments extends PackedArguments {
  /** The texts behind the %s of the format, one after the other. */
  #texts: Uint8Array;
  readonly #pointerBytes: 4 | 8;

  constructor(view: DataView, start: number, texts: Uint8Array, pointerBytes: 4 | 8) {
    super(view, start);
    this.#pointerBytes = pointerBytes;
    this.#texts = texts;
  }

  string(limit: number): string | null {
    const pointer = this.integer(this.#pointerBytes);
    const end = this.#texts.indexOf(0);
    const text = decode(end < 0 ? this.#texts : this.#texts.subarray(0, end + 1));
    this.#texts = this.#texts.subarray(end < 0 ? this.#texts.length : end + 1);
    return pointer === 0n ? null : text.slice(0, limit);
  }
}

/** Up to the zero byte, if there is one. */
function decode(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}
