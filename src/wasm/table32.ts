/**
 * LLVM gives a module with a 64-bit memory a table with 64-bit indices, too, which V8 has only since Node.js 24. This
 * makes the indices 32-bit ones: `call_indirect` is preceded by `i32.wrap_i64`.
 *
 * Nothing moves, so that line tables stay right: wasm-ld writes the type of a `call_indirect` in five bytes, and four
 * are enough, which leaves one for the new instruction (WebAssembly 5.4; the memory64 proposal for the flags).
 */
import { bug } from "../base/diagnostics.ts";
import { ByteReader } from "./byte-reader.ts";
import { SECTIONS } from "./sections.ts";

const INDEX_64 = 4;
const OP = { callIndirect: 0x11, i32Const: 0x41, i64Const: 0x42, wrap: 0xa7 } as const;

/** @param wasm is changed. */
export function make32BitTable(wasm: Uint8Array): void {
  const r = new ByteReader(wasm, 8);
  while (!r.done) {
    const id = r.u8();
    const bytes = r.uleb();
    const end = r.at + bytes;
    if (id === SECTIONS.table) limitTables(r, wasm);
    else if (id === SECTIONS.element) narrowOffsets(r, wasm);
    else if (id === SECTIONS.code) narrowCalls(r, wasm);
    r.at = end;
  }
}

function limitTables(r: ByteReader, wasm: Uint8Array): void {
  for (let left = r.uleb(); left > 0; left--) {
    r.u8(); // type of the elements
    const flags = r.at;
    wasm[flags] = r.u8() & ~INDEX_64;
    r.uleb();
    if (((wasm[flags] as number) & 1) !== 0) r.uleb();
  }
}

function narrowOffsets(r: ByteReader, wasm: Uint8Array): void {
  for (let left = r.uleb(); left > 0; left--) {
    const flags = r.uleb();
    if (flags !== 0 && flags !== 2) bug(`an element segment of the linker with flags ${flags}`);
    if (flags === 2) r.uleb();
    if (r.bytes[r.at] === OP.i64Const) wasm[r.at] = OP.i32Const;
    r.u8();
    r.sleb();
    r.u8(); // end
    if (flags === 2) r.u8(); // kind of the elements
    for (let functions = r.uleb(); functions > 0; functions--) r.uleb();
  }
}

function narrowCalls(r: ByteReader, wasm: Uint8Array): void {
  for (let left = r.uleb(); left > 0; left--) {
    const bytes = r.uleb();
    const end = r.at + bytes;
    for (let groups = r.uleb(); groups > 0; groups--) {
      r.uleb();
      r.u8();
    }
    while (r.at < end) {
      const start = r.at;
      const opcode = r.u8();
      if (opcode === OP.callIndirect) wrapIndex(r, wasm, start);
      else skipImmediates(r, opcode);
    }
  }
}

function wrapIndex(r: ByteReader, wasm: Uint8Array, start: number): void {
  const type = r.uleb();
  const width = r.at - start - 1;
  if (width < 2 || type >= 128 ** (width - 1)) bug("the linker left no room in a call_indirect");
  r.uleb();
  wasm[start] = OP.wrap;
  wasm[start + 1] = OP.callIndirect;
  for (let i = 0; i < width - 1; i++)
    wasm[start + 2 + i] = (Math.floor(type / 128 ** i) & 0x7f) | (i < width - 2 ? 0x80 : 0);
}

/** Skips what follows an opcode. Instructions with exceptions are those of the legacy encoding. */
function skipImmediates(r: ByteReader, opcode: number): void {
  switch (opcode) {
    case 0x02: // block, loop, if, try: their type
    case 0x03:
    case 0x04:
    case 0x06:
      r.sleb();
      return;
    case 0x0e: // br_table
      for (let targets = r.uleb(); targets >= 0; targets--) r.uleb();
      return;
    case 0x1c: // select of these types
      for (let types = r.uleb(); types > 0; types--) r.u8();
      return;
    case OP.i32Const:
    case OP.i64Const:
      r.skipLeb();
      return;
    case 0x43:
      r.at += 4;
      return;
    case 0x44:
      r.at += 8;
      return;
    case 0xfc:
      skipBulk(r);
      return;
    case 0xfd:
      skipVector(r);
      return;
    case 0xfe:
      if (r.uleb() === 3) r.u8();
      else skipAddress(r);
      return;
    default:
      if (opcode >= 0x28 && opcode <= 0x3e) skipAddress(r);
      // Branches, calls, throw, rethrow, delegate, catch, variables, tables, memory.size and .grow, ref.null, ref.func.
      else if (isIndexed(opcode)) r.skipLeb();
  }
}

function isIndexed(opcode: number): boolean {
  return (
    (opcode >= 0x07 && opcode <= 0x09) ||
    (opcode >= 0x0c && opcode <= 0x10) ||
    opcode === 0x12 ||
    opcode === 0x18 ||
    (opcode >= 0x20 && opcode <= 0x26) ||
    opcode === 0x3f ||
    opcode === 0x40 ||
    opcode === 0xd0 ||
    opcode === 0xd2
  );
}

/** Alignment and offset. */
function skipAddress(r: ByteReader): void {
  r.skipLeb();
  r.skipLeb();
}

function skipBulk(r: ByteReader): void {
  const operation = r.uleb();
  if (operation < 8) return; // saturating conversions
  r.skipLeb();
  if (operation === 8 || operation === 10 || operation === 12 || operation === 14) r.skipLeb();
}

function skipVector(r: ByteReader): void {
  const operation = r.uleb();
  if (operation <= 11 || operation === 92 || operation === 93) skipAddress(r);
  else if (operation === 12 || operation === 13) r.at += 16;
  else if (operation >= 21 && operation <= 34) r.u8();
  else if (operation >= 84 && operation <= 91) {
    skipAddress(r);
    r.u8();
  }
}
