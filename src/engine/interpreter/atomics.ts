/**
 * What atomicrmw stores, given what was there (LangRef, "atomicrmw"). The interpreter runs one thread at a time: any
 * sequence is atomic.
 */
import { bug } from "../../base/diagnostics.ts";
import type { AtomicOperator, FloatType, IrType } from "../../ir/model/ir.ts";
import { scalarBits } from "../../ir/model/types.ts";
import { maxNumber, minNumber } from "./float-functions.ts";
import { binaryOperation, intComparison } from "./scalar-operations.ts";
import { intFromBigint, roundTo, type Value } from "./value.ts";

export function atomicOperation(operator: AtomicOperator, type: IrType): (old: Value, operand: Value) => Value {
  if (type.kind === "vector") {
    const element = atomicOperation(operator, type.element);
    return (old, operand) => (old as Value[]).map((value, i) => element(value, (operand as Value[])[i] as Value));
  }
  const round = type.kind === "float" ? roundTo((type as FloatType).format) : null;
  if (round) {
    switch (operator) {
      case "xchg":
        return (_, b) => b;
      case "fadd":
        return (a, b) => round((a as number) + (b as number));
      case "fsub":
        return (a, b) => round((a as number) - (b as number));
      case "fmax":
        return (a, b) => maxNumber(a as number, b as number);
      case "fmin":
        return (a, b) => minNumber(a as number, b as number);
      default:
        return bug(`atomicrmw ${operator} on a float`);
    }
  }
  const bits = scalarBits(type);
  const zero = intFromBigint(0n, bits);
  const one = intFromBigint(1n, bits);
  const pick = (predicate: "sgt" | "slt" | "ugt" | "ult"): ((a: Value, b: Value) => Value) => {
    const compare = intComparison(predicate, type);
    return (a, b) => (compare(a, b) ? a : b);
  };
  switch (operator) {
    case "xchg":
      return (_, b) => b;
    case "add":
    case "sub":
    case "and":
    case "or":
    case "xor":
      return binaryOperation(operator, type);
    case "nand": {
      const and = binaryOperation("and", type);
      const xor = binaryOperation("xor", type);
      const ones = intFromBigint(-1n, bits);
      return (a, b) => xor(and(a, b), ones);
    }
    case "max":
      return pick("sgt");
    case "min":
      return pick("slt");
    case "umax":
      return pick("ugt");
    case "umin":
      return pick("ult");
    case "uinc_wrap": {
      const plus = binaryOperation("add", type);
      return (a, b) => (a >= b ? zero : plus(a, one));
    }
    case "udec_wrap": {
      const minus = binaryOperation("sub", type);
      return (a, b) => (a === zero || a > b ? b : minus(a, one));
    }
    case "usub_cond": {
      const minus = binaryOperation("sub", type);
      return (a, b) => (a >= b ? minus(a, b) : a);
    }
    case "usub_sat": {
      const minus = binaryOperation("sub", type);
      return (a, b) => (a >= b ? minus(a, b) : zero);
    }
    default:
      return bug(`atomicrmw ${operator} on an integer`);
  }
}
