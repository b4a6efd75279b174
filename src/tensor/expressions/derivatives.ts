/** Derivatives of the primitives, as expressions. */
import { HeddleError } from "../../base/diagnostics.ts";
import { call, constant as c, type Expression } from "./expression.ts";
import type { PrimitiveName } from "./primitives.ts";

/** For each argument: the gradient of the result times the derivative; null: none. */
export type Derive = (g: Expression, args: readonly Expression[], result: Expression) => readonly (Expression | null)[];

const mul = (a: Expression, b: Expression): Expression => call("mul", a, b);
const div = (a: Expression, b: Expression): Expression => call("div", a, b);
const add = (a: Expression, b: Expression): Expression => call("add", a, b);
const sub = (a: Expression, b: Expression): Expression => call("sub", a, b);
const neg = (a: Expression): Expression => call("neg", a);
const square = (x: Expression): Expression => mul(x, x);

/** Of a function of one argument. */
const of1 =
  (derive: (g: Expression, x: Expression, result: Expression) => Expression): Derive =>
  (g, [x], result) => [derive(g, x as Expression, result)];
/** Of a function of two. */
const of2 =
  (
    derive: (g: Expression, x: Expression, y: Expression, result: Expression) => readonly (Expression | null)[],
  ): Derive =>
  (g, [x, y], result) =>
    derive(g, x as Expression, y as Expression, result);

/** By the base: 0 for the exponent 0. By the exponent: 0 where the base is 0 and the exponent is not negative. */
const power: Derive = of2((g, base, exponent, result) => {
  const inner = mul(g, mul(exponent, call("pow", base, sub(exponent, c(1)))));
  const byBase = call("where", call("eq", exponent, c(0)), c(0), inner);
  const isFlat = call("logical_and", call("eq", base, c(0)), call("ge", exponent, c(0)));
  const byExponent = call("where", isFlat, c(0), mul(g, mul(result, call("log", base))));
  return [byBase, byExponent];
});

/** Of the greater or smaller of two; equal ones have half each. */
const chosen = (op: "gt" | "lt"): Derive =>
  of2((g, x, y) => {
    const half = mul(g, c(0.5));
    const isSame = call("eq", x, y);
    return [
      call("where", isSame, half, call("where", call(op, x, y), g, c(0))),
      call("where", isSame, half, call("where", call(op, y, x), g, c(0))),
    ];
  });

const ZERO: Derive = () => [];

const DERIVATIVES: Partial<Record<PrimitiveName, Derive>> = {
  add: (g) => [g, g],
  sub: (g) => [g, neg(g)],
  mul: of2((g, x, y) => [mul(g, y), mul(g, x)]),
  div: of2((g, _, y, result) => [div(g, y), neg(div(mul(g, result), y))]),
  neg: (g) => [neg(g)],
  abs: of1((g, x) => mul(g, call("sign", x))),
  remainder: of2((g, x, y) => [g, neg(mul(g, call("floor", div(x, y))))]),
  fmod: of2((g, x, y) => [g, neg(mul(g, call("trunc", div(x, y))))]),
  pow: power,
  maximum: chosen("gt"),
  minimum: chosen("lt"),
  atan2: of2((g, x, y) => {
    const length = add(square(x), square(y));
    return [div(mul(g, y), length), neg(div(mul(g, x), length))];
  }),
  copysign: of2((g, x, _, result) => [mul(g, mul(call("sign", x), call("sign", result))), null]),
  where: (g, [when]) => [null, call("where", when as Expression, g, c(0)), call("where", when as Expression, c(0), g)],
  exp: of1((g, _, y) => mul(g, y)),
  exp2: of1((g, _, y) => mul(g, mul(y, c(Math.LN2)))),
  expm1: of1((g, _, y) => mul(g, add(y, c(1)))),
  log: of1((g, x) => div(g, x)),
  log2: of1((g, x) => div(g, mul(x, c(Math.LN2)))),
  log10: of1((g, x) => div(g, mul(x, c(Math.LN10)))),
  log1p: of1((g, x) => div(g, add(x, c(1)))),
  sqrt: of1((g, _, y) => div(g, mul(c(2), y))),
  rsqrt: of1((g, _, y) => mul(mul(g, c(-0.5)), mul(y, square(y)))),
  sin: of1((g, x) => mul(g, call("cos", x))),
  cos: of1((g, x) => neg(mul(g, call("sin", x)))),
  tan: of1((g, _, y) => mul(g, add(c(1), square(y)))),
  asin: of1((g, x) => mul(g, call("rsqrt", sub(c(1), square(x))))),
  acos: of1((g, x) => neg(mul(g, call("rsqrt", sub(c(1), square(x)))))),
  atan: of1((g, x) => div(g, add(square(x), c(1)))),
  sinh: of1((g, x) => mul(g, call("cosh", x))),
  cosh: of1((g, x) => mul(g, call("sinh", x))),
  tanh: of1((g, _, y) => mul(g, sub(c(1), square(y)))),
  asinh: of1((g, x) => mul(g, call("rsqrt", add(square(x), c(1))))),
  acosh: of1((g, x) => mul(g, call("rsqrt", sub(square(x), c(1))))),
  atanh: of1((g, x) => div(g, sub(c(1), square(x)))),
  erf: of1((g, x) => mul(g, mul(c(2 / Math.sqrt(Math.PI)), call("exp", neg(square(x)))))),
  erfc: of1((g, x) => mul(g, mul(c(-2 / Math.sqrt(Math.PI)), call("exp", neg(square(x)))))),
  erfinv: of1((g, _, y) => mul(g, mul(c(Math.sqrt(Math.PI) / 2), call("exp", square(y))))),
  lgamma: of1((g, x) => mul(g, call("digamma", x))),
  digamma: of1((g, x) => mul(g, call("trigamma", x))),
  sigmoid: of1((g, _, y) => mul(g, mul(y, sub(c(1), y)))),
  sign: ZERO,
  floor: ZERO,
  ceil: ZERO,
  round: ZERO,
  trunc: ZERO,
  floor_divide: ZERO,
  from_bool: ZERO,
};

/** @throws HeddleError "unsupported" */
export function derivativeOf(name: PrimitiveName): Derive {
  const derive = DERIVATIVES[name];
  if (derive === undefined)
    throw new HeddleError("unsupported", `the derivative of ${name} is not supported yet by heddle`);
  return derive;
}
