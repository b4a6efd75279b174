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

export function emitBinary(emitter: VectorEmitter, i: IrInstruction & { op: "binary" }, s: number, p: number): void {
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
 * A product with 2^n, 2^n + 1 or 2^n - 1 as a shift and a sum: processors take ten cycles for a multiplication of four
 * 32-bit integers, and two for these. False, and nothing emitted, for any other product.
 */
function emitShiftedSum(emitter: VectorEmitter, i: IrInstruction & { op: "binary" }, s: number): boolean {
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

function emitBinary32(
  emitter: VectorEmitter,
  i: IrInstruction & { op: "binary" },
  s: number,
  element: "i8" | "i16" | "i32",
): void {
  const { code, values } = emitter;
  const bits = element === "i8" ? 8 : element === "i16" ? 16 : 32;
  const narrow = (): void => {
    if (bits < 32) {
      values.pushIntegers(2 ** bits - 1);
      code.v128And();
    }
  };
  const push = (v: IrValue, signed: boolean): void => {
    values.pushVector(v, s);
    if (signed && bits < 32)
      code
        .i32Const(32 - bits)
        .i32x4Shl()
        .i32Const(32 - bits)
        .i32x4ShrS();
  };
  switch (i.operator) {
    case "add":
    case "sub":
    case "mul":
      if (i.operator === "mul" && emitShiftedSum(emitter, i, s)) {
        narrow();
        return;
      }
      push(i.lhs, false);
      push(i.rhs, false);
      code.op(i.operator === "add" ? "i32x4Add" : i.operator === "sub" ? "i32x4Sub" : "i32x4Mul");
      narrow();
      return;
    case "shl":
    case "lshr":
    case "ashr": {
      const count = emitter.values.context.constantBits(i.rhs);
      const arithmetic = i.operator === "ashr";
      const op: PlainMethod = i.operator === "shl" ? "i32x4Shl" : arithmetic ? "i32x4ShrS" : "i32x4ShrU";
      if (count !== null) {
        if (count >= BigInt(bits)) {
          if (!arithmetic) {
            splatI32(code, 0);
            return;
          }
          push(i.lhs, true);
          code.i32Const(31).i32x4ShrS();
          narrow();
          return;
        }
        push(i.lhs, arithmetic);
        code.i32Const(Number(count)).op(op);
        narrow();
        return;
      }
      if (values.isUniform(i.rhs)) {
        push(i.lhs, arithmetic);
        values.pushScalar(i.rhs);
        if (arithmetic) {
          code.i32Const(31);
          values.pushScalar(i.rhs);
          code.i32Const(32).i32LtU().select().op(op);
          narrow();
          return;
        }
        code.op(op);
        // out of range: all bits gone
        code.i32Const(-1).i32Const(0);
        values.pushScalar(i.rhs);
        code.i32Const(bits).i32LtU().select().i32x4Splat().v128And();
        narrow();
        return;
      }
      emitter.laneByLane(i, s, 0);
      return;
    }
    case "udiv":
    case "sdiv":
    case "urem":
    case "srem": {
      const signed = i.operator === "sdiv" || i.operator === "srem";
      const a = code.local("v128");
      const b = code.local("v128");
      push(i.lhs, signed);
      code.localSet(a);
      push(i.rhs, signed);
      code.localSet(b);
      quotient(code, a, b, signed);
      if (i.operator === "urem" || i.operator === "srem") {
        const q = code.local("v128");
        code.localSet(q).localGet(a).localGet(q).localGet(b).i32x4Mul().i32x4Sub();
        code.free(q);
      }
      narrow();
      code.free(a, b);
      return;
    }
    default:
      bug(`integer operator ${i.operator}`);
  }
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

function emitBinary64(emitter: VectorEmitter, i: IrInstruction & { op: "binary" }, s: number, p: number): void {
  const { code, values } = emitter;
  switch (i.operator) {
    case "add":
    case "sub":
    case "mul":
      values.pushVector(i.lhs, s, p);
      values.pushVector(i.rhs, s, p);
      code.op(i.operator === "add" ? "i64x2Add" : i.operator === "sub" ? "i64x2Sub" : "i64x2Mul");
      return;
    case "shl":
    case "lshr":
    case "ashr": {
      const count = values.context.constantBits(i.rhs);
      if (count === null || count >= 64n) break;
      values.pushVector(i.lhs, s, p);
      code
        .i32Const(Number(count))
        .op(i.operator === "shl" ? "i64x2Shl" : i.operator === "lshr" ? "i64x2ShrU" : "i64x2ShrS");
      return;
    }
    default:
      break;
  }
  emitter.laneByLane(i, s, p);
}
