/** Python's own operators, on values that are known when the kernel is compiled. */
import { bug } from "../../../base/diagnostics.ts";
import type { BinaryOperatorName, CompareOperatorName } from "../syntax/ast.ts";
import { describe } from "./conversions.ts";
import type { CompileContext } from "./context.ts";
import { boolValue, floatValue, intValue, isNumber, stringValue, type TupleValue, type Value } from "./values.ts";

const isSequence = (value: Value): value is TupleValue => value.kind === "tuple" || value.kind === "list";

/** Larger results of `**` and `<<` are refused: nothing in a kernel needs them. */
const MAX_POWER_BITS = 4096n;

export function binaryConstants(c: CompileContext, operator: BinaryOperatorName, a: Value, b: Value): Value {
  if (a.kind === "string" && b.kind === "string" && operator === "+") return stringValue(a.value + b.value);
  if (isSequence(a) && isSequence(b) && operator === "+") return { kind: a.kind, items: [...a.items, ...b.items] };
  if (isSequence(a) && b.kind === "int" && operator === "*") return repeat(c, a, b.value);
  if (isSequence(b) && a.kind === "int" && operator === "*") return repeat(c, b, a.value);
  if (!isNumber(a) || !isNumber(b))
    return c.fail(`unsupported operand type(s) for ${operator}: ${describe(a)} and ${describe(b)}`);
  const [x, y] = [numberOf(a), numberOf(b)];
  if (a.kind === "bool" && b.kind === "bool" && (operator === "&" || operator === "|" || operator === "^")) {
    const [p, q] = [a.value, b.value];
    if (operator === "^") return boolValue(p !== q);
    return boolValue(operator === "&" ? p && q : p || q);
  }
  if (typeof x === "bigint" && typeof y === "bigint") return ofIntegers(c, operator, x, y);
  return ofFloats(c, operator, Number(x), Number(y));
}

function repeat(c: CompileContext, { kind, items }: TupleValue, times: bigint): TupleValue {
  if (times * BigInt(items.length) > 65536n) return c.fail(`a ${kind} of ${times} times ${items.length} elements`);
  return { kind, items: Array.from({ length: Math.max(0, Number(times)) }, () => items).flat() };
}

function numberOf(value: Value): bigint | number {
  if (value.kind === "bool") return BigInt(value.value);
  return value.kind === "int" || value.kind === "float" ? value.value : bug(`the number of ${value.kind}`);
}

function ofIntegers(c: CompileContext, operator: BinaryOperatorName, x: bigint, y: bigint): Value {
  if ((operator === "/" || operator === "//" || operator === "%") && y === 0n)
    return c.fail("ZeroDivisionError: division by zero");
  switch (operator) {
    case "+":
      return intValue(x + y);
    case "-":
      return intValue(x - y);
    case "*":
      return intValue(x * y);
    case "/":
      return floatValue(Number(x) / Number(y));
    case "//":
      return intValue(floorDivide(x, y));
    case "%":
      return intValue(x - floorDivide(x, y) * y);
    case "**":
      if (y < 0n) return floatValue(Number(x) ** Number(y));
      if (y * BigInt(x.toString(2).length) > MAX_POWER_BITS) return c.fail(`${x} ** ${y} is too large`);
      return intValue(x ** y);
    case "<<":
    case ">>":
      if (y < 0n) return c.fail("ValueError: negative shift count");
      if (operator === "<<" && y > MAX_POWER_BITS) return c.fail(`${x} << ${y} is too large`);
      return intValue(operator === "<<" ? x << y : x >> y);
    case "&":
      return intValue(x & y);
    case "|":
      return intValue(x | y);
    case "^":
      return intValue(x ^ y);
    case "@":
      return c.fail("unsupported operand type(s) for @: two integers");
  }
}

function floorDivide(x: bigint, y: bigint): bigint {
  const quotient = x / y;
  return x % y !== 0n && x < 0n !== y < 0n ? quotient - 1n : quotient;
}

function ofFloats(c: CompileContext, operator: BinaryOperatorName, x: number, y: number): Value {
  switch (operator) {
    case "+":
      return floatValue(x + y);
    case "-":
      return floatValue(x - y);
    case "*":
      return floatValue(x * y);
    case "/":
    case "//":
    case "%":
      if (y === 0) return c.fail("ZeroDivisionError: float division by zero");
      if (operator === "/") return floatValue(x / y);
      return floatValue(operator === "//" ? Math.floor(x / y) : x - Math.floor(x / y) * y);
    case "**":
      return floatValue(x ** y);
    default:
      return c.fail(`unsupported operand type(s) for ${operator}: floats`);
  }
}

/** `==`, `<`, `in` … of constants, tuples, types. */
export function compareConstants(c: CompileContext, operator: CompareOperatorName, a: Value, b: Value): boolean {
  switch (operator) {
    case "==":
    case "is":
      return isEqual(a, b);
    case "!=":
    case "is not":
      return !isEqual(a, b);
    case "in":
    case "not in":
      return contains(c, a, b) === (operator === "in");
    default: {
      if (a.kind === "string" && b.kind === "string") return order(operator, a.value < b.value, a.value === b.value);
      if (isSequence(a) && isSequence(b)) {
        const at = a.items.findIndex((item, i) => i >= b.items.length || !isEqual(item, b.items[i] as Value));
        const other = b.items[at];
        if (at >= 0 && other !== undefined) return compareConstants(c, operator, a.items[at] as Value, other);
        return order(operator, at < 0 && a.items.length < b.items.length, a.items.length === b.items.length);
      }
      if (!isNumber(a) || !isNumber(b))
        return c.fail(`\`${operator}\` does not compare ${describe(a)} with ${describe(b)}`);
      const [x, y] = [numberOf(a), numberOf(b)];
      if (Number.isNaN(x) || Number.isNaN(y)) return false;
      return order(operator, x < y, sameNumber(x, y));
    }
  }
}

/** As `==`: a bigint and a number are compared exactly, as in Python. NaN is not itself. */
function sameNumber(x: bigint | number, y: bigint | number): boolean {
  return !(x < y) && !(x > y) && !Number.isNaN(x) && !Number.isNaN(y);
}

function order(operator: "<" | "<=" | ">" | ">=", isLess: boolean, isSame: boolean): boolean {
  if (operator === "<") return isLess;
  if (operator === "<=") return isLess || isSame;
  return operator === ">" ? !isLess && !isSame : !isLess;
}

function contains(c: CompileContext, a: Value, b: Value): boolean {
  if (b.kind === "string" && a.kind === "string") return b.value.includes(a.value);
  if (b.kind === "tuple" || b.kind === "list") return b.items.some((item) => isEqual(a, item));
  if (b.kind === "dict") return b.entries.some(({ key }) => isEqual(a, key));
  return c.fail(`\`in\` does not look into ${describe(b)}`);
}

export function isEqual(a: Value, b: Value): boolean {
  if (isNumber(a) && isNumber(b)) {
    return sameNumber(numberOf(a), numberOf(b));
  }
  if (a.kind === "string" && b.kind === "string") return a.value === b.value;
  if (a.kind === "none" || b.kind === "none") return a.kind === b.kind;
  if (a.kind === "dtype" && b.kind === "dtype") return a.dtype === b.dtype;
  // In kernels a shape equals the list of its sizes, too, as Triton's own tuples do.
  if ((a.kind === "tuple" || a.kind === "list") && (b.kind === "tuple" || b.kind === "list"))
    return a.items.length === b.items.length && a.items.every((item, i) => isEqual(item, b.items[i] as Value));
  return a === b;
}
