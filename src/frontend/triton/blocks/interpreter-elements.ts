/** The meaning of block IR, element by element. */
import { bug } from "../../../base/diagnostics.ts";
import { constInt } from "../../../ir/model/build.ts";
import { bitsToNumber, numberToBits } from "../../../ir/model/float-literals.ts";
import { foldBinary, foldIcmp } from "../../../ir/model/fold.ts";
import type { IntType, IrConstant, IrValue } from "../../../ir/model/ir.ts";
import { callOf } from "./interpreter-calls.ts";
import type { ElementType, ElementwiseOp } from "./model.ts";

/** An integer (not negative, below 2^bits), a float, or an address. */
export type Scalar = bigint | number;

/** A value as its type has it. */
export type Round = (type: ElementType, value: Scalar) => Scalar;

/** Rounded, or modulo 2^bits. */
export function wrap(type: ElementType, value: Scalar): Scalar {
  if (type.kind === "int") return BigInt.asUintN(type.bits, BigInt(value));
  if (type.kind === "ptr") return Number(value) >>> 0;
  return bitsToNumber(numberToBits(Number(value), type.format), type.format);
}

/** Floats as they are: what a kernel would compute if all its floats had 64 bits. */
export function unrounded(type: ElementType, value: Scalar): Scalar {
  return type.kind === "float" ? Number(value) : wrap(type, value);
}

export function signed(type: ElementType, value: Scalar): bigint {
  return type.kind === "int" ? BigInt.asIntN(type.bits, BigInt(value)) : BigInt(value);
}

export function constants(type: ElementType, a: Scalar, b: Scalar): [IrConstant, IrConstant] {
  return [constInt(type as IntType, BigInt(a)), constInt(type as IntType, BigInt(b))];
}

/** What a folded instruction is; division by zero is zero here. */
export function integerResult(value: IrValue | null): bigint {
  return value?.kind === "const-int" ? value.value : 0n;
}

export function constantScalar(value: IrConstant): Scalar {
  if (value.kind === "const-int") return value.value;
  if (value.kind === "const-float") return bitsToNumber(value.bits, value.type.format);
  return value.type.kind === "int" ? 0n : 0;
}

// ---------------------------------------------------------------- one element

export function elementOf(op: ElementwiseOp, type: ElementType, operands: readonly Scalar[], round: Round): Scalar {
  const [a, b, c] = operands as [Scalar, Scalar, Scalar];
  switch (op.op) {
    case "binary":
      if (op.operator.startsWith("f")) return round(type, floatResult(op.operator, Number(a), Number(b)));
      return integerResult(foldBinary(op.operator, ...constants(type, a, b)));
    case "icmp": {
      const own = op.operands[0].type.element;
      if (own.kind === "ptr") return BigInt(op.predicate === "eq" ? a === b : a !== b);
      return integerResult(foldIcmp(op.predicate, ...constants(own, a, b)));
    }
    case "fcmp":
      return BigInt(floatComparison(op.predicate, Number(a), Number(b)));
    case "cast":
      return castScalar(op, type, a, round);
    case "select":
      return a === 1n ? b : c;
    case "call":
      return round(type, callOf(op.callee, operands, op.operands[0]?.type.element ?? type));
    case "address":
      return round(type, BigInt(a) + signed(op.operands[1].type.element, b) * BigInt(op.bytes));
  }
}

function floatResult(operator: string, a: number, b: number): number {
  switch (operator) {
    case "fadd":
      return a + b;
    case "fsub":
      return a - b;
    case "fmul":
      return a * b;
    case "fdiv":
      return a / b;
    default:
      return a % b;
  }
}

function floatComparison(predicate: string, a: number, b: number): boolean {
  const isUnordered = Number.isNaN(a) || Number.isNaN(b);
  if (predicate === "ord" || predicate === "uno") return isUnordered === (predicate === "uno");
  if (isUnordered) return predicate.startsWith("u");
  const tests: Readonly<Record<string, boolean>> = {
    eq: a === b,
    ne: a !== b,
    lt: a < b,
    le: a <= b,
    gt: a > b,
    ge: a >= b,
  };
  return tests[predicate.slice(1)] ?? bug(`the predicate ${predicate}`);
}

function castScalar(op: Extract<ElementwiseOp, { op: "cast" }>, to: ElementType, value: Scalar, round: Round): Scalar {
  const from = op.operands[0].type.element;
  switch (op.operator) {
    case "sext":
      return round(to, signed(from, value));
    case "sitofp":
      return round(to, Number(signed(from, value)));
    case "fptosi":
    case "fptoui":
      return Number.isFinite(value) ? round(to, BigInt(Math.trunc(Number(value)))) : 0n;
    case "bitcast": {
      const bits = from.kind === "float" ? numberToBits(Number(value), from.format) : BigInt(value);
      return to.kind === "float" ? bitsToNumber(bits, to.format) : bits;
    }
    default:
      return round(to, value);
  }
}
