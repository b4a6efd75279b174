/**
 * What the bytes of a module's code say at a place: enough to see whether a call's result is used (WebAssembly 5.4,
 * 5.5.13).
 */
import { ByteReader } from "./byte-reader.ts";

const CODE_SECTION = 10;
const OP = { end: 0x0b, return: 0x0f, call: 0x10, callIndirect: 0x11, drop: 0x1a } as const;

export class CodeSection {
  readonly #bytes: Uint8Array;
  /** Offset of the section's content in the module: DWARF's addresses count from here. */
  readonly start: number;
  readonly #bodyEnds: readonly number[];

  constructor(wasm: Uint8Array) {
    this.#bytes = wasm;
    const r = new ByteReader(wasm, 8);
    let start = 0;
    const ends: number[] = [];
    while (!r.done && start === 0) {
      const id = r.u8();
      const bytes = r.uleb();
      const end = r.at + bytes;
      if (id === CODE_SECTION) {
        start = r.at;
        for (let left = r.uleb(); left > 0; left--) {
          const bodyEnd = r.uleb() + r.at;
          ends.push(bodyEnd);
          r.at = bodyEnd;
        }
      }
      r.at = end;
    }
    this.start = start;
    this.#bodyEnds = ends;
  }

  /** What becomes of the result of the call instruction at `offset` of the module. */
  fateOfResult(offset: number): "dropped" | "returned" | "used" {
    const r = new ByteReader(this.#bytes, offset);
    const opcode = r.u8();
    if (opcode !== OP.call && opcode !== OP.callIndirect) return "used";
    r.uleb();
    if (opcode === OP.callIndirect) r.uleb();
    const after = r.u8();
    if (after === OP.drop) return "dropped";
    if (after === OP.return || (after === OP.end && this.#isBodyEnd(r.at))) return "returned";
    return "used";
  }

  #isBodyEnd(offset: number): boolean {
    let [low, high] = [0, this.#bodyEnds.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#bodyEnds[middle] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return this.#bodyEnds[low] === offset;
  }
}
