/** The operations on elements: what each computes, as an expression of its operands. Gradients follow from it. */
import { call, constant as c, input, type Expression } from "../expressions/expression.ts";
import type { PrimitiveName } from "../expressions/primitives.ts";

export interface ElementFunction {
  readonly operands: number;
  /** Input k is operand k. */
  readonly expression: Expression;
  /**
   * The type of the result: that of the operands together, a float where they are whole numbers, or a condition.
   */
  readonly gives: "same" | "float" | "bool";
  /** Whole numbers are computed as floats, whatever the result is. */
  readonly isOfFloats: boolean;
  /** The first operand is a condition, and does not count for the type. */
  readonly isConditional: boolean;
  /** The gradient of operand 0, from that of the result (input 0) and the result (input 1). Null: it is not enough. */
  readonly fromResult: Expression | null;
}

interface Traits {
  readonly gives?: ElementFunction["gives"];
  readonly isOfFloats?: boolean;
  readonly isConditional?: boolean;
  readonly fromResult?: Expression;
}

function define(operands: number, expression: Expression, traits: Traits = {}): ElementFunction {
  const { gives = "float", isConditional = false, fromResult = null } = traits;
  const { isOfFloats = gives === "float" && !expression.isBool } = traits;
  return { operands, expression, gives: expression.isBool ? "bool" : gives, isOfFloats, isConditional, fromResult };
}

const [x, y, z, w] = [input(0), input(1), input(2), input(3)];
/** In `fromResult`: the gradient, and the result. */
const [g, r] = [x, y];
const WHOLE: Traits = { gives: "same" };
const OF_FLOATS: Traits = { isOfFloats: true };

const add = (a: Expression, b: Expression): Expression => call("add", a, b);
const sub = (a: Expression, b: Expression): Expression => call("sub", a, b);
const mul = (a: Expression, b: Expression): Expression => call("mul", a, b);
const div = (a: Expression, b: Expression): Expression => call("div", a, b);
const where = (when: Expression, a: Expression, b: Expression): Expression => call("where", when, a, b);
const gt = (a: Expression, b: Expression): Expression => call("gt", a, b);
const lt = (a: Expression, b: Expression): Expression => call("lt", a, b);
const ge = (a: Expression, b: Expression): Expression => call("ge", a, b);
const le = (a: Expression, b: Expression): Expression => call("le", a, b);
const eq = (a: Expression, b: Expression): Expression => call("eq", a, b);
const square = (a: Expression): Expression => mul(a, a);
const half = (a: Expression): Expression => mul(a, c(0.5));
const asBool = (a: Expression): Expression => call("to_bool", a);

const mathematics = (name: PrimitiveName, traits: Traits = {}): ElementFunction => define(1, call(name, x), traits);
const whole = (name: PrimitiveName): ElementFunction => define(1, call(name, x), WHOLE);
const pair = (name: PrimitiveName, traits: Traits = WHOLE): ElementFunction => define(2, call(name, x, y), traits);

/** x where it is not positive, else 0: what follows does not overflow where it is not used. */
const negative = where(gt(x, c(0)), c(0), x);
const softplus = (a: Expression): Expression => {
  const isLarge = gt(a, c(20));
  return where(isLarge, a, call("log1p", call("exp", where(isLarge, c(0), a))));
};
/** x, and NaN outside of [0, 1]: so is then every derivative of what is computed of it. */
const withinUnit = add(x, where(call("logical_and", ge(x, c(0)), le(x, c(1))), c(0), c(NaN)));
const SELU_SCALE = 1.0507009873554805;
const SELU_ALPHA = 1.6732632423543772;
const innerGelu = mul(c(Math.sqrt(2 / Math.PI)), add(x, mul(c(0.044715), mul(x, square(x)))));

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
  | "asin"
  | "acos"
  | "atan"
  | "sinh"
  | "cosh"
  | "tanh"
  | "asinh"
  | "acosh"
  | "atanh"
  | "sigmoid"
  | "log_sigmoid"
  | "relu"
  | "relu6"
  | "silu"
  | "gelu"
  | "gelu_tanh"
  | "mish"
  | "selu"
  | "hardsigmoid"
  | "hardswish"
  | "softsign"
  | "tanhshrink"
  | "erf"
  | "erfc"
  | "erfinv"
  | "lgamma"
  | "digamma"
  | "logit"
  | "floor"
  | "ceil"
  | "round"
  | "trunc"
  | "frac"
  | "sign"
  | "square"
  | "sinc"
  | "deg2rad"
  | "rad2deg"
  | "bitwise_not"
  | "logical_not"
  | "isnan"
  | "isinf"
  | "isfinite"
  | "isposinf"
  | "isneginf"
  | "signbit";

export const UNARY: Readonly<Record<UnaryName, ElementFunction>> = {
  neg: whole("neg"),
  abs: whole("abs"),
  exp: mathematics("exp", { fromResult: mul(g, r) }),
  exp2: mathematics("exp2"),
  log: mathematics("log"),
  log2: mathematics("log2"),
  log10: mathematics("log10"),
  log1p: mathematics("log1p"),
  expm1: mathematics("expm1"),
  sqrt: mathematics("sqrt", { fromResult: div(g, mul(c(2), r)) }),
  rsqrt: mathematics("rsqrt", { fromResult: mul(mul(g, c(-0.5)), mul(r, square(r))) }),
  reciprocal: define(1, div(c(1), x), { fromResult: call("neg", mul(g, square(r))) }),
  sin: mathematics("sin"),
  cos: mathematics("cos"),
  tan: mathematics("tan"),
  asin: mathematics("asin"),
  acos: mathematics("acos"),
  atan: mathematics("atan"),
  sinh: mathematics("sinh"),
  cosh: mathematics("cosh"),
  tanh: mathematics("tanh", { fromResult: mul(g, sub(c(1), square(r))) }),
  asinh: mathematics("asinh"),
  acosh: mathematics("acosh"),
  atanh: mathematics("atanh"),
  sigmoid: mathematics("sigmoid", { fromResult: mul(g, mul(r, sub(c(1), r))) }),
  log_sigmoid: define(1, sub(call("minimum", x, c(0)), call("log1p", call("exp", call("neg", call("abs", x)))))),
  relu: define(1, where(lt(x, c(0)), c(0), x), { ...WHOLE, fromResult: where(gt(r, c(0)), g, c(0)) }),
  relu6: define(1, where(le(x, c(0)), c(0), where(ge(x, c(6)), c(6), x)), WHOLE),
  silu: define(1, mul(x, call("sigmoid", x))),
  gelu: define(1, mul(half(x), add(c(1), call("erf", mul(x, c(Math.SQRT1_2)))))),
  gelu_tanh: define(1, mul(half(x), add(c(1), call("tanh", innerGelu)))),
  mish: define(1, mul(x, call("tanh", softplus(x)))),
  selu: define(1, mul(c(SELU_SCALE), where(gt(x, c(0)), x, mul(c(SELU_ALPHA), call("expm1", negative))))),
  hardsigmoid: define(1, where(le(x, c(-3)), c(0), where(ge(x, c(3)), c(1), add(div(x, c(6)), c(0.5))))),
  hardswish: define(1, where(le(x, c(-3)), c(0), where(ge(x, c(3)), x, div(mul(x, add(x, c(3))), c(6))))),
  softsign: define(1, div(x, add(c(1), call("abs", x)))),
  tanhshrink: define(1, sub(x, call("tanh", x))),
  erf: mathematics("erf"),
  erfc: mathematics("erfc"),
  erfinv: mathematics("erfinv"),
  lgamma: mathematics("lgamma"),
  digamma: mathematics("digamma"),
  logit: define(1, call("log", div(withinUnit, sub(c(1), withinUnit)))),
  floor: whole("floor"),
  ceil: whole("ceil"),
  round: whole("round"),
  trunc: whole("trunc"),
  frac: define(1, sub(x, call("trunc", x)), WHOLE),
  sign: whole("sign"),
  square: define(1, square(x), WHOLE),
  sinc: define(1, where(eq(x, c(0)), c(1), sincOf(where(eq(x, c(0)), c(1), x)))),
  deg2rad: define(1, mul(x, c(Math.PI / 180))),
  rad2deg: define(1, mul(x, c(180 / Math.PI))),
  bitwise_not: whole("bitwise_not"),
  logical_not: define(1, eq(x, c(0))),
  isnan: define(1, call("ne", x, x)),
  isinf: define(1, eq(call("abs", x), c(Infinity)), OF_FLOATS),
  isfinite: define(1, lt(call("abs", x), c(Infinity)), OF_FLOATS),
  isposinf: define(1, eq(x, c(Infinity)), OF_FLOATS),
  isneginf: define(1, eq(x, c(-Infinity)), OF_FLOATS),
  signbit: mathematics("signbit"),
};

function sincOf(a: Expression): Expression {
  const turned = mul(a, c(Math.PI));
  return div(call("sin", turned), turned);
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
  | "fmax"
  | "fmin"
  | "atan2"
  | "copysign"
  | "logaddexp"
  | "xlogy"
  | "hypot"
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
  | "logical_xor"
  | "leaky_relu"
  | "elu"
  | "celu"
  | "hardshrink"
  | "softshrink"
  | "clamp_min"
  | "clamp_max";

const larger = call("maximum", call("abs", x), call("abs", y));
const safeLarger = where(call("logical_or", eq(larger, c(0)), eq(larger, c(Infinity))), c(1), larger);

export const BINARY: Readonly<Record<BinaryName, ElementFunction>> = {
  add: pair("add"),
  sub: pair("sub"),
  mul: pair("mul"),
  div: pair("div", {}),
  floor_divide: pair("floor_divide"),
  remainder: pair("remainder"),
  fmod: pair("fmod"),
  pow: pair("pow"),
  maximum: pair("maximum"),
  minimum: pair("minimum"),
  fmax: define(2, where(call("ne", x, x), y, where(call("ne", y, y), x, call("maximum", x, y))), WHOLE),
  fmin: define(2, where(call("ne", x, x), y, where(call("ne", y, y), x, call("minimum", x, y))), WHOLE),
  atan2: pair("atan2", {}),
  copysign: pair("copysign", {}),
  logaddexp: define(
    2,
    add(call("maximum", x, y), call("log1p", call("exp", call("neg", call("abs", where(eq(x, y), c(0), sub(x, y))))))),
  ),
  xlogy: define(
    2,
    where(call("ne", y, y), y, where(eq(x, c(0)), c(0), mul(x, call("log", where(eq(x, c(0)), c(1), y))))),
  ),
  hypot: define(2, mul(where(eq(safeLarger, larger), safeLarger, larger), hypotRatio())),
  eq: pair("eq"),
  ne: pair("ne"),
  lt: pair("lt"),
  le: pair("le"),
  gt: pair("gt"),
  ge: pair("ge"),
  bitwise_and: pair("bitwise_and"),
  bitwise_or: pair("bitwise_or"),
  bitwise_xor: pair("bitwise_xor"),
  shift_left: pair("shift_left"),
  shift_right: pair("shift_right"),
  logical_and: define(2, call("logical_and", asBool(x), asBool(y))),
  logical_or: define(2, call("logical_or", asBool(x), asBool(y))),
  logical_xor: define(2, call("logical_xor", asBool(x), asBool(y))),
  leaky_relu: define(2, where(gt(x, c(0)), x, mul(x, y))),
  elu: define(2, where(gt(x, c(0)), x, mul(y, call("expm1", negative)))),
  celu: define(2, where(gt(x, c(0)), x, mul(y, call("expm1", div(negative, y))))),
  hardshrink: define(2, where(call("logical_and", ge(x, call("neg", y)), le(x, y)), c(0), x)),
  softshrink: define(
    2,
    where(gt(x, y), sub(x, y), where(lt(x, call("neg", y)), add(x, y), mul(x, where(call("ne", x, x), x, c(0))))),
  ),
  clamp_min: define(2, where(lt(x, y), y, x), WHOLE),
  clamp_max: define(2, where(gt(x, y), y, x), WHOLE),
};

function hypotRatio(): Expression {
  const [a, b] = [div(x, safeLarger), div(y, safeLarger)];
  const isPlain = eq(safeLarger, larger);
  return where(isPlain, call("sqrt", add(square(a), square(b))), c(1));
}

export type TernaryName = "where" | "clamp" | "addcmul" | "addcdiv" | "lerp" | "softplus" | "hardtanh" | "threshold";
export type QuaternaryName = "addcmul_scaled" | "addcdiv_scaled" | "nan_to_num";

export const OTHERS: Readonly<Record<TernaryName | QuaternaryName, ElementFunction>> = {
  where: define(3, where(input(0, true), y, z), { ...WHOLE, isConditional: true }),
  clamp: define(3, call("minimum", call("maximum", x, y), z), WHOLE),
  addcmul: define(3, add(x, mul(y, z)), WHOLE),
  addcdiv: define(3, add(x, div(y, z))),
  lerp: define(3, add(x, mul(z, sub(y, x)))),
  /** x, beta, threshold */
  softplus: define(3, softplusOf()),
  /** x, least, greatest */
  hardtanh: define(3, where(le(x, y), y, where(ge(x, z), z, x)), WHOLE),
  /** x, threshold, value */
  threshold: define(3, where(le(x, y), z, x), WHOLE),
  addcmul_scaled: define(4, add(x, mul(w, mul(y, z))), WHOLE),
  addcdiv_scaled: define(4, add(x, mul(w, div(y, z)))),
  /** x, for NaN, for ∞, for -∞ */
  nan_to_num: define(
    4,
    where(call("ne", x, x), y, where(eq(x, c(Infinity)), z, where(eq(x, c(-Infinity)), w, x))),
    WHOLE,
  ),
};

function softplusOf(): Expression {
  const scaled = mul(x, y);
  const isLarge = gt(scaled, z);
  return where(isLarge, x, div(call("log1p", call("exp", where(isLarge, c(0), scaled))), y));
}

export type ElementName = UnaryName | BinaryName | TernaryName | QuaternaryName;
export const ELEMENT_FUNCTIONS: Readonly<Record<ElementName, ElementFunction>> = { ...UNARY, ...BINARY, ...OTHERS };

/** Conditions of two numbers. */
export const COMPARISONS: ReadonlySet<BinaryName> = new Set(
  (Object.keys(BINARY) as BinaryName[]).filter((name) => BINARY[name].gives === "bool"),
);
/** Whole numbers give floats. */
export const FLOAT_RESULTS: ReadonlySet<BinaryName> = new Set(
  (Object.keys(BINARY) as BinaryName[]).filter((name) => BINARY[name].gives === "float"),
);

/**
 * The quotient of floats, rounded down, without an error of the division before it: what the remainder leaves is
 * divided (PyTorch, c10/util/generic_math.h, div_floor_floating).
 */
function floorOfQuotient(): Expression {
  const rest = call("fmod", x, y);
  const whole = div(sub(x, rest), y);
  const isBelow = call("logical_and", call("ne", rest, c(0)), call("logical_xor", lt(y, c(0)), lt(rest, c(0))));
  const quotient = where(isBelow, sub(whole, c(1)), whole);
  const down = call("floor", quotient);
  const near = where(call("gt", sub(quotient, down), c(0.5)), add(down, c(1)), down);
  const signed = where(eq(quotient, c(0)), call("copysign", c(0), div(x, y)), near);
  return where(eq(y, c(0)), div(x, y), signed);
}

/** Where a function of whole numbers is another one for floats. */
export const FORMS_OF_FLOATS: Readonly<Partial<Record<ElementName, Expression>>> = { floor_divide: floorOfQuotient() };

/** And the other way round: a negative power of a whole number is a fraction, which rounds to 0; so does that of 0. */
export const FORMS_OF_INTEGERS: Readonly<Partial<Record<ElementName, Expression>>> = {
  pow: where(call("logical_and", eq(x, c(0)), lt(y, c(0))), c(0), call("pow", x, y)),
};
