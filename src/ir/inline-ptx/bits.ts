/** Logic, shifts, bit fields, permutes and dot products (PTX ISA 8.5, 9.7.1, 9.7.7, 9.7.9.7). */
import { constInt } from "../model/build.ts";
import type { IntType, IrValue } from "../model/ir.ts";
import type { PtxCall, PtxEmitter } from "./emit.ts";
import { I1, I32, I64 } from "../model/types.ts";
import { has, lastType } from "./handler.ts";

// ---------------------------------------------------------------- logic and shifts

export function logic(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  e.write(c, 0, e.binary(c.words[0] as "and" | "or" | "xor", e.read(c, 1, type.ir), e.read(c, 2, type.ir)));
}

export function not(e: PtxEmitter, c: PtxCall): void {
  const ir = lastType(e, c).ir as IntType;
  const value = e.read(c, 1, ir);
  if (c.words[0] === "cnot") e.write(c, 0, e.coerce(e.icmp("eq", value, constInt(ir, 0)), ir));
  else e.write(c, 0, e.binary("xor", value, constInt(ir, -1)));
}

/** Any function of three bits: the table's bit (a, b, c) as a sum of products. */
export function logic3(e: PtxEmitter, c: PtxCall): void {
  const table = c.operands[4];
  if (table?.kind !== "int" || has(c, "BoolOp")) return e.unsupported(c);
  const inputs = [1, 2, 3].map((index) => e.read(c, index, I32));
  const bits = Number(table.value) & 0xff;
  const invert = (value: IrValue): IrValue => e.binary("xor", value, e.i32(-1));
  // Fewer terms: the complement of a table with more than four ones.
  const ones = bits.toString(2).replaceAll("0", "").length;
  const complement = ones > 4;
  const terms: IrValue[] = [];
  for (let row = 0; row < 8; row++) {
    if (((bits >> row) & 1) === (complement ? 1 : 0)) continue;
    const factors = inputs.map((value, k) => ((row >> (2 - k)) & 1 ? value : invert(value)));
    terms.push(factors.reduce((a, b) => e.binary("and", a, b)));
  }
  const sum = terms.length === 0 ? e.i32(0) : terms.reduce((a, b) => e.binary("or", a, b));
  e.write(c, 0, complement ? invert(sum) : sum);
}

/** A shift by at least the width leaves zeros, or copies of the sign; in LLVM it would be poison. */
export function shift(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const ir = type.ir as IntType;
  const value = e.read(c, 1, ir);
  const amount = e.read(c, 2, I32);
  const left = c.words[0] === "shl";
  if (!left && type.kind === "signed") {
    const clamped = e.call("llvm.umin.i32", I32, [amount, e.i32(ir.bits - 1)]);
    return e.write(c, 0, e.binary("ashr", value, e.coerce(clamped, ir)), true);
  }
  e.write(c, 0, clampedShift(e, left ? "shl" : "lshr", value, amount, ir));
}

function clampedShift(e: PtxEmitter, operator: "shl" | "lshr", value: IrValue, amount: IrValue, ir: IntType): IrValue {
  if (amount.kind === "const-int")
    return amount.value < BigInt(ir.bits) ? e.binary(operator, value, constInt(ir, amount.value)) : constInt(ir, 0);
  const within = e.icmp("ult", amount, e.i32(ir.bits));
  const masked = e.binary("and", e.coerce(amount, ir), constInt(ir, ir.bits - 1));
  return e.select(within, e.binary(operator, value, masked), constInt(ir, 0));
}

export function funnelShift(e: PtxEmitter, c: PtxCall): void {
  const low = e.read(c, 1, I32);
  const high = e.read(c, 2, I32);
  const amount = has(c, "wrap")
    ? e.binary("and", e.read(c, 3, I32), e.i32(31))
    : e.call("llvm.umin.i32", I32, [e.read(c, 3, I32), e.i32(32)]);
  const both = e.binary("or", e.binary("shl", e.coerce(high, I64), constInt(I64, 32)), e.coerce(low, I64));
  const wide = e.coerce(amount, I64);
  const shifted = has(c, "l")
    ? e.binary("lshr", e.binary("shl", both, wide), constInt(I64, 32))
    : e.binary("lshr", both, wide);
  e.write(c, 0, e.cast("trunc", shifted, I32));
}

// ---------------------------------------------------------------- bit fields

/** The low `length` bits of a value, extended by its sign or by zeros; a length of 0 gives 0. */
function lowBits(e: PtxEmitter, value: IrValue, length: IrValue, ir: IntType, signed: boolean): IrValue {
  const clamped = e.call("llvm.umin.i32", I32, [length, e.i32(ir.bits)]);
  const spare = e.coerce(e.binary("and", e.binary("sub", e.i32(ir.bits), clamped), e.i32(ir.bits - 1)), ir);
  const kept = e.binary(signed ? "ashr" : "lshr", e.binary("shl", value, spare), spare);
  return e.select(e.icmp("eq", length, e.i32(0)), constInt(ir, 0), kept);
}

function byteOf(e: PtxEmitter, c: PtxCall, index: number): IrValue {
  return e.binary("and", e.read(c, index, I32), e.i32(0xff));
}

export function extractField(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const ir = type.ir as IntType;
  const signed = type.kind === "signed";
  const value = e.read(c, 1, ir);
  const position = byteOf(e, c, 2);
  const moved = signed
    ? e.binary("ashr", value, e.coerce(e.call("llvm.umin.i32", I32, [position, e.i32(ir.bits - 1)]), ir))
    : clampedShift(e, "lshr", value, position, ir);
  e.write(c, 0, lowBits(e, moved, byteOf(e, c, 3), ir, signed), signed);
}

export function insertField(e: PtxEmitter, c: PtxCall): void {
  const ir = lastType(e, c).ir as IntType;
  const position = byteOf(e, c, 3);
  const mask = clampedShift(e, "shl", lowBits(e, constInt(ir, -1), byteOf(e, c, 4), ir, false), position, ir);
  const field = e.binary("and", clampedShift(e, "shl", e.read(c, 1, ir), position, ir), mask);
  e.write(c, 0, e.binary("or", field, e.binary("and", e.read(c, 2, ir), e.binary("xor", mask, constInt(ir, -1)))));
}

export function bitMask(e: PtxEmitter, c: PtxCall): void {
  const wrap = has(c, "wrap");
  const five = (index: number): IrValue =>
    wrap ? e.binary("and", e.read(c, index, I32), e.i32(31)) : e.read(c, index, I32);
  e.write(c, 0, clampedShift(e, "shl", lowBits(e, e.i32(-1), five(2), I32, false), five(1), I32));
}

export function findLeading(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const ir = type.ir as IntType;
  let value = e.read(c, 1, ir);
  if (type.kind === "signed") value = e.binary("xor", value, e.binary("ashr", value, constInt(ir, ir.bits - 1)));
  const zeros = e.coerce(e.call(`llvm.ctlz.i${ir.bits}`, ir, [value, constInt(I1, 0)]), I32);
  const place = has(c, "shiftamt") ? zeros : e.binary("sub", e.i32(ir.bits - 1), zeros);
  e.write(c, 0, e.select(e.icmp("eq", value, constInt(ir, 0)), e.i32(-1), place));
}

export function countBits(e: PtxEmitter, c: PtxCall): void {
  const ir = lastType(e, c).ir as IntType;
  const value = e.read(c, 1, ir);
  const count =
    c.words[0] === "popc"
      ? e.call(`llvm.ctpop.i${ir.bits}`, ir, [value])
      : e.call(`llvm.ctlz.i${ir.bits}`, ir, [value, constInt(I1, 0)]);
  e.write(c, 0, e.coerce(count, I32));
}

export function reverse(e: PtxEmitter, c: PtxCall): void {
  const ir = lastType(e, c).ir as IntType;
  e.write(c, 0, e.call(`llvm.bitreverse.i${ir.bits}`, ir, [e.read(c, 1, ir)]));
}

export function permute(e: PtxEmitter, c: PtxCall): void {
  const mode = c.words.find((word) => /^(?:f4e|b4e|rc8|ecl|ecr|rc16)$/.test(word));
  const args = [1, 2, 3].map((index) => e.read(c, index, I32));
  if (mode === undefined) e.write(c, 0, e.call("llvm.nvvm.prmt", I32, args));
  else if (mode === "f4e" || mode === "b4e") e.write(c, 0, e.call(`llvm.nvvm.prmt.${mode}`, I32, args));
  else e.write(c, 0, e.call(`llvm.nvvm.prmt.${mode}`, I32, [args[0] as IrValue, args[2] as IrValue]));
}

export function dotProduct(e: PtxEmitter, c: PtxCall): void {
  const [first, second] = c.types;
  if (!first || !second) return e.unsupported(c);
  const kinds = `${first.kind === "signed" ? "s" : "u"}.${second.kind === "signed" ? "s" : "u"}`;
  const [a, b, addend] = [1, 2, 3].map((index) => e.read(c, index, I32)) as [IrValue, IrValue, IrValue];
  if (c.words[0] === "dp4a") e.write(c, 0, e.call(`llvm.nvvm.idp4a.${kinds}`, I32, [a, b, addend]));
  else e.write(c, 0, e.call(`llvm.nvvm.idp2a.${kinds}`, I32, [a, b, constInt(I1, has(c, "hi") ? 1 : 0), addend]));
}
