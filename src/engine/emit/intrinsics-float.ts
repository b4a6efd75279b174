/** Intrinsics on floats (LangRef "Standard C/C++ Library Intrinsics", NVVM's of the same meaning). */
import type { PlainMethod } from "../../wasm/function-builder.ts";
import { computeType, emitFinish, formatOf, getFloat } from "./floats.ts";
import { arg, type Emit } from "./intrinsic.ts";
import { isHalfLike } from "./value-types.ts";

/** A unary float operation done in the compute type. */
export const unary =
  (method: string): Emit =>
  (context, call) => {
    const format = formatOf(call.type);
    getFloat(context, arg(call, 0));
    context.code.op(`${computeType(format)}${method}` as PlainMethod);
    emitFinish(context, format);
  };

export const binaryFloat =
  (method: string): Emit =>
  (context, call) => {
    const format = formatOf(call.type);
    getFloat(context, arg(call, 0));
    getFloat(context, arg(call, 1));
    context.code.op(`${computeType(format)}${method}` as PlainMethod);
    emitFinish(context, format);
  };

/** A function of the host's Math, in double precision, rounded to the format. */
export const viaMath =
  (name: "exp2" | "log2" | "sin" | "cos" | "tanh"): Emit =>
  (context, call) => {
    const format = formatOf(call.type);
    getFloat(context, arg(call, 0));
    if (computeType(format) === "f32") context.code.f64PromoteF32();
    context.code.call(context.env.math[name]);
    if (format === "float") context.code.f32DemoteF64();
    else if (isHalfLike(call.type)) context.code.call(context.env.support.narrowDouble(call.type.format));
  };

export const minMax =
  (which: "min" | "max"): Emit =>
  (context, call) => {
    const { code } = context;
    const format = formatOf(call.type);
    const type = computeType(format);
    const isNumber = type === "f32" ? "f32Eq" : "f64Eq";
    // In place: V8 does not inline calls. b is a number ? (a is a number ? the lesser or greater : b) : a
    const [a, b] = [code.local(type), code.local(type)];
    getFloat(context, arg(call, 0));
    code.localSet(a);
    getFloat(context, arg(call, 1));
    code.localSet(b);
    code.localGet(a).localGet(b);
    code.op(`${type}${which === "min" ? "Min" : "Max"}` as "f32Min");
    code.localGet(b).localGet(a).localGet(a).op(isNumber).select();
    code.localGet(a).localGet(b).localGet(b).op(isNumber).select();
    code.free(a, b);
    emitFinish(context, format);
  };

export const absolute: Emit = (context, call) => {
  const format = formatOf(call.type);
  context.get(arg(call, 0));
  if (format === "float") context.code.f32Abs();
  else if (format === "double") context.code.f64Abs();
  else context.code.i32Const(0x7fff).i32And();
};

export const copysign: Emit = (context, call) => {
  const format = formatOf(call.type);
  context.get(arg(call, 0));
  if (isHalfLike(call.type)) {
    context.code.i32Const(0x7fff).i32And();
    context.get(arg(call, 1));
    context.code.i32Const(0x8000).i32And().i32Or();
    return;
  }
  context.get(arg(call, 1));
  context.code.op(format === "double" ? "f64Copysign" : "f32Copysign");
};

/** a*b+c rounded once. */
export const fma: Emit = (context, call) => {
  const { support, features } = context.env;
  const format = formatOf(call.type);
  if (features.fusedMultiplyAdd && (format === "float" || format === "double")) {
    // In place: V8 does not inline calls.
    for (const index of [0, 1, 2]) {
      context.get(arg(call, index));
      context.code.op(format === "float" ? "f32x4Splat" : "f64x2Splat");
    }
    if (format === "float") context.code.f32x4RelaxedMadd().f32x4ExtractLane(0);
    else context.code.f64x2RelaxedMadd().f64x2ExtractLane(0);
    return;
  }
  for (const index of [0, 1, 2]) context.get(arg(call, index));
  if (format === "float") context.code.call(support.fma32());
  else context.code.call(format === "double" ? support.fma64() : support.fma16(format));
};

export const reciprocal: Emit = (context, call) => {
  const type = computeType(formatOf(call.type));
  if (type === "f32") context.code.f32Const(1);
  else context.code.f64Const(1);
  getFloat(context, arg(call, 0));
  context.code.op(`${type}Div`);
};

/** 1/sqrt(x) in double precision, rounded to the format. */
export const reciprocalRoot: Emit = (context, call) => {
  context.code.f64Const(1);
  getFloat(context, arg(call, 0));
  const single = formatOf(call.type) === "float";
  if (single) context.code.f64PromoteF32();
  context.code.f64Sqrt().f64Div();
  if (single) context.code.f32DemoteF64();
};

export const roundAway: Emit = (context, call) => {
  const format = formatOf(call.type);
  getFloat(context, arg(call, 0));
  context.code.call(context.env.support.roundAway(computeType(format)));
  emitFinish(context, format);
};

/** min(max(x, 0), 1), NaN to 0. */
export const saturate: Emit = (context, call) => {
  const type = computeType(formatOf(call.type));
  const constant = (value: number): void => {
    if (type === "f32") context.code.f32Const(value);
    else context.code.f64Const(value);
  };
  getFloat(context, arg(call, 0));
  constant(0);
  context.code.call(context.env.support.minMaxNumber("max", type));
  constant(1);
  context.code.call(context.env.support.minMaxNumber("min", type));
};

/** llvm.is.fpclass: the classes are bits of the second argument (LangRef). */
export const isClass: Emit = (context, call) => {
  const { code } = context;
  const value = arg(call, 0);
  const test = arg(call, 1);
  const mask = test.kind === "const-int" ? Number(test.value) : 0;
  const format = formatOf(value.type);
  const [exponentBits, fractionBits] = { half: [5, 10], bfloat: [8, 7], float: [8, 23], double: [11, 52] }[format] as [
    number,
    number,
  ];
  const bits = code.local("i64");
  context.get(value);
  if (format === "double") code.i64ReinterpretF64();
  else {
    if (format === "float") code.i32ReinterpretF32();
    code.i64ExtendI32U();
  }
  code.localSet(bits);
  const fraction = 1n << BigInt(fractionBits);
  const infinity = ((1n << BigInt(exponentBits)) - 1n) * fraction;
  const signBit = 1n << BigInt(exponentBits + fractionBits);
  const range = (low: bigint, high: bigint): void => {
    // inclusive, over the bits
    code
      .localGet(bits)
      .i64Const(low)
      .i64Sub()
      .i64Const(high - low)
      .i64LeU()
      .i32Or();
  };
  code.i32Const(0);
  const classes: readonly (readonly [number, bigint, bigint])[] = [
    [0x001, infinity + 1n, infinity + fraction / 2n - 1n],
    [0x002, infinity + fraction / 2n, signBit - 1n], // signalling, quiet NaN
    [0x200, infinity, infinity],
    [0x100, fraction, infinity - 1n],
    [0x080, 1n, fraction - 1n],
    [0x040, 0n, 0n],
  ];
  const negative: Record<number, number> = {
    0x001: 0x001,
    0x002: 0x002,
    0x200: 0x004,
    0x100: 0x008,
    0x080: 0x010,
    0x040: 0x020,
  };
  for (const [flag, low, high] of classes) {
    if ((mask & flag) !== 0) range(low, high);
    if ((mask & (negative[flag] as number)) !== 0) range(low + signBit, high + signBit);
  }
  code.free(bits);
};
