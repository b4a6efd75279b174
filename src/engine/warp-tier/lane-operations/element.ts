/** How the lanes of a varying value of an IR type are held in v128s. */
import { unsupported } from "../../../base/diagnostics.ts";
import type { IrType } from "../../../ir/model/ir.ts";
import type { FunctionBuilder } from "../../../wasm/function-builder.ts";
import type { ValueType } from "../../../wasm/types.ts";

/**
 * i1 is a mask (0 or −1 in 32-bit lanes); i8, i16, half and bfloat are zero-extended in 32-bit lanes; 64-bit types take
 * two v128 for a slice of four lanes. As scalars: i1 is 0 or 1, narrow ones are zero-extended in an i32.
 */
export type Element = "i1" | "i8" | "i16" | "i32" | "i64" | "f16" | "bf16" | "f32" | "f64";

const FLOAT_ELEMENTS = { float: "f32", double: "f64", half: "f16", bfloat: "bf16" } as const;

const BYTES = { i1: 1, i8: 1, i16: 2, i32: 4, i64: 8, f16: 2, bf16: 2, f32: 4, f64: 8 } as const;

export function elementOf(type: IrType): Element {
  switch (type.kind) {
    case "int":
      if (type.bits === 1 || type.bits === 8 || type.bits === 16 || type.bits === 32 || type.bits === 64)
        return `i${type.bits}`;
      break;
    case "ptr":
      return "i32";
    case "float":
      return FLOAT_ELEMENTS[type.format];
    default:
      break;
  }
  throw unsupported(`a value of type ${type.kind}${type.kind === "int" ? ` i${type.bits}` : ""} in the warp tier`);
}

export function isWide(e: Element): boolean {
  return e === "i64" || e === "f64";
}

/** v128s for one slice of four lanes. */
export function partsOf(e: Element): 1 | 2 {
  return isWide(e) ? 2 : 1;
}

export function scalarTypeOf(e: Element): ValueType {
  return e === "i64" || e === "f32" || e === "f64" ? e : "i32";
}

/** Bytes in memory. */
export function bytesOf(e: Element): 1 | 2 | 4 | 8 {
  return BYTES[e];
}

/** Pushes an integer in all four 32-bit lanes. */
export function splatI32(code: FunctionBuilder, value: number): FunctionBuilder {
  return code.i32x4Const(value, value, value, value);
}
