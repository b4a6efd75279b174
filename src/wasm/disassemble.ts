/** Prints the code of a module for debugging: one instruction a line, indented by nesting, with byte offsets. */
import { bug } from "../base/diagnostics.ts";
import type { Immediates } from "./immediates.ts";
import { IMMEDIATE_CODES, LANE_CODES, MEMORY_CODES, MEMORY_LANE_CODES, PLAIN_CODES } from "./opcodes.ts";

const byCode = new Map<number, readonly [name: string, immediates: Immediates]>([
  ...Object.entries(PLAIN_CODES).map(([name, code]) => [code, [name, ""]] as const),
  ...Object.entries(LANE_CODES).map(([name, code]) => [code, [name, "lane"]] as const),
  ...Object.entries(MEMORY_CODES).map(([name, [code]]) => [code, [name, "memory"]] as const),
  ...Object.entries(MEMORY_LANE_CODES).map(([name, [code]]) => [code, [name, "memory-lane"]] as const),
  ...Object.entries(IMMEDIATE_CODES).map(([name, [code, immediates]]) => [code, [name, immediates]] as const),
  [0x1c, ["select", "types"]],
]);

class Reader {
  offset: number;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offset = offset;
  }
  u8(): number {
    return this.#bytes[this.offset++] ?? bug("module ends early");
  }
  signed(bits: 32 | 64): bigint {
    let value = 0n;
    let shift = 0n;
    for (;;) {
      const byte = this.u8();
      value |= BigInt(byte & 0x7f) << shift;
      shift += 7n;
      if (byte < 0x80)
        return BigInt.asIntN(bits, shift < BigInt(bits) && (byte & 0x40) !== 0 ? value - (1n << shift) : value);
    }
  }
  u32(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }
  f32(): number {
    this.offset += 4;
    return this.#view.getFloat32(this.offset - 4, true);
  }
  f64(): number {
    this.offset += 8;
    return this.#view.getFloat64(this.offset - 8, true);
  }
  hex(count: number): string {
    this.offset += count;
    return [...this.#bytes.subarray(this.offset - count, this.offset)]
      .map((b) => b.toString(16).padStart(2, "0"))
      .join("");
  }
  name(): string {
    const length = this.u32();
    this.offset += length;
    return new TextDecoder().decode(this.#bytes.slice(this.offset - length, this.offset));
  }
}

function immediatesText(reader: Reader, kind: Immediates): string {
  switch (kind) {
    case "":
      return "";
    case "u":
    case "lane":
      return ` ${reader.u32()}`;
    case "uu":
      return ` ${reader.u32()} ${reader.u32()}`;
    case "s":
      return ` ${reader.signed(64)}`;
    case "f32":
      return ` ${reader.f32()}`;
    case "f64":
      return ` ${reader.f64()}`;
    case "v128":
      return ` 0x${reader.hex(16)}`;
    case "block": {
      const type = Number(reader.signed(64));
      if (type === -64) return "";
      if (type >= 0) return ` (type ${type})`;
      return ` (result ${["i32", "i64", "f32", "f64", "v128"][-1 - type] ?? type})`;
    }
    case "table": {
      const count = reader.u32();
      return ` ${Array.from({ length: count + 1 }, () => reader.u32()).join(" ")}`;
    }
    case "types":
      return ` ${reader.hex(reader.u32())}`;
    case "memory":
      return ` align=${2 ** reader.u32()} offset=${reader.u32()}`;
    case "memory-lane":
      return ` align=${2 ** reader.u32()} offset=${reader.u32()} lane=${reader.u8()}`;
  }
}

export interface DisassembledFunction {
  readonly name: string;
  /** Declared locals as "3 x i32", in order. */
  readonly locals: string;
  readonly lines: readonly string[];
}

/** All functions of a module. Throws BUG on instructions outside opcodes.ts. */
export function disassemble(wasm: Uint8Array): DisassembledFunction[] {
  const reader = new Reader(wasm, 8);
  let importedFunctions = 0;
  let code: { start: number } | null = null;
  const names = new Map<number, string>();
  while (reader.offset < wasm.length) {
    const id = reader.u8();
    const size = reader.u32();
    const end = reader.offset + size;
    if (id === 2) importedFunctions = countFunctionImports(reader);
    if (id === 10) code = { start: reader.offset };
    if (id === 0 && reader.name() === "name" && reader.u8() === 1) {
      reader.u32();
      for (let left = reader.u32(); left > 0; left--) {
        const index = reader.u32();
        names.set(index, reader.name());
      }
    }
    reader.offset = end;
  }
  if (code === null) return [];
  reader.offset = code.start;
  return Array.from({ length: reader.u32() }, (_, i) =>
    disassembleBody(reader, names.get(importedFunctions + i) ?? `#${importedFunctions + i}`),
  );
}

export function printModule(wasm: Uint8Array): string {
  return disassemble(wasm)
    .map((f) => [`func ${f.name} (locals ${f.locals})`, ...f.lines].join("\n"))
    .join("\n\n");
}

function disassembleBody(reader: Reader, name: string): DisassembledFunction {
  const end = reader.u32() + reader.offset;
  const types: Record<number, string> = {
    0x7f: "i32",
    0x7e: "i64",
    0x7d: "f32",
    0x7c: "f64",
    0x7b: "v128",
    0x70: "funcref",
  };
  const locals = Array.from({ length: reader.u32() }, () => `${reader.u32()} x ${types[reader.u8()] ?? "?"}`).join(
    ", ",
  );
  const lines: string[] = [];
  let indent = 1;
  while (reader.offset < end) {
    const at = reader.offset;
    let opcode = reader.u8();
    if (opcode >= 0xfc) opcode = opcode * 4096 + reader.u32();
    const [text, immediates] = byCode.get(opcode) ?? bug(`unknown instruction 0x${opcode.toString(16)} at ${at}`);
    if (text === "end" || text === "else") indent--;
    lines.push(
      `${at.toString(16).padStart(6, "0")}${"  ".repeat(indent + 1)}${text}${immediatesText(reader, immediates)}`,
    );
    if (immediates === "block" || text === "else") indent++;
  }
  return { name, locals, lines };
}

function countFunctionImports(reader: Reader): number {
  let functions = 0;
  for (let left = reader.u32(); left > 0; left--) {
    reader.name();
    reader.name();
    const kind = reader.u8();
    if (kind === 0) {
      functions++;
      reader.u32();
    } else if (kind === 3) {
      reader.u8();
      reader.u8();
    } else {
      if (kind === 1) reader.u8();
      const flags = reader.u8();
      reader.u32();
      if ((flags & 1) !== 0) reader.u32();
    }
  }
  return functions;
}
