/**
 * What instructions of PTX compute, by the tables of the PTX ISA 8.5: integers (9.7.1), floats (9.7.3, 9.7.4, 9.7.5),
 * comparisons (9.7.6), logic and shifts (9.7.8), conversions (9.7.9.21). Values are the bits of a register.
 */
import * as exact from "./exact-floats.test-helper.ts";
import { FORMATS, type Format, type Mode, type Value } from "./exact-floats.test-helper.ts";

/** The words of an instruction behind its first. */
export type Words = readonly string[];

export const widthOf = (type: string): number => (type === "pred" ? 1 : Number(/\d+$/.exec(type)?.[0] ?? 0));
export const low = (value: bigint, bits: number): bigint => BigInt.asUintN(bits, value);
const isFloatType = (type: string): boolean => type in FORMATS;
const isSigned = (type: string): boolean => type.startsWith("s");
const read = (value: bigint, type: string): bigint =>
  (isSigned(type) ? BigInt.asIntN : BigInt.asUintN)(widthOf(type), value);

const MODES: ReadonlySet<string> = new Set(["rn", "rz", "rm", "rp"]);
/** Modes of rounding to a whole number. */
const WHOLE_MODES: Readonly<Record<string, Mode>> = { rni: "rn", rzi: "rz", rmi: "rm", rpi: "rp" };

const modeOf = (words: Words): Mode => (words.find((word) => MODES.has(word)) ?? "rn") as Mode;

/** .ftz: a subnormal becomes a zero of its sign. */
function flushed(value: Value, { precision, minExponent }: Format): Value {
  if (value.kind !== "finite") return value;
  const isSubnormal = value.exponent + value.whole.toString(2).length - 1 < minExponent;
  return isSubnormal && precision > 0 ? { ...value, whole: 0n } : value;
}

function floatOf(bits: bigint, type: string, words: Words): Value {
  const format = FORMATS[type] as Format;
  const value = exact.decode(low(bits, format.bits), format);
  return words.includes("ftz") && type === "f32" ? flushed(value, format) : value;
}

function bitsOf(value: Value, type: string, words: Words): bigint {
  const format = FORMATS[type] as Format;
  const one = exact.fromWhole(1n);
  let given = value;
  if (words.includes("sat")) {
    const isBelow = value.kind === "nan" || value.negative;
    if (isBelow) given = exact.fromWhole(0n);
    else if ((exact.compare(value, one) ?? 0) > 0) given = one;
  }
  if (words.includes("relu") && given.kind !== "nan" && given.negative) given = exact.fromWhole(0n);
  const bits = exact.encode(given, format, modeOf(words));
  if (!words.includes("ftz") || type !== "f32") return bits;
  return exact.encode(flushed(exact.decode(bits, format), format), format);
}

/** PTX ISA 8.5, 9.3.1 and 9.3.2: operators, whether they hold of less, equal and greater, and of unordered. */
const COMPARISONS: Readonly<Record<string, readonly [lt: boolean, eq: boolean, gt: boolean, unordered: boolean]>> = {
  eq: [false, true, false, false],
  ne: [true, false, true, false],
  lt: [true, false, false, false],
  le: [true, true, false, false],
  gt: [false, false, true, false],
  ge: [false, true, true, false],
  equ: [false, true, false, true],
  neu: [true, false, true, true],
  ltu: [true, false, false, true],
  leu: [true, true, false, true],
  gtu: [false, false, true, true],
  geu: [false, true, true, true],
  num: [true, true, true, false],
  nan: [false, false, false, true],
};

function setp(words: Words, a: bigint, b: bigint): bigint {
  const [operator, type] = [words[0] as string, words.at(-1) as string];
  const holds = COMPARISONS[operator];
  if (holds === undefined) throw new Error(`setp.${operator}`);
  if (!isFloatType(type)) {
    // Bits have no order; what is for floats alone is for no integers.
    if (holds[3] || operator === "num") throw new Error(`setp.${words.join(".")}`);
    if (type.startsWith("b") && operator !== "eq" && operator !== "ne") throw new Error(`setp.${words.join(".")}`);
    const [x, y] = [read(a, type), read(b, type)];
    return BigInt(holds[Number(x >= y) + Number(x > y)] as boolean);
  }
  const order = exact.compare(floatOf(a, type, words), floatOf(b, type, words));
  return BigInt((order === null ? holds[3] : holds[order + 1]) as boolean);
}

/** 9.7.9.21: cvt{.irnd, .frnd}{.ftz}{.sat}.dtype.atype */
function cvt(words: Words, a: bigint): bigint {
  const [to, from] = words.slice(-2) as [string, string];
  const whole = words.map((word) => WHOLE_MODES[word]).find((mode) => mode !== undefined);
  if (!isFloatType(from)) {
    const value = read(a, from);
    if (isFloatType(to)) {
      if (!words.some((word) => MODES.has(word))) throw new Error(`cvt.${words.join(".")} without a mode`);
      return bitsOf(exact.fromWhole(value), to, words);
    }
    return read(value, to);
  }
  const value = floatOf(a, from, words);
  if (!isFloatType(to)) {
    if (whole === undefined) throw new Error(`cvt.${words.join(".")} without a mode`);
    const bits = BigInt(widthOf(to));
    const [least, most] = isSigned(to) ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
    // "0 if the source is not .f64 and the destination not .s64 or .u64, else 1 << (width - 1)"
    if (value.kind === "nan") return from !== "f64" && bits < 64n ? 0n : 1n << (bits - 1n);
    if (value.kind === "infinite") return value.negative ? least : most;
    const rounded = exact.toWhole(value, whole);
    if (rounded < least) return least;
    return rounded > most ? most : rounded;
  }
  const narrows = (FORMATS[to] as Format).precision < (FORMATS[from] as Format).precision;
  if (narrows !== words.some((word) => MODES.has(word)) && whole === undefined)
    throw new Error(`cvt.${words.join(".")}: a mode where none is, or none`);
  if (whole === undefined || value.kind !== "finite") return bitsOf(value, to, words);
  const rounded = exact.fromWhole(exact.toWhole(value, whole));
  return bitsOf({ ...rounded, negative: value.negative }, to, words);
}

function floatMinMax(isMin: boolean, words: Words, a: bigint, b: bigint): bigint {
  const type = words.at(-1) as string;
  const [x, y] = [floatOf(a, type, words), floatOf(b, type, words)];
  if (x.kind === "nan" || y.kind === "nan") {
    if (words.includes("NaN")) return bitsOf({ kind: "nan" }, type, words);
    return bitsOf(x.kind === "nan" ? y : x, type, words);
  }
  // +0.0 is above -0.0 (9.7.3.11).
  const order = (exact.compare(x, y) as number) || Number(y.negative) - Number(x.negative);
  return bitsOf(order < 0 === isMin ? x : y, type, words);
}

function clampedShift(amount: bigint, bits: number): bigint {
  const n = low(amount, 32);
  return n > BigInt(bits) ? BigInt(bits) : n;
}

/** The least significant bit last. */
const reversed = (value: bigint, bits: number): bigint =>
  BigInt(`0b${[...value.toString(2).padStart(bits, "0")].reverse().join("")}`);

function prmt(a: bigint, b: bigint, selector: bigint): bigint {
  const bytes = (low(b, 32) << 32n) | low(a, 32);
  let result = 0n;
  for (let i = 0n; i < 4n; i++) {
    const select = (selector >> (4n * i)) & 15n;
    const byte = (bytes >> (8n * (select & 7n))) & 255n;
    result |= (select & 8n ? (byte >> 7n) * 255n : byte) << (8n * i);
  }
  return result;
}

/** 9.7.9.7: the selector that a named mode of prmt stands for, by the lowest two bits of c. */
function selectorOf(mode: string | undefined, c: bigint): bigint {
  const modes: Readonly<Record<string, readonly number[]>> = {
    f4e: [0x3210, 0x4321, 0x5432, 0x6543],
    b4e: [0x5670, 0x6701, 0x7012, 0x0123],
    rc8: [0x0000, 0x1111, 0x2222, 0x3333],
    ecl: [0x3210, 0x3211, 0x3222, 0x3333],
    ecr: [0x0000, 0x1110, 0x2210, 0x3210],
    rc16: [0x1010, 0x3232, 0x1010, 0x3232],
  };
  return mode === undefined ? c : BigInt(modes[mode]?.[Number(c & 3n)] as number);
}

/** 9.7.1.18, fns: the set bit that is the n-th from a position on, upwards or downwards. */
function nthSet(mask: bigint, base: bigint, n: bigint): bigint {
  const isSet = (at: bigint): boolean => ((mask >> at) & 1n) === 1n;
  if (n === 0n) return isSet(base) ? base : 0xffffffffn;
  let left = n > 0n ? n : -n;
  for (let at = base; at >= 0n && at < 32n; at += n > 0n ? 1n : -1n) if (isSet(at) && --left === 0n) return at;
  return 0xffffffffn;
}

function shf([direction, mode]: Words, a: bigint, b: bigint, c: bigint): bigint {
  const n = mode === "wrap" ? c & 31n : clampedShift(c, 32);
  const both = (low(b, 32) << 32n) | low(a, 32);
  return direction === "l" ? (both << n) >> 32n : both >> n;
}

/** 9.7.1.16 dp4a, 9.7.1.17 dp2a */
function dotProduct(words: Words, count: 2 | 4, a: bigint, b: bigint, c: bigint): bigint {
  const [at, bt] = words.slice(-2) as [string, string];
  const width = 32 / count;
  const part = (value: bigint, i: number, bits: number, type: string): bigint =>
    read(value >> BigInt(i * bits), `${type[0] as string}${bits}`);
  let total = read(c, at === "s32" || bt === "s32" ? "s32" : "u32");
  const first = words[0] === "hi" ? 2 : 0;
  for (let i = 0; i < count; i++) total += part(a, i, width, at) * part(b, count === 2 ? first + i : i, 8, bt);
  return total;
}

const pairwise = (words: Words, f: (words: Words, values: bigint[]) => bigint, values: bigint[]): bigint => {
  const element = [...words.slice(0, -1), (words.at(-1) as string).slice(0, -2)];
  const half = (i: bigint): bigint =>
    f(
      element,
      values.map((value) => (value >> (16n * i)) & 0xffffn),
    );
  return half(0n) | (half(1n) << 16n);
};

type Operation = (words: Words, values: bigint[]) => bigint;

const floats = (words: Words, values: bigint[]): [Value, Value, Value] =>
  values.map((value) => floatOf(value, words.at(-1) as string, words)) as [Value, Value, Value];

/** Operations of floats, or of a type that is none. */
const either =
  (ofFloats: (words: Words, values: bigint[]) => Value | bigint, ofInts: (words: Words, ...v: bigint[]) => bigint) =>
  (words: Words, values: bigint[]): bigint => {
    const type = words.at(-1) as string;
    if (type.endsWith("x2")) return pairwise(words, either(ofFloats, ofInts), values);
    if (!isFloatType(type))
      return ofInts(words, ...values.map((value) => (type.startsWith("b") ? value : read(value, type))));
    const result = ofFloats(words, values);
    return typeof result === "bigint" ? result : bitsOf(result, type, words);
  };

const noInts = (words: Words): bigint => {
  throw new Error(`no such instruction: ${words.join(".")}`);
};

/** Truncates as the operation does: .lo, .hi, .wide; .sat. */
function fitted(words: Words, value: bigint): bigint {
  const bits = BigInt(widthOf(words.at(-1) as string));
  if (words.includes("hi")) return value >> bits;
  if (!words.includes("sat")) return value;
  const [least, most] = [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
  if (value < least) return least;
  return value > most ? most : value;
}

const bit = (value: boolean): bigint => BigInt(value);

/** 9.7.3.17 to 9.7.3.23: what is approximate here is as exact as JavaScript's. */
const approximately =
  (f: (x: number) => number): Operation =>
  (words, [a]) => {
    if (words[0] !== "approx" || words.at(-1) !== "f32") throw new Error(`no such instruction: ${words.join(".")}`);
    const view = new DataView(new ArrayBuffer(4));
    view.setUint32(0, Number(a));
    view.setFloat32(0, f(view.getFloat32(0)));
    return BigInt(view.getUint32(0));
  };

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  add: either(
    (w, v) => exact.sum(...(floats(w, v).slice(0, 2) as [Value, Value]), modeOf(w)),
    (w, a, b) => fitted(w, (a as bigint) + (b as bigint)),
  ),
  sub: either(
    (w, v) => exact.sum(floats(w, v)[0], exact.negated(floats(w, v)[1]), modeOf(w)),
    (w, a, b) => fitted(w, (a as bigint) - (b as bigint)),
  ),
  mul: either(
    (w, v) => exact.product(floats(w, v)[0], floats(w, v)[1]),
    (w, a, b) => fitted(w, (a as bigint) * (b as bigint)),
  ),
  // Of .wide the addend is as wide as the product.
  mad: (w, [a, b, c]) =>
    either(noInts, (_, x, y) => fitted(w, (x as bigint) * (y as bigint)))(w, [a as bigint, b as bigint]) +
    (c as bigint),
  fma: either((w, v) => exact.sum(exact.product(floats(w, v)[0], floats(w, v)[1]), floats(w, v)[2], modeOf(w)), noInts),
  div: either(
    (w, v) => exact.quotient(floats(w, v)[0], floats(w, v)[1]),
    (_, a, b) => (b === 0n ? -1n : (a as bigint) / (b as bigint)),
  ),
  rem: either(noInts, (_, a, b) => (b === 0n ? -1n : (a as bigint) % (b as bigint))),
  rcp: either((w, v) => exact.quotient(exact.fromWhole(1n), floats(w, v)[0]), noInts),
  sqrt: either((w, v) => exact.root(floats(w, v)[0]), noInts),
  rsqrt: approximately((x) => 1 / Math.sqrt(x)),
  ex2: approximately((x) => 2 ** x),
  lg2: approximately(Math.log2),
  sin: approximately(Math.sin),
  cos: approximately(Math.cos),
  tanh: approximately(Math.tanh),
  neg: either(
    (w, [a]) => (a as bigint) ^ (1n << BigInt(widthOf(w.at(-1) as string) - 1)),
    (_, a) => -(a as bigint),
  ),
  abs: either(
    (w, [a]) => low(a as bigint, widthOf(w.at(-1) as string) - 1),
    (_, a) => ((a as bigint) < 0n ? -(a as bigint) : (a as bigint)),
  ),
  min: either(
    (w, [a, b]) => floatMinMax(true, w, a as bigint, b as bigint),
    (_, a, b) => ((a as bigint) < (b as bigint) ? (a as bigint) : (b as bigint)),
  ),
  max: either(
    (w, [a, b]) => floatMinMax(false, w, a as bigint, b as bigint),
    (_, a, b) => ((a as bigint) > (b as bigint) ? (a as bigint) : (b as bigint)),
  ),
  // 9.7.3.6: the sign of a, the magnitude of b.
  copysign: (w, [a, b]) => {
    const bits = widthOf(w.at(-1) as string);
    return low(b as bigint, bits - 1) | ((low(a as bigint, bits) >> BigInt(bits - 1)) << BigInt(bits - 1));
  },
  and: (_, [a, b]) => (a as bigint) & (b as bigint),
  or: (_, [a, b]) => (a as bigint) | (b as bigint),
  xor: (_, [a, b]) => (a as bigint) ^ (b as bigint),
  not: (w, [a]) => (w[0] === "pred" ? bit(a === 0n) : ~(a as bigint)),
  cnot: (_, [a]) => bit(a === 0n),
  slct: (w, [a, b, c]) => {
    const isNot = w[1] === "f32" ? exact.compare(floatOf(c as bigint, "f32", w), exact.fromWhole(0n)) : null;
    const first = w[1] === "f32" ? isNot !== null && isNot >= 0 : read(c as bigint, "s32") >= 0n;
    return first ? (a as bigint) : (b as bigint);
  },
  lop3: (_, [a, b, c, table]) => {
    let result = 0n;
    for (let i = 0n; i < 32n; i++) {
      const at = [a, b, c].reduce((sum: bigint, value) => sum * 2n + (((value as bigint) >> i) & 1n), 0n);
      result |= (((table as bigint) >> at) & 1n) << i;
    }
    return result;
  },
  shl: (w, [a, b]) => (a as bigint) << clampedShift(b as bigint, widthOf(w[0] as string)),
  shr: (w, [a, b]) => read(a as bigint, w[0] as string) >> clampedShift(b as bigint, widthOf(w[0] as string)),
  shf: (w, [a, b, c]) => shf(w, a as bigint, b as bigint, c as bigint),
  popc: (w, [a]) => BigInt([...low(a as bigint, widthOf(w[0] as string)).toString(2)].filter((c) => c === "1").length),
  clz: (w, [a]) => {
    const value = low(a as bigint, widthOf(w[0] as string));
    return BigInt(widthOf(w[0] as string) - (value === 0n ? 0 : value.toString(2).length));
  },
  brev: (w, [a]) => reversed(low(a as bigint, widthOf(w[0] as string)), widthOf(w[0] as string)),
  bfe: (w, [a, b, c]) => {
    const field = (read(a as bigint, w[0] as string) >> ((b as bigint) & 255n)) & ((1n << ((c as bigint) & 255n)) - 1n);
    return isSigned(w[0] as string) ? BigInt.asIntN(Number(c as bigint), field) : field;
  },
  prmt: (w, [a, b, c]) => prmt(a as bigint, b as bigint, selectorOf(w[1], c as bigint)),
  szext: (w, [a, b]) => {
    const bits = w[0] === "wrap" ? (b as bigint) & 31n : clampedShift(b as bigint, 32);
    return (isSigned(w[1] as string) ? BigInt.asIntN : BigInt.asUintN)(Number(bits), a as bigint);
  },
  bmsk: (w, [a, b]) => {
    const [start, width] = [a as bigint, b as bigint].map((n) => (w[0] === "wrap" ? n & 31n : clampedShift(n, 32)));
    return ((1n << (width as bigint)) - 1n) << (start as bigint);
  },
  fns: (_, [mask, base, offset]) => nthSet(mask as bigint, base as bigint, BigInt.asIntN(32, offset as bigint)),
  sad: either(
    noInts,
    (_, a, b, c) =>
      (c as bigint) + ((a as bigint) > (b as bigint) ? (a as bigint) - (b as bigint) : (b as bigint) - (a as bigint)),
  ),
  mul24: (w, [a, b]) => {
    const of24 = (value: bigint): bigint => (isSigned(w[1] as string) ? BigInt.asIntN : BigInt.asUintN)(24, value);
    const full = of24(a as bigint) * of24(b as bigint);
    return w[0] === "hi" ? full >> 16n : full;
  },
  dp4a: (w, [a, b, c]) => dotProduct(w, 4, a as bigint, b as bigint, c as bigint),
  dp2a: (w, [a, b, c]) => dotProduct(w, 2, a as bigint, b as bigint, c as bigint),
  setp: (w, [a, b]) => setp(w, a as bigint, b as bigint),
  selp: (_, [a, b, c]) => (c === 0n ? (b as bigint) : (a as bigint)),
  cvt: (w, [a]) => cvt(w, a as bigint),
};
