/**
 * One slice (four lanes) of a pure instruction on varying operands. Leaves one v128: part p for 64-bit results.
 *
 * Meanings that LLVM leaves open follow the interpreter: division by zero gives all ones, remainder by zero the
 * dividend, shifts by the width or more give zero (or the sign), conversions saturate.
 */
import { bug } from "../../../base/diagnostics.ts";
import type { IrInstruction, IrValue } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, PlainMethod } from "../../../wasm/function-builder.ts";
import { elementOf, splatI32 } from "./element.ts";
import type { VectorEmitter } from "./vector-emitter.ts";
import { toFloat, fromFloat } from "./casts.ts";

export function emitBinary(emitter: VectorEmitter, i: Binary, s: number, p: number): void {
  const { code, values } = emitter;
  const element = elementOf(i.type);
  const both = (): void => {
    values.pushVector(i.lhs, s, p);
    values.pushVector(i.rhs, s, p);
  };
  const logic = { and: "v128And", or: "v128Or", xor: "v128Xor" } as const;
  if (i.operator === "and" || i.operator === "or" || i.operator === "xor") {
    both();
    code.op(logic[i.operator]);
    return;
  }
  switch (element) {
    case "i1":
      if (i.operator !== "add" && i.operator !== "sub" && i.operator !== "mul") {
        emitter.laneByLane(i, s, p);
        return;
      }
      both();
      code.op(i.operator === "mul" ? "v128And" : "v128Xor");
      return;
    case "f32":
    case "f64": {
      const wide = element === "f64";
      const name = { fadd: "Add", fsub: "Sub", fmul: "Mul", fdiv: "Div" }[i.operator as "fadd"];
      if (name === undefined) {
        emitter.laneByLane(i, s, p);
        return;
      }
      both();
      code.op(`${wide ? "f64x2" : "f32x4"}${name}` as PlainMethod);
      return;
    }
    case "f16":
    case "bf16": {
      const name = { fadd: "f32x4Add", fsub: "f32x4Sub", fmul: "f32x4Mul", fdiv: "f32x4Div" }[i.operator as "fadd"];
      if (name === undefined) {
        emitter.laneByLane(i, s, p);
        return;
      }
      values.pushVector(i.lhs, s);
      toFloat(emitter, element);
      values.pushVector(i.rhs, s);
      toFloat(emitter, element);
      code.op(name as PlainMethod);
      fromFloat(emitter, element);
      return;
    }
    case "i64":
      emitBinary64(emitter, i, s, p);
      return;
    default:
      emitBinary32(emitter, i, s, element);
  }
}

/**
 * A product with 2^n, 2^n + 1 or 2^n - 1 as a shift and a sum: these take two cycles, and a multiplication of four
 * 32-bit integers takes ten. False, and nothing emitted, for any other product.
 */
function emitShiftedSum(emitter: VectorEmitter, i: Binary, s: number): boolean {
  const { code, values } = emitter;
  const bits = values.context.constantBits(i.rhs);
  if (bits === null) return false;
  const factor = Number(BigInt.asUintN(32, bits));
  const shift = [factor, factor - 1, factor + 1].map((power) =>
    power > 1 && Number.isInteger(Math.log2(power)) ? Math.log2(power) : -1,
  );
  const [exact, plus, minus] = shift as [number, number, number];
  if (exact > 0) {
    values.pushVector(i.lhs, s);
    code.i32Const(exact).i32x4Shl();
    return true;
  }
  if (plus < 0 && (minus < 0 || minus > 31)) return false;
  const x = code.local("v128");
  values.pushVector(i.lhs, s);
  code
    .localTee(x)
    .i32Const(plus > 0 ? plus : minus)
    .i32x4Shl()
    .localGet(x)
    .op(plus > 0 ? "i32x4Add" : "i32x4Sub")
    .free(x);
  return true;
}

type Binary = IrInstruction & { readonly op: "binary" };
type NarrowElement = "i8" | "i16" | "i32";

const BITS: Readonly<Record<NarrowElement, number>> = { i8: 8, i16: 16, i32: 32 };

function emitBinary32(emitter: VectorEmitter, i: Binary, s: number, element: NarrowElement): void {
  const { code } = emitter;
  switch (i.operator) {
    case "add":
    case "sub":
    case "mul":
      if (i.operator !== "mul" || !emitShiftedSum(emitter, i, s)) {
        pushExtended(emitter, i.lhs, s, element, false);
        pushExtended(emitter, i.rhs, s, element, false);
        code.op(({ add: "i32x4Add", sub: "i32x4Sub", mul: "i32x4Mul" } as const)[i.operator]);
      }
      narrow(emitter, element);
      return;
    case "shl":
    case "lshr":
    case "ashr":
      emitShift32(emitter, i, s, element);
      return;
    case "udiv":
    case "sdiv":
    case "urem":
    case "srem":
      emitDivision32(emitter, i, s, element);
      return;
    default:
      bug(`integer operator ${i.operator}`);
  }
}

/** Pushes a slice in 32-bit lanes. */
function pushExtended(
  emitter: VectorEmitter,
  value: IrValue,
  s: number,
  element: NarrowElement,
  signed: boolean,
): void {
  emitter.values.pushVector(value, s);
  const shift = 32 - BITS[element];
  if (signed && shift > 0) emitter.code.i32Const(shift).i32x4Shl().i32Const(shift).i32x4ShrS();
}

/** Narrow results are zero-extended in their lanes. */
function narrow(emitter: VectorEmitter, element: NarrowElement): void {
  if (element === "i32") return;
  emitter.values.pushIntegers(2 ** BITS[element] - 1);
  emitter.code.v128And();
}

const SHIFTS = { shl: "i32x4Shl", lshr: "i32x4ShrU", ashr: "i32x4ShrS" } as const;

function emitShift32(emitter: VectorEmitter, i: Binary, s: number, element: NarrowElement): void {
  const { code, values } = emitter;
  const count = values.context.constantBits(i.rhs);
  const isArithmetic = i.operator === "ashr";
  const op: PlainMethod = SHIFTS[i.operator as keyof typeof SHIFTS];
  if (count !== null) {
    const isAllGone = count >= BigInt(BITS[element]);
    if (isAllGone && !isArithmetic) {
      splatI32(code, 0);
      return;
    }
    pushExtended(emitter, i.lhs, s, element, isArithmetic);
    code.i32Const(isAllGone ? 31 : Number(count)).op(op);
    narrow(emitter, element);
    return;
  }
  if (!values.isUniform(i.rhs)) {
    emitter.laneByLane(i, s, 0);
    return;
  }
  pushExtended(emitter, i.lhs, s, element, isArithmetic);
  values.pushScalar(i.rhs);
  if (isArithmetic) {
    code.i32Const(31);
    values.pushScalar(i.rhs);
    code.i32Const(32).i32LtU().select().op(op);
  } else {
    code.op(op);
    // A count that is out of range leaves no bits.
    code.i32Const(-1).i32Const(0);
    values.pushScalar(i.rhs);
    code.i32Const(BITS[element]).i32LtU().select().i32x4Splat().v128And();
  }
  narrow(emitter, element);
}

function emitDivision32(emitter: VectorEmitter, i: Binary, s: number, element: NarrowElement): void {
  const { code } = emitter;
  const signed = i.operator === "sdiv" || i.operator === "srem";
  const a = code.local("v128");
  const b = code.local("v128");
  pushExtended(emitter, i.lhs, s, element, signed);
  code.localSet(a);
  pushExtended(emitter, i.rhs, s, element, signed);
  code.localSet(b);
  quotient(code, a, b, signed);
  if (i.operator === "urem" || i.operator === "srem") {
    const q = code.local("v128");
    code.localSet(q).localGet(a).localGet(q).localGet(b).i32x4Mul().i32x4Sub();
    code.free(q);
  }
  narrow(emitter, element);
  code.free(a, b);
}

/**
 * 32-bit quotients through doubles: the rounded quotient of two 32-bit integers never reaches the next integer, so
 * truncation is exact.
 */
function quotient(code: FunctionBuilder, a: number, b: number, signed: boolean): void {
  const convert: PlainMethod = signed ? "f64x2ConvertLowI32x4S" : "f64x2ConvertLowI32x4U";
  const truncate: PlainMethod = signed ? "i32x4TruncSatF64x2SZero" : "i32x4TruncSatF64x2UZero";
  code.localGet(a).op(convert).localGet(b).op(convert).f64x2Div().op(truncate);
  for (const v of [a, b]) code.localGet(v).localGet(v).i32x4Shuffle(2, 3, 2, 3).op(convert);
  code.f64x2Div().op(truncate).i32x4Shuffle(0, 1, 4, 5);
  if (signed) {
    // INT_MIN / −1 wraps
    const q = code.local("v128");
    code.localSet(q).localGet(a).i32x4Neg().localGet(q);
    code.localGet(b);
    splatI32(code, -1).i32x4Eq().v128Bitselect();
    code.free(q);
  }
  code.localGet(b);
  splatI32(code, 0).i32x4Eq().v128Or();
}

function emitBinary64(emitter: VectorEmitter, i: Binary, s: number, p: number): void {
  const { code, values } = emitter;
  switch (i.operator) {
    case "add":
    case "sub":
    case "mul":
      values.pushVector(i.lhs, s, p);
      values.pushVector(i.rhs, s, p);
      code.op(({ add: "i64x2Add", sub: "i64x2Sub", mul: "i64x2Mul" } as const)[i.operator]);
      return;
    case "shl":
    case "lshr":
    case "ashr": {
      const count = values.context.constantBits(i.rhs);
      if (count === null || count >= 64n) break;
      values.pushVector(i.lhs, s, p);
      code.i32Const(Number(count)).op(({ shl: "i64x2Shl", lshr: "i64x2ShrU", ashr: "i64x2ShrS" } as const)[i.operator]);
      return;
    }
    default:
      break;
  }
  emitter.laneByLane(i, s, p);
}
