/** Sections of a module and what they are made of (WebAssembly 5.5). */
import { float32ToBits, float64ToBits } from "../base/float-bits.ts";
import { bug } from "../base/diagnostics.ts";
import { ByteWriter } from "./byte-writer.ts";
import { VALUE_TYPE_CODES, type ValueType } from "./types.ts";
import type { MemoryLimits, Initial } from "./module-builder.ts";

export function encodeLimits(out: ByteWriter, { minPages, maxPages, shared, wide }: MemoryLimits): void {
  if (shared === true && maxPages === undefined) bug("a shared memory needs a maximum");
  out.u8((maxPages === undefined ? 0 : 1) | (shared === true ? 2 : 0) | (wide === true ? 4 : 0));
  out.u32(minPages);
  if (maxPages !== undefined) out.u32(maxPages);
}

/** Numbers of the sections (WebAssembly 5.5.2). */
export const SECTIONS = {
  type: 1,
  import: 2,
  function: 3,
  table: 4,
  memory: 5,
  global: 6,
  export: 7,
  start: 8,
  element: 9,
  code: 10,
  data: 11,
  dataCount: 12,
} as const;

/** An empty section is left out. Returns where its content begins. */
export function writeSection(out: ByteWriter, id: number, count: number, write: (s: ByteWriter) => void): number {
  if (count === 0) return 0;
  const s = new ByteWriter();
  s.u32(count);
  write(s);
  out.u8(id);
  out.u32(s.length);
  const start = out.length;
  out.raw(s.written());
  return start;
}

/** A section whose content is one number. */
export function writeNumberSection(out: ByteWriter, id: number, value: number): void {
  const s = new ByteWriter();
  s.u32(value);
  out.u8(id);
  out.u32(s.length);
  out.raw(s.written());
}

/** The constant expression of an offset. */
export function encodeOffset(s: ByteWriter, offset: number): void {
  s.u8(0x41);
  s.s32(offset);
  s.u8(0x0b);
}

export function encodeTable(out: ByteWriter, min: number, max: number | undefined): void {
  out.u8(VALUE_TYPE_CODES.funcref);
  out.u8(max === undefined ? 0 : 1);
  out.u32(min);
  if (max !== undefined) out.u32(max);
}

export function encodeInitial(out: ByteWriter, type: ValueType, initial: Initial): void {
  const number = numberOf(initial);
  switch (type) {
    case "i32":
      out.u8(0x41);
      out.s32(number);
      break;
    case "i64":
      out.u8(0x42);
      out.s64(BigInt(initial as number | bigint));
      break;
    case "f32":
      out.u8(0x43);
      out.f32Bits(float32ToBits(number));
      break;
    case "f64":
      out.u8(0x44);
      out.f64Bits(float64ToBits(number));
      break;
    case "v128":
      out.u8(0xfd);
      out.u8(0x0c);
      for (let i = 0; i < 16; i++) out.u8(0);
      break;
    case "funcref":
      out.u8(0xd0);
      out.u8(0x70);
      break;
  }
  out.u8(0x0b);
}

function numberOf(initial: Initial): number {
  if (typeof initial !== "object") return Number(initial);
  return "f32" in initial ? initial.f32 : initial.f64;
}
