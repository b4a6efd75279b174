/** How values of IR types are held in PTX registers, and how constants are written (PTX ISA 8.5, 5.2 and 4.5). */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type { FloatFormat, IrType } from "../../ir/model/ir.ts";
import { formatType, scalarBits } from "../../ir/model/types.ts";

/**
 * "p" predicates (i1) · "h" 16 bits (half, bfloat) · "r" 32 bits (i8, i16, i32, pointers of 32 bits, packed pairs of
 * 16 bits) · "rd" 64 bits (i64, pointers of 64 bits) · "f" float · "fd" double. The upper bits of an i8 or i16 in its
 * register are zero.
 */
export type RegisterClass = "p" | "h" | "r" | "rd" | "f" | "fd";

export const REGISTER_TYPES: Readonly<Record<RegisterClass, string>> = {
  p: "pred",
  h: "b16",
  r: "b32",
  rd: "b64",
  f: "f32",
  fd: "f64",
};

const FLOAT_CLASSES: Readonly<Record<FloatFormat, RegisterClass>> = {
  half: "h",
  bfloat: "h",
  float: "f",
  double: "fd",
};
const MEMORY_FLOATS: Readonly<Record<FloatFormat, string>> = {
  half: "b16",
  bfloat: "b16",
  float: "f32",
  double: "f64",
};
const MEMORY_INTS: ReadonlyMap<number, string> = new Map([
  [8, "u8"],
  [16, "u16"],
  [32, "b32"],
  [64, "b64"],
]);

export function registerClass(type: IrType): RegisterClass {
  switch (type.kind) {
    case "int":
      if (type.bits === 1) return "p";
      if (type.bits <= 32) return "r";
      return type.bits === 64 ? "rd" : bug(`an ${formatType(type)} in a register`);
    case "ptr":
      return type.bits === 64 ? "rd" : "r";
    case "float":
      return FLOAT_CLASSES[type.format];
    case "vector":
      if (scalarBits(type.element) * type.length === 32) return "r";
      if (scalarBits(type.element) * type.length === 64) return "rd";
      throw unsupported(`a value of type ${formatType(type)} on a GPU`);
    default:
      return bug(`a ${formatType(type)} in a register`);
  }
}

/** The type of an access to memory: of as many bytes as the value has there. */
export function memoryType(type: IrType): string {
  switch (type.kind) {
    case "int":
      return MEMORY_INTS.get(type.bits) ?? bug(`a ${formatType(type)} in memory`);
    case "ptr":
      return type.bits === 64 ? "b64" : "b32";
    case "float":
      return MEMORY_FLOATS[type.format];
    default:
      return bug(`a ${formatType(type)} in memory`);
  }
}

/** The type of an argument or result of a function: at least 32 bits, but for 16-bit floats. */
export function passedType(type: IrType): string {
  const held = registerClass(type);
  return held === "p" ? "b32" : REGISTER_TYPES[held];
}

export function float32Literal(bits: bigint): string {
  return `0f${bits.toString(16).toUpperCase().padStart(8, "0")}`;
}

export function float64Literal(bits: bigint): string {
  return `0d${bits.toString(16).toUpperCase().padStart(16, "0")}`;
}

/** A name that PTX takes, as LLVM's names may hold dots and more. */
export function ptxName(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9_$]/g, (c) => `$x${c.charCodeAt(0).toString(16)}_`);
  return /^[A-Za-z]/.test(safe) || /^[_$%][A-Za-z0-9_$]/.test(safe) ? safe : `_${safe}`;
}
