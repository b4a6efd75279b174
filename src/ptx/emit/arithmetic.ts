/**
 * Arithmetic, comparisons and selections in PTX (PTX ISA 8.5, 9.7.1–9.7.6; LangRef, "Binary Operations", "icmp",
 * "fcmp").
 */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type {
  BinaryInstruction,
  FcmpInstruction,
  FloatPredicate,
  FloatType,
  FnegInstruction,
  IcmpInstruction,
  IntPredicate,
  IntType,
  IrType,
  IrValue,
  SelectInstruction,
} from "../../ir/model/ir.ts";
import { isInt, scalarBits } from "../../ir/model/types.ts";
import { emitPair } from "./packed-halves.ts";
import type { PtxFunction } from "./ptx-function.ts";
import { REGISTER_TYPES, registerClass } from "./ptx-types.ts";

const INT_NAMES: Readonly<Record<string, string>> = {
  add: "add.s",
  sub: "sub.s",
  mul: "mul.lo.s",
  and: "and.b",
  or: "or.b",
  xor: "xor.b",
  udiv: "div.u",
  sdiv: "div.s",
  urem: "rem.u",
  srem: "rem.s",
  shl: "shl.b",
  lshr: "shr.u",
  ashr: "shr.s",
};

export function emitBinary(f: PtxFunction, i: BinaryInstruction): void {
  if (i.type.kind === "float") return emitFloat(f, i, i.type);
  const type = i.type as IntType;
  if (type.bits === 1) return emitBit(f, i);
  if (emitPair(f, i)) return;
  const wide = type.bits === 64 ? 64 : 32;
  const signed = i.operator === "sdiv" || i.operator === "srem" || i.operator === "ashr";
  const lhs = signed ? signExtended(f, i.lhs) : f.operand(i.lhs);
  const isShift = i.operator === "shl" || i.operator === "lshr" || i.operator === "ashr";
  // The amount of a shift is a u32, whatever is shifted.
  let rhs: string;
  if (isShift) rhs = shiftAmount(f, i.rhs);
  else rhs = signed ? signExtended(f, i.rhs) : f.operand(i.rhs);
  const name = `${INT_NAMES[i.operator] ?? bug(i.operator)}${wide}`;
  const needsMask = type.bits < 32 && !["and", "or", "xor", "udiv", "urem", "lshr"].includes(i.operator);
  if (!needsMask) return f.emit(`${name} ${f.define(i)}, ${f.inRegister(lhs, registerClass(type))}, ${rhs}`);
  const full = f.make("r", `${name} $d, ${f.inRegister(lhs, "r")}, ${rhs}`);
  f.emit(`and.b32 ${f.define(i)}, ${full}, ${(1 << type.bits) - 1}`);
}

function shiftAmount(f: PtxFunction, value: IrValue): string {
  const operand = f.operand(value);
  return scalarBits(value.type) === 64 && operand.startsWith("%") ? f.make("r", `cvt.u32.u64 $d, ${operand}`) : operand;
}

/** An integer as a signed one in its register: an i8 or i16 with its sign above it. */
export function signExtended(f: PtxFunction, value: IrValue): string {
  const bits = scalarBits(value.type);
  if (bits >= 32) return f.operand(value);
  if (value.kind === "const-int") return String(BigInt.asIntN(bits, value.value));
  return f.make("r", `cvt.s32.s${bits} $d, ${f.register(value)}`);
}

function emitBit(f: PtxFunction, i: BinaryInstruction): void {
  const d = f.define(i);
  const [a, b] = [f.operand(i.lhs), f.operand(i.rhs)];
  switch (i.operator) {
    case "and":
    case "mul":
      return f.emit(`and.pred ${d}, ${a}, ${b}`);
    case "or":
      return f.emit(`or.pred ${d}, ${a}, ${b}`);
    case "xor":
    case "add":
    case "sub":
      return f.emit(`xor.pred ${d}, ${a}, ${b}`);
    // By 1 or poison: the value itself.
    case "udiv":
    case "sdiv":
    case "shl":
    case "lshr":
    case "ashr":
      return f.emit(`mov.pred ${d}, ${a}`);
    case "urem":
    case "srem":
      return f.emit(`xor.pred ${d}, ${a}, ${a}`);
    default:
      return bug(i.operator);
  }
}

// ---------------------------------------------------------------- floats

/** The words of an operation on floats: rounding and flushing as the type has them. */
function emitFloat(f: PtxFunction, i: BinaryInstruction, type: FloatType): void {
  const operator = i.operator.slice(1) as "add" | "sub" | "mul" | "div" | "rem";
  if (operator === "rem")
    throw unsupported("frem that is no call of the device library on a GPU", i.location ?? undefined);
  const { format } = type;
  if (format === "half" || format === "bfloat") return emitHalf(f, i, operator, format);
  const [a, b] = [f.operand(i.lhs), f.operand(i.rhs)];
  const d = f.define(i);
  if (format === "double") return f.emit(`${operator}.rn.f64 ${d}, ${a}, ${b}`);
  if (operator !== "div") return f.emit(`${operator}.rn${f.ftz}.f32 ${d}, ${a}, ${b}`);
  if (isOne(i.lhs)) return f.emit(`rcp.${f.approximate ? "approx" : "rn"}${f.ftz}.f32 ${d}, ${b}`);
  // As nvcc: a product with the reciprocal, which is computed once where several are divided by the same (CUDA C++
  // Programming Guide, "Intrinsic Functions", -use_fast_math).
  f.emit(`div.${f.approximate ? "approx" : "rn"}${f.ftz}.f32 ${d}, ${a}, ${b}`);
}

function isOne(value: IrValue): boolean {
  return value.kind === "const-float" && value.type.format === "float" && value.bits === 0x3f800000n;
}

/**
 * Where the GPU has no such operation on 16 bits, in float: rounding twice is harmless there (24 ≥ 2·11 + 2 bits;
 * Figueroa, 1995).
 */
function emitHalf(
  f: PtxFunction,
  i: BinaryInstruction,
  operator: "add" | "sub" | "mul" | "div",
  format: "half" | "bfloat",
): void {
  const [a, b] = [f.register(i.lhs), f.register(i.rhs)];
  if (operator !== "div" && (format === "half" || f.program.architecture >= 90)) {
    return f.emit(`${operator}.rn.${format === "half" ? "f16" : "bf16"} ${f.define(i)}, ${a}, ${b}`);
  }
  const result = f.make("f", `${operator}.rn.f32 $d, ${halfToFloat(f, a, format)}, ${halfToFloat(f, b, format)}`);
  floatToHalf(f, f.define(i), result, format);
}

export function halfToFloat(f: PtxFunction, register: string, format: "half" | "bfloat"): string {
  if (format === "half") return f.make("f", `cvt.f32.f16 $d, ${register}`);
  return f.make("f", `mov.b32 $d, {${f.make("h", "mov.b16 $d, 0")}, ${register}}`);
}

export function floatToHalf(f: PtxFunction, destination: string, register: string, format: "half" | "bfloat"): void {
  f.emit(`cvt.rn.${format === "half" ? "f16" : "bf16"}.f32 ${destination}, ${register}`);
}

/** A float in a register that cvt takes, and its type; bfloat16 as float. */
export function operandForConversionOf(f: PtxFunction, value: IrValue): [string, "f16" | "f32" | "f64"] {
  const { format } = value.type as FloatType;
  const register = f.register(value);
  if (format === "bfloat") return [halfToFloat(f, register, "bfloat"), "f32"];
  if (format === "half") return [register, "f16"];
  return [register, format === "double" ? "f64" : "f32"];
}

export function emitFneg(f: PtxFunction, i: FnegInstruction): void {
  const { format } = i.type as FloatType;
  if (format === "half") return f.emit(`neg.f16 ${f.define(i)}, ${f.register(i.operand)}`);
  if (format === "bfloat") return f.emit(`neg.bf16 ${f.define(i)}, ${f.register(i.operand)}`);
  // neg.ftz would flush, which a change of sign does not.
  f.emit(`neg.${format === "double" ? "f64" : "f32"} ${f.define(i)}, ${f.operand(i.operand)}`);
}

// ---------------------------------------------------------------- comparisons

const SIGNED: ReadonlySet<IntPredicate> = new Set(["sgt", "sge", "slt", "sle"]);

export function emitIcmp(f: PtxFunction, i: IcmpInstruction): void {
  const { type } = i.lhs;
  const d = f.define(i);
  if (isInt(type) && type.bits === 1) return compareBits(f, i, d);
  const signed = SIGNED.has(i.predicate);
  const isEquality = i.predicate === "eq" || i.predicate === "ne";
  const condition = isEquality ? i.predicate : i.predicate.slice(1);
  const order = signed ? "s" : "u";
  const kind = isEquality ? "b" : order;
  const [a, b] =
    type.kind === "ptr"
      ? comparedPointers(f, i.lhs, i.rhs)
      : ([i.lhs, i.rhs].map((value) => (signed ? signExtended(f, value) : f.operand(value))) as [string, string]);
  const name = `setp.${condition}.${kind}${scalarBits(type) === 64 ? 64 : 32}`;
  f.emit(`${name} ${d}, ${f.inRegister(a, registerClass(type))}, ${b}`);
}

/** Both in the form of one space. */
function comparedPointers(f: PtxFunction, lhs: IrValue, rhs: IrValue): [string, string] {
  const isNull = lhs.kind === "const-null" || rhs.kind === "const-null";
  if (!isNull && f.spaceOf(lhs) === f.spaceOf(rhs)) return [f.operand(lhs), f.operand(rhs)];
  return [f.programPointer(lhs), f.programPointer(rhs)];
}

function compareBits(f: PtxFunction, i: IcmpInstruction, d: string): void {
  const [a, b] = [f.operand(i.lhs), f.operand(i.rhs)];
  const not = (p: string): string => f.make("p", `not.pred $d, ${p}`);
  switch (i.predicate) {
    case "ne":
      return f.emit(`xor.pred ${d}, ${a}, ${b}`);
    case "eq":
      return f.emit(`xor.pred ${d}, ${a}, ${not(b)}`);
    // A signed 1 is -1.
    case "ugt":
    case "slt":
      return f.emit(`and.pred ${d}, ${a}, ${not(b)}`);
    case "ult":
    case "sgt":
      return f.emit(`and.pred ${d}, ${not(a)}, ${b}`);
    case "uge":
    case "sle":
      return f.emit(`or.pred ${d}, ${a}, ${not(b)}`);
    case "ule":
    case "sge":
      return f.emit(`or.pred ${d}, ${not(a)}, ${b}`);
  }
}

/** What setp calls LLVM's predicates; those that end in u are also true where an operand is NaN. */
const FLOAT_CONDITIONS: Readonly<Partial<Record<FloatPredicate, string>>> = {
  oeq: "eq",
  ogt: "gt",
  oge: "ge",
  olt: "lt",
  ole: "le",
  one: "ne",
  ord: "num",
  ueq: "equ",
  ugt: "gtu",
  uge: "geu",
  ult: "ltu",
  ule: "leu",
  une: "neu",
  uno: "nan",
};

export function emitFcmp(f: PtxFunction, i: FcmpInstruction): void {
  const d = f.define(i);
  const condition = FLOAT_CONDITIONS[i.predicate];
  if (condition === undefined) return f.emit(`setp.${i.predicate === "true" ? "eq" : "ne"}.u32 ${d}, 0, 0`);
  const { format } = i.lhs.type as FloatType;
  if (format === "half") return f.emit(`setp.${condition}.f16 ${d}, ${f.register(i.lhs)}, ${f.register(i.rhs)}`);
  if (format === "bfloat") {
    const [a, b] = [i.lhs, i.rhs].map((value) => halfToFloat(f, f.register(value), format));
    return f.emit(`setp.${condition}.f32 ${d}, ${a as string}, ${b as string}`);
  }
  const name = `setp.${condition}${format === "float" ? `${f.ftz}.f32` : ".f64"}`;
  f.emit(`${name} ${d}, ${f.inRegister(f.operand(i.lhs), registerClass(i.lhs.type))}, ${f.operand(i.rhs)}`);
}

// ---------------------------------------------------------------- selections

export function emitSelect(f: PtxFunction, i: SelectInstruction): void {
  const condition = f.operand(i.condition);
  const operandOf = (value: IrValue): string =>
    i.type.kind === "ptr" ? f.pointerIn(value, f.spaceOf(i)) : f.operand(value);
  choose(f, f.define(i), i.type, condition, operandOf(i.then), operandOf(i.else));
}

export function choose(
  f: PtxFunction,
  d: string,
  type: IrType,
  condition: string,
  then: string,
  otherwise: string,
): void {
  const held = registerClass(type);
  if (held === "p") {
    const yes = f.make("p", `and.pred $d, ${condition}, ${then}`);
    const no = f.make("p", `and.pred $d, ${f.make("p", `not.pred $d, ${condition}`)}, ${otherwise}`);
    return f.emit(`or.pred ${d}, ${yes}, ${no}`);
  }
  f.emit(`selp.${REGISTER_TYPES[held]} ${d}, ${then}, ${otherwise}, ${condition}`);
}
