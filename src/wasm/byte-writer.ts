/**
 * A growable byte buffer with WebAssembly's number encodings (core specification §5.2: LEB128, little-endian floats,
 * names).
 */
export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  #reserve(extra: number): void {
    const needed = this.length + extra;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.length));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#bytes[this.length++] = value;
  }

  /** Unsigned LEB128 of a number up to 2^32 - 1. */
  u32(value: number): void {
    this.#reserve(5);
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.#bytes[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.length++] = rest;
  }

  /** Signed LEB128 of an i32; any number is taken modulo 2^32. */
  s32(value: number): void {
    this.#reserve(5);
    let rest = value | 0;
    while (rest < -64 || rest > 63) {
      this.#bytes[this.length++] = (rest & 0x7f) | 0x80;
      rest >>= 7;
    }
    this.#bytes[this.length++] = rest & 0x7f;
  }

  /** Signed LEB128 of an i64; any bigint is taken modulo 2^64. */
  s64(value: bigint): void {
    this.#reserve(10);
    let rest = BigInt.asIntN(64, value);
    while (rest < -64n || rest > 63n) {
      this.#bytes[this.length++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#bytes[this.length++] = Number(rest & 0x7fn);
  }

  /** The four bytes of an IEEE single given by its bits (so that NaN payloads survive). */
  f32Bits(bits: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.length, bits, true);
    this.length += 4;
  }

  f64Bits(bits: bigint): void {
    this.#reserve(8);
    this.#view.setBigUint64(this.length, BigInt.asUintN(64, bits), true);
    this.length += 8;
  }

  raw(data: Uint8Array): void {
    this.#reserve(data.length);
    this.#bytes.set(data, this.length);
    this.length += data.length;
  }

  /** Length-prefixed UTF-8. */
  name(text: string): void {
    const data = new TextEncoder().encode(text);
    this.u32(data.length);
    this.raw(data);
  }

  /** A copy of what was written. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.length);
  }

  /** What was written, not copied: valid until the next write. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }
}
