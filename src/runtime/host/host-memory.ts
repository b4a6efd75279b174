/**
 * Typed access to the host program's linear memory, which is little-endian. Pointers and size_t are as wide as the
 * program's data model says.
 *
 * When the memory grows, its buffer is detached: views are taken again when the buffer has changed.
 */
import { unsigned } from "../../base/unsigned.ts";
import type { DataModel } from "../../base/data-model.ts";
import { bug } from "../../base/diagnostics.ts";
import { HostWords } from "../../device/library-call.ts";
import { Errno, HostFileError } from "./host-files.ts";

const decoder: TextDecoder = new TextDecoder();
const encoder: TextEncoder = new TextEncoder();

export class HostMemory {
  readonly model: DataModel;
  #memory: WebAssembly.Memory | null = null;
  #isShared = false;
  #buffer: ArrayBuffer = new ArrayBuffer(0);
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(this.#buffer);
  #view: DataView<ArrayBuffer> = new DataView(this.#buffer);
  #words: HostWords | null = null;

  constructor(model: DataModel) {
    this.model = model;
  }

  attach(memory: WebAssembly.Memory): void {
    this.#memory = memory;
    const buffer: ArrayBufferLike = memory.buffer;
    this.#isShared = typeof SharedArrayBuffer === "function" && buffer instanceof SharedArrayBuffer;
    this.#refresh();
  }

  get memory(): WebAssembly.Memory {
    return this.#memory ?? bug("the host program's memory is used before it exists");
  }

  /** Views of a shared memory stay as they are when it grows, on this thread or on another. */
  refreshShared(): void {
    growMemory(this.memory, 0, this.model);
    this.#bytes = new Uint8Array(0);
    this.#refresh();
  }

  /** A view that reaches up to these bytes, if the memory does. */
  #viewOf(address: number, bytes: number): DataView<ArrayBuffer> {
    this.#refresh();
    if (unsigned(address) + bytes > this.#view.byteLength && this.#isShared) this.refreshShared();
    return this.#view;
  }

  /** Whether threads share it. */
  get isShared(): boolean {
    return this.#isShared;
  }

  #refresh(): void {
    // A view of a detached buffer is empty. To ask the memory for its buffer takes several times as long.
    if (this.#bytes.length !== 0) return;
    const buffer = this.memory.buffer as ArrayBuffer;
    this.#buffer = buffer;
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    if (this.#isShared) this.refreshShared();
    this.#refresh();
    return this.#bytes;
  }

  /** The memory in words, up to at least `end`. A shared memory may have grown beyond. */
  wordsTo(end: number): HostWords {
    this.#refresh();
    if (end > this.#buffer.byteLength && this.#isShared) this.refreshShared();
    if (this.#words?.buffer !== this.#buffer) this.#words = new HostWords(this.#buffer);
    return this.#words;
  }

  get view(): DataView<ArrayBuffer> {
    if (this.#isShared) this.refreshShared();
    this.#refresh();
    return this.#view;
  }

  /** Size in bytes at this moment. */
  get size(): number {
    if (this.#isShared) this.refreshShared();
    this.#refresh();
    return this.#buffer.byteLength;
  }

  /** The bytes [address, address + length); a range outside the memory is the program's mistake (EFAULT). */
  slice(address: number, length: number): Uint8Array<ArrayBuffer> {
    const start = unsigned(address);
    const count = unsigned(length);
    this.#refresh();
    if (start + count > this.#bytes.length && start + count > this.size)
      throw new HostFileError(
        Errno.fault,
        `the host range [0x${start.toString(16)}, +${count}) is outside the program's memory`,
      );
    return this.#bytes.subarray(start, start + count);
  }

  u8(address: number): number {
    return this.#viewOf(address, 1).getUint8(unsigned(address));
  }
  u32(address: number): number {
    return this.#viewOf(address, 4).getUint32(unsigned(address), true);
  }
  i32(address: number): number {
    return this.#viewOf(address, 4).getInt32(unsigned(address), true);
  }
  u64(address: number): bigint {
    return this.#viewOf(address, 8).getBigUint64(unsigned(address), true);
  }
  /** A pointer, a size_t or an opaque handle. */
  pointer(address: number): number {
    return this.model.pointerBytes === 4 ? this.u32(address) : Number(this.u64(address));
  }
  /** An element of an array of pointers. */
  pointerAt(list: number, index: number): number {
    return this.pointer(list + this.model.pointerBytes * index);
  }
  pointers(list: number, count: number): number[] {
    return Array.from({ length: count }, (_, index) => this.pointerAt(list, index));
  }
  f32(address: number): number {
    return this.#viewOf(address, 4).getFloat32(unsigned(address), true);
  }
  f64(address: number): number {
    return this.#viewOf(address, 8).getFloat64(unsigned(address), true);
  }
  setU8(address: number, value: number): void {
    this.#viewOf(address, 1).setUint8(unsigned(address), value);
  }
  setU16(address: number, value: number): void {
    this.#viewOf(address, 2).setUint16(unsigned(address), value, true);
  }
  setU32(address: number, value: number): void {
    this.#viewOf(address, 4).setUint32(unsigned(address), value, true);
  }
  setI32(address: number, value: number): void {
    this.#viewOf(address, 4).setInt32(unsigned(address), value, true);
  }
  setU64(address: number, value: bigint): void {
    this.#viewOf(address, 8).setBigUint64(unsigned(address), value, true);
  }
  setPointer(address: number, value: number): void {
    if (this.model.pointerBytes === 4) this.setU32(address, value);
    else this.setU64(address, BigInt(value));
  }
  setPointerAt(list: number, index: number, value: number): void {
    this.setPointer(list + this.model.pointerBytes * index, value);
  }
  setF32(address: number, value: number): void {
    this.#viewOf(address, 4).setFloat32(unsigned(address), value, true);
  }
  setF64(address: number, value: number): void {
    this.#viewOf(address, 8).setFloat64(unsigned(address), value, true);
  }

  /** A string of `length` bytes. */
  text(address: number, length: number): string {
    return decoder.decode(this.slice(address, length));
  }

  /** A C string. */
  cString(address: number): string {
    const start = unsigned(address);
    const end = this.bytes.indexOf(0, start);
    if (start >= this.#bytes.length || end < 0)
      throw new HostFileError(Errno.fault, "a C string reaches past the program's memory");
    return decoder.decode(this.#bytes.subarray(start, end));
  }

  /** Writes a C string, cut to `capacity` bytes with its final zero. */
  setCString(address: number, text: string, capacity: number): void {
    if (capacity <= 0) return;
    const encoded = encoder.encode(text).subarray(0, capacity - 1);
    const target = this.slice(address, encoded.length + 1);
    target.set(encoded);
    target[encoded.length] = 0;
  }

  /** Grows the memory so that [0, end) exists. False when the engine refuses. */
  growTo(end: number): boolean {
    const missing = Math.ceil((end - this.size) / 65536);
    if (missing <= 0) return true;
    try {
      growMemory(this.memory, missing, this.model);
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
    if (this.#isShared) this.refreshShared();
    return true;
  }
}

/** V8 takes the pages of a 64-bit memory as a number up to Node.js 22, and as a bigint from 24 on. */
function growMemory(memory: WebAssembly.Memory, pages: number, model: DataModel): void {
  if (model.pointerBytes === 4) {
    memory.grow(pages);
    return;
  }
  try {
    memory.grow(BigInt(pages) as unknown as number);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    memory.grow(pages);
  }
}
