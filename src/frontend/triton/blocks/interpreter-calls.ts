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
};

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
  const isFirst = INTEGERS[name.slice(1)];
  if (isFirst === undefined || type.kind !== "int") throw unsupported(`${callee} in the interpreter of block IR`);
  const [a, b] = operands.map(BigInt) as [bigint, bigint];
  const value = (x: bigint): bigint => (name.startsWith("s") ? BigInt.asIntN(type.bits, x) : x);
  return isFirst(value(a), value(b)) ? a : b;
}
