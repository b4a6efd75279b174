/** Reads little-endian numbers, LEB128 (WebAssembly 5.2.2, DWARF 4 section 7.6) and C strings one after the other. */
export class ByteReader {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  u8(): number {
    return this.#view.getUint8(this.at++);
  }
  i8(): number {
    return this.#view.getInt8(this.at++);
  }
  u16(): number {
    return this.#view.getUint16((this.at += 2) - 2, true);
  }
  u32(): number {
    return this.#view.getUint32((this.at += 4) - 4, true);
  }

  /** Exact up to 2^53. */
  uleb(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  sleb(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return (byte & 0x40) !== 0 ? value - scale * 128 : value;
    }
  }

  /** Skips a number in LEB128, of any width. */
  skipLeb(): void {
    while (this.u8() >= 0x80);
  }

  cString(): string {
    const end = this.bytes.indexOf(0, this.at);
    const text = new TextDecoder().decode(this.bytes.subarray(this.at, end));
    this.at = end + 1;
    return text;
  }
}
