/**
 * The pure intrinsics of NVVM (NVPTXUsage; PTX ISA 9.7.1–9.7.4 for what they compute).
 *
 * Approximate functions (ex2.approx, sin.approx …) are the double result rounded: within every bound that the hardware
 * keeps, though not its bits. `.ftz` flushes float subnormals of operands and results.
 */
import type { NameFields } from "../../ir/intrinsics/facts.ts";
import { bug } from "../../base/diagnostics.ts";
import {
  addDirected,
  convertDirected,
  divDirected,
  fmaDirected,
  mulDirected,
  roundIntegral,
  sqrtDirected,
  type RoundingMode,
} from "../../base/directed-rounding.ts";
import {
  float32FromBits,
  float32ToBits,
  float64FromBits,
  float64FromWords,
  float64ToBits,
  float64Words,
} from "../../base/float-bits.ts";
import { bigintToFloat32, roundHalfEven } from "../../base/float-rounding.ts";
import { numberToHalf } from "../../base/half.ts";
import type { FloatFormat, FunctionType } from "../../ir/model/ir.ts";
import { copySign, flushToZero, fmaOf, isNegative, maxNumber, minNumber, saturate } from "./float-functions.ts";
import { elementwise, type PureFunction } from "./llvm-functions.ts";
import { convertToInt } from "./scalar-operations.ts";
import { intFromBigint, roundTo, signed, type Value } from "./value.ts";

/**
 * The meaning of a pure NVVM intrinsic at one signature, or null where it is none. This is the reference, so it reads
 * the words of the name itself: the compiled engines go by the operation that the table makes of them.
 */
export function nvvmFunction({ words: parts, returnsOperand }: NameFields, type: FunctionType): PureFunction | null {
  if (returnsOperand) return ([pointer]) => pointer as Value;
  return (
    conversion(parts, type) ??
    integerFunction(parts) ??
    elementwise(type, (_, result) => (result.kind === "float" ? floatFunction(parts, result.format) : null))
  );
}

const MODES = new Set(["rn", "rz", "rm", "rp"]);

function modeOf(parts: readonly string[]): RoundingMode {
  return (parts.find((part) => MODES.has(part)) ?? "rn") as RoundingMode;
}

// ---------------------------------------------------------------- floats

type Numbers = (a: number, b: number, c: number) => number;

function floatFunction(parts: readonly string[], format: FloatFormat): PureFunction | null {
  const core = floatCore(parts, format);
  if (core === null) return null;
  const round = roundTo(format);
  const before = parts.includes("ftz") && format === "float" ? flushToZero : (x: number) => x;
  let after = parts.includes("relu") ? relu : (x: number) => x;
  if (parts.includes("sat")) after = saturate;
  return (args) => {
    const [a, b, c] = args as readonly number[];
    return before(round(after(core(before(a ?? 0), before(b ?? 0), before(c ?? 0)))));
  };
}

/** Negative values become +0; a NaN stays one. */
function relu(x: number): number {
  return isNegative(x) ? 0 : x;
}

function floatCore(parts: readonly string[], format: FloatFormat): Numbers | null {
  const mode = modeOf(parts);
  const wide = format === "double" ? "double" : "float";
  const directed = mode !== "rn";
  switch (parts[0]) {
    case "add":
      return directed ? (a, b) => addDirected(a, b, mode, wide) : (a, b) => a + b;
    case "sub":
      return (a, b) => a - b;
    case "mul":
      return directed ? (a, b) => mulDirected(a, b, mode, wide) : (a, b) => a * b;
    case "div":
      return directed ? (a, b) => divDirected(a, b, mode, wide) : (a, b) => a / b;
    case "fma":
      return directed ? (a, b, c) => fmaDirected(a, b, c, mode, wide) : fmaOf(format);
    case "rcp":
      return directed ? (a) => divDirected(1, a, mode, wide) : (a) => 1 / a;
    case "sqrt":
      return directed ? (a) => sqrtDirected(a, mode, wide) : Math.sqrt;
    case "rsqrt":
      return (a) => 1 / Math.sqrt(a);
    case "ex2":
      return (a) => 2 ** a;
    case "lg2":
      return Math.log2;
    case "sin":
      return Math.sin;
    case "cos":
      return Math.cos;
    case "tanh":
      return Math.tanh;
    case "saturate":
      return saturate;
    case "fabs":
    case "abs":
      return Math.abs;
    case "neg":
      return (a) => -a;
    case "ceil":
      return Math.ceil;
    case "floor":
      return Math.floor;
    case "trunc":
      return Math.trunc;
    case "round":
      return roundHalfEven;
    case "fmin":
    case "fmax":
      return extremum(parts);
    default:
      return null;
  }
}

/** .nan: a NaN operand is the result; .xorsign.abs: of the magnitudes, with the product of the signs. */
function extremum(parts: readonly string[]): Numbers {
  const smaller = parts[0] === "fmin";
  const [least, greatest] = parts.includes("nan") ? [Math.min, Math.max] : [minNumber, maxNumber];
  const pick = smaller ? least : greatest;
  if (!parts.includes("xorsign")) return (a, b) => pick(a, b);
  return (a, b) => copySign(pick(Math.abs(a), Math.abs(b)), isNegative(a) !== isNegative(b) ? -1 : 1);
}

// ---------------------------------------------------------------- conversions

const INT_TARGETS: Readonly<Record<string, readonly [number, boolean]>> = {
  i: [32, true],
  ui: [32, false],
  ll: [64, true],
  ull: [64, false],
};

function conversion(parts: readonly string[], type: FunctionType): PureFunction | null {
  const name = parts[0] as string;
  const mode = modeOf(parts);
  const flush = parts.includes("ftz") ? flushToZero : (x: number) => x;
  const positive = parts.includes("relu") ? relu : (x: number) => x;
  if (parts[0] === "bitcast") return bitCopy(parts[1] as string);
  if (name === "lohi") return ([low, high]) => float64FromWords(low as number, high as number);
  if (name === "d2i" && parts[1] === "lo") return ([a]) => float64Words(a as number).low;
  if (name === "d2i" && parts[1] === "hi") return ([a]) => float64Words(a as number).high;
  if (name === "d2f") return ([a]) => flush(convertDirected(a as number, mode, "float", Math.fround(a as number)));
  if (name === "f2h") return ([a]) => numberToHalf(flush(a as number));
  if (name === "f2bf16" || name === "ff2bf16x2" || name === "ff2f16x2") {
    const format: FloatFormat = name === "ff2f16x2" ? "half" : "bfloat";
    const round = mode === "rz" ? towardsZero(format) : roundTo(format);
    const one = (x: Value | undefined): number => positive(round(x as number));
    return name === "f2bf16" ? ([a]) => one(a) : ([high, low]) => [one(low), one(high)];
  }
  const toInt = /^[fd]2(i|ui|ll|ull)$/.exec(name);
  if (toInt !== null) {
    const [bits, isSigned] = INT_TARGETS[toInt[1] as string] as readonly [number, boolean];
    const format = name.startsWith("d") ? "double" : "float";
    return ([a]) => convertToInt(roundIntegral(flush(a as number), mode, roundHalfEven), format, bits, isSigned);
  }
  const fromInt = /^(i|ui|ll|ull)2([fd])$/.exec(name);
  if (fromInt !== null) {
    const [bits, isSigned] = INT_TARGETS[fromInt[1] as string] as readonly [number, boolean];
    return ([a]) => {
      const value = isSigned ? BigInt.asIntN(bits, BigInt(a as number | bigint)) : BigInt(a as number | bigint);
      return fromInt[2] === "d"
        ? convertDirected(value, mode, "double", Number(value))
        : convertDirected(value, mode, "float", bigintToFloat32(value));
    };
  }
  void type;
  return null;
}

/** Drops the bits that the smaller format has not; what is beyond its largest value becomes that value. */
function towardsZero(format: FloatFormat): (value: number) => number {
  const round = roundTo(format);
  const largest = format === "half" ? 65504 : 255 * 2 ** 120;
  return (value) => {
    if (!Number.isFinite(value)) return value;
    const nearest = round(value);
    if (Math.abs(nearest) <= Math.abs(value)) return nearest;
    if (!Number.isFinite(nearest)) return copySign(largest, value);
    // One unit less: rounding was away from zero, so the neighbour towards zero is right.
    const exponent = Math.floor(Math.log2(Math.abs(nearest)));
    const unit =
      format === "half" ? Math.max(2 ** (exponent - 11), 2 ** -24) : Math.max(2 ** (exponent - 8), 2 ** -133);
    return round(nearest - copySign(unit, nearest));
  };
}

function bitCopy(which: string): PureFunction {
  switch (which) {
    case "f2i":
      return ([a]) => float32ToBits(a as number);
    case "i2f":
      return ([a]) => float32FromBits(a as number);
    case "d2ll":
      return ([a]) => float64ToBits(a as number);
    case "ll2d":
      return ([a]) => float64FromBits(a as bigint);
    default:
      return bug(`bitcast ${which}`);
  }
}

// ---------------------------------------------------------------- integers

function integerFunction(parts: readonly string[]): PureFunction | null {
  const kind = parts[1] ?? "";
  switch (parts[0]) {
    case "mulhi": {
      const bits = bitsOfKind(kind);
      const read = kind.startsWith("u") ? big : (v: Value | undefined) => BigInt.asIntN(bits, big(v));
      return ([a, b]) => intFromBigint((read(a) * read(b)) >> BigInt(bits), bits);
    }
    case "mul24": {
      const read =
        kind === "ui"
          ? (v: Value | undefined) => big(v) & 0xffffffn
          : (v: Value | undefined) => BigInt.asIntN(24, big(v));
      return ([a, b]) => intFromBigint(read(a) * read(b), 32);
    }
    case "sad": {
      const bits = bitsOfKind(kind);
      const read = kind.startsWith("u") ? big : (v: Value | undefined) => BigInt.asIntN(bits, big(v));
      return ([a, b, c]) => {
        const difference = read(a) - read(b);
        return intFromBigint((difference < 0n ? -difference : difference) + big(c), bits);
      };
    }
    case "prmt":
      return permute(kind);
    case "idp4a":
      return dotProduct(4, kind, parts[2] as string);
    case "idp2a":
      return dotProduct(2, kind, parts[2] as string);
    case "popc":
      return ([a]) => big(a).toString(2).replaceAll("0", "").length;
    case "clz":
      return ([a]) => (kind === "ll" ? 64 : 32) - (big(a) === 0n ? 0 : big(a).toString(2).length);
    case "brev32":
      return ([a]) => Number(reverse(big(a), 32));
    case "brev64":
      return ([a]) => reverse(big(a), 64);
    case "abs":
      if (kind === "i") return ([a]) => Math.abs(signed(a as number, 32)) >>> 0;
      if (kind === "ll")
        return ([a]) => BigInt.asUintN(64, BigInt.asIntN(64, a as bigint) < 0n ? -(a as bigint) : (a as bigint));
      return null;
    case "rotate": {
      const bits = kind === "b32" ? 32 : 64;
      const right = kind === "right";
      return ([a, n]) => {
        const by = BigInt((n as number) % bits);
        const left = right ? (BigInt(bits) - by) % BigInt(bits) : by;
        return intFromBigint((big(a) << left) | (big(a) >> (BigInt(bits) - left)), bits);
      };
    }
    case "fshl":
      return ([a, b, s]) =>
        Number(((((big(a) << 32n) | big(b)) << BigInt(Math.min(s as number, 32))) >> 32n) & 0xffffffffn);
    case "fshr":
      return ([a, b, s]) => Number((((big(a) << 32n) | big(b)) >> BigInt(Math.min(s as number, 32))) & 0xffffffffn);
    case "sext":
    case "zext": {
      // szext (PTX ISA 9.7.1.26): keeps n low bits and extends them.
      const extend = parts[0] === "sext" ? BigInt.asIntN : BigInt.asUintN;
      const clamp = parts.includes("clamp");
      return ([a, n]) => intFromBigint(extend(clamp ? Math.min(n as number, 32) : (n as number) & 31, big(a)), 32);
    }
    case "bmsk": {
      const limit = kind === "clamp" ? (v: number) => Math.min(v, 32) : (v: number) => v & 31;
      return ([a, b]) =>
        Number((((1n << BigInt(limit(b as number))) - 1n) << BigInt(limit(a as number))) & 0xffffffffn);
    }
    case "fns":
      return ([mask, base, offset]) => findNthSet(mask as number, base as number, signed(offset as number, 32));
    default:
      return null;
  }
}

function big(value: Value | undefined): bigint {
  return BigInt(value as number | bigint);
}

function reverse(value: bigint, bits: number): bigint {
  return BigInt(`0b${[...value.toString(2).padStart(bits, "0")].reverse().join("")}`);
}

/** PTX ISA 9.7.9.7, prmt: bytes of {b, a} by a selector of four nibbles, or by one of six named patterns. */
function permute(mode: string): PureFunction {
  return (args) => {
    const [a, second] = args as readonly number[];
    // The patterns of one register have no operand b.
    const single = args.length === 2;
    const b = single ? 0 : (second as number);
    const control = (single ? second : (args[2] as number)) as number;
    const bytes = Array.from({ length: 8 }, (_, i) => ((i < 4 ? (a as number) : b) >>> ((i & 3) * 8)) & 0xff);
    const k = control & 3;
    let result = 0;
    for (let i = 0; i < 4; i++) {
      const nibble = (control >>> (i * 4)) & 15;
      let index: number;
      switch (mode) {
        case "f4e":
          index = (k + i) & 7;
          break;
        case "b4e":
          index = (k - i) & 7;
          break;
        case "rc8":
          index = k;
          break;
        case "ecl":
          index = Math.max(i, k);
          break;
        case "ecr":
          index = Math.min(i, k);
          break;
        case "rc16":
          index = (k & 1) * 2 + (i & 1);
          break;
        default:
          index = nibble & 7;
      }
      let byte = bytes[index] as number;
      if (mode === "" && nibble & 8) byte = byte & 0x80 ? 0xff : 0;
      result |= byte << (i * 8);
    }
    return result >>> 0;
  };
}

/** dp4a and dp2a (PTX ISA 9.7.1.23, 9.7.1.24). */
function dotProduct(lanes: 4 | 2, aKind: string, bKind: string): PureFunction {
  const part = (word: number, index: number, bits: number, kind: string): number => {
    const raw = (word >>> (index * bits)) & ((1 << bits) - 1);
    return kind === "s" ? signed(raw, bits) : raw;
  };
  return (args) => {
    const [a, b, third, fourth] = args as readonly number[];
    const first = lanes === 2 && third === 1 ? 2 : 0;
    let sum = (lanes === 4 ? third : fourth) as number;
    for (let i = 0; i < lanes; i++)
      sum = (sum + part(a as number, i, 32 / lanes, aKind) * part(b as number, first + i, 8, bKind)) | 0;
    return sum >>> 0;
  };
}

/** PTX ISA 9.7.1.20, fns: the offset-th set bit of mask from bit base; 0xffffffff if there is none. */
function findNthSet(mask: number, base: number, offset: number): number {
  let position = base;
  let found = 0;
  const step = offset > 0 ? 1 : -1;
  if (offset === 0) return (mask >>> base) & 1 ? base : 0xffffffff;
  for (; position >= 0 && position < 32; position += step)
    if ((mask >>> position) & 1 && ++found === Math.abs(offset)) return position;
  return 0xffffffff;
}

/** The width of an operand by the end of its name: ll and ull, i and ui, s and us. */
function bitsOfKind(kind: string): number {
  if (kind.endsWith("ll")) return 64;
  return kind.endsWith("i") ? 32 : 16;
}
