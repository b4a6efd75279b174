/**
 * Integer arithmetic and comparison on canonical values (value-types.ts): results narrower than their carrier are cut
 * to width.
 *
 * Where LLVM leaves a result undefined the interpreter's definition holds: shifts by the width or more give 0 (ashr:
 * the sign), a division by zero gives all ones and its remainder the dividend, the smallest number divided by -1
 * itself.
 */
import { bug } from "../../base/diagnostics.ts";
import type { BinaryInstruction, IcmpInstruction, IntPredicate, IrType, IrValue } from "../../ir/model/ir.ts";
import type { FunctionBuilder, PlainMethod } from "../../wasm/function-builder.ts";
import type { ScalarContext } from "./environment.ts";
import { bitWidth, wasmTypeOf } from "./value-types.ts";

/** Cuts the i32 or i64 on the stack to `bits` bits. */
export function emitCrop(f: FunctionBuilder, bits: number): void {
  if (bits < 32) f.i32Const(2 ** bits - 1).i32And();
  else if (bits > 32 && bits < 64) f.i64Const((1n << BigInt(bits)) - 1n).i64And();
}

/** Sign-extends the canonical value on the stack to its carrier. */
export function emitSignExtend(f: FunctionBuilder, bits: number): void {
  if (bits === 8) f.i32Extend8S();
  else if (bits === 16) f.i32Extend16S();
  else if (bits < 32)
    f.i32Const(32 - bits)
      .i32Shl()
      .i32Const(32 - bits)
      .i32ShrS();
  else if (bits > 32 && bits < 64)
    f.i64Const(BigInt(64 - bits))
      .i64Shl()
      .i64Const(BigInt(64 - bits))
      .i64ShrS();
}

export function getSigned(c: ScalarContext, value: IrValue): void {
  c.get(value);
  emitSignExtend(c.f, bitWidth(value.type));
}

export function constantValue(value: IrValue): bigint | null {
  return value.kind === "const-int"
    ? value.value
    : value.kind === "const-zero" || value.kind === "const-null"
      ? 0n
      : null;
}

export function emitIntegerConstant(f: FunctionBuilder, carrier: "i32" | "i64", value: number): void {
  if (carrier === "i32") f.i32Const(value);
  else f.i64Const(BigInt(value));
}

const PLAIN: Partial<Record<BinaryInstruction["operator"], readonly [PlainMethod, PlainMethod]>> = {
  add: ["i32Add", "i64Add"],
  sub: ["i32Sub", "i64Sub"],
  mul: ["i32Mul", "i64Mul"],
  and: ["i32And", "i64And"],
  or: ["i32Or", "i64Or"],
  xor: ["i32Xor", "i64Xor"],
};

/** Pushes the result of an integer binary instruction. */
export function emitIntegerBinary(c: ScalarContext, i: BinaryInstruction): void {
  const { f } = c;
  const bits = bitWidth(i.type);
  const carrier = wasmTypeOf(i.type) as "i32" | "i64";
  const wide = carrier === "i64" ? 1 : 0;
  const plain = PLAIN[i.operator];
  if (plain !== undefined) {
    c.get(i.lhs);
    c.get(i.rhs);
    f.op(plain[wide]);
    if (i.operator === "add" || i.operator === "sub" || i.operator === "mul") emitCrop(f, bits);
    return;
  }
  switch (i.operator) {
    case "shl":
    case "lshr":
    case "ashr":
      return emitShift(c, i, i.operator, bits, carrier);
    case "udiv":
    case "urem":
    case "sdiv":
    case "srem":
      return emitDivision(c, i, i.operator, bits, carrier);
    default:
      bug(`${i.operator} on integers`);
  }
}

function emitShift(
  c: ScalarContext,
  i: BinaryInstruction,
  operator: "shl" | "lshr" | "ashr",
  bits: number,
  carrier: "i32" | "i64",
): void {
  const { f } = c;
  const shift: PlainMethod = `${carrier}${operator === "shl" ? "Shl" : operator === "lshr" ? "ShrU" : "ShrS"}`;
  const left = (): void => (operator === "ashr" ? getSigned(c, i.lhs) : c.get(i.lhs));
  const finish = (): void => {
    if (operator !== "lshr") emitCrop(f, bits);
  };
  const constant = constantValue(i.rhs);
  if (constant !== null) {
    if (constant >= BigInt(bits) && operator !== "ashr") {
      emitIntegerConstant(f, carrier, 0);
      return;
    }
    left();
    emitIntegerConstant(f, carrier, Number(constant < BigInt(bits) ? constant : BigInt(bits - 1)));
    f.op(shift);
    finish();
    return;
  }
  const amount = f.local(carrier);
  c.get(i.rhs);
  f.localSet(amount);
  if (operator === "ashr") {
    left();
    f.localGet(amount);
    emitIntegerConstant(f, carrier, bits - 1);
    f.localGet(amount);
    emitIntegerConstant(f, carrier, bits);
    f.op(`${carrier}LtU`).select().op(shift);
  } else {
    left();
    f.localGet(amount).op(shift);
    emitIntegerConstant(f, carrier, 0);
    f.localGet(amount);
    emitIntegerConstant(f, carrier, bits);
    f.op(`${carrier}LtU`).select();
  }
  finish();
  f.free(amount);
}

function emitDivision(
  c: ScalarContext,
  i: BinaryInstruction,
  operator: "udiv" | "urem" | "sdiv" | "srem",
  bits: number,
  carrier: "i32" | "i64",
): void {
  const { f } = c;
  const signed = operator === "sdiv" || operator === "srem";
  const quotient = operator === "udiv" || operator === "sdiv";
  const method: PlainMethod = `${carrier}${quotient ? "Div" : "Rem"}${signed ? "S" : "U"}`;
  const push = (value: IrValue): void => (signed ? getSigned(c, value) : c.get(value));
  const constant = constantValue(i.rhs);
  const minusOne = (1n << BigInt(bits)) - 1n;
  if (constant !== null && constant !== 0n && !(signed && constant === minusOne)) {
    push(i.lhs);
    push(i.rhs);
    f.op(method);
    if (signed) emitCrop(f, bits);
    return;
  }
  const a = f.local(carrier);
  const b = f.local(carrier);
  push(i.lhs);
  f.localSet(a);
  push(i.rhs);
  f.localTee(b);
  if (operator === "sdiv") {
    // The two divisors that need care are -1 and 0: b + 1 is 0 or 1.
    emitIntegerConstant(f, carrier, 1);
    f.op(`${carrier}Add`);
    emitIntegerConstant(f, carrier, 1);
    f.op(`${carrier}LeU`).if(carrier);
    emitIntegerConstant(f, carrier, -1);
    emitIntegerConstant(f, carrier, 0);
    f.localGet(a).op(`${carrier}Sub`).localGet(b).op(`${carrier}Eqz`).select();
  } else {
    f.op(`${carrier}Eqz`).if(carrier);
    if (quotient) emitIntegerConstant(f, carrier, -1);
    else f.localGet(a);
  }
  f.else().localGet(a).localGet(b).op(method).end();
  if (signed || quotient) emitCrop(f, bits);
  f.free(a, b);
}

const PREDICATES: Record<IntPredicate, string> = {
  eq: "Eq",
  ne: "Ne",
  ugt: "GtU",
  uge: "GeU",
  ult: "LtU",
  ule: "LeU",
  sgt: "GtS",
  sge: "GeS",
  slt: "LtS",
  sle: "LeS",
};

/** Pushes 0 or 1. */
export function emitIcmp(c: ScalarContext, i: IcmpInstruction): void {
  emitIntegerCompare(c, i.predicate, i.lhs, i.rhs);
}

export function emitIntegerCompare(c: ScalarContext, predicate: IntPredicate, lhs: IrValue, rhs: IrValue): void {
  const carrier = wasmTypeOf(lhs.type) as "i32" | "i64";
  const signed = predicate.startsWith("s");
  const zero = constantValue(rhs) === 0n;
  if (zero && (predicate === "eq" || predicate === "ne") && carrier === "i32") {
    c.get(lhs);
    c.f.i32Eqz();
    if (predicate === "ne") c.f.i32Eqz();
    return;
  }
  for (const value of [lhs, rhs])
    if (signed) getSigned(c, value);
    else c.get(value);
  c.f.op(`${carrier}${PREDICATES[predicate]}` as PlainMethod);
}

/** Integer to integer and pointer casts; pushes the result. */
export function emitIntegerCast(
  c: ScalarContext,
  operator: "trunc" | "zext" | "sext",
  operand: IrValue,
  to: IrType,
): void {
  const { f } = c;
  const from = bitWidth(operand.type);
  const target = bitWidth(to);
  if (operator === "sext") getSigned(c, operand);
  else c.get(operand);
  if (operator === "trunc") {
    if (from > 32 && target <= 32) f.i32WrapI64();
    emitCrop(f, target);
  } else {
    if (from <= 32 && target > 32) {
      if (operator === "sext") f.i64ExtendI32S();
      else f.i64ExtendI32U();
    }
    if (operator === "sext") emitCrop(f, target);
  }
}
