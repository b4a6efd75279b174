/** Mathematics: `tl.exp`, `tl.math.…`, `libdevice.…`. Functions of the device library have CUDA's accuracy. */
import { formatType } from "../../../../ir/model/types.ts";
import type { CompileContext } from "../context.ts";
import { broadcastPair, broadcastTo, cast, commonShape, describe, shapeOf, tensor, toTensor } from "../conversions.ts";
import { BFLOAT16, FP32, FP64, INT1, INT32, INT64, UINT32, UINT64, isFloat, isInteger, type Dtype } from "../dtypes.ts";
import { compare, promote, toCondition, unary, unify, binary } from "../operators.ts";
import { builtin } from "../signature.ts";
import { intValue, type BuiltinValue, type TensorValue, type Value } from "../values.ts";

/** `llvm.sqrt.f32` for an element type. */
function intrinsic(name: string, dtype: Dtype): string {
  const word = formatType(dtype.element);
  const suffix = { half: "f16", bfloat: "bf16", float: "f32", double: "f64" }[word] ?? word;
  return `llvm.${name}.${suffix}`;
}

function libraryName(name: string, dtype: Dtype): string {
  return `__nv_${name}${dtype === FP64 ? "" : "f"}`;
}

/** Triton refuses 16-bit floats here. */
function wideFloat(c: CompileContext, value: Value): TensorValue {
  const source = toTensor(c, value);
  if (source.dtype !== FP32 && source.dtype !== FP64)
    return c.fail(`Expected dtype ['fp32', 'fp64'] but got ${source.dtype.name}`, ["x.to(tl.float32) converts"]);
  return source;
}

function floatFunction(name: string, callee: (dtype: Dtype) => string): BuiltinValue {
  return builtin(`${name}(x)`, (a, c) => {
    const x = wideFloat(c, a.get("x"));
    return tensor(x.dtype, c.builder.call(callee(x.dtype), [x.value]));
  });
}

const fromLibrary = (name: string, callee = name): BuiltinValue =>
  floatFunction(name, (dtype) => libraryName(callee, dtype));
const fromIntrinsic = (name: string, callee = name): BuiltinValue =>
  floatFunction(name, (dtype) => intrinsic(callee, dtype));

const abs = builtin("abs(x)", (a, c) => {
  const x = toTensor(c, a.get("x"));
  if (isFloat(x.dtype)) return tensor(x.dtype, c.builder.call(intrinsic("fabs", x.dtype), [x.value]));
  if (x.dtype.kind === "uint" || x.dtype === INT1) return x;
  if (x.dtype.kind === "float8")
    return tensor(x.dtype, c.builder.binary("and", x.value, c.builder.number(x.dtype.element, 0x7f, shapeOf(x))));
  if (!isInteger(x.dtype)) return c.fail(`Unexpected dtype ${x.dtype.name}`);
  const isNegative = compare(c, "<", x, intValue(0)) as TensorValue;
  return tensor(x.dtype, c.builder.select(isNegative.value, (unary(c, "-", x) as TensorValue).value, x.value));
});

/** bfloat16 is compared as float, and stays one. */
function widened(c: CompileContext, value: Value): Value {
  return value.kind === "tensor" && value.dtype === BFLOAT16 ? cast(c, value, FP32) : value;
}

export function extremeOf(
  c: CompileContext,
  name: "min" | "max",
  a: Value,
  b: Value,
  propagatesNan: boolean,
): TensorValue {
  const {
    a: x,
    b: y,
    dtype,
  } = promote(c, widened(c, toTensor(c, a)), widened(c, b.kind === "tensor" ? b : toTensor(c, b)));
  const callee = isFloat(dtype)
    ? intrinsic(propagatesNan ? `${name}imum` : `${name}num`, dtype)
    : intrinsic(`${dtype.kind === "uint" || dtype === INT1 ? "u" : "s"}${name}`, dtype);
  return tensor(dtype, c.builder.call(callee, [x.value, y.value]));
}

/** tl.PropagateNan.ALL is the string "all" here. */
const extreme = (name: "minimum" | "maximum"): BuiltinValue =>
  builtin(`${name}(x, y, propagate_nan=)`, (a, c) =>
    extremeOf(c, name === "minimum" ? "min" : "max", a.get("x"), a.get("y"), a.string("propagate_nan") === "all"),
  );

const clamp = builtin("clamp(x, min, max, propagate_nan=)", (a, c) => {
  const propagates = a.string("propagate_nan") === "all";
  const low = extremeOf(c, "max", a.get("x"), a.get("min"), propagates);
  return extremeOf(c, "min", low, a.get("max"), propagates);
});

const where = builtin("where(condition, x, y)", (a, c) => {
  const condition = toCondition(c, a.get("condition"));
  const [left, right] = [a.get("x"), a.get("y")];
  const bothLiteral = left.kind !== "tensor" && right.kind !== "tensor";
  const { a: x, b: y, dtype } = unify(c, bothLiteral ? toTensor(c, left) : left, right);
  const shape = commonShape(c, shapeOf(condition), shapeOf(x));
  const parts = [condition, x, y].map((part) => broadcastTo(c, part, shape).value) as [never, never, never];
  return tensor(dtype, c.builder.select(...parts));
});

const fma = builtin("fma(x, y, z)", (a, c) => {
  const [x, y] = broadcastPair(
    c,
    toTensor(c, a.get("x")),
    cast(c, toTensor(c, a.get("y")), toTensor(c, a.get("x")).dtype),
  );
  const [first, z] = broadcastPair(c, x, cast(c, toTensor(c, a.get("z")), x.dtype));
  const second = broadcastTo(c, y, shapeOf(first));
  if (!isFloat(x.dtype)) return c.fail(`fma needs floats, not ${x.dtype.name}`);
  return tensor(x.dtype, c.builder.call(intrinsic("fma", x.dtype), [first.value, second.value, z.value]));
});

const fdiv = builtin("fdiv(x, y, ieee_rounding=)", (a, c) => {
  const { a: x, b: y, dtype } = promote(c, a.get("x"), a.get("y"), true);
  if (!isFloat(dtype)) return c.fail("both operands of fdiv must have floating scalar type");
  return tensor(dtype, c.builder.binary("fdiv", x.value, y.value));
});

/** What a GPU may compute in its own way is rounded as IEEE 754 has it. */
function exact(value: Value): Value {
  if (value.kind === "tensor" && (value.value.op?.op === "binary" || value.value.op?.op === "call"))
    Object.assign(value.value.op, { isExact: true });
  return value;
}

const divRn = builtin("div_rn(x, y)", (a, c) => exact(binary(c, "/", toTensor(c, a.get("x")), a.get("y"))));

const rootFunction = fromIntrinsic("sqrt");
const sqrtRn = builtin("sqrt_rn(x)", (a, c) => exact(c.call(rootFunction, [a.get("x")])));

const umulhi = builtin("umulhi(x, y)", (a, c) => {
  const { a: x, b: y, dtype } = promote(c, a.get("x"), a.get("y"));
  if (!isInteger(dtype) || dtype.bits < 32) return c.fail(`umulhi needs 32- or 64-bit integers, not ${dtype.name}`);
  const callee = dtype.bits === 32 ? "llvm.nvvm.mulhi.ui" : "llvm.nvvm.mulhi.ull";
  return tensor(dtype, c.builder.call(callee, [x.value, y.value]));
});

const logical = (name: "logical_and" | "logical_or"): BuiltinValue =>
  builtin(`${name}(input, other)`, (a, c) => {
    const [x, y] = broadcastPair(c, toCondition(c, a.get("input")), toCondition(c, a.get("other")));
    return tensor(INT1, c.builder.binary(name === "logical_and" ? "and" : "or", x.value, y.value));
  });

export const MATH_FUNCTIONS: readonly BuiltinValue[] = [
  fromLibrary("exp"),
  fromLibrary("exp2"),
  fromLibrary("log"),
  fromLibrary("log2"),
  fromLibrary("sin"),
  fromLibrary("cos"),
  fromLibrary("erf"),
  fromLibrary("rsqrt"),
  rootFunction,
  sqrtRn,
  fromIntrinsic("floor"),
  fromIntrinsic("ceil"),
  abs,
  extreme("minimum"),
  extreme("maximum"),
  clamp,
  where,
  fma,
  fdiv,
  divRn,
  umulhi,
  logical("logical_and"),
  logical("logical_or"),
];

// ---------------------------------------------------------------- libdevice

const UNARY =
  "acos acosh asin asinh atan atanh cbrt cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc erfcinv erfcx " +
  "erfinv exp exp10 exp2 expm1 j0 j1 lgamma log log10 log1p log2 logb nearbyint normcdf normcdfinv rcbrt " +
  "rint round rsqrt sin sinh sinpi sqrt tan tanh tgamma trunc y0 y1";
const BINARY = "atan2 copysign fdim fmod hypot nextafter pow remainder rhypot";
/** Of floats alone. */
const FAST = "fast_cosf fast_exp10f fast_expf fast_log10f fast_log2f fast_logf fast_sinf fast_tanf fast_tanhf";
const FAST_BINARY = "fast_powf fast_fdividef";

function libdevice(name: string, params: string, suffix: boolean): BuiltinValue {
  return builtin(`${name}(${params})`, (a, c) => {
    const values = params.split(", ").map((param) => toTensor(c, a.get(param)));
    const [base, exponent] = values as [TensorValue, TensorValue | undefined];
    // libdevice has pow with a whole exponent, too.
    if (name === "pow" && exponent !== undefined && isInteger(exponent.dtype))
      values[1] = cast(c, exponent, base.dtype);
    for (const value of values) wideFloat(c, value);
    const shape = values.reduce<readonly number[]>((common, value) => commonShape(c, common, shapeOf(value)), []);
    const [first] = values as [TensorValue];
    if (values.some(({ dtype }) => dtype !== first.dtype))
      return c.fail(`${name} needs arguments of one type, got ${values.map(({ dtype }) => dtype.name).join(" and ")}`);
    if (!suffix && first.dtype !== FP32) return c.fail(`${name} takes fp32, not ${first.dtype.name}`);
    const callee = suffix ? libraryName(name, first.dtype) : `__nv_${name}`;
    return tensor(
      first.dtype,
      c.builder.call(
        callee,
        values.map((value) => broadcastTo(c, value, shape).value),
      ),
    );
  });
}

const classify = (name: "isnan" | "isinf" | "finitef" | "isfinited"): BuiltinValue =>
  builtin(`${name}(x)`, (a, c) => {
    const x = wideFloat(c, a.get("x"));
    const difference = c.builder.binary("fsub", x.value, x.value);
    if (name === "isnan") return tensor(INT1, c.builder.fcmp("uno", x.value, x.value));
    const isFinite = c.builder.fcmp("ord", difference, difference);
    if (name !== "isinf") return tensor(INT1, isFinite);
    const isNumber = c.builder.fcmp("ord", x.value, x.value);
    const isFiniteOrNot = c.builder.binary("xor", isFinite, isNumber);
    return tensor(INT1, isFiniteOrNot);
  });

const integerRound = (name: "llrint" | "float2int_rn"): BuiltinValue =>
  builtin(`${name}(x)`, (a, c) => {
    const x = wideFloat(c, a.get("x"));
    const rounded = tensor(x.dtype, c.builder.call(intrinsic("rint", x.dtype), [x.value]));
    return cast(c, rounded, name === "llrint" ? INT64 : INT32);
  });

const bits = (name: "popc" | "clz"): BuiltinValue =>
  builtin(`${name}(x)`, (a, c) => {
    const x = toTensor(c, a.get("x"));
    if (![INT32, UINT32, INT64, UINT64].includes(x.dtype)) return c.fail(`${name} takes integers, not ${describe(x)}`);
    const callee = `llvm.nvvm.${name}.${x.dtype.bits === 32 ? "i" : "ll"}`;
    return tensor(INT32, c.builder.call(callee, [x.value], INT32.element));
  });

/** By the names of triton.language.extra.libdevice. */
export const LIBDEVICE_FUNCTIONS: readonly BuiltinValue[] = [
  ...UNARY.split(" ").map((name) => libdevice(name, "x", true)),
  ...BINARY.split(" ").map((name) => libdevice(name, "x, y", true)),
  ...FAST.split(" ").map((name) => libdevice(name, "x", false)),
  ...FAST_BINARY.split(" ").map((name) => libdevice(name, "x, y", false)),
  fromIntrinsic("floor"),
  fromIntrinsic("ceil"),
  classify("isnan"),
  classify("isinf"),
  classify("finitef"),
  classify("isfinited"),
  integerRound("llrint"),
  integerRound("float2int_rn"),
  bits("popc"),
  bits("clz"),
  abs,
  fma,
];
