/** Numbers of two bytes that become floats: what a kernel does that computes with them by hand. */
import type { IrInstruction, IrType, IrValue } from "../ir/model/ir.ts";

const HALF_BITS = 16n;
const UPPER_HALF = 0xffff0000n;

/** Of CUDA's device library: __uint_as_float and __int_as_float. */
const AS_FLOAT: ReadonlySet<string> = new Set(["__nv_uint_as_float", "__nv_int_as_float"]);

export function isWidenedHalf(i: IrInstruction): boolean {
  if (i.op === "call") {
    const [bits] = i.args;
    return i.callee.kind === "function" && AS_FLOAT.has(i.callee.name) && bits !== undefined && isUpperHalf(bits);
  }
  if (i.op !== "cast" || formatOf(i.type) !== "float") return false;
  if (i.operator === "fpext") return formatOf(i.operand.type) === "half" || formatOf(i.operand.type) === "bfloat";
  // A bfloat16 is the upper half of a float.
  return i.operator === "bitcast" && isUpperHalf(i.operand);
}

function formatOf(type: IrType): string | null {
  return type.kind === "float" ? type.format : null;
}

function isUpperHalf(value: IrValue): boolean {
  if (value.kind !== "instruction" || value.op !== "binary" || value.rhs.kind !== "const-int") return false;
  const constant = BigInt.asUintN(32, value.rhs.value);
  return value.operator === "shl" ? constant === HALF_BITS : value.operator === "and" && constant === UPPER_HALF;
}
