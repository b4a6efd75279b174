/** Intrinsics on floats (LangRef "Standard C/C++ Library Intrinsics", NVVM's of the same meaning). */
import type { PlainMethod } from "../../wasm/function-builder.ts";
import { computeType, emitFinish, formatOf, getFloat } from "./floats.ts";
import { arg, type Emit } from "./intrinsic.ts";
import { isHalfLike } from "./value-types.ts";

/** A unary float operation done in the compute type. */
export const unary =
  (method: string): Emit =>
  (c, call) => {
    const format = formatOf(call.type);
    getFloat(c, arg(call, 0));
    c.f.op(`${computeType(format)}${method}` as PlainMethod);
    emitFinish(c, format);
  };

export const binaryFloat =
  (method: string): Emit =>
  (c, call) => {
    const format = formatOf(call.type);
    getFloat(c, arg(call, 0));
    getFloat(c, arg(call, 1));
    c.f.op(`${computeType(format)}${method}` as PlainMethod);
    emitFinish(c, format);
  };

/** A function of the host's Math, in double precision, rounded to the format. */
export const viaMath =
  (name: "exp2" | "log2" | "sin" | "cos" | "tanh"): Emit =>
  (c, call) => {
    const format = formatOf(call.type);
    getFloat(c, arg(call, 0));
    if (computeType(format) === "f32") c.f.f64PromoteF32();
    c.f.call(c.env.math[name]);
    if (format === "float") c.f.f32DemoteF64();
    else if (isHalfLike(call.type)) c.f.call(c.env.support.narrowDouble(call.type.format));
  };

export const minMax =
  (which: "min" | "max"): Emit =>
  (c, call) => {
    const format = formatOf(call.type);
    getFloat(c, arg(call, 0));
    getFloat(c, arg(call, 1));
    c.f.call(c.env.support.minMaxNumber(which, computeType(format)));
    emitFinish(c, format);
  };

export const absolute: Emit = (c, call) => {
  const format = formatOf(call.type);
  c.get(arg(call, 0));
  if (format === "float") c.f.f32Abs();
  else if (format === "double") c.f.f64Abs();
  else c.f.i32Const(0x7fff).i32And();
};

export const copysign: Emit = (c, call) => {
  const format = formatOf(call.type);
  c.get(arg(call, 0));
  if (isHalfLike(call.type)) {
    c.f.i32Const(0x7fff).i32And();
    c.get(arg(call, 1));
    c.f.i32Const(0x8000).i32And().i32Or();
    return;
  }
  c.get(arg(call, 1));
  c.f.op(format === "double" ? "f64Copysign" : "f32Copysign");
};

/** a*b+c rounded once. */
export const fma: Emit = (c, call) => {
  const { support, features } = c.env;
  const format = formatOf(call.type);
  if (features.fusedMultiplyAdd && (format === "float" || format === "double")) {
    // In place: V8 does not inline calls.
    for (const index of [0, 1, 2]) {
      c.get(arg(call, index));
      c.f.op(format === "float" ? "f32x4Splat" : "f64x2Splat");
    }
    if (format === "float") c.f.f32x4RelaxedMadd().f32x4ExtractLane(0);
    else c.f.f64x2RelaxedMadd().f64x2ExtractLane(0);
    return;
  }
  for (const index of [0, 1, 2]) c.get(arg(call, index));
  c.f.call(format === "float" ? support.fma32() : format === "double" ? support.fma64() : support.fma16(format));
};

export const reciprocal: Emit = (c, call) => {
  const type = computeType(formatOf(call.type));
  if (type === "f32") c.f.f32Const(1);
  else c.f.f64Const(1);
  getFloat(c, arg(call, 0));
  c.f.op(`${type}Div`);
};

/** 1/sqrt(x) in double precision, rounded to the format. */
export const reciprocalRoot: Emit = (c, call) => {
  c.f.f64Const(1);
  getFloat(c, arg(call, 0));
  const single = formatOf(call.type) === "float";
  if (single) c.f.f64PromoteF32();
  c.f.f64Sqrt().f64Div();
  if (single) c.f.f32DemoteF64();
};

export const roundAway: Emit = (c, call) => {
  const format = formatOf(call.type);
  getFloat(c, arg(call, 0));
  c.f.call(c.env.support.roundAway(computeType(format)));
  emitFinish(c, format);
};

/** min(max(x, 0), 1), NaN to 0. */
export const saturate: Emit = (c, call) => {
  const type = computeType(formatOf(call.type));
  const constant = (value: number): void => {
    if (type === "f32") c.f.f32Const(value);
    else c.f.f64Const(value);
  };
  getFloat(c, arg(call, 0));
  constant(0);
  c.f.call(c.env.support.minMaxNumber("max", type));
  constant(1);
  c.f.call(c.env.support.minMaxNumber("min", type));
};

/** llvm.is.fpclass: the classes are bits of the second argument (LangRef). */
export const isClass: Emit = (c, call) => {
  const { f } = c;
  const value = arg(call, 0);
  const test = arg(call, 1);
  const mask = test.kind === "const-int" ? Number(test.value) : 0;
  const format = formatOf(value.type);
  const [exponentBits, fractionBits] = { half: [5, 10], bfloat: [8, 7], float: [8, 23], double: [11, 52] }[format] as [
    number,
    number,
  ];
  const bits = f.local("i64");
  c.get(value);
  if (format === "double") f.i64ReinterpretF64();
  else {
    if (format === "float") f.i32ReinterpretF32();
    f.i64ExtendI32U();
  }
  f.localSet(bits);
  const fraction = 1n << BigInt(fractionBits);
  const infinity = ((1n << BigInt(exponentBits)) - 1n) * fraction;
  const signBit = 1n << BigInt(exponentBits + fractionBits);
  const range = (low: bigint, high: bigint): void => {
    // inclusive, over the bits
    f.localGet(bits)
      .i64Const(low)
      .i64Sub()
      .i64Const(high - low)
      .i64LeU()
      .i32Or();
  };
  f.i32Const(0);
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
  f.free(bits);
};
