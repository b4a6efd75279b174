/**
 * The pure intrinsics of LLVM (LangRef, "Standard C/C++ Library Intrinsics", "Bit Manipulation", "Arithmetic with
 * Overflow", …).
 */
import type { NameFields } from "../../ir/intrinsics/facts.ts";
import { bug } from "../../base/diagnostics.ts";
import { composeFloat64, decompose, roundHalfEven } from "../../base/float-rounding.ts";
import type { BinaryOperator, FloatFormat, FloatType, FunctionType, IrType } from "../../ir/model/ir.ts";
import { scalarBits } from "../../ir/model/types.ts";
import { copySign, floatClass, fmaOf, maxNumber, minNumber, roundHalfAway } from "./float-functions.ts";
import { binaryOperation, floatToInt, intComparison } from "./scalar-operations.ts";
import { fromBits, intFromBigint, isWide, roundTo, signed, type Value } from "./value.ts";

export type PureFunction = (args: readonly Value[]) => Value;

/** The meaning of a pure LLVM intrinsic at one signature, or null where it is none. */
export function llvmFunction({ operation }: NameFields, type: FunctionType): PureFunction | null {
  if (operation.startsWith("vector.reduce.")) return vectorReduction(operation.slice("vector.reduce.".length), type);
  if (FIRST_OPERAND.has(operation)) return (args) => args[0] as Value;
  if (operation === "is.constant") return () => 0;
  if (operation === "objectsize") return (args) => intFromBigint(args[1] === 1 ? 0n : -1n, scalarBits(type.result));
  return elementwise(type, (params, result) => scalarFunction(operation, params, result));
}

const FIRST_OPERAND = new Set([
  "expect",
  "expect.with.probability",
  "ssa.copy",
  "launder.invariant.group",
  "strip.invariant.group",
  "arithmetic.fence",
  "ptr.annotation",
  "annotation",
  "threadlocal.address",
]);

/**
 * Applies a scalar function to each element where the operands are vectors; scalar operands beside vectors are
 * repeated.
 */
export function elementwise(
  type: FunctionType,
  make: (params: readonly IrType[], result: IrType) => PureFunction | null,
): PureFunction | null {
  const scalarParams = type.params.map((param) => (param.kind === "vector" ? param.element : param));
  const vector = type.params.find((param) => param.kind === "vector");
  if (vector === undefined) return make(type.params, type.result);
  const result = type.result.kind === "vector" ? type.result.element : type.result;
  const f = make(scalarParams, result);
  if (f === null || vector.kind !== "vector") return null;
  return (args) =>
    Array.from({ length: vector.length }, (_, i) =>
      f(args.map((arg, p) => ((type.params[p] as IrType).kind === "vector" ? ((arg as Value[])[i] as Value) : arg))),
    );
}

function scalarFunction(operation: string, params: readonly IrType[], result: IrType): PureFunction | null {
  const type = params[0] as IrType;
  return (
    (type.kind === "float" ? floatFunction(operation, type, result) : null) ??
    (type.kind === "int" || type.kind === "ptr" ? intFunction(operation, type, result) : null)
  );
}

// ---------------------------------------------------------------- floats

const UNARY_FLOAT: Readonly<Record<string, (x: number) => number>> = {
  fabs: Math.abs,
  floor: Math.floor,
  ceil: Math.ceil,
  trunc: Math.trunc,
  rint: roundHalfEven,
  nearbyint: roundHalfEven,
  roundeven: roundHalfEven,
  round: roundHalfAway,
  canonicalize: (x) => x,
  sqrt: Math.sqrt,
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  exp10: (x) => 10 ** x,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
};

const BINARY_FLOAT: Readonly<Record<string, (x: number, y: number) => number>> = {
  minnum: minNumber,
  maxnum: maxNumber,
  minimumnum: minNumber,
  maximumnum: maxNumber,
  minimum: Math.min,
  maximum: Math.max,
  copysign: copySign,
  pow: power,
  atan2: Math.atan2,
};

/** C's pow: 1 to any power is 1, and -1 to an infinite one, where JavaScript has NaN. */
function power(x: number, y: number): number {
  return x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y;
}

function floatFunction(operation: string, type: FloatType, result: IrType): PureFunction | null {
  const round = roundTo(type.format);
  const unary = UNARY_FLOAT[operation];
  if (unary !== undefined) return ([x]) => round(unary(x as number));
  const binary = BINARY_FLOAT[operation];
  if (binary !== undefined) return ([x, y]) => round(binary(x as number, y as number));
  switch (operation) {
    case "fma":
    case "fmuladd": {
      const fma = fmaOf(type.format);
      return ([a, b, c]) => fma(a as number, b as number, c as number);
    }
    case "powi":
      return ([x, n]) => round(power(x as number, signed(n as number, 32)));
    case "ldexp":
      return ([x, n]) => round(scale(x as number, signed(n as number, 32)));
    case "is.fpclass":
      return ([x, mask]) => Number((floatClass(x as number, type.format) & (mask as number)) !== 0);
    case "fptosi.sat":
      return ([x]) => floatToInt(x as number, scalarBits(result), true);
    case "fptoui.sat":
      return ([x]) => floatToInt(x as number, scalarBits(result), false);
    default:
      return null;
  }
}

/** x·2^n with one rounding. */
function scale(x: number, n: number): number {
  if (x === 0 || !Number.isFinite(x)) return x;
  const { mantissa, exponent } = decompose(x);
  return composeFloat64(mantissa, exponent + n);
}

// ---------------------------------------------------------------- integers

const SATURATING: Readonly<Record<string, [BinaryOperator, boolean]>> = {
  "sadd.sat": ["add", true],
  "uadd.sat": ["add", false],
  "ssub.sat": ["sub", true],
  "usub.sat": ["sub", false],
  "sshl.sat": ["shl", true],
  "ushl.sat": ["shl", false],
};

function intFunction(operation: string, type: IrType, result: IrType): PureFunction | null {
  const bits = scalarBits(type);
  const width = BigInt(bits);
  const big = (value: Value | undefined): bigint => BigInt(value as number | bigint);
  const sbig = (value: Value | undefined): bigint => BigInt.asIntN(bits, big(value));
  const wrapBack = (value: bigint): Value => intFromBigint(value, bits);
  const count = (value: number): Value => (isWide(type) ? BigInt(value) : value);
  const digits = (value: Value | undefined): string => big(value).toString(2).padStart(bits, "0");

  switch (operation) {
    case "ctpop":
      return ([a]) => count(digits(a).replaceAll("0", "").length);
    case "ctlz":
      return ([a]) => count(big(a) === 0n ? bits : digits(a).indexOf("1"));
    case "cttz":
      return ([a]) => count(big(a) === 0n ? bits : bits - 1 - digits(a).lastIndexOf("1"));
    case "bitreverse":
      return ([a]) => wrapBack(BigInt(`0b${[...digits(a)].reverse().join("")}`));
    case "bswap":
      return ([a]) =>
        wrapBack(
          BigInt(
            `0x${(
              big(a)
                .toString(16)
                .padStart(bits / 4, "0")
                .match(/../g) as string[]
            )
              .reverse()
              .join("")}`,
          ),
        );
    case "abs":
      return ([a]) => wrapBack(sbig(a) < 0n ? -sbig(a) : sbig(a));
    case "fshl":
      return ([a, b, s]) => wrapBack((((big(a) << width) | big(b)) << (big(s) % width)) >> width);
    case "fshr":
      return ([a, b, s]) => wrapBack(((big(a) << width) | big(b)) >> (big(s) % width));
    case "smin":
      return pick("slt", type);
    case "smax":
      return pick("sgt", type);
    case "umin":
      return pick("ult", type);
    case "umax":
      return pick("ugt", type);
    case "scmp":
      return ([a, b]) => intFromBigint(order(sbig(a), sbig(b)), scalarBits(result));
    case "ucmp":
      return ([a, b]) => intFromBigint(order(big(a), big(b)), scalarBits(result));
    case "ptrmask":
      return ([a, b]) => fromBits(result, big(a) & big(b));
    default:
  }
  const overflow = /^([su])(add|sub|mul)\.with\.overflow$/.exec(operation);
  if (overflow !== null) {
    const read = overflow[1] === "s" ? sbig : big;
    const fits =
      overflow[1] === "s" ? (v: bigint) => BigInt.asIntN(bits, v) === v : (v: bigint) => BigInt.asUintN(bits, v) === v;
    return ([a, b]) => {
      const exact = exactOperation(overflow[2] as BinaryOperator, read(a), read(b));
      return [wrapBack(exact), Number(!fits(exact))];
    };
  }
  const saturating = SATURATING[operation];
  if (saturating !== undefined) {
    const [operator, isSigned] = saturating;
    const low = isSigned ? -(1n << (width - 1n)) : 0n;
    const high = isSigned ? (1n << (width - 1n)) - 1n : (1n << width) - 1n;
    const read = isSigned ? sbig : big;
    return ([a, b]) => {
      // A shift amount is unsigned, and from the width on everything is shifted out.
      const second = operator === "shl" ? smaller(big(b), width) : read(b);
      const exact = exactOperation(operator, read(a), second);
      return wrapBack(exact < low ? low : smaller(exact, high));
    };
  }
  return null;
}

/** -1, 0 or 1. */
function order(a: bigint, b: bigint): bigint {
  if (a === b) return 0n;
  return a < b ? -1n : 1n;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function exactOperation(operator: BinaryOperator, a: bigint, b: bigint): bigint {
  switch (operator) {
    case "add":
      return a + b;
    case "sub":
      return a - b;
    case "mul":
      return a * b;
    case "shl":
      return a << b;
    default:
      return bug(`exact ${operator}`);
  }
}

function pick(predicate: "slt" | "sgt" | "ult" | "ugt", type: IrType): PureFunction {
  const compare = intComparison(predicate, type);
  return ([a, b]) => (compare(a as Value, b as Value) ? (a as Value) : (b as Value));
}

// ---------------------------------------------------------------- vectors

function vectorReduction(operator: string, type: FunctionType): PureFunction | null {
  const vector = type.params.at(-1) as IrType;
  if (vector.kind !== "vector") return null;
  const element = vector.element;
  if (operator === "fadd" || operator === "fmul") {
    const f = binaryOperation(operator, element);
    return ([start, values]) => (values as Value[]).reduce((a, b) => f(a, b), start as Value);
  }
  const format: FloatFormat | null = element.kind === "float" ? element.format : null;
  if (format !== null) {
    const f = operator === "fmin" ? minNumber : maxNumber;
    return ([values]) => (values as number[]).reduce((a, b) => f(a, b));
  }
  const f = ["smin", "smax", "umin", "umax"].includes(operator)
    ? (intFunction(operator, element, element) as PureFunction)
    : ([a, b]: readonly Value[]) => binaryOperation(operator as BinaryOperator, element)(a as Value, b as Value);
  return ([values]) => (values as Value[]).reduce((a, b) => f([a, b]));
}
