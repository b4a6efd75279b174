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
export function emitCrop(code: FunctionBuilder, bits: number): void {
  if (bits < 32) code.i32Const(2 ** bits - 1).i32And();
  else if (bits > 32 && bits < 64) code.i64Const((1n << BigInt(bits)) - 1n).i64And();
}

/** Sign-extends the canonical value on the stack to its carrier. */
export function emitSignExtend(code: FunctionBuilder, bits: number): void {
  if (bits === 8) code.i32Extend8S();
  else if (bits === 16) code.i32Extend16S();
  else if (bits < 32)
    code
      .i32Const(32 - bits)
      .i32Shl()
      .i32Const(32 - bits)
      .i32ShrS();
  else if (bits > 32 && bits < 64)
    code
      .i64Const(BigInt(64 - bits))
      .i64Shl()
      .i64Const(BigInt(64 - bits))
      .i64ShrS();
}

export function getSigned(context: ScalarContext, value: IrValue): void {
  context.get(value);
  emitSignExtend(context.code, bitWidth(value.type));
}

const SHIFTS = { shl: "Shl", lshr: "ShrU", ashr: "ShrS" } as const;

export function constantValue(value: IrValue): bigint | null {
  if (value.kind === "const-int") return value.value;
  return value.kind === "const-zero" || value.kind === "const-null" ? 0n : null;
}

export function emitIntegerConstant(code: FunctionBuilder, carrier: "i32" | "i64", value: number): FunctionBuilder {
  return carrier === "i32" ? code.i32Const(value) : code.i64Const(BigInt(value));
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
export function emitIntegerBinary(context: ScalarContext, i: BinaryInstruction): void {
  const { code } = context;
  const bits = bitWidth(i.type);
  const carrier = wasmTypeOf(i.type) as "i32" | "i64";
  const wide = carrier === "i64" ? 1 : 0;
  const plain = PLAIN[i.operator];
  if (plain !== undefined) {
    context.get(i.lhs);
    context.get(i.rhs);
    code.op(plain[wide]);
    if (i.operator === "add" || i.operator === "sub" || i.operator === "mul") emitCrop(code, bits);
    return;
  }
  switch (i.operator) {
    case "shl":
    case "lshr":
    case "ashr":
      return emitShift(context, i, i.operator, bits, carrier);
    case "udiv":
    case "urem":
    case "sdiv":
    case "srem":
      return emitDivision(context, i, i.operator, bits, carrier);
    default:
      bug(`${i.operator} on integers`);
  }
}

function emitShift(
  context: ScalarContext,
  i: BinaryInstruction,
  operator: "shl" | "lshr" | "ashr",
  bits: number,
  carrier: "i32" | "i64",
): void {
  const { code } = context;
  const shift: PlainMethod = `${carrier}${SHIFTS[operator]}`;
  const left = (): void => (operator === "ashr" ? getSigned(context, i.lhs) : context.get(i.lhs));
  const finish = (): void => {
    if (operator !== "lshr") emitCrop(code, bits);
  };
  const constant = constantValue(i.rhs);
  if (constant !== null) {
    if (constant >= BigInt(bits) && operator !== "ashr") {
      emitIntegerConstant(code, carrier, 0);
      return;
    }
    left();
    emitIntegerConstant(code, carrier, Number(constant < BigInt(bits) ? constant : BigInt(bits - 1)));
    code.op(shift);
    finish();
    return;
  }
  const amount = code.local(carrier);
  context.get(i.rhs);
  code.localSet(amount);
  if (operator === "ashr") {
    left();
    code.localGet(amount);
    emitIntegerConstant(code, carrier, bits - 1);
    code.localGet(amount);
    emitIntegerConstant(code, carrier, bits);
    code.op(`${carrier}LtU`).select().op(shift);
  } else {
    left();
    code.localGet(amount).op(shift);
    emitIntegerConstant(code, carrier, 0);
    code.localGet(amount);
    emitIntegerConstant(code, carrier, bits);
    code.op(`${carrier}LtU`).select();
  }
  finish();
  code.free(amount);
}

function emitDivision(
  context: ScalarContext,
  i: BinaryInstruction,
  operator: "udiv" | "urem" | "sdiv" | "srem",
  bits: number,
  carrier: "i32" | "i64",
): void {
  const { code } = context;
  const signed = operator === "sdiv" || operator === "srem";
  const quotient = operator === "udiv" || operator === "sdiv";
  const method: PlainMethod = `${carrier}${quotient ? "Div" : "Rem"}${signed ? "S" : "U"}`;
  const push = (value: IrValue): void => (signed ? getSigned(context, value) : context.get(value));
  const constant = constantValue(i.rhs);
  const minusOne = (1n << BigInt(bits)) - 1n;
  if (constant !== null && constant !== 0n && !(signed && constant === minusOne)) {
    push(i.lhs);
    push(i.rhs);
    code.op(method);
    if (signed) emitCrop(code, bits);
    return;
  }
  const a = code.local(carrier);
  const b = code.local(carrier);
  push(i.lhs);
  code.localSet(a);
  push(i.rhs);
  code.localTee(b);
  if (operator === "sdiv") {
    // The two divisors that need care are -1 and 0: b + 1 is 0 or 1.
    emitIntegerConstant(code, carrier, 1);
    code.op(`${carrier}Add`);
    emitIntegerConstant(code, carrier, 1);
    code.op(`${carrier}LeU`).if(carrier);
    emitIntegerConstant(code, carrier, -1);
    emitIntegerConstant(code, carrier, 0);
    code.localGet(a).op(`${carrier}Sub`).localGet(b).op(`${carrier}Eqz`).select();
  } else {
    code.op(`${carrier}Eqz`).if(carrier);
    if (quotient) emitIntegerConstant(code, carrier, -1);
    else code.localGet(a);
  }
  code.else().localGet(a).localGet(b).op(method).end();
  if (signed || quotient) emitCrop(code, bits);
  code.free(a, b);
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
export function emitIcmp(context: ScalarContext, i: IcmpInstruction): void {
  emitIntegerCompare(context, i.predicate, i.lhs, i.rhs);
}

export function emitIntegerCompare(context: ScalarContext, predicate: IntPredicate, lhs: IrValue, rhs: IrValue): void {
  const carrier = wasmTypeOf(lhs.type) as "i32" | "i64";
  const signed = predicate.startsWith("s");
  const zero = constantValue(rhs) === 0n;
  if (zero && (predicate === "eq" || predicate === "ne") && carrier === "i32") {
    context.get(lhs);
    context.code.i32Eqz();
    if (predicate === "ne") context.code.i32Eqz();
    return;
  }
  for (const value of [lhs, rhs])
    if (signed) getSigned(context, value);
    else context.get(value);
  context.code.op(`${carrier}${PREDICATES[predicate]}` as PlainMethod);
}

/** Integer to integer and pointer casts; pushes the result. */
export function emitIntegerCast(
  context: ScalarContext,
  operator: "trunc" | "zext" | "sext",
  operand: IrValue,
  to: IrType,
): void {
  const { code } = context;
  // Above 32 bits, integers have 64 here (legalize-ints).
  const [isWide, becomesWide] = [bitWidth(operand.type) === 64, bitWidth(to) === 64];
  if (operator === "sext") getSigned(context, operand);
  else context.get(operand);
  if (operator === "trunc") {
    if (isWide && !becomesWide) code.i32WrapI64();
    emitCrop(code, bitWidth(to));
  } else {
    if (becomesWide && !isWide) {
      if (operator === "sext") code.i64ExtendI32S();
      else code.i64ExtendI32U();
    }
    if (operator === "sext") emitCrop(code, bitWidth(to));
  }
}
