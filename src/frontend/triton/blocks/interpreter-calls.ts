/** Functions that the interpreter of block IR computes, in double precision. */
import { unsupported } from "../../../base/diagnostics.ts";
import type { ElementType } from "./model.ts";

type Compute = (values: readonly number[]) => number;

const BY_NAME: Readonly<Record<string, Compute>> = {
  fabs: ([x = NaN]) => Math.abs(x),
  floor: ([x = NaN]) => Math.floor(x),
  ceil: ([x = NaN]) => Math.ceil(x),
  sqrt: ([x = NaN]) => Math.sqrt(x),
  fma: ([x = NaN, y = NaN, z = NaN]) => x * y + z,
  minnum: ([x = NaN, y = NaN]) => number(x, y, Math.min),
  maxnum: ([x = NaN, y = NaN]) => number(x, y, Math.max),
  minimum: ([x = NaN, y = NaN]) => Math.min(x, y),
  maximum: ([x = NaN, y = NaN]) => Math.max(x, y),
  exp: ([x = NaN]) => Math.exp(x),
  exp2: ([x = NaN]) => 2 ** x,
  log: ([x = NaN]) => Math.log(x),
  log2: ([x = NaN]) => Math.log2(x),
  sin: ([x = NaN]) => Math.sin(x),
  cos: ([x = NaN]) => Math.cos(x),
  rsqrt: ([x = NaN]) => 1 / Math.sqrt(x),
  tanh: ([x = NaN]) => Math.tanh(x),
  tan: ([x = NaN]) => Math.tan(x),
  atan: ([x = NaN]) => Math.atan(x),
  expm1: ([x = NaN]) => Math.expm1(x),
  log1p: ([x = NaN]) => Math.log1p(x),
  log10: ([x = NaN]) => Math.log10(x),
  pow: ([x = NaN, y = NaN]) => x ** y,
  trunc: ([x = NaN]) => Math.trunc(x),
  rint: ([x = NaN]) => toEven(x),
  nearbyint: ([x = NaN]) => toEven(x),
  round: ([x = NaN]) => Math.sign(x) * Math.round(Math.abs(x)),
  erf: ([x = NaN]) => erf(x),
};

function toEven(x: number): number {
  const below = Math.floor(x);
  if (x - below !== 0.5) return Math.round(x);
  return below % 2 === 0 ? below : below + 1;
}

/** Abramowitz and Stegun, Handbook of Mathematical Functions: 7.1.6 near zero, else the continued fraction 7.1.14. */
function erf(x: number): number {
  const size = Math.abs(x);
  if (size < 2.5) {
    let sum = x;
    let term = x;
    for (let n = 1; Math.abs(term) > Math.abs(sum) * 1e-17; n++) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
  }
  if (!(size < 6)) return Math.sign(x);
  let fraction = size;
  for (let n = 120; n > 0; n--) fraction = size + n / 2 / fraction;
  return Math.sign(x) * (1 - Math.exp(-x * x) / (Math.sqrt(Math.PI) * fraction));
}

/** The other operand where one is NaN. */
function number(x: number, y: number, choose: (x: number, y: number) => number): number {
  if (Number.isNaN(x)) return y;
  return Number.isNaN(y) ? x : choose(x, y);
}

const INTEGERS: Readonly<Record<string, (x: bigint, y: bigint) => boolean>> = {
  min: (x, y) => x <= y,
  max: (x, y) => x >= y,
};

/** `llvm.sqrt.f32`, `__nv_expf`, `llvm.smax.i32`. */
export function callOf(callee: string, operands: readonly (bigint | number)[], type: ElementType): bigint | number {
  const library = callee.startsWith("__nv_") ? callee.slice(5).replace(/f$/, "") : null;
  const name = library ?? callee.split(".")[1] ?? "";
  const ofFloats = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  if (ofFloats !== undefined && type.kind === "float") return ofFloats(operands.map(Number));
  if (name === "nvvm" && callee.includes(".mulhi.") && type.kind === "int") {
    const [x, y] = operands.map(BigInt) as [bigint, bigint];
    return (x * y) >> BigInt(type.bits);
  }
  const isFirst = INTEGERS[name.slice(1)];
  if (isFirst === undefined || type.kind !== "int") throw unsupported(`${callee} in the interpreter of block IR`);
  const [a, b] = operands.map(BigInt) as [bigint, bigint];
  const value = (x: bigint): bigint => (name.startsWith("s") ? BigInt.asIntN(type.bits, x) : x);
  return isFirst(value(a), value(b)) ? a : b;
}
