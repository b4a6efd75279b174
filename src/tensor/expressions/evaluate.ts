/** Expressions on the host, a piece of all elements at a time: each primitive is one loop over arrays. */
import { partsOf, type Expression } from "./expression.ts";
import { PRIMITIVES } from "./primitives.ts";
import type { Values } from "../dtypes.ts";

/** Elements that are computed together: their arrays stay in the processor's cache. */
const PIECE = 1024;

/**
 * Sets all elements of `to`. Numbers are computed in double precision, and integers are exact up to 2^53.
 * @param operands for each input its elements, as many as `to` has, or the number that all of them are
 */
export function evaluate(expression: Expression, operands: readonly (Values | number)[], to: Values): void {
  const parts = partsOf([expression]);
  const size = Math.min(PIECE, to.length);
  const arrays = new Map<Expression, Float64Array>();
  for (const part of parts) {
    const array = new Float64Array(size);
    arrays.set(part, array);
    if (part.op === "constant") array.fill(part.value);
    else if (part.op === "input") {
      const operand = operands[part.index];
      if (typeof operand === "number") array.fill(part.isBool ? Number(operand !== 0) : operand);
    }
  }
  const steps = parts.map((part): ((begin: number, length: number) => void) => {
    const array = arrays.get(part) as Float64Array;
    if ("args" in part) {
      const { host } = PRIMITIVES[part.op];
      const args = part.args.map((arg) => arrays.get(arg) as Float64Array);
      return (_, length) => host(array, length, ...args);
    }
    const operand = part.op === "input" ? operands[part.index] : 0;
    if (operand === undefined || typeof operand === "number") return () => {};
    if (!part.isBool) return (begin, length) => array.set(operand.subarray(begin, begin + length));
    return (begin, length) => {
      for (let i = 0; i < length; i++) array[i] = Number(operand[begin + i] !== 0);
    };
  });
  const result = arrays.get(expression) as Float64Array;
  for (let begin = 0; begin < to.length; begin += size) {
    const length = Math.min(size, to.length - begin);
    for (const step of steps) step(begin, length);
    to.set(length === size ? result : result.subarray(0, length), begin);
  }
}
