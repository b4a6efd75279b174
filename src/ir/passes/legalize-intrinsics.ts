/**
 * LLVM's generic intrinsics on types that no machine has, and those with several results, in terms of plain operations
 * (LangRef, "Standard C/C++ Library Intrinsics", "Bit Manipulation Intrinsics", "Arithmetic with Overflow", "Saturation
 * Arithmetic").
 *
 * On i32, i64 and floats they stay calls. On other ints up to 64 bits they are done in 32 or 64 bits, on vectors
 * element by element.
 */
import { unsupported } from "../../base/diagnostics.ts";
import { constBool, constInt } from "../model/build.ts";
import type { Emitter } from "../model/emitter.ts";
import type { CallInstruction, FastMath, IntPredicate, IntType, IrType, IrValue, VectorType } from "../model/ir.ts";
import {
  mask,
  multiplyFull,
  multiplyFullSigned,
  narrowCompare,
  signExtendInRegister,
  wideCompare,
} from "./legalize-ints.ts";
import { containerOf, isWide, partTypes } from "./legalize-types.ts";
import { typeSuffix } from "./pass-contract.ts";
import { I64, intType, isInt } from "../model/types.ts";

/** `llvm.umax.v2i16` → umax */
export function intrinsicBase(name: string): string {
  return name.replace(/^llvm\./, "").replace(/(?:\.(?:v\d+)?(?:[if]\d+|bf16|p\d+))+$/, "");
}

const elementwise: ReadonlySet<string> = new Set([
  "fma",
  "fmuladd",
  "fabs",
  "copysign",
  "minnum",
  "maxnum",
  "minimum",
  "maximum",
  "minimumnum",
  "maximumnum",
  "sqrt",
  "sin",
  "cos",
  "tan",
  "exp",
  "exp2",
  "exp10",
  "log",
  "log2",
  "log10",
  "pow",
  "powi",
  "floor",
  "ceil",
  "trunc",
  "rint",
  "nearbyint",
  "round",
  "roundeven",
  "canonicalize",
  "ldexp",
  "tanh",
  "sinh",
  "cosh",
  "asin",
  "acos",
  "atan",
  "atan2",
  "abs",
  "smin",
  "smax",
  "umin",
  "umax",
  "sadd.sat",
  "uadd.sat",
  "ssub.sat",
  "usub.sat",
  "sshl.sat",
  "ushl.sat",
  "ctpop",
  "ctlz",
  "cttz",
  "bswap",
  "bitreverse",
  "fshl",
  "fshr",
  "fptosi.sat",
  "fptoui.sat",
  "is.fpclass",
]);

const integerIntrinsics: ReadonlySet<string> = new Set([
  "abs",
  "smin",
  "smax",
  "umin",
  "umax",
  "sadd.sat",
  "uadd.sat",
  "ssub.sat",
  "usub.sat",
  "ctpop",
  "ctlz",
  "cttz",
  "bswap",
  "bitreverse",
  "fshl",
  "fshr",
]);

/**
 * The parts of the result of a call of a generic intrinsic, or null where the call can stay as it is. `argParts` are
 * the parts of each argument.
 */
export function legalizeIntrinsic(
  e: Emitter,
  call: CallInstruction,
  name: string,
  argParts: readonly (readonly IrValue[])[],
): IrValue[] | null {
  const base = intrinsicBase(name);
  if (base.endsWith(".with.overflow")) return withOverflow(e, base, call, argParts);
  if (base.startsWith("vector.reduce.")) return [reduce(e, base.slice("vector.reduce.".length), call, argParts)];
  if (base === "sincos" || base === "sincospi") {
    if (base === "sincospi") throw unsupported("llvm.sincospi", call.location ?? undefined);
    const values = argParts[0] as readonly IrValue[];
    return ["llvm.sin", "llvm.cos"].flatMap((f) =>
      values.map((v) => e.intrinsic(`${f}.${typeSuffix(v.type)}`, v.type, [v], call.fastMath)),
    );
  }
  if (!elementwise.has(base)) return null;
  const { type } = call;
  if (type.kind === "vector") {
    const elements = Array.from({ length: type.length }, (_, i) => {
      const args = call.args.map((arg, n) =>
        arg.type.kind === "vector"
          ? elementOf(argParts[n] as readonly IrValue[], arg.type, i)
          : (argParts[n] as readonly IrValue[]),
      );
      return scalarIntrinsic(e, base, type.element, args, call.fastMath, name);
    });
    return elements.flat();
  }
  const needed =
    isInt(type) && (integerIntrinsics.has(base) || base.endsWith(".sat")) && type.bits !== 32 && type.bits !== 64;
  return needed ? scalarIntrinsic(e, base, type, argParts, call.fastMath, name) : null;
}

function elementOf(parts: readonly IrValue[], type: VectorType, index: number): readonly IrValue[] {
  const each = partTypes(type.element).length;
  return parts.slice(index * each, (index + 1) * each);
}

/** One element of an elementwise intrinsic. */
function scalarIntrinsic(
  e: Emitter,
  base: string,
  type: IrType,
  args: readonly (readonly IrValue[])[],
  fastMath: FastMath | null,
  name: string,
): IrValue[] {
  if (isWide(type)) return wideIntrinsic(e, base, type as IntType, args);
  const values = args.map((parts) => parts[0] as IrValue);
  if (isInt(type) && integerIntrinsics.has(base) && type.bits !== 32 && type.bits !== 64)
    return [narrowIntrinsic(e, base, type.bits, values)];
  if (isInt(type) && /^fpto[su]i\.sat$/.test(base) && type.bits !== 32 && type.bits !== 64)
    return [saturatingConversion(e, base, type.bits, values[0] as IrValue)];
  // Suffixes: the overloaded types in the order of the vector's name, its element types.
  const suffix = name.slice(`llvm.${base}`.length).replace(/\.v\d+/g, ".");
  return [e.intrinsic(`llvm.${base}${suffix}`, type, values, fastMath)];
}

/** Integer intrinsics of another width than 32 and 64, done in the next of them. */
function narrowIntrinsic(e: Emitter, base: string, width: number, args: readonly IrValue[]): IrValue {
  const wide = intType(width < 32 ? 32 : 64);
  const container = containerOf(intType(width));
  const spare = wide.bits - width;
  const suffix = `.i${wide.bits}`;
  const zext = (i: number): IrValue => e.cast("zext", args[i] as IrValue, wide);
  const sext = (i: number): IrValue => signExtendInRegister(e, zext(i), width);
  const narrow = (value: IrValue): IrValue => mask(e, e.cast("trunc", value, container), width);
  const call = (name: string, ...values: IrValue[]): IrValue => e.intrinsic(`llvm.${name}${suffix}`, wide, values);
  const constant = (value: bigint): IrValue => constInt(wide, value);
  const top = 1n << BigInt(width - 1);
  switch (base) {
    case "smin":
    case "smax":
      return narrow(call(base, sext(0), sext(1)));
    case "umin":
    case "umax":
      return narrow(call(base, zext(0), zext(1)));
    case "abs":
      return narrow(call("abs", sext(0), constBool(false)));
    case "ctpop":
      return narrow(call("ctpop", zext(0)));
    case "ctlz":
      return narrow(e.sub(call("ctlz", zext(0), constBool(false)), constant(BigInt(spare))));
    // A bit above the width ends the search where the value is zero.
    case "cttz":
      return narrow(call("cttz", e.or(zext(0), constant(1n << BigInt(width))), constBool(false)));
    case "bswap":
    case "bitreverse":
      return narrow(e.lshr(call(base, zext(0)), spare));
    case "sadd.sat":
      return narrow(call("smin", call("smax", e.add(sext(0), sext(1)), constant(-top)), constant(top - 1n)));
    case "ssub.sat":
      return narrow(call("smin", call("smax", e.sub(sext(0), sext(1)), constant(-top)), constant(top - 1n)));
    case "uadd.sat":
      return narrow(call("umin", e.add(zext(0), zext(1)), constant(2n * top - 1n)));
    case "usub.sat":
      return narrow(call("smax", e.sub(zext(0), zext(1)), constant(0n)));
    case "fshl":
    case "fshr": {
      // The shift back is by 1 … width, which the wide type allows; what it leaves above the width is cut off.
      const amount = e.binary("urem", zext(2), constant(BigInt(width)));
      const back = e.sub(constant(BigInt(width)), amount);
      const left = base === "fshl" ? e.shl(zext(0), amount) : e.shl(zext(0), back);
      const right = base === "fshl" ? e.lshr(zext(1), back) : e.lshr(zext(1), amount);
      return narrow(e.or(left, right));
    }
    default:
      throw unsupported(`llvm.${base} of ${width} bits`, e.location ?? undefined);
  }
}

/** To a width below 32: saturates in 32 bits first. Between 32 and 64: in 64. */
function saturatingConversion(e: Emitter, base: string, width: number, value: IrValue): IrValue {
  const wide = intType(width < 32 ? 32 : 64);
  const isSigned = base === "fptosi.sat";
  const converted = e.intrinsic(`llvm.${base}.i${wide.bits}.${typeSuffix(value.type)}`, wide, [value]);
  const top = 1n << BigInt(width - 1);
  const clamp = (name: string, a: IrValue, limit: bigint): IrValue =>
    e.intrinsic(`llvm.${name}.i${wide.bits}`, wide, [a, constInt(wide, limit)]);
  const clamped = isSigned
    ? clamp("smin", clamp("smax", converted, -top), top - 1n)
    : clamp("umin", converted, 2n * top - 1n);
  return mask(e, e.cast("trunc", clamped, containerOf(intType(width))), width);
}

function wideIntrinsic(e: Emitter, base: string, type: IntType, args: readonly (readonly IrValue[])[]): IrValue[] {
  const [a, b] = [args[0] as readonly IrValue[], args[1] as readonly IrValue[]];
  const predicate: IntPredicate | undefined = (
    { smin: "slt", smax: "sgt", umin: "ult", umax: "ugt" } as Record<string, IntPredicate>
  )[base];
  if (predicate !== undefined) {
    const first = wideCompare(e, predicate, type.bits, a, b);
    return a.map((piece, i) => e.select(first, piece, b[i] as IrValue));
  }
  if (base === "ctpop") {
    const sum = a.map((piece) => e.intrinsic("llvm.ctpop.i64", I64, [piece])).reduce((x, y) => e.add(x, y));
    return a.map((_, i) => (i === 0 ? sum : constInt(I64, 0n)));
  }
  if (base === "bswap" && type.bits % 64 === 0)
    return [...a].reverse().map((piece) => e.intrinsic("llvm.bswap.i64", I64, [piece]));
  if (base === "bitreverse" && type.bits % 64 === 0)
    return [...a].reverse().map((piece) => e.intrinsic("llvm.bitreverse.i64", I64, [piece]));
  throw unsupported(`llvm.${base} of ${type.bits}-bit integers`, e.location ?? undefined);
}

// ---------------------------------------------------------------- overflow

/** { result, overflowed } of a scalar or vector. */
function withOverflow(
  e: Emitter,
  base: string,
  call: CallInstruction,
  args: readonly (readonly IrValue[])[],
): IrValue[] {
  const type = (call.args[0] as IrValue).type;
  const element = type.kind === "vector" ? type.element : type;
  if (!isInt(element) || isWide(element))
    throw unsupported(`llvm.${base} of wide integers`, call.location ?? undefined);
  const isSigned = base.startsWith("s");
  const operator = base.slice(1, 4) as "add" | "sub" | "mul";
  const pairs = (args[0] as readonly IrValue[]).map((a, i) =>
    overflowOf(e, operator, isSigned, element.bits, a, (args[1] as readonly IrValue[])[i] as IrValue),
  );
  return [...pairs.map(([value]) => value), ...pairs.map(([, over]) => over)];
}

function overflowOf(
  e: Emitter,
  operator: "add" | "sub" | "mul",
  isSigned: boolean,
  width: number,
  a: IrValue,
  b: IrValue,
): [IrValue, IrValue] {
  const container = containerOf(intType(width));
  if (width <= 32 || (width < 64 && operator !== "mul")) {
    // Exact in 64 bits: it overflowed if it does not come back.
    const extend = (value: IrValue): IrValue => {
      const long = e.cast("zext", value, I64);
      return isSigned ? signExtendInRegister(e, long, width) : long;
    };
    const exact = e.binary(operator, extend(a), extend(b));
    const result = mask(e, e.cast("trunc", exact, container), width);
    return [result, e.icmp("ne", extend(result), exact)];
  }
  if (operator === "mul") {
    const extend = (value: IrValue): IrValue => (isSigned ? signExtendInRegister(e, value, width) : value);
    const [low, high] = (isSigned ? multiplyFullSigned : multiplyFull)(e, extend(a), extend(b));
    const result = mask(e, low, width);
    const back = extend(result);
    const expectedHigh = isSigned ? e.ashr(back, 63) : constInt(I64, 0n);
    return [result, e.or(e.icmp("ne", back, low), e.icmp("ne", expectedHigh, high))];
  }
  const result = e.binary(operator, a, b);
  if (!isSigned) return [result, operator === "add" ? e.icmp("ult", result, a) : e.icmp("ult", a, b)];
  const differs = operator === "add" ? e.and(e.xor(result, a), e.xor(result, b)) : e.and(e.xor(a, b), e.xor(a, result));
  return [result, e.icmp("slt", differs, 0)];
}

// ---------------------------------------------------------------- reductions

function reduce(e: Emitter, what: string, call: CallInstruction, args: readonly (readonly IrValue[])[]): IrValue {
  const hasStart = what === "fadd" || what === "fmul";
  const vector = (call.args[hasStart ? 1 : 0] as IrValue).type;
  const parts = [...(args[hasStart ? 1 : 0] as readonly IrValue[])];
  if (vector.kind !== "vector" || isWide(vector.element))
    throw unsupported(`llvm.vector.reduce.${what}`, call.location ?? undefined);
  if (hasStart) parts.unshift((args[0] as readonly IrValue[])[0] as IrValue);
  const { element } = vector;
  const width = isInt(element) ? element.bits : 0;
  const combine = (a: IrValue, b: IrValue): IrValue => {
    switch (what) {
      case "fadd":
      case "fmul":
        return e.binary(what, a, b, call.fastMath);
      case "add":
      case "mul":
        return mask(e, e.binary(what, a, b), width);
      case "and":
      case "or":
      case "xor":
        return e.binary(what, a, b);
      case "smin":
        return e.select(narrowCompare(e, "slt", width, a, b), a, b);
      case "smax":
        return e.select(narrowCompare(e, "sgt", width, a, b), a, b);
      case "umin":
        return e.select(e.icmp("ult", a, b), a, b);
      case "umax":
        return e.select(e.icmp("ugt", a, b), a, b);
      case "fmin":
        return floatIntrinsic(e, "minnum", a, b);
      case "fmax":
        return floatIntrinsic(e, "maxnum", a, b);
      case "fminimum":
        return floatIntrinsic(e, "minimum", a, b);
      case "fmaximum":
        return floatIntrinsic(e, "maximum", a, b);
      default:
        throw unsupported(`llvm.vector.reduce.${what}`, call.location ?? undefined);
    }
  };
  return parts.reduce(combine);
}

function floatIntrinsic(e: Emitter, name: string, a: IrValue, b: IrValue): IrValue {
  return e.intrinsic(`llvm.${name}.${typeSuffix(a.type)}`, a.type, [a, b]);
}
