/**
 * PTX arithmetic, logic, comparison, selection and moves as IR (PTX ISA 8.5, 9.7.1–9.7.8; conversions are in
 * convert.ts).
 *
 * `.ftz` is taken as written without it: subnormal numbers are kept. `.approx` functions are at least as exact as the
 * hardware's.
 */
import { constFloat, constFloatBits, constInt } from "../model/build.ts";
import type { FloatPredicate, FloatType, IntPredicate, IntType, IrType, IrValue } from "../model/ir.ts";
import type { PtxCall, PtxEmitter, PtxType } from "./emit.ts";
import { BF16, F32, F64, I1, I32, I64, intType } from "../model/types.ts";

export type PtxHandler = (e: PtxEmitter, c: PtxCall) => void;

const has = (c: PtxCall, word: string): boolean => c.words.includes(word);
function lastType(e: PtxEmitter, c: PtxCall): PtxType {
  return c.types[c.types.length - 1] ?? e.unsupported(c);
}
/** The directed rounding of the instruction, or null for to nearest. */
function rounding(c: PtxCall): "rz" | "rm" | "rp" | null {
  return (["rz", "rm", "rp"] as const).find((word) => has(c, word)) ?? null;
}
const suffix = (type: FloatType): string => ({ half: "f16", bfloat: "bf16", float: "f32", double: "f64" })[type.format];

/** Applies `compute` to each element of the operands and writes the result. */
function floatOperation(
  e: PtxEmitter,
  c: PtxCall,
  type: PtxType,
  count: number,
  compute: (args: IrValue[], ir: FloatType) => IrValue,
): void {
  const ir = type.ir as FloatType;
  const clamp = (value: IrValue): IrValue => {
    if (has(c, "sat")) return saturate(e, value, ir);
    if (has(c, "relu")) return e.call(`llvm.maximum.${suffix(ir)}`, ir, [value, constFloat(ir, 0)]);
    return value;
  };
  if (type.lanes === 1) {
    const args = Array.from({ length: count }, (_, i) => e.read(c, i + 1, ir));
    e.write(c, 0, clamp(compute(args, ir)));
    return;
  }
  const args = Array.from({ length: count }, (_, i) => e.unpack(e.read(c, i + 1, I32), ir));
  const low = clamp(
    compute(
      args.map((pair) => pair[0]),
      ir,
    ),
  );
  const high = clamp(
    compute(
      args.map((pair) => pair[1]),
      ir,
    ),
  );
  e.write(c, 0, e.pack(low, high));
}

/** To [0, 1], NaN to 0. */
export function saturate(e: PtxEmitter, value: IrValue, ir: FloatType): IrValue {
  const low = e.call(`llvm.maxnum.${suffix(ir)}`, ir, [value, constFloat(ir, 0)]);
  return e.call(`llvm.minnum.${suffix(ir)}`, ir, [low, constFloat(ir, 1)]);
}

function addSubtract(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const subtract = (c.words[0] as string).startsWith("sub");
  if (type.kind === "float") {
    const direction = rounding(c);
    return floatOperation(e, c, type, 2, ([a, b], ir) => {
      if (direction === null) return e.binary(subtract ? "fsub" : "fadd", a as IrValue, b as IrValue, !has(c, "rn"));
      if (ir !== F32 && ir !== F64) return e.unsupported(c);
      return e.call(`llvm.nvvm.add.${direction}.${ir === F32 ? "f" : "d"}`, ir, [
        a as IrValue,
        subtract ? e.negate(b as IrValue) : (b as IrValue),
      ]);
    });
  }
  if (has(c, "cc") || c.words[0] === "addc" || c.words[0] === "subc") return addWithCarry(e, c, type, subtract);
  const ir = type.ir as IntType;
  if (type.lanes !== 1) e.unsupported(c);
  const a = e.read(c, 1, ir);
  const b = e.read(c, 2, ir);
  if (has(c, "sat")) e.write(c, 0, e.call(`llvm.${subtract ? "ssub" : "sadd"}.sat.i${ir.bits}`, ir, [a, b]));
  else e.write(c, 0, e.binary(subtract ? "sub" : "add", a, b), type.kind === "signed");
}

/** add.cc, addc, addc.cc and the subtractions: the carry out, or the borrow, is the bit above the result. */
function addWithCarry(e: PtxEmitter, c: PtxCall, type: PtxType, subtract: boolean): void {
  const carryIn = c.words[0] === "addc" || c.words[0] === "subc";
  const a = e.read(c, 1, type.ir);
  const b = e.read(c, 2, type.ir);
  const result = sumWithCarry(e, c, type.ir as IntType, a, b, carryIn, subtract);
  e.write(c, 0, result);
}
function sumWithCarry(
  e: PtxEmitter,
  c: PtxCall,
  ir: IntType,
  a: IrValue,
  b: IrValue,
  carryIn: boolean,
  subtract: boolean,
): IrValue {
  const operator = subtract ? "sub" : "add";
  const first = e.binary(operator, a, b);
  let carry = e.icmp("ult", subtract ? a : first, subtract ? b : a);
  let result = first;
  if (carryIn) {
    const extra = e.coerce(e.carry.value ?? constInt(I1, 0), ir);
    result = e.binary(operator, first, extra);
    carry = e.binary("or", carry, e.icmp("ult", subtract ? first : result, subtract ? extra : first));
  }
  if (has(c, "cc")) e.carry.value = carry;
  return result;
}

/** The low half, the high half or all of a product of two `ir`. */
function product(e: PtxEmitter, c: PtxCall, type: PtxType, a: IrValue, b: IrValue): IrValue {
  const ir = type.ir as IntType;
  if (has(c, "lo") || (!has(c, "hi") && !has(c, "wide"))) return e.binary("mul", a, b);
  const wide = intType(ir.bits * 2);
  const signed = type.kind === "signed";
  if (ir.bits === 64)
    return has(c, "hi") ? e.call(signed ? "llvm.nvvm.mulhi.ll" : "llvm.nvvm.mulhi.ull", ir, [a, b]) : e.unsupported(c);
  const full = e.binary("mul", e.coerce(a, wide, signed), e.coerce(b, wide, signed));
  return has(c, "wide") ? full : e.cast("trunc", e.binary("lshr", full, constInt(wide, ir.bits)), ir);
}

function multiply(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  if (type.kind === "float") {
    const direction = rounding(c);
    return floatOperation(e, c, type, 2, ([a, b], ir) => {
      if (direction === null) return e.binary("fmul", a as IrValue, b as IrValue, !has(c, "rn"));
      if (ir !== F32 && ir !== F64) return e.unsupported(c);
      return e.call(`llvm.nvvm.mul.${direction}.${ir === F32 ? "f" : "d"}`, ir, [a as IrValue, b as IrValue]);
    });
  }
  e.write(c, 0, product(e, c, type, e.read(c, 1, type.ir), e.read(c, 2, type.ir)), type.kind === "signed");
}

function multiplyAdd(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  if (type.kind === "float") {
    const direction = rounding(c);
    return floatOperation(e, c, type, 3, (args, ir) => {
      if (direction === null) return e.call(`llvm.fma.${suffix(ir)}`, ir, args);
      if (ir !== F32 && ir !== F64) return e.unsupported(c);
      return e.call(`llvm.nvvm.fma.${direction}.${ir === F32 ? "f" : "d"}`, ir, args);
    });
  }
  const value = product(e, c, type, e.read(c, 1, type.ir), e.read(c, 2, type.ir));
  const addend = e.read(c, 3, value.type, type.kind === "signed");
  const carries = has(c, "cc") || c.words[0] === "madc";
  if (has(c, "sat"))
    e.write(c, 0, e.call(`llvm.sadd.sat.i${(value.type as IntType).bits}`, value.type, [value, addend]));
  else if (carries)
    e.write(c, 0, sumWithCarry(e, c, value.type as IntType, value, addend, c.words[0] === "madc", false));
  else e.write(c, 0, e.binary("add", value, addend), type.kind === "signed");
}

/** mul24 and mad24: of the low 24 bits, the low or the high 32 of 48. */
function multiply24(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const signed = type.kind === "signed";
  const low24 = (index: number): IrValue => {
    const value = e.read(c, index, I32);
    const wide = e.coerce(
      signed ? e.binary("ashr", e.binary("shl", value, e.i32(8)), e.i32(8)) : e.binary("and", value, e.i32(0xffffff)),
      I64,
      signed,
    );
    return wide;
  };
  const full = e.binary("mul", low24(1), low24(2));
  let value = e.cast("trunc", has(c, "hi") ? e.binary("lshr", full, constInt(I64, 16)) : full, I32);
  if (c.words[0] === "mad24") value = e.binary("add", value, e.read(c, 3, I32));
  e.write(c, 0, value);
}

function divide(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  if (type.kind === "float") {
    const direction = rounding(c);
    return floatOperation(e, c, type, 2, ([a, b], ir) =>
      direction === null
        ? e.binary("fdiv", a as IrValue, b as IrValue)
        : e.call(`llvm.nvvm.div.${direction}.${ir === F32 ? "f" : "d"}`, ir, [a as IrValue, b as IrValue]),
    );
  }
  const operator =
    c.words[0] === "rem" ? (type.kind === "signed" ? "srem" : "urem") : type.kind === "signed" ? "sdiv" : "udiv";
  e.write(c, 0, e.binary(operator, e.read(c, 1, type.ir), e.read(c, 2, type.ir)), type.kind === "signed");
}

function negateOrAbsolute(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const absolute = c.words[0] === "abs";
  if (type.kind === "float")
    return floatOperation(e, c, type, 1, ([a], ir) =>
      absolute ? e.call(`llvm.fabs.${suffix(ir)}`, ir, [a as IrValue]) : e.negate(a as IrValue),
    );
  const value = e.read(c, 1, type.ir);
  const bits = (type.ir as IntType).bits;
  e.write(
    c,
    0,
    absolute
      ? e.call(`llvm.abs.i${bits}`, type.ir, [value, constInt(I1, 0)])
      : e.binary("sub", constInt(type.ir as IntType, 0), value),
    true,
  );
}

function minimumMaximum(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const word = c.words[0] as string;
  if (type.kind === "float") {
    if (has(c, "xorsign")) e.unsupported(c);
    const name = has(c, "NaN") ? `llvm.${word}imum` : `llvm.${word}num`;
    return floatOperation(e, c, type, c.operands.length - 1, (args, ir) =>
      args.reduce((a, b) => e.call(`${name}.${suffix(ir)}`, ir, [a, b])),
    );
  }
  if (type.lanes !== 1) e.unsupported(c);
  const name = `llvm.${type.kind === "signed" ? "s" : "u"}${word}.i${type.bits}`;
  const value = e.call(name, type.ir, [e.read(c, 1, type.ir), e.read(c, 2, type.ir)]);
  e.write(
    c,
    0,
    has(c, "relu") ? e.call(`llvm.smax.i${type.bits}`, type.ir, [value, constInt(type.ir as IntType, 0)]) : value,
    type.kind === "signed",
  );
}

/** |a - b| + c */
function sumOfDifference(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const kind = type.kind === "signed" ? "s" : "u";
  const a = e.read(c, 1, type.ir);
  const b = e.read(c, 2, type.ir);
  const high = e.call(`llvm.${kind}max.i${type.bits}`, type.ir, [a, b]);
  const low = e.call(`llvm.${kind}min.i${type.bits}`, type.ir, [a, b]);
  e.write(c, 0, e.binary("add", e.binary("sub", high, low), e.read(c, 3, type.ir)));
}

// ---------------------------------------------------------------- logic and shifts

function logic(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  e.write(c, 0, e.binary(c.words[0] as "and" | "or" | "xor", e.read(c, 1, type.ir), e.read(c, 2, type.ir)));
}
function not(e: PtxEmitter, c: PtxCall): void {
  const ir = lastType(e, c).ir as IntType;
  const value = e.read(c, 1, ir);
  if (c.words[0] === "cnot") e.write(c, 0, e.coerce(e.icmp("eq", value, constInt(ir, 0)), ir));
  else e.write(c, 0, e.binary("xor", value, constInt(ir, -1)));
}

/** Any function of three bits: the table's bit (a, b, c) as a sum of products. */
function logic3(e: PtxEmitter, c: PtxCall): void {
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
function shift(e: PtxEmitter, c: PtxCall): void {
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

function funnelShift(e: PtxEmitter, c: PtxCall): void {
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

function extractField(e: PtxEmitter, c: PtxCall): void {
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
function insertField(e: PtxEmitter, c: PtxCall): void {
  const ir = lastType(e, c).ir as IntType;
  const position = byteOf(e, c, 3);
  const mask = clampedShift(e, "shl", lowBits(e, constInt(ir, -1), byteOf(e, c, 4), ir, false), position, ir);
  const field = e.binary("and", clampedShift(e, "shl", e.read(c, 1, ir), position, ir), mask);
  e.write(c, 0, e.binary("or", field, e.binary("and", e.read(c, 2, ir), e.binary("xor", mask, constInt(ir, -1)))));
}
function bitMask(e: PtxEmitter, c: PtxCall): void {
  const wrap = has(c, "wrap");
  const five = (index: number): IrValue =>
    wrap ? e.binary("and", e.read(c, index, I32), e.i32(31)) : e.read(c, index, I32);
  e.write(c, 0, clampedShift(e, "shl", lowBits(e, e.i32(-1), five(2), I32, false), five(1), I32));
}
function findLeading(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const ir = type.ir as IntType;
  let value = e.read(c, 1, ir);
  if (type.kind === "signed") value = e.binary("xor", value, e.binary("ashr", value, constInt(ir, ir.bits - 1)));
  const zeros = e.coerce(e.call(`llvm.ctlz.i${ir.bits}`, ir, [value, constInt(I1, 0)]), I32);
  const place = has(c, "shiftamt") ? zeros : e.binary("sub", e.i32(ir.bits - 1), zeros);
  e.write(c, 0, e.select(e.icmp("eq", value, constInt(ir, 0)), e.i32(-1), place));
}
function countBits(e: PtxEmitter, c: PtxCall): void {
  const ir = lastType(e, c).ir as IntType;
  const value = e.read(c, 1, ir);
  const count =
    c.words[0] === "popc"
      ? e.call(`llvm.ctpop.i${ir.bits}`, ir, [value])
      : e.call(`llvm.ctlz.i${ir.bits}`, ir, [value, constInt(I1, 0)]);
  e.write(c, 0, e.coerce(count, I32));
}
function reverse(e: PtxEmitter, c: PtxCall): void {
  const ir = lastType(e, c).ir as IntType;
  e.write(c, 0, e.call(`llvm.bitreverse.i${ir.bits}`, ir, [e.read(c, 1, ir)]));
}
function permute(e: PtxEmitter, c: PtxCall): void {
  const mode = c.words.find((word) => /^(?:f4e|b4e|rc8|ecl|ecr|rc16)$/.test(word));
  const args = [1, 2, 3].map((index) => e.read(c, index, I32));
  if (mode === undefined) e.write(c, 0, e.call("llvm.nvvm.prmt", I32, args));
  else if (mode === "f4e" || mode === "b4e") e.write(c, 0, e.call(`llvm.nvvm.prmt.${mode}`, I32, args));
  else e.write(c, 0, e.call(`llvm.nvvm.prmt.${mode}`, I32, [args[0] as IrValue, args[2] as IrValue]));
}
function dotProduct(e: PtxEmitter, c: PtxCall): void {
  const [first, second] = c.types;
  if (!first || !second) return e.unsupported(c);
  const kinds = `${first.kind === "signed" ? "s" : "u"}.${second.kind === "signed" ? "s" : "u"}`;
  const [a, b, addend] = [1, 2, 3].map((index) => e.read(c, index, I32)) as [IrValue, IrValue, IrValue];
  if (c.words[0] === "dp4a") e.write(c, 0, e.call(`llvm.nvvm.idp4a.${kinds}`, I32, [a, b, addend]));
  else e.write(c, 0, e.call(`llvm.nvvm.idp2a.${kinds}`, I32, [a, b, constInt(I1, has(c, "hi") ? 1 : 0), addend]));
}

// ---------------------------------------------------------------- comparison and selection

const FLOAT_PREDICATES: Readonly<Record<string, FloatPredicate>> = {
  eq: "oeq",
  ne: "one",
  lt: "olt",
  le: "ole",
  gt: "ogt",
  ge: "oge",
  equ: "ueq",
  neu: "une",
  ltu: "ult",
  leu: "ule",
  gtu: "ugt",
  geu: "uge",
  num: "ord",
  nan: "uno",
};
const INT_PREDICATES: Readonly<Record<string, readonly [signed: IntPredicate, unsigned: IntPredicate]>> = {
  eq: ["eq", "eq"],
  ne: ["ne", "ne"],
  lt: ["slt", "ult"],
  le: ["sle", "ule"],
  gt: ["sgt", "ugt"],
  ge: ["sge", "uge"],
  lo: ["ult", "ult"],
  ls: ["ule", "ule"],
  hi: ["ugt", "ugt"],
  hs: ["uge", "uge"],
};
function compare(e: PtxEmitter, c: PtxCall, word: string, type: PtxType, a: IrValue, b: IrValue): IrValue {
  if (type.kind === "float") return e.fcmp(FLOAT_PREDICATES[word] ?? e.unsupported(c), a, b);
  const predicates = INT_PREDICATES[word] ?? e.unsupported(c);
  return e.icmp(predicates[type.kind === "signed" ? 0 : 1], a, b);
}
/** setp writes one predicate or p|q, the second for the comparison's opposite; set writes all ones or 1.0. */
function setPredicate(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const word = c.words[1] as string;
  const combine = c.words.find((w) => w === "and" || w === "or" || w === "xor") as "and" | "or" | "xor" | undefined;
  const result = (a: IrValue, b: IrValue): [IrValue, IrValue] => {
    const value = compare(e, c, word, type, a, b);
    if (combine === undefined) return [value, value];
    const third = e.read(c, 3, I1);
    const opposite = e.binary("xor", value, constInt(I1, 1));
    return [e.binary(combine, value, third), e.binary(combine, opposite, third)];
  };
  const destination = c.operands[0];
  if (!destination) return e.unsupported(c);
  if (type.lanes === 2) {
    const a = e.unpack(e.read(c, 1, I32), type.ir);
    const b = e.unpack(e.read(c, 2, I32), type.ir);
    const low = compare(e, c, word, type, a[0], b[0]);
    const high = compare(e, c, word, type, a[1], b[1]);
    if (combine !== undefined) return e.unsupported(c);
    if (c.words[0] === "set") {
      const to = c.types[0] ?? e.unsupported(c);
      const half = (flag: IrValue): IrValue =>
        to.kind === "float"
          ? e.select(flag, constFloat(to.ir as FloatType, 1), constFloat(to.ir as FloatType, 0))
          : e.coerce(flag, intType(16), true);
      return e.write(c, 0, e.pack(half(low), half(high)));
    }
    if (destination.kind !== "pair") return e.unsupported(c);
    e.writeOperand(c, destination.first, low);
    return e.writeOperand(c, destination.second, high);
  }
  const [value, second] = result(e.read(c, 1, type.ir), e.read(c, 2, type.ir));
  if (c.words[0] === "set") {
    const to = c.types[0] ?? e.unsupported(c);
    e.write(
      c,
      0,
      to.kind === "float"
        ? e.select(value, constFloat(to.ir as FloatType, 1), constFloat(to.ir as FloatType, 0))
        : e.coerce(value, to.ir, true),
    );
  } else if (destination.kind === "pair") {
    e.writeOperand(c, destination.first, value);
    e.writeOperand(c, destination.second, combine === undefined ? e.binary("xor", value, constInt(I1, 1)) : second);
  } else e.write(c, 0, value);
}
function selectByPredicate(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const ir: IrType = type.lanes === 2 ? I32 : type.ir;
  const a = e.read(c, 1, ir);
  const b = e.read(c, 2, ir);
  e.write(c, 0, e.select(e.read(c, 3, I1), a, b), type.kind === "signed");
}
/** slct: a where the third operand is not negative. */
function selectBySign(e: PtxEmitter, c: PtxCall): void {
  const [type, by] = c.types;
  if (!type || !by) return e.unsupported(c);
  const third = e.read(c, 3, by.ir);
  const condition =
    by.kind === "float"
      ? e.fcmp("oge", third, constFloat(by.ir as FloatType, 0))
      : e.icmp("sge", third, constInt(by.ir as IntType, 0));
  e.write(c, 0, e.select(condition, e.read(c, 1, type.ir), e.read(c, 2, type.ir)));
}

// ---------------------------------------------------------------- moves and functions

/** mov, with packing and unpacking of vectors. */
function move(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const destination = c.operands[0];
  const source = c.operands[1];
  const ir: IrType = type.lanes === 2 ? I32 : type.ir;
  if (source?.kind === "vector") {
    const width = type.bits / source.elements.length;
    const whole = intType(type.bits);
    const parts = source.elements.map((element, i) => {
      const part = e.coerce(e.readOperand(c, element, intType(width)), whole);
      return i === 0 ? part : e.binary("shl", part, constInt(whole, i * width));
    });
    return e.write(
      c,
      0,
      parts.reduce((a, b) => e.binary("or", a, b)),
    );
  }
  if (destination?.kind === "vector") {
    const width = type.bits / destination.elements.length;
    const whole = intType(type.bits);
    const value = e.read(c, 1, whole);
    destination.elements.forEach((element, i) => {
      if (element.kind === "sink") return;
      e.writeOperand(
        c,
        element,
        e.cast("trunc", i === 0 ? value : e.binary("lshr", value, constInt(whole, i * width)), intType(width)),
      );
    });
    return;
  }
  e.write(c, 0, e.read(c, 1, ir));
}

/** One-operand functions: the device library's, in float or double. */
function elementary(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const word = c.words[0] as string;
  const direction = rounding(c);
  floatOperation(e, c, type, 1, ([a], ir) => {
    const value = a as IrValue;
    if (direction !== null && (word === "rcp" || word === "sqrt"))
      return e.call(`llvm.nvvm.${word}.${direction}.${ir === F32 ? "f" : "d"}`, ir, [value]);
    if (word === "rcp") return e.binary("fdiv", constFloat(ir, 1), value);
    if (word === "sqrt") return e.call(`llvm.sqrt.${suffix(ir)}`, ir, [value]);
    const names: Readonly<Record<string, string>> = {
      ex2: "exp2",
      lg2: "log2",
      sin: "sin",
      cos: "cos",
      tanh: "tanh",
      rsqrt: "rsqrt",
    };
    const name = names[word] ?? e.unsupported(c);
    if (ir === F64) return e.call(`__nv_${name}`, F64, [value]);
    if (ir === F32) return e.call(`__nv_${name}f`, F32, [value]);
    return e.cast("fptrunc", e.call(`__nv_${name}f`, F32, [e.cast("fpext", value, F32)]), ir);
  });
}
function copySign(e: PtxEmitter, c: PtxCall): void {
  const ir = lastType(e, c).ir as FloatType;
  e.write(c, 0, e.call(`llvm.copysign.${suffix(ir)}`, ir, [e.read(c, 2, ir), e.read(c, 1, ir)]));
}
function testProperty(e: PtxEmitter, c: PtxCall): void {
  const ir = lastType(e, c).ir as FloatType;
  const value = e.read(c, 1, ir);
  const magnitude = e.call(`llvm.fabs.${suffix(ir)}`, ir, [value]);
  const infinity = constFloat(ir, Infinity);
  const smallest =
    ir === F64
      ? constFloat(F64, 2 ** -1022)
      : ir === F32 || ir === BF16
        ? constFloat(ir, 2 ** -126)
        : constFloat(ir, 2 ** -14);
  const zero = constFloatBits(ir, 0n);
  const tests: Readonly<Record<string, () => IrValue>> = {
    finite: () => e.fcmp("olt", magnitude, infinity),
    infinite: () => e.fcmp("oeq", magnitude, infinity),
    number: () => e.fcmp("ord", value, value),
    notanumber: () => e.fcmp("uno", value, value),
    normal: () => e.binary("and", e.fcmp("oge", magnitude, smallest), e.fcmp("olt", magnitude, infinity)),
    subnormal: () => e.binary("and", e.fcmp("olt", magnitude, smallest), e.fcmp("ogt", magnitude, zero)),
  };
  e.write(c, 0, (tests[c.words[1] as string] ?? e.unsupported(c))());
}

const ON_INTEGERS = new Set([
  "addc",
  "subc",
  "madc",
  "mul24",
  "mad24",
  "rem",
  "sad",
  "and",
  "or",
  "xor",
  "not",
  "cnot",
  "lop3",
  "shl",
  "shr",
  "shf",
  "bfe",
  "bfi",
  "bmsk",
  "bfind",
  "popc",
  "clz",
  "brev",
  "prmt",
  "fns",
]);
const ON_FLOATS = new Set(["fma", "ex2", "lg2", "sin", "cos", "tanh", "rcp", "rsqrt", "sqrt", "copysign", "testp"]);
const ON_PREDICATES = new Set(["and", "or", "xor", "not", "mov"]);

/** Refuses types that the instruction does not have, so that the handlers need not. */
function typed(word: string, handler: PtxHandler): PtxHandler {
  return (e, c) => {
    const type = lastType(e, c);
    const wrong =
      type.kind === "float"
        ? ON_INTEGERS.has(word)
        : type.kind === "predicate"
          ? !ON_PREDICATES.has(word)
          : ON_FLOATS.has(word);
    const unpaired = type.kind === "float" && type.lanes === 2 && c.types.length > 1 && word !== "set";
    if (wrong || unpaired || type.bits === 128 || c.operands.length < 2) e.unsupported(c);
    handler(e, c);
  };
}

const HANDLERS: Readonly<Record<string, PtxHandler>> = {
  add: addSubtract,
  sub: addSubtract,
  addc: addSubtract,
  subc: addSubtract,
  mul: multiply,
  mad: multiplyAdd,
  madc: multiplyAdd,
  fma: multiplyAdd,
  mul24: multiply24,
  mad24: multiply24,
  div: divide,
  rem: divide,
  abs: negateOrAbsolute,
  neg: negateOrAbsolute,
  min: minimumMaximum,
  max: minimumMaximum,
  sad: sumOfDifference,
  and: logic,
  or: logic,
  xor: logic,
  not,
  cnot: not,
  lop3: logic3,
  shl: shift,
  shr: shift,
  shf: funnelShift,
  bfe: extractField,
  bfi: insertField,
  bmsk: bitMask,
  bfind: findLeading,
  popc: countBits,
  clz: countBits,
  brev: reverse,
  prmt: permute,
  dp4a: dotProduct,
  dp2a: dotProduct,
  fns: (e, c) =>
    e.write(
      c,
      0,
      e.call(
        "llvm.nvvm.fns",
        I32,
        [1, 2, 3].map((index) => e.read(c, index, I32)),
      ),
    ),
  setp: setPredicate,
  set: setPredicate,
  selp: selectByPredicate,
  slct: selectBySign,
  mov: move,
  ex2: elementary,
  lg2: elementary,
  sin: elementary,
  cos: elementary,
  tanh: elementary,
  rcp: elementary,
  rsqrt: elementary,
  sqrt: elementary,
  copysign: copySign,
  testp: testProperty,
};

export const ARITHMETIC: Readonly<Record<string, PtxHandler>> = Object.fromEntries(
  Object.entries(HANDLERS).map(([word, handler]) => [word, typed(word, handler)]),
);
