/**
 * PTX arithmetic, logic, comparison, selection and moves as IR (PTX ISA 8.5, 9.7.1–9.7.8; conversions are in
 * convert.ts).
 *
 * `.ftz` has no effect: subnormal numbers stay. `.approx` functions are at least as exact as the
 * hardware's.
 */
import { constInt } from "../model/build.ts";
import type { IntType, IrValue } from "../model/ir.ts";
import type { PtxCall, PtxEmitter, PtxType } from "./emit.ts";
import { F32, F64, I1, I32, I64, intType } from "../model/types.ts";
import { type PtxHandler, has, lastType, rounding, suffix, floatOperation } from "./handler.ts";
import {
  logic,
  not,
  logic3,
  shift,
  funnelShift,
  extractField,
  insertField,
  bitMask,
  findLeading,
  countBits,
  reverse,
  permute,
  dotProduct,
} from "./bits.ts";
import { setPredicate, selectByPredicate, selectBySign } from "./compare.ts";
import { move, elementary, copySign, testProperty } from "./elementary.ts";

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
  const [signed, unsigned] = c.words[0] === "rem" ? (["srem", "urem"] as const) : (["sdiv", "udiv"] as const);
  const operator = type.kind === "signed" ? signed : unsigned;
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

function isWrongFor(word: string, type: PtxType): boolean {
  if (type.kind === "float") return ON_INTEGERS.has(word);
  return type.kind === "predicate" ? !ON_PREDICATES.has(word) : ON_FLOATS.has(word);
}

const ON_FLOATS = new Set(["fma", "ex2", "lg2", "sin", "cos", "tanh", "rcp", "rsqrt", "sqrt", "copysign", "testp"]);

const ON_PREDICATES = new Set(["and", "or", "xor", "not", "mov"]);

/** Refuses types that the instruction does not have, so that the handlers need not. */
function typed(word: string, handler: PtxHandler): PtxHandler {
  return (e, c) => {
    const type = lastType(e, c);
    const wrong = isWrongFor(word, type);
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
