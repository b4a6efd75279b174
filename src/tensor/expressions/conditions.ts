/** Primitives that give conditions, or compute with bits. */
import { infix, isFloatType, map1, map2, type Loop, type Primitive, type Text } from "./primitive.ts";

function comparison(operator: string, apply: (x: number, y: number) => number): Primitive {
  const text: Text = ([x, y]) => `(${x} ${operator} ${y})`;
  return { isBool: true, host: map2(apply), triton: text, cuda: text };
}

function condition(triton: Text, cuda: Text, host: Loop): Primitive {
  return { isBool: true, host, triton, cuda };
}

/** Exact for 53 bits, where JavaScript's own operators have 32. */
function bits(narrow: (x: number, y: number) => number, wide: (x: bigint, y: bigint) => bigint): Loop {
  return map2((x, y) => ((x | 0) === x && (y | 0) === y ? narrow(x, y) : Number(wide(BigInt(x), BigInt(y)))));
}

export type ConditionName =
  | "eq"
  | "ne"
  | "lt"
  | "le"
  | "gt"
  | "ge"
  | "logical_and"
  | "logical_or"
  | "logical_xor"
  | "logical_not"
  | "to_bool"
  | "signbit";

export const CONDITIONS: Readonly<Record<ConditionName, Primitive>> = {
  eq: comparison("==", (x, y) => Number(x === y)),
  ne: comparison("!=", (x, y) => Number(x !== y)),
  lt: comparison("<", (x, y) => Number(x < y)),
  le: comparison("<=", (x, y) => Number(x <= y)),
  gt: comparison(">", (x, y) => Number(x > y)),
  ge: comparison(">=", (x, y) => Number(x >= y)),
  logical_and: condition(
    ([x, y]) => `(${x} & ${y})`,
    ([x, y]) => `(${x} && ${y})`,
    map2((x, y) => Number(x !== 0 && y !== 0)),
  ),
  logical_or: condition(
    ([x, y]) => `(${x} | ${y})`,
    ([x, y]) => `(${x} || ${y})`,
    map2((x, y) => Number(x !== 0 || y !== 0)),
  ),
  logical_xor: condition(
    ([x, y]) => `(${x} != ${y})`,
    ([x, y]) => `(${x} != ${y})`,
    map2((x, y) => Number((x !== 0) !== (y !== 0))),
  ),
  logical_not: condition(
    ([x]) => `(${x} == 0)`,
    ([x]) => `(!${x})`,
    map1((x) => Number(x === 0)),
  ),
  /** A number as a condition: whether it is not 0. */
  to_bool: condition(
    ([x]) => `(${x} != 0)`,
    ([x]) => `(${x} != 0)`,
    map1((x) => Number(x !== 0)),
  ),
  signbit: condition(
    ([x], type) => (isFloatType(type) ? `(libdevice.copysign(${x} * 0 + 1, ${x}) < 0)` : `(${x} < 0)`),
    ([x], type) => (isFloatType(type) ? `signbit(${x})` : `(${x} < 0)`),
    map1((x) => Number(x < 0 || Object.is(x, -0))),
  ),
};

export type BitsName =
  | "bitwise_and"
  | "bitwise_or"
  | "bitwise_xor"
  | "bitwise_not"
  | "shift_left"
  | "shift_right"
  | "from_bool";

export const BITS: Readonly<Record<BitsName, Primitive>> = {
  bitwise_and: infix(
    "&",
    bits(
      (x, y) => x & y,
      (x, y) => x & y,
    ),
  ),
  bitwise_or: infix(
    "|",
    bits(
      (x, y) => x | y,
      (x, y) => x | y,
    ),
  ),
  bitwise_xor: infix(
    "^",
    bits(
      (x, y) => x ^ y,
      (x, y) => x ^ y,
    ),
  ),
  bitwise_not: {
    isBool: false,
    host: map1((x) => -x - 1),
    triton: ([x]) => `(~${x})`,
    cuda: ([x]) => `(~${x})`,
  },
  shift_left: infix(
    "<<",
    map2((x, y) => x * 2 ** y),
  ),
  shift_right: infix(
    ">>",
    map2((x, y) => Math.floor(x / 2 ** y)),
  ),
  /** A condition as a number: 0 or 1. */
  from_bool: {
    isBool: false,
    host: map1((x) => x),
    triton: ([x], type) => `${x}.to(tl.${type})`,
    cuda: ([x]) => `(${x} ? 1 : 0)`,
  },
};
