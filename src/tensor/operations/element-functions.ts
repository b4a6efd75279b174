/** What the operations on elements compute, and their derivatives. */
import type { TensorDtype, Values } from "../dtypes.ts";
import type { Operand } from "./elementwise.ts";
import type { Tensor } from "../tensor.ts";

interface Unary {
  readonly apply: (x: number) => number;
  /** The derivative at x, where the result is y. */
  readonly derive?: (x: number, y: number) => number;
  /** Whole numbers give whole numbers. */
  readonly keepsKind?: boolean;
  /** The type of the result, whatever the operand's is. */
  readonly gives?: TensorDtype;
}

export type UnaryName =
  | "neg"
  | "abs"
  | "exp"
  | "exp2"
  | "log"
  | "log2"
  | "log10"
  | "log1p"
  | "expm1"
  | "sqrt"
  | "rsqrt"
  | "reciprocal"
  | "sin"
  | "cos"
  | "tan"
  | "tanh"
  | "sigmoid"
  | "relu"
  | "silu"
  | "gelu"
  | "erf"
  | "floor"
  | "ceil"
  | "round"
  | "trunc"
  | "sign"
  | "square"
  | "bitwise_not"
  | "logical_not"
  | "isnan"
  | "isinf"
  | "isfinite";

/** 1 - erf(x) for x ≥ 0 by continued fractions or a series: a relative error below 1e-13. */
function erf(x: number): number {
  const a = Math.abs(x);
  if (a > 6) return Math.sign(x);
  if (a < 2.5) {
    let [term, sum] = [a, a];
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum) && n < 200; n++) {
      term *= (-a * a) / n;
      sum += term / (2 * n + 1);
    }
    return Math.sign(x) * sum * (2 / Math.sqrt(Math.PI));
  }
  let fraction = 0;
  for (let n = 60; n > 0; n--) fraction = n / 2 / (a + fraction);
  return Math.sign(x) * (1 - Math.exp(-a * a) / ((a + fraction) * Math.sqrt(Math.PI)));
}

function roundEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const NORMAL = Math.sqrt(2 * Math.PI);

export const UNARY: Readonly<Record<UnaryName, Unary>> = {
  neg: { apply: (x) => -x, derive: () => -1, keepsKind: true },
  abs: { apply: Math.abs, derive: Math.sign, keepsKind: true },
  exp: { apply: Math.exp, derive: (_, y) => y },
  exp2: { apply: (x) => 2 ** x, derive: (_, y) => y * Math.LN2 },
  log: { apply: Math.log, derive: (x) => 1 / x },
  log2: { apply: Math.log2, derive: (x) => 1 / (x * Math.LN2) },
  log10: { apply: Math.log10, derive: (x) => 1 / (x * Math.LN10) },
  log1p: { apply: Math.log1p, derive: (x) => 1 / (1 + x) },
  expm1: { apply: Math.expm1, derive: (_, y) => y + 1 },
  sqrt: { apply: Math.sqrt, derive: (_, y) => 0.5 / y },
  rsqrt: { apply: (x) => 1 / Math.sqrt(x), derive: (x, y) => (-0.5 * y) / x },
  reciprocal: { apply: (x) => 1 / x, derive: (_, y) => -y * y },
  sin: { apply: Math.sin, derive: Math.cos },
  cos: { apply: Math.cos, derive: (x) => -Math.sin(x) },
  tan: { apply: Math.tan, derive: (_, y) => 1 + y * y },
  tanh: { apply: Math.tanh, derive: (_, y) => 1 - y * y },
  sigmoid: { apply: sigmoid, derive: (_, y) => y * (1 - y) },
  relu: { apply: (x) => (x > 0 || x !== x ? x : 0), derive: (x) => (x > 0 ? 1 : 0), keepsKind: true },
  silu: { apply: (x) => x * sigmoid(x), derive: (x) => sigmoid(x) * (1 + x * (1 - sigmoid(x))) },
  gelu: {
    apply: (x) => 0.5 * x * (1 + erf(x * Math.SQRT1_2)),
    derive: (x) => 0.5 * (1 + erf(x * Math.SQRT1_2)) + (x * Math.exp(-0.5 * x * x)) / NORMAL,
  },
  erf: { apply: erf, derive: (x) => (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) },
  floor: { apply: Math.floor, derive: () => 0, keepsKind: true },
  ceil: { apply: Math.ceil, derive: () => 0, keepsKind: true },
  round: { apply: roundEven, derive: () => 0, keepsKind: true },
  trunc: { apply: Math.trunc, derive: () => 0, keepsKind: true },
  sign: { apply: Math.sign, derive: () => 0, keepsKind: true },
  square: { apply: (x) => x * x, derive: (x) => 2 * x, keepsKind: true },
  bitwise_not: { apply: (x) => -x - 1, keepsKind: true },
  logical_not: { apply: (x) => Number(x === 0), gives: "bool" },
  isnan: { apply: (x) => Number(x !== x), gives: "bool" },
  isinf: { apply: (x) => Number(Math.abs(x) === Infinity), gives: "bool" },
  isfinite: { apply: (x) => Number(Number.isFinite(x)), gives: "bool" },
};

type Compute = (name: BinaryName, a: Operand, b: Operand) => Tensor;

interface Binary {
  readonly apply: (x: number, y: number) => number;
  /** The same for whole arrays, where speed counts. */
  readonly loop?: (to: Values, x: Values, y: Values) => void;
  /** The gradients of both operands, in the shape of the result. */
  readonly derive?: (
    gradient: Tensor,
    a: Operand,
    b: Operand,
    result: Tensor,
    op: Compute,
    log: (operand: Operand) => Operand,
  ) => readonly Operand[];
}

export type BinaryName =
  | "add"
  | "sub"
  | "mul"
  | "div"
  | "floor_divide"
  | "remainder"
  | "fmod"
  | "pow"
  | "maximum"
  | "minimum"
  | "atan2"
  | "eq"
  | "ne"
  | "lt"
  | "le"
  | "gt"
  | "ge"
  | "bitwise_and"
  | "bitwise_or"
  | "bitwise_xor"
  | "shift_left"
  | "shift_right"
  | "logical_and"
  | "logical_or"
  | "logical_xor";

export const COMPARISONS: ReadonlySet<BinaryName> = new Set<BinaryName>([
  "eq",
  "ne",
  "lt",
  "le",
  "gt",
  "ge",
  "logical_and",
  "logical_or",
  "logical_xor",
]);
/** Whole numbers give floats. */
export const FLOAT_RESULTS: ReadonlySet<BinaryName> = new Set<BinaryName>(["div", "atan2"]);

/** Exact for 53 bits, where JavaScript's own operators have 32. */
function bits(x: number, y: number, apply: (a: bigint, b: bigint) => bigint): number {
  return Number(apply(BigInt(x), BigInt(y)));
}
const isNarrow = (x: number, y: number): boolean => (x | 0) === x && (y | 0) === y;

const NO_GRADIENT = { value: 0, kind: "float" } as const;

export const BINARY: Readonly<Record<BinaryName, Binary>> = {
  add: {
    apply: (x, y) => x + y,
    loop: (to, x, y) => {
      for (let i = 0; i < to.length; i++) to[i] = (x[i] as number) + (y[i] as number);
    },
    derive: (gradient) => [gradient, gradient],
  },
  sub: {
    apply: (x, y) => x - y,
    loop: (to, x, y) => {
      for (let i = 0; i < to.length; i++) to[i] = (x[i] as number) - (y[i] as number);
    },
    derive: (gradient, _a, _b, _result, op) => [gradient, op("mul", gradient, { value: -1, kind: "float" })],
  },
  mul: {
    apply: (x, y) => x * y,
    loop: (to, x, y) => {
      for (let i = 0; i < to.length; i++) to[i] = (x[i] as number) * (y[i] as number);
    },
    derive: (gradient, a, b, _result, op) => [op("mul", gradient, b), op("mul", gradient, a)],
  },
  div: {
    apply: (x, y) => x / y,
    loop: (to, x, y) => {
      for (let i = 0; i < to.length; i++) to[i] = (x[i] as number) / (y[i] as number);
    },
    derive: (gradient, a, b, _result, op) => {
      const part = op("div", gradient, b);
      if ("value" in b) return [part, NO_GRADIENT];
      return [part, op("mul", op("mul", part, { value: -1, kind: "float" }), op("div", a, b))];
    },
  },
  floor_divide: { apply: (x, y) => Math.floor(x / y) },
  remainder: { apply: (x, y) => (y === 0 ? NaN : x - Math.floor(x / y) * y) },
  fmod: { apply: (x, y) => x % y },
  pow: {
    apply: (x, y) => x ** y,
    derive: (gradient, a, b, result, op, log) => [
      "value" in a ? NO_GRADIENT : op("mul", gradient, op("mul", powerMinusOne(a, b, op), b)),
      "value" in b ? NO_GRADIENT : op("mul", op("mul", gradient, result), log(a)),
    ],
  },
  maximum: {
    apply: (x, y) => (x !== x || x >= y ? x : y),
    derive: (gradient, a, b, _result, op) => [op("mul", gradient, op("ge", a, b)), op("mul", gradient, op("lt", a, b))],
  },
  minimum: {
    apply: (x, y) => (x !== x || x <= y ? x : y),
    derive: (gradient, a, b, _result, op) => [op("mul", gradient, op("le", a, b)), op("mul", gradient, op("gt", a, b))],
  },
  atan2: { apply: Math.atan2 },
  eq: { apply: (x, y) => Number(x === y) },
  ne: { apply: (x, y) => Number(x !== y) },
  lt: { apply: (x, y) => Number(x < y) },
  le: { apply: (x, y) => Number(x <= y) },
  gt: { apply: (x, y) => Number(x > y) },
  ge: { apply: (x, y) => Number(x >= y) },
  bitwise_and: { apply: (x, y) => (isNarrow(x, y) ? x & y : bits(x, y, (a, b) => a & b)) },
  bitwise_or: { apply: (x, y) => (isNarrow(x, y) ? x | y : bits(x, y, (a, b) => a | b)) },
  bitwise_xor: { apply: (x, y) => (isNarrow(x, y) ? x ^ y : bits(x, y, (a, b) => a ^ b)) },
  shift_left: { apply: (x, y) => x * 2 ** y },
  shift_right: { apply: (x, y) => Math.floor(x / 2 ** y) },
  logical_and: { apply: (x, y) => Number(x !== 0 && y !== 0) },
  logical_or: { apply: (x, y) => Number(x !== 0 || y !== 0) },
  logical_xor: { apply: (x, y) => Number((x !== 0) !== (y !== 0)) },
};

function powerMinusOne(a: Operand, b: Operand, op: Compute): Tensor {
  return op("pow", a, "value" in b ? { value: b.value - 1, kind: b.kind } : op("sub", b, { value: 1, kind: "int" }));
}
