/**
 * Intrinsic functions whose result depends on their arguments alone (LangRef "Intrinsic Functions"; NVPTX usage guide),
 * and the memory intrinsics. What asks about threads, synchronises or calls out belongs to the tiers.
 *
 * The approximations of PTX (ex2.approx and the like) are as exact as the host's Math in double precision, rounded to
 * single: inside the error bounds of the PTX ISA, and the same as the interpreter's.
 */
import { bug } from "../../base/diagnostics.ts";
import type { IntrinsicFacts } from "../../ir/intrinsics/facts.ts";
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import type { CallInstruction, IrType } from "../../ir/model/ir.ts";
import type { PlainMethod } from "../../wasm/function-builder.ts";
import type { ScalarContext } from "./environment.ts";
import { emitToInteger } from "./floats.ts";
import { emitIntegerConstant } from "./integers.ts";
import { arg, carrierOf, type Emit } from "./intrinsic.ts";
import {
  absolute,
  binaryFloat,
  copysign,
  fma,
  isClass,
  minMax,
  reciprocal,
  reciprocalRoot,
  roundAway,
  saturate,
  unary,
  viaMath,
} from "./intrinsics-float.ts";
import {
  bitCount,
  emitWithOverflow,
  funnelShift,
  integerAbsolute,
  integerMinMax,
  leadingZeros,
  multiply24,
  multiplyHigh,
  permute,
  reverseBits,
  saturating,
  sumOfDifferences,
  swapBytes,
  trailingZeros,
} from "./intrinsics-integer.ts";
import { copyMemory, fillMemory, getSize } from "./intrinsics-memory.ts";
import { bitWidth, leavesOf, wasmTypeOf } from "./value-types.ts";

const identity: Emit = (context, call) => context.get(arg(call, 0));

const objectSize: Emit = (context, call) => {
  const smallest = arg(call, 1);
  emitIntegerConstant(
    context.code,
    carrierOf(call.type),
    smallest.kind === "const-int" && smallest.value === 1n ? 0 : -1,
  );
};

const maskPointer: Emit = (context, call) => {
  context.get(arg(call, 0));
  getSize(context, arg(call, 1));
  context.code.op(`${wasmTypeOf(call.type) as "i32" | "i64"}And`);
};

const ROUND_TO_INTEGRAL = { rn: "Nearest", rm: "Floor", rp: "Ceil", rz: null } as const;

const floatToInteger =
  (type: "f32" | "f64", isSigned: boolean): Emit =>
  (context, call) => {
    const rounding = ROUND_TO_INTEGRAL[factsOf(call).rounding ?? "rz"];
    context.get(arg(call, 0));
    if (rounding !== null) context.code.op(`${type}${rounding}`);
    emitToInteger(context, type, bitWidth(call.type), isSigned);
  };

const integerToFloat =
  (sign: "S" | "U"): Emit =>
  (context, call) => {
    const source = carrierOf(arg(call, 0).type) === "i64" ? "I64" : "I32";
    context.get(arg(call, 0));
    context.code.op(`${wasmTypeOf(call.type)}Convert${source}${sign}` as PlainMethod);
  };

/** One operand, and WebAssembly instructions after it. */
const after =
  (emit: (context: ScalarContext) => void): Emit =>
  (context, call) => {
    context.get(arg(call, 0));
    emit(context);
  };

const joinWords: Emit = (context, call) => {
  context.get(arg(call, 0));
  context.code.i64ExtendI32U();
  context.get(arg(call, 1));
  context.code.i64ExtendI32U().i64Const(32n).i64Shl().i64Or().f64ReinterpretI64();
};

/** By the operation's name in the table of intrinsics. */
const VALUES: Readonly<Record<string, Emit>> = {
  fabs: absolute,
  copysign,
  sqrt: unary("Sqrt"),
  floor: unary("Floor"),
  ceil: unary("Ceil"),
  trunc: unary("Trunc"),
  rint: unary("Nearest"),
  nearbyint: unary("Nearest"),
  roundeven: unary("Nearest"),
  round: roundAway,
  canonicalize: identity,
  fma,
  fmuladd: fma,
  minnum: minMax("min"),
  minimumnum: minMax("min"),
  maxnum: minMax("max"),
  maximumnum: minMax("max"),
  minimum: binaryFloat("Min"),
  maximum: binaryFloat("Max"),
  add: binaryFloat("Add"),
  mul: binaryFloat("Mul"),
  div: binaryFloat("Div"),
  rcp: reciprocal,
  rsqrt: reciprocalRoot,
  exp2: viaMath("exp2"),
  log2: viaMath("log2"),
  sin: viaMath("sin"),
  cos: viaMath("cos"),
  tanh: viaMath("tanh"),
  saturate,
  "is.fpclass": isClass,
  ctpop: bitCount,
  ctlz: leadingZeros,
  cttz: trailingZeros,
  bswap: swapBytes,
  bitreverse: reverseBits,
  fshl: funnelShift(true),
  fshr: funnelShift(false),
  abs: integerAbsolute,
  smin: integerMinMax("slt"),
  smax: integerMinMax("sgt"),
  umin: integerMinMax("ult"),
  umax: integerMinMax("ugt"),
  "sadd.sat": saturating("add", true),
  "uadd.sat": saturating("add", false),
  "ssub.sat": saturating("sub", true),
  "usub.sat": saturating("sub", false),
  "mulhi.s": multiplyHigh(true),
  "mulhi.i": multiplyHigh(true),
  "mulhi.ll": multiplyHigh(true),
  "mulhi.us": multiplyHigh(false),
  "mulhi.ui": multiplyHigh(false),
  "mulhi.ull": multiplyHigh(false),
  "mul24.i": multiply24(true),
  "mul24.ui": multiply24(false),
  "sad.i": sumOfDifferences(true),
  "sad.s": sumOfDifferences(true),
  "sad.ui": sumOfDifferences(false),
  "sad.us": sumOfDifferences(false),
  prmt: permute,
  objectsize: objectSize,
  "is.constant": (context) => void context.code.i32Const(0),
  ptrmask: maskPointer,
  f2i: floatToInteger("f32", true),
  f2ui: floatToInteger("f32", false),
  f2ll: floatToInteger("f32", true),
  f2ull: floatToInteger("f32", false),
  d2i: floatToInteger("f64", true),
  d2ui: floatToInteger("f64", false),
  d2ll: floatToInteger("f64", true),
  d2ull: floatToInteger("f64", false),
  i2f: integerToFloat("S"),
  i2d: integerToFloat("S"),
  ll2f: integerToFloat("S"),
  ll2d: integerToFloat("S"),
  ui2f: integerToFloat("U"),
  ui2d: integerToFloat("U"),
  ull2f: integerToFloat("U"),
  ull2d: integerToFloat("U"),
  d2f: after((context) => void context.code.f32DemoteF64()),
  f2h: after((context) => void context.code.call(context.env.support.narrow("half"))),
  f2bf16: after((context) => void context.code.call(context.env.support.narrow("bfloat"))),
  "bitcast.f2i": after((context) => void context.code.i32ReinterpretF32()),
  "bitcast.i2f": after((context) => void context.code.f32ReinterpretI32()),
  "bitcast.d2ll": after((context) => void context.code.i64ReinterpretF64()),
  "bitcast.ll2d": after((context) => void context.code.f64ReinterpretI64()),
  "d2i.lo": after((context) => void context.code.i64ReinterpretF64().i32WrapI64()),
  "d2i.hi": after((context) => void context.code.i64ReinterpretF64().i64Const(32n).i64ShrU().i32WrapI64()),
  lohi: joinWords,
};

const RANGES: Readonly<Record<"memcpy" | "memmove" | "memset", Emit>> = {
  memcpy: copyMemory,
  memmove: copyMemory,
  memset: fillMemory,
};

const fence: Emit = (context) => void context.code.atomicFence();

interface Entry {
  readonly emit: Emit;
  /** The result is on the stack; otherwise there is none. */
  readonly hasValue: boolean;
  readonly flushes: boolean;
}

const NOTHING: Entry = { emit: () => {}, hasValue: false, flushes: false };
const entries = new Map<string, Entry | null>();

/** What emits a call of the intrinsic `name`, or null when it is not one of these. */
function lookUp(name: string): Entry | null {
  let entry = entries.get(name);
  if (entry === undefined) entries.set(name, (entry = makeEntry(intrinsicOf(name))));
  return entry;
}

function makeEntry(facts: IntrinsicFacts | null): Entry | null {
  if (facts === null) return null;
  // A thread that sleeps lets others run: the tiers' own.
  if (facts.kind === "ignored") return facts.operation === "nanosleep" ? null : NOTHING;
  if (facts.memoryRange !== null) return { emit: RANGES[facts.memoryRange], hasValue: false, flushes: false };
  if (facts.isFence) return { emit: fence, hasValue: false, flushes: false };
  if (facts.kind !== "pure" || isRare(facts)) return null;
  const emit = overflowEmitter(facts.operation) ?? VALUES[facts.operation] ?? (facts.returnsOperand ? identity : null);
  if (emit === null) return null;
  return { emit, hasValue: !facts.operation.endsWith(".overflow"), flushes: facts.flushesToZero };
}

/** Forms on vectors of two halves, with saturation, or rounded in a direction: left to the interpreter's definition. */
function isRare({ isNvvm, isVector, saturates, relu, xorSign, rounding, words }: IntrinsicFacts): boolean {
  if (isVector || saturates || relu || xorSign) return true;
  const isDirected = isNvvm && rounding !== null && rounding !== "rn";
  return isDirected && !ROUNDS_TO_INTEGER.has(words[0] as string);
}

const ROUNDS_TO_INTEGER: ReadonlySet<string> = new Set("f2i f2ui f2ll f2ull d2i d2ui d2ll d2ull".split(" "));

/** `sadd.with.overflow`: sets its two results by itself. */
function overflowEmitter(operation: string): Emit | null {
  if (!operation.endsWith(".with.overflow")) return null;
  const operator = operation.slice(1, 4) as "add" | "sub" | "mul";
  return (context, call) => emitWithOverflow(context, call, operator, operation.startsWith("s"));
}

function factsOf(call: CallInstruction): IntrinsicFacts {
  return intrinsicOf((call.callee as { name: string }).name) ?? bug("a call of an intrinsic");
}

/** Emits a call of a scalar intrinsic with its result set; false when `name` is not one. */
export function emitScalarIntrinsic(context: ScalarContext, call: CallInstruction, name: string): boolean {
  const entry = lookUp(name);
  if (entry === null) return emitExternal(context, call, name);
  if (entry.flushes) emitFlushing(context, call, entry.emit);
  else entry.emit(context, call);
  if (entry.hasValue) context.set(call);
  return true;
}

function emitExternal(context: ScalarContext, call: CallInstruction, name: string): boolean {
  const external = context.env.externals.get(name);
  if (external === undefined) return false;
  for (const value of call.args) leavesOf(value.type).forEach((_, n) => context.get(value, n));
  context.code.call(external);
  for (let n = external.results.length - 1; n >= 0; n--) context.set(call, n);
  return true;
}

/** Subnormal operands and results are zeros of their sign. */
function emitFlushing(context: ScalarContext, call: CallInstruction, emit: Emit): void {
  const flush = (type: IrType): void => {
    if (type.kind === "float" && type.format === "float") context.code.call(context.env.support.flushToZero());
  };
  const flushed: ScalarContext = {
    ...context,
    get: (value, component) => {
      context.get(value, component);
      flush(value.type);
    },
  };
  emit(flushed, call);
  flush(call.type);
}

export function isScalarIntrinsic(name: string): boolean {
  return lookUp(name) !== null;
}
