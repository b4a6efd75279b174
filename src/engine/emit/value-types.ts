/**
 * How IR values are held in WebAssembly values.
 *
 * Integers up to 32 bits: zero-extended in an i32 (i1 as 0 or 1); i64: i64; half and bfloat: their 16 bits in an i32;
 * float: f32; double: f64; pointers: i32, of
 * 64 bits i64. Aggregates are the list of their leaves. Every value at rest is in this
 * canonical form.
 */
import { unsupported } from "../../base/diagnostics.ts";
import type { IrInstruction, IrType } from "../../ir/model/ir.ts";
import type { ValueType } from "../../wasm/types.ts";

export type ScalarValueType = "i32" | "i64" | "f32" | "f64";

const CARRIERS = { half: "i32", bfloat: "i32", float: "f32", double: "f64" } as const;
const FLOAT_BITS = { half: 16, bfloat: 16, float: 32, double: 64 } as const;

/** The WebAssembly type of a scalar. Throws unsupported for integers that the legaliser should have removed. */
export function wasmTypeOf(type: IrType): ScalarValueType {
  switch (type.kind) {
    case "int":
      if (type.bits <= 32) return "i32";
      if (type.bits <= 64) return "i64";
      throw unsupported(`a value of type i${type.bits} in compiled code`);
    case "float":
      return CARRIERS[type.format];
    case "ptr":
      return type.bits === 64 ? "i64" : "i32";
    default:
      throw unsupported(`a scalar value of type ${type.kind} in compiled code`);
  }
}

/** The scalar types that a value consists of, in order; none for void. */
export function leavesOf(type: IrType): readonly IrType[] {
  switch (type.kind) {
    case "void":
    case "opaque":
    case "function":
      return [];
    case "struct":
      return type.elements.flatMap((element) => leavesOf(element));
    case "array":
    case "vector":
      return Array.from({ length: type.length }, () => leavesOf(type.element)).flat();
    default:
      return [type];
  }
}

/** Where the element at `indices` begins among the leaves, and its type. */
export function leafPath(type: IrType, indices: readonly number[]): { first: number; type: IrType } {
  let first = 0;
  for (const index of indices) {
    if (type.kind === "struct") {
      for (let i = 0; i < index; i++) first += leavesOf(type.elements[i] as IrType).length;
      type = type.elements[index] as IrType;
    } else if (type.kind === "array" || type.kind === "vector") {
      first += index * leavesOf(type.element).length;
      type = type.element;
    } else throw unsupported(`an index into ${type.kind}`);
  }
  return { first, type };
}

export function storageBytes(type: ValueType): number {
  if (type === "v128") return 16;
  return type === "i64" || type === "f64" ? 8 : 4;
}

/** Width in bits of an integer or pointer scalar, or of a half's bits. */
export function bitWidth(type: IrType): number {
  if (type.kind === "int") return type.bits;
  if (type.kind === "float") return FLOAT_BITS[type.format];
  return type.kind === "ptr" ? type.bits : 32;
}

/** For values narrower than their i32. */
export function isNarrow(type: IrType): boolean {
  return wasmTypeOf(type) === "i32" && bitWidth(type) < 32;
}

export function isHalfLike(type: IrType): type is { readonly kind: "float"; readonly format: "half" | "bfloat" } {
  return type.kind === "float" && (type.format === "half" || type.format === "bfloat");
}

export function resultLeaves(instruction: IrInstruction): readonly IrType[] {
  return leavesOf(instruction.type);
}
