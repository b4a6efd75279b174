/**
 * Intrinsic functions whose result depends on their arguments alone (LangRef "Intrinsic Functions"; NVPTX usage guide),
 * and the memory intrinsics. What asks about threads, synchronises or calls out belongs to the tiers.
 *
 * The approximations of PTX (ex2.approx and the like) are as exact as the host's Math in double precision, rounded to
 * single: inside the error bounds of the PTX ISA, and the same as the interpreter's.
 */
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
import { copyMemory, fillMemory } from "./intrinsics-memory.ts";
import { bitWidth, leavesOf, wasmTypeOf } from "./value-types.ts";

/** Calls that do nothing here. */
const NOTHING =
  /^llvm\.(lifetime\.|assume|invariant\.|experimental\.noalias|sideeffect|dbg\.|donothing|prefetch|var\.annotation|pseudoprobe|stackrestore$)|^llvm\.nvvm\.(prefetch|pragma|discard|applypriority)/;

const identity: Emit = (c, call) => c.get(arg(call, 0));

/** First match wins. The name is taken without its type suffix where the pattern ends in a dot. */
const TABLE: readonly (readonly [RegExp, Emit])[] = [
  [/^llvm\.(fabs\.|nvvm\.fabs\.)/, absolute],
  [/^llvm\.copysign\./, copysign],
  [/^llvm\.(sqrt\.|nvvm\.sqrt\.(rn|approx|f))/, unary("Sqrt")],
  [/^llvm\.(floor\.|nvvm\.floor\.)/, unary("Floor")],
  [/^llvm\.(ceil\.|nvvm\.ceil\.)/, unary("Ceil")],
  [/^llvm\.(trunc\.|nvvm\.trunc\.)/, unary("Trunc")],
  [/^llvm\.(rint\.|nearbyint\.|roundeven\.|nvvm\.round\.)/, unary("Nearest")],
  [/^llvm\.round\./, roundAway],
  [/^llvm\.canonicalize\./, identity],
  [/^llvm\.(fma\.|fmuladd\.|nvvm\.fma\.rn\.)/, fma],
  [/^llvm\.(minnum\.|minimumnum\.|nvvm\.fmin\.(ftz\.)?(f|d|f16|bf16)$)/, minMax("min")],
  [/^llvm\.(maxnum\.|maximumnum\.|nvvm\.fmax\.(ftz\.)?(f|d|f16|bf16)$)/, minMax("max")],
  [/^llvm\.(minimum\.|nvvm\.fmin\.(ftz\.)?nan)/, binaryFloat("Min")],
  [/^llvm\.(maximum\.|nvvm\.fmax\.(ftz\.)?nan)/, binaryFloat("Max")],
  [/^llvm\.nvvm\.add\.rn\./, binaryFloat("Add")],
  [/^llvm\.nvvm\.mul\.rn\./, binaryFloat("Mul")],
  [/^llvm\.nvvm\.div\.(rn|full|approx)/, binaryFloat("Div")],
  [/^llvm\.nvvm\.rcp\./, reciprocal],
  [/^llvm\.nvvm\.rsqrt\.approx\./, reciprocalRoot],
  [/^llvm\.(exp2\.|nvvm\.ex2\.approx)/, viaMath("exp2")],
  [/^llvm\.(log2\.|nvvm\.lg2\.approx)/, viaMath("log2")],
  [/^llvm\.(sin\.|nvvm\.sin\.approx)/, viaMath("sin")],
  [/^llvm\.(cos\.|nvvm\.cos\.approx)/, viaMath("cos")],
  [/^llvm\.(tanh\.|nvvm\.tanh\.approx)/, viaMath("tanh")],
  [/^llvm\.nvvm\.saturate\./, saturate],
  [/^llvm\.is\.fpclass\./, isClass],
  [/^llvm\.(ctpop\.|nvvm\.popc\.)/, bitCount],
  [/^llvm\.(ctlz\.|nvvm\.clz\.)/, leadingZeros],
  [/^llvm\.cttz\./, trailingZeros],
  [/^llvm\.bswap\./, swapBytes],
  [/^llvm\.(bitreverse\.|nvvm\.brev)/, reverseBits],
  [/^llvm\.fshl\./, funnelShift(true)],
  [/^llvm\.fshr\./, funnelShift(false)],
  [/^llvm\.(abs\.|nvvm\.abs\.(i|ll)$)/, integerAbsolute],
  [/^llvm\.(smin\.|nvvm\.min\.(i|s|ll)$)/, integerMinMax("slt")],
  [/^llvm\.(smax\.|nvvm\.max\.(i|s|ll)$)/, integerMinMax("sgt")],
  [/^llvm\.(umin\.|nvvm\.min\.(ui|us|ull)$)/, integerMinMax("ult")],
  [/^llvm\.(umax\.|nvvm\.max\.(ui|us|ull)$)/, integerMinMax("ugt")],
  [/^llvm\.sadd\.sat\./, saturating("add", true)],
  [/^llvm\.uadd\.sat\./, saturating("add", false)],
  [/^llvm\.ssub\.sat\./, saturating("sub", true)],
  [/^llvm\.usub\.sat\./, saturating("sub", false)],
  [/^llvm\.nvvm\.mulhi\.(s|i|ll)$/, multiplyHigh(true)],
  [/^llvm\.nvvm\.mulhi\.(us|ui|ull)$/, multiplyHigh(false)],
  [/^llvm\.nvvm\.mul24\.i$/, multiply24(true)],
  [/^llvm\.nvvm\.mul24\.ui$/, multiply24(false)],
  [/^llvm\.nvvm\.sad\.(i|s)$/, sumOfDifferences(true)],
  [/^llvm\.nvvm\.sad\.(ui|us)$/, sumOfDifferences(false)],
  [/^llvm\.nvvm\.prmt$/, permute],
  [
    /^llvm\.(expect\.|expect\.with|launder\.invariant|strip\.invariant|annotation\.|ssa\.copy|nvvm\.ptr\.|threadlocal|ptr\.annotation)/,
    identity,
  ],
  [
    /^llvm\.objectsize\./,
    (c, call) => {
      emitIntegerConstant(
        c.f,
        carrierOf(call.type),
        arg(call, 1).kind === "const-int" && (arg(call, 1) as { value: bigint }).value === 1n ? 0 : -1,
      );
    },
  ],
  [
    /^llvm\.is\.constant\./,
    (c) => {
      c.f.i32Const(0);
    },
  ],
  [
    /^llvm\.ptrmask\./,
    (c, call) => {
      c.get(arg(call, 0));
      c.get(arg(call, 1));
      if (bitWidth(arg(call, 1).type) === 64) c.f.i32WrapI64();
      c.f.i32And();
    },
  ],
  [
    /^llvm\.nvvm\.(f2i|f2ui|f2ll|f2ull|d2i|d2ui|d2ll|d2ull)\.(rz|rn|rm|rp)/,
    (c, call) => {
      const [, name, mode] = /\.([fd]2u?(?:i|ll))\.(r[znmp])/.exec(
        (call.callee as { name: string }).name,
      ) as RegExpExecArray;
      const type = name![0] === "f" ? "f32" : "f64";
      c.get(arg(call, 0));
      if (mode !== "rz") c.f.op(`${type}${mode === "rn" ? "Nearest" : mode === "rm" ? "Floor" : "Ceil"}`);
      emitToInteger(c, type, bitWidth(call.type), !name!.includes("u"));
    },
  ],
  [
    /^llvm\.nvvm\.(i2f|ui2f|ll2f|ull2f|i2d|ui2d|ll2d|ull2d)\.rn$/,
    (c, call) => {
      const unsigned = /\.u/.test((call.callee as { name: string }).name);
      c.get(arg(call, 0));
      c.f.op(
        `${wasmTypeOf(call.type)}Convert${carrierOf(arg(call, 0).type) === "i64" ? "I64" : "I32"}${unsigned ? "U" : "S"}` as PlainMethod,
      );
    },
  ],
  [
    /^llvm\.nvvm\.d2f\.rn/,
    (c, call) => {
      c.get(arg(call, 0));
      c.f.f32DemoteF64();
    },
  ],
  [
    /^llvm\.nvvm\.f2h\.rn/,
    (c, call) => {
      c.get(arg(call, 0));
      c.f.call(c.env.support.narrow("half"));
    },
  ],
  [
    /^llvm\.nvvm\.f2bf16\.rn$/,
    (c, call) => {
      c.get(arg(call, 0));
      c.f.call(c.env.support.narrow("bfloat"));
    },
  ],
  [
    /^llvm\.nvvm\.bitcast\.f2i$/,
    (c, call) => {
      c.get(arg(call, 0));
      c.f.i32ReinterpretF32();
    },
  ],
  [
    /^llvm\.nvvm\.bitcast\.i2f$/,
    (c, call) => {
      c.get(arg(call, 0));
      c.f.f32ReinterpretI32();
    },
  ],
  [
    /^llvm\.nvvm\.bitcast\.d2ll$/,
    (c, call) => {
      c.get(arg(call, 0));
      c.f.i64ReinterpretF64();
    },
  ],
  [
    /^llvm\.nvvm\.bitcast\.ll2d$/,
    (c, call) => {
      c.get(arg(call, 0));
      c.f.f64ReinterpretI64();
    },
  ],
  [
    /^llvm\.nvvm\.d2i\.(lo|hi)$/,
    (c, call) => {
      c.get(arg(call, 0));
      c.f.i64ReinterpretF64();
      if ((call.callee as { name: string }).name.endsWith("hi")) c.f.i64Const(32n).i64ShrU();
      c.f.i32WrapI64();
    },
  ],
  [
    /^llvm\.nvvm\.lohi\.i2d$/,
    (c, call) => {
      c.get(arg(call, 0));
      c.f.i64ExtendI32U();
      c.get(arg(call, 1));
      c.f.i64ExtendI32U().i64Const(32n).i64Shl().i64Or().f64ReinterpretI64();
    },
  ],
];

const VOID_TABLE: readonly (readonly [RegExp, Emit])[] = [
  [/^llvm\.(memcpy|memmove)\./, copyMemory],
  [/^llvm\.memset\./, fillMemory],
  [
    /^llvm\.nvvm\.membar|^llvm\.nvvm\.fence/,
    (c) => {
      c.f.atomicFence();
    },
  ],
];

/** Forms on vectors of two halves, with saturation, or rounded in a direction: left to the interpreter's definition. */
const RARE =
  /x2(\.|$)|\.v\d+[ifb]|^llvm\.nvvm\..*\.(sat|relu|xorsign)(\.|$)|^llvm\.nvvm\.(?![fd]2u?(?:i|ll)\.).*\.(rz|rm|rp)(\.|$)/;

const found = new Map<string, { emit: Emit; value: boolean } | null>();

/** What emits a call of the intrinsic `name`, or null when it is not one of these. */
function lookUp(name: string): { emit: Emit; value: boolean } | null {
  let entry = found.get(name);
  if (entry === undefined) {
    const value = RARE.test(name) ? undefined : TABLE.find(([pattern]) => pattern.test(name));
    const effect = value === undefined ? VOID_TABLE.find(([pattern]) => pattern.test(name)) : undefined;
    entry = value ? { emit: value[1], value: true } : effect ? { emit: effect[1], value: false } : null;
    found.set(name, entry);
  }
  return entry;
}

const FLUSHES = /^llvm\.nvvm\..*\.ftz(\.|$)/;
const OVERFLOW = /^llvm\.([su])(add|sub|mul)\.with\.overflow\./;

/** Emits a call of a scalar intrinsic with its result set; false when `name` is not one. */
export function emitScalarIntrinsic(c: ScalarContext, call: CallInstruction, name: string): boolean {
  if (NOTHING.test(name)) return true;
  const overflow = OVERFLOW.exec(name);
  if (overflow !== null) {
    emitWithOverflow(c, call, overflow[2] as "add" | "sub" | "mul", overflow[1] === "s");
    return true;
  }
  const entry = lookUp(name);
  if (entry === null) {
    const external = c.env.externals.get(name);
    if (external === undefined) return false;
    for (const value of call.args) leavesOf(value.type).forEach((_, n) => c.get(value, n));
    c.f.call(external);
    for (let n = external.results.length - 1; n >= 0; n--) c.set(call, n);
    return true;
  }
  if (FLUSHES.test(name)) {
    // Subnormal operands and results are zeros of their sign.
    const flush = (type: IrType): void => {
      if (type.kind === "float" && type.format === "float") c.f.call(c.env.support.flushToZero());
    };
    entry.emit(
      {
        ...c,
        get: (value, component) => {
          c.get(value, component);
          flush(value.type);
        },
      },
      call,
    );
    flush(call.type);
  } else entry.emit(c, call);
  if (entry.value) c.set(call);
  return true;
}

export function isScalarIntrinsic(name: string): boolean {
  return NOTHING.test(name) || OVERFLOW.test(name) || lookUp(name) !== null;
}
