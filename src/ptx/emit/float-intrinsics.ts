/** Float intrinsics that are several PTX instructions, or different ones by the function's arithmetic. */
import type { CallInstruction, FloatType, IrValue } from "../../ir/model/ir.ts";
import { scalarBits } from "../../ir/model/types.ts";
import { floatToHalf, halfToFloat, operandForConversionOf } from "./arithmetic.ts";
import type { PtxFunction } from "./ptx-function.ts";
import { registerClass } from "./ptx-types.ts";

/** Whether the intrinsic was one of these. */
export function emitFloatIntrinsic(f: PtxFunction, i: CallInstruction, name: string, type: string): boolean {
  const value = i.args[0] as IrValue | undefined;
  if (value?.type.kind !== "float") return false;
  const { format } = value.type;
  switch (name) {
    case "llvm.sqrt":
    case "llvm.nvvm.sqrt.f": {
      if (format === "half" || format === "bfloat") {
        floatToHalf(
          f,
          f.define(i),
          f.make("f", `sqrt.rn.f32 $d, ${halfToFloat(f, f.register(value), format)}`),
          format,
        );
        return true;
      }
      f.emit(`sqrt.${f.approximate ? "approx" : "rn"}${f.ftz}.f32 ${f.define(i)}, ${f.operand(value)}`);
      return true;
    }
    case "llvm.floor":
    case "llvm.ceil":
    case "llvm.trunc":
    case "llvm.rint":
    case "llvm.nearbyint":
    case "llvm.roundeven": {
      const mode = { floor: "rmi", ceil: "rpi", trunc: "rzi", rint: "rni", nearbyint: "rni", roundeven: "rni" }[
        name.slice(5)
      ] as string;
      floatToHalf(
        f,
        f.define(i),
        f.make("f", `cvt.${mode}.f32.f32 $d, ${halfToFloat(f, f.register(value), format as "bfloat")}`),
        format as "bfloat",
      );
      return true;
    }
    case "llvm.round":
      return roundAwayFromZero(f, i, value, value.type);
    case "llvm.canonicalize":
      return canonicalize(f, i, value, type);
    case "llvm.minimum":
    case "llvm.maximum": {
      // Double has no .NaN form.
      const [a, b] = i.args.map((argument) => f.register(argument)) as [string, string];
      const plain = f.make("fd", `${name === "llvm.minimum" ? "min" : "max"}.f64 $d, ${a}, ${b}`);
      const result = f.define(i);
      const sum = f.make("fd", `add.rn.f64 $d, ${a}, ${b}`);
      f.emit(`selp.f64 ${result}, ${sum}, ${plain}, ${f.make("p", `setp.nan.f64 $d, ${a}, ${b}`)}`);
      return true;
    }
    case "llvm.copysign":
      return copySignHalf(f, i);
    case "llvm.fptosi.sat":
    case "llvm.fptoui.sat":
      return saturatingConversion(f, i, name, value);
    case "llvm.is.fpclass":
      return isClass(f, i, value);
    default:
      return false;
  }
}

/** Halves away from zero: the nearest integer towards zero, and one more where half or more is left. */
function roundAwayFromZero(f: PtxFunction, i: CallInstruction, value: IrValue, type: FloatType): boolean {
  const isHalf = type.format === "half" || type.format === "bfloat";
  const held = type.format === "double" ? "fd" : "f";
  const word = type.format === "double" ? "f64" : "f32";
  const x = isHalf ? halfToFloat(f, f.register(value), type.format as "half") : f.register(value);
  const [half, one] =
    type.format === "double" ? ["0d3FE0000000000000", "0d3FF0000000000000"] : ["0f3F000000", "0f3F800000"];
  const whole = f.make(held, `cvt.rzi.${word}.${word} $d, ${x}`);
  const rest = f.make(held, `abs.${word} $d, ${f.make(held, `sub.rn.${word} $d, ${x}, ${whole}`)}`);
  const up = f.make(held, `add.rn.${word} $d, ${whole}, ${f.make(held, `copysign.${word} $d, ${x}, ${one}`)}`);
  const result = f.make(
    held,
    `selp.${word} $d, ${up}, ${whole}, ${f.make("p", `setp.ge.${word} $d, ${rest}, ${half}`)}`,
  );
  if (isHalf) floatToHalf(f, f.define(i), result, type.format as "half");
  else f.alias(i, result);
  return true;
}

function canonicalize(f: PtxFunction, i: CallInstruction, value: IrValue, type: string): boolean {
  if (type === "f32") f.emit(`mul.rn${f.ftz}.f32 ${f.define(i)}, ${f.operand(value)}, 0f3F800000`);
  else if (type === "f64") f.emit(`mul.rn.f64 ${f.define(i)}, ${f.operand(value)}, 0d3FF0000000000000`);
  else f.copy(i, f.register(value));
  return true;
}

function copySignHalf(f: PtxFunction, i: CallInstruction): boolean {
  const [magnitude, sign] = i.args.map((argument) => f.register(argument)) as [string, string];
  const a = f.make("h", `and.b16 $d, ${magnitude}, 0x7fff`);
  const b = f.make("h", `and.b16 $d, ${sign}, 0x8000`);
  f.emit(`or.b16 ${f.define(i)}, ${a}, ${b}`);
  return true;
}

/** The instruction saturates; of a NaN LLVM makes 0. */
function saturatingConversion(f: PtxFunction, i: CallInstruction, name: string, value: IrValue): boolean {
  const bits = scalarBits(i.type);
  const [source, type] = operandForConversionOf(f, value);
  const held = registerClass(i.type);
  const converted = f.make(held, `cvt.rzi.${name.endsWith("toui.sat") ? "u" : "s"}${bits}.${type} $d, ${source}`);
  const number = type === "f16" ? f.make("f", `cvt.f32.f16 $d, ${source}`) : source;
  const isNan = f.make("p", `setp.nan.${type === "f64" ? "f64" : "f32"} $d, ${number}, ${number}`);
  f.emit(`selp.b${bits} ${f.define(i)}, 0, ${converted}, ${isNan}`);
  return true;
}

/**
 * The bits of llvm.is.fpclass's mask, by what the number is: signalling NaN, quiet NaN, then the classes from -inf to
 * +inf.
 */
function isClass(f: PtxFunction, i: CallInstruction, value: IrValue): boolean {
  const { format } = value.type as FloatType;
  const wide = format === "double";
  const bits = wide ? 64 : 32;
  const [mantissa, exponent] = { half: [10n, 5n], bfloat: [7n, 8n], float: [23n, 8n], double: [52n, 11n] }[format] as [
    bigint,
    bigint,
  ];
  const held = wide ? "rd" : "r";
  const raw = f.fresh(held);
  const register = f.register(value);
  if (format === "half" || format === "bfloat") f.emit(`cvt.u32.u16 ${raw}, ${register}`);
  else f.emit(`mov.b${bits} ${raw}, ${register}`);
  const sign = 1n << (mantissa + exponent);
  const infinity = ((1n << exponent) - 1n) << mantissa;
  const quiet = infinity | (1n << (mantissa - 1n));
  const magnitude = f.make(held, `and.b${bits} $d, ${raw}, ${sign - 1n}`);
  const isNegative = f.make(
    "p",
    `setp.ne.b${bits} $d, ${f.make(held, `and.b${bits} $d, ${raw}, ${BigInt.asIntN(bits, sign)}`)}, 0`,
  );
  const below = (limit: bigint): string => f.make("p", `setp.lt.u${bits} $d, ${magnitude}, ${limit}`);
  const pick = (condition: string, then: string | number, otherwise: string | number): string =>
    f.make("r", `selp.b32 $d, ${then}, ${otherwise}, ${condition}`);
  const signed = (negative: number, positive: number): string => pick(isNegative, negative, positive);
  const isInfinite = f.make("p", `setp.eq.b${bits} $d, ${magnitude}, ${infinity}`);
  const isZero = f.make("p", `setp.eq.b${bits} $d, ${magnitude}, 0`);
  const nan = pick(below(quiet), 1, 2);
  let found = pick(below(infinity), signed(8, 256), nan);
  found = pick(isInfinite, signed(4, 512), found);
  found = pick(below(1n << mantissa), signed(16, 128), found);
  found = pick(isZero, signed(32, 64), found);
  f.emit(`setp.ne.b32 ${f.define(i)}, ${f.make("r", `and.b32 $d, ${found}, ${f.operand(i.args[1] as IrValue)}`)}, 0`);
  return true;
}
