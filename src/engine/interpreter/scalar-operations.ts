/**
 * The arithmetic of the IR on scalars (LangRef, "Binary Operations", "Conversion Operations", "icmp", "fcmp").
 *
 * Where LLVM leaves a result undefined, we fix one; the compiled tiers follow bit for bit:
 *  - a shift by the width or more gives 0, of ashr the sign;
 *  - integer division by zero gives all ones (as NVIDIA's hardware does) and its remainder the dividend; the smallest
 *    integer divided by -1 gives itself, remainder 0;
 *  - a float that does not fit an integer saturates, a NaN gives 0 (as the hardware's cvt does);
 *  - nuw, nsw, exact, nneg and fast-math flags change nothing. In particular `contract` fuses nothing here: whoever
 *    wants a fused multiply-add writes llvm.fma (a pass does, before any engine sees the function).
 *  - float arithmetic is IEEE 754 to nearest even in the operands' own format, subnormals kept; frem is exact as C's
 *    fmod.
 */
import { bug } from "../../base/diagnostics.ts";
import { bigintToFloat32, bigintToOdd } from "../../base/float-rounding.ts";
import type {
  BinaryOperator,
  CastOperator,
  FloatFormat,
  FloatPredicate,
  FloatType,
  IntPredicate,
  IrType,
} from "../../ir/model/ir.ts";
import { formatType, scalarBits } from "../../ir/model/types.ts";
import { fromBits, intFromBigint, roundTo, signed, toBits, wrap, type Value } from "./value.ts";

export type Unary = (a: Value) => Value;
export type Binary = (a: Value, b: Value) => Value;

type NumberBinary = (a: number, b: number) => number;
type BigintBinary = (a: bigint, b: bigint) => bigint;

export function binaryOperation(operator: BinaryOperator, type: IrType): Binary {
  if (type.kind === "float") return floatBinary(operator, type) as Binary;
  const bits = scalarBits(type);
  return (bits <= 32 ? narrowBinary(operator, bits) : wideBinary(operator, bits)) as Binary;
}

function narrowBinary(operator: BinaryOperator, bits: number): NumberBinary {
  const ones = wrap(-1, bits);
  const s = (value: number): number => signed(value, bits);
  switch (operator) {
    case "add":
      return (a, b) => wrap(a + b, bits);
    case "sub":
      return (a, b) => wrap(a - b, bits);
    case "mul":
      return (a, b) => wrap(Math.imul(a, b), bits);
    case "udiv":
      return (a, b) => (b === 0 ? ones : Math.floor(a / b));
    case "sdiv":
      return (a, b) => (b === 0 ? ones : wrap(Math.trunc(s(a) / s(b)), bits));
    case "urem":
      return (a, b) => (b === 0 ? a : a % b);
    case "srem":
      return (a, b) => (b === 0 ? a : wrap(s(a) % s(b), bits));
    case "shl":
      return (a, b) => (b >= bits ? 0 : wrap(a << b, bits));
    case "lshr":
      return (a, b) => (b >= bits ? 0 : a >>> b);
    case "ashr":
      return (a, b) => wrap(s(a) >> Math.min(b, bits - 1), bits);
    case "and":
      return (a, b) => (a & b) >>> 0;
    case "or":
      return (a, b) => (a | b) >>> 0;
    case "xor":
      return (a, b) => (a ^ b) >>> 0;
    default:
      return bug(`${operator} on integers`);
  }
}

function wideBinary(operator: BinaryOperator, bits: number): BigintBinary {
  const u = (value: bigint): bigint => BigInt.asUintN(bits, value);
  const s = (value: bigint): bigint => BigInt.asIntN(bits, value);
  const width = BigInt(bits);
  switch (operator) {
    case "add":
      return (a, b) => u(a + b);
    case "sub":
      return (a, b) => u(a - b);
    case "mul":
      return (a, b) => u(a * b);
    case "udiv":
      return (a, b) => (b === 0n ? u(-1n) : a / b);
    case "sdiv":
      return (a, b) => (b === 0n ? u(-1n) : u(s(a) / s(b)));
    case "urem":
      return (a, b) => (b === 0n ? a : a % b);
    case "srem":
      return (a, b) => (b === 0n ? a : u(s(a) % s(b)));
    case "shl":
      return (a, b) => (b >= width ? 0n : u(a << b));
    case "lshr":
      return (a, b) => (b >= width ? 0n : a >> b);
    case "ashr":
      return (a, b) => u(s(a) >> (b >= width ? width - 1n : b));
    case "and":
      return (a, b) => a & b;
    case "or":
      return (a, b) => a | b;
    case "xor":
      return (a, b) => a ^ b;
    default:
      return bug(`${operator} on integers`);
  }
}

/** Half and bfloat are computed in double and rounded once: exact enough, as 53 ≥ 2·11 + 2. */
function floatBinary(operator: BinaryOperator, type: FloatType): NumberBinary {
  const round = roundTo(type.format);
  switch (operator) {
    case "fadd":
      return (a, b) => round(a + b);
    case "fsub":
      return (a, b) => round(a - b);
    case "fmul":
      return (a, b) => round(a * b);
    case "fdiv":
      return (a, b) => round(a / b);
    case "frem":
      return (a, b) => round(a % b);
    default:
      return bug(`${operator} on floats`);
  }
}

// ---------------------------------------------------------------- comparisons

export function intComparison(predicate: IntPredicate, type: IrType): (a: Value, b: Value) => 0 | 1 {
  const bits = scalarBits(type);
  const s: (value: Value) => number | bigint =
    bits <= 32 ? (v) => signed(v as number, bits) : (v) => BigInt.asIntN(bits, BigInt(v as number | bigint));
  switch (predicate) {
    case "eq":
      return (a, b) => (a === b ? 1 : 0);
    case "ne":
      return (a, b) => (a !== b ? 1 : 0);
    case "ugt":
      return (a, b) => (a > b ? 1 : 0);
    case "uge":
      return (a, b) => (a >= b ? 1 : 0);
    case "ult":
      return (a, b) => (a < b ? 1 : 0);
    case "ule":
      return (a, b) => (a <= b ? 1 : 0);
    case "sgt":
      return (a, b) => (s(a) > s(b) ? 1 : 0);
    case "sge":
      return (a, b) => (s(a) >= s(b) ? 1 : 0);
    case "slt":
      return (a, b) => (s(a) < s(b) ? 1 : 0);
    case "sle":
      return (a, b) => (s(a) <= s(b) ? 1 : 0);
  }
}

export function floatComparison(predicate: FloatPredicate): (a: number, b: number) => 0 | 1 {
  const unordered = (a: number, b: number): boolean => a !== a || b !== b;
  switch (predicate) {
    case "false":
      return () => 0;
    case "oeq":
      return (a, b) => (a === b ? 1 : 0);
    case "ogt":
      return (a, b) => (a > b ? 1 : 0);
    case "oge":
      return (a, b) => (a >= b ? 1 : 0);
    case "olt":
      return (a, b) => (a < b ? 1 : 0);
    case "ole":
      return (a, b) => (a <= b ? 1 : 0);
    case "one":
      return (a, b) => (unordered(a, b) || a === b ? 0 : 1);
    case "ord":
      return (a, b) => (unordered(a, b) ? 0 : 1);
    case "ueq":
      return (a, b) => (unordered(a, b) || a === b ? 1 : 0);
    case "ugt":
      return (a, b) => (a <= b ? 0 : 1);
    case "uge":
      return (a, b) => (a < b ? 0 : 1);
    case "ult":
      return (a, b) => (a >= b ? 0 : 1);
    case "ule":
      return (a, b) => (a > b ? 0 : 1);
    case "une":
      return (a, b) => (a !== b ? 1 : 0);
    case "uno":
      return (a, b) => (unordered(a, b) ? 1 : 0);
    case "true":
      return () => 1;
  }
}

// ---------------------------------------------------------------- conversions

/** A conversion between scalars, except bitcasts that involve vectors. */
export function castOperation(operator: CastOperator, from: IrType, to: IrType): Unary {
  const fromBitCount = scalarBits(from);
  const toBitCount = scalarBits(to);
  switch (operator) {
    case "trunc":
      if (fromBitCount <= 32) return (a) => wrap(a as number, toBitCount);
      return (a) => intFromBigint(a as bigint, toBitCount);
    case "zext":
    case "ptrtoint":
    case "inttoptr":
    case "addrspacecast":
      if (fromBitCount <= 32 && toBitCount <= 32) return (a) => wrap(a as number, toBitCount);
      if (to.kind === "ptr") return (a) => fromBits(to, BigInt(a as number | bigint));
      return (a) => intFromBigint(BigInt(a as number | bigint), toBitCount);
    case "sext":
      if (toBitCount <= 32) return (a) => wrap(signed(a as number, fromBitCount), toBitCount);
      return (a) => BigInt.asUintN(toBitCount, BigInt.asIntN(fromBitCount, BigInt(a as number | bigint)));
    case "fptrunc":
    case "fpext":
      return roundTo((to as FloatType).format) as Unary;
    case "uitofp":
      return intToFloat(to as FloatType, (a) => a);
    case "sitofp":
      return fromBitCount <= 32
        ? intToFloat(to as FloatType, (a) => signed(a as number, fromBitCount))
        : intToFloat(to as FloatType, (a) => BigInt.asIntN(fromBitCount, a as bigint));
    case "fptoui":
      return (a) => convertToInt(a as number, (from as FloatType).format, toBitCount, false);
    case "fptosi":
      return (a) => convertToInt(a as number, (from as FloatType).format, toBitCount, true);
    case "bitcast":
      return (a) => fromBits(to, toBits(from, a));
  }
  return bug(`the cast ${String(operator)} from ${formatType(from)}`);
}

function intToFloat(to: FloatType, read: (a: number | bigint) => number | bigint): Unary {
  const round = roundTo(to.format);
  return (a) => {
    const value = read(a as number | bigint);
    if (typeof value === "number") return round(value);
    if (to.format === "double") return Number(value);
    return to.format === "float" ? bigintToFloat32(value) : round(bigintToOdd(value));
  };
}

/**
 * What LLVM leaves undefined and an H100 does: it converts to 32 or 64 bits, saturating, and cuts off what a narrower
 * integer has no room for. A NaN gives 0, but from double or to 64 bits the integer with only the highest bit.
 */
export function convertToInt(value: number, format: FloatFormat, bits: number, isSigned: boolean): number | bigint {
  const converted = bits <= 32 ? 32 : 64;
  if (value !== value)
    return intFromBigint(format === "double" || converted === 64 ? 1n << BigInt(converted - 1) : 0n, bits);
  const wide = floatToInt(value, converted, isSigned);
  return bits === converted ? wide : intFromBigint(BigInt(wide), bits);
}

/** Truncated towards zero and saturated; a NaN gives 0: llvm.fptosi.sat and llvm.fptoui.sat. */
export function floatToInt(value: number, bits: number, isSigned: boolean): number | bigint {
  if (value !== value) return bits > 32 ? 0n : 0;
  const integer = Math.trunc(value);
  const low = isSigned ? -(2 ** (bits - 1)) : 0;
  // As a double: 2^bits - 1 may round up to 2^bits, and then what is below it still fits.
  const limit = isSigned ? 2 ** (bits - 1) : 2 ** bits;
  if (integer < low) return intFromBigint(BigInt(low), bits);
  if (integer >= limit) return intFromBigint((isSigned ? 1n << BigInt(bits - 1) : 1n << BigInt(bits)) - 1n, bits);
  return bits <= 32 ? wrap(integer, bits) : BigInt.asUintN(bits, BigInt(integer));
}
