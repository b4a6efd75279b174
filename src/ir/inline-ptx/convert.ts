/** cvt and the address conversions cvta and isspacep as IR (PTX ISA 8.5, 9.7.9.19–22). */
import { constFloat, constInt } from "../model/build.ts";
import type { FloatType, IntType, IrValue } from "../model/ir.ts";
import { saturate, type PtxHandler } from "./handler.ts";
import type { PtxCall, PtxEmitter, PtxType } from "./emit.ts";
import { ptxType } from "./emit.ts";
import { BF16, F16, F32, F64, I1, I32, intType } from "../model/types.ts";

const has = (c: PtxCall, word: string): boolean => c.words.includes(word);
const SUFFIX: Readonly<Record<string, string>> = { half: "f16", bfloat: "bf16", float: "f32", double: "f64" };

function convert(e: PtxEmitter, c: PtxCall): void {
  if (has(c, "pack")) return packIntegers(e, c);
  if (has(c, "tf32")) return toTf32(e, c);
  const bytes = c.words.findIndex((word) => word === "e4m3x2" || word === "e5m2x2");
  if (bytes >= 0) return bytes === c.words.length - 1 ? fromFp8(e, c) : toFp8(e, c);
  const [to, from] = c.words
    .slice(1)
    .filter((word) => !/^(?:r[nzmp]i?|rna|rs|ftz|sat|satfinite|relu|scaled|n2::\w+)$/.test(word))
    .map((word) => ptxType(word));
  if (!to || !from) return e.unsupported(c);
  if (to.lanes === 2) return convertPair(e, c, to, from);
  const value = e.read(c, 1, from.ir, from.kind === "signed");
  const result =
    to.kind === "float" ? toFloat(e, c, value, from, to.ir as FloatType) : toInteger(e, c, value, from, to);
  e.write(c, 0, result, to.kind === "signed");
}

/** Two floats into one register: the first operand is the upper half. */
function convertPair(e: PtxEmitter, c: PtxCall, to: PtxType, from: PtxType): void {
  if (from.lanes !== 1 || from.ir !== F32) return e.unsupported(c);
  const high = toFloat(e, c, e.read(c, 1, F32), from, to.ir as FloatType);
  const low = toFloat(e, c, e.read(c, 2, F32), from, to.ir as FloatType);
  e.write(c, 0, e.pack(low, high));
}

const isE5m2 = (e: PtxEmitter, c: PtxCall): IrValue => e.i32(has(c, "e5m2x2") ? 1 : 0);
const relu = (e: PtxEmitter, c: PtxCall, value: IrValue, type: FloatType): IrValue =>
  has(c, "relu") ? e.call(`llvm.maximum.${SUFFIX[type.format]}`, type, [value, constFloat(type, 0)]) : value;

/** Two floats, or a pair of halves, into two bytes: the first operand is the upper byte. */
function toFp8(e: PtxEmitter, c: PtxCall): void {
  const from = c.words.at(-1);
  if (from !== "f32" && from !== "f16x2") return e.unsupported(c);
  if (!has(c, "rn") || !has(c, "satfinite")) return e.unsupported(c);
  const [low, high] =
    from === "f32"
      ? [e.read(c, 2, F32), e.read(c, 1, F32)]
      : halvesOf(e, e.read(c, 1, I32)).map((half) => e.cast("fpext", half, F32));
  const pair = [high, low].map((value) => relu(e, c, value as IrValue, F32));
  e.write(c, 0, e.coerce(e.call("__heddle_fp8_pair", I32, [...pair, isE5m2(e, c)]), intType(16)));
}

/** Two bytes into a pair of halves. */
function fromFp8(e: PtxEmitter, c: PtxCall): void {
  if (!has(c, "f16x2")) return e.unsupported(c);
  const pair = e.coerce(e.read(c, 1, intType(16)), I32);
  const halves = e.call("__heddle_halves_of_fp8", I32, [pair, isE5m2(e, c)]);
  if (!has(c, "relu")) return e.write(c, 0, halves);
  const [low, high] = halvesOf(e, halves).map((half) => relu(e, c, half, F16));
  e.write(c, 0, e.pack(low as IrValue, high as IrValue));
}
const halvesOf = (e: PtxEmitter, pair: IrValue): IrValue[] =>
  [pair, e.binary("lshr", pair, e.i32(16))].map((bits) => e.coerce(e.cast("trunc", bits, intType(16)), F16));

function toFloat(e: PtxEmitter, c: PtxCall, value: IrValue, from: PtxType, to: FloatType): IrValue {
  const direction = c.words.find((word) => /^r[zmp]$/.test(word));
  let result: IrValue;
  if (from.kind !== "float") {
    if (direction === undefined) result = e.cast(from.kind === "signed" ? "sitofp" : "uitofp", value, to);
    else if ((to === F32 || to === F64) && from.bits >= 32) {
      const kind = (from.kind === "signed" ? "" : "u") + (from.bits === 64 ? "ll" : "i");
      result = e.call(`llvm.nvvm.${kind}2${to === F32 ? "f" : "d"}.${direction}`, to, [value]);
    } else return e.unsupported(c);
  } else {
    const integral = c.words.find((word) => /^r[nzmp]i$/.test(word));
    const source = integral === undefined ? value : toIntegral(e, integral, value, from.ir as FloatType);
    result = resize(e, c, source, from.ir as FloatType, to, direction);
  }
  if (has(c, "relu")) result = e.call(`llvm.maximum.${SUFFIX[to.format]}`, to, [result, constFloat(to, 0)]);
  if (has(c, "satfinite")) return e.unsupported(c);
  return has(c, "sat") ? saturate(e, result, to) : result;
}

const SIZE = { half: 16, bfloat: 16, float: 32, double: 64 };
function resize(
  e: PtxEmitter,
  c: PtxCall,
  value: IrValue,
  from: FloatType,
  to: FloatType,
  direction: string | undefined,
): IrValue {
  if (from === to) return value;
  if (SIZE[to.format] > SIZE[from.format]) return e.cast("fpext", value, to);
  if (SIZE[to.format] === SIZE[from.format]) return e.cast("fptrunc", e.cast("fpext", value, F32), to);
  if (direction === undefined) return e.cast("fptrunc", value, to);
  if (from === F64 && to === F32) return e.call(`llvm.nvvm.d2f.${direction}`, F32, [value]);
  if (from === F32 && to === BF16 && direction === "rz")
    return e.coerce(e.cast("trunc", e.binary("lshr", e.coerce(value, I32), e.i32(16)), intType(16)), BF16);
  if (from === F32 && to === F16 && direction === "rz")
    return e.coerce(e.call("__heddle_float_to_half_rz", intType(16), [value]), F16);
  return e.unsupported(c);
}

function toIntegral(e: PtxEmitter, word: string, value: IrValue, ir: FloatType): IrValue {
  const name = ({ rni: "rint", rzi: "trunc", rmi: "floor", rpi: "ceil" } as Readonly<Record<string, string>>)[
    word
  ] as string;
  return e.call(`llvm.${name}.${SUFFIX[ir.format]}`, ir, [value]);
}

function toInteger(e: PtxEmitter, c: PtxCall, value: IrValue, from: PtxType, to: PtxType): IrValue {
  const ir = to.ir as IntType;
  if (from.kind === "float") {
    let source = value;
    let format = from.ir as FloatType;
    if (format === F16 || format === BF16) {
      source = e.cast("fpext", value, F32);
      format = F32;
    }
    const integral = c.words.find((word) => /^r[nzmp]i$/.test(word)) ?? e.unsupported(c);
    if (integral !== "rzi") source = toIntegral(e, integral, source, format);
    const converted = e.call(
      `llvm.fpto${to.kind === "signed" ? "s" : "u"}i.sat.i${ir.bits}.${SUFFIX[format.format]}`,
      ir,
      [source],
    );
    // A NaN gives 0, but from .f64 or to 64 bits the integer with only the highest bit.
    if (format !== F64 && ir.bits !== 64) return converted;
    return e.select(e.fcmp("uno", source, source), constInt(ir, 1n << BigInt(ir.bits - 1)), converted);
  }
  if (!has(c, "sat")) return e.coerce(value, ir, from.kind === "signed");
  return clamp(e, value, from, to);
}

/** An integer clamped to the range of another integer type. */
function clamp(e: PtxEmitter, value: IrValue, from: PtxType, to: PtxType): IrValue {
  const ir = to.ir as IntType;
  const wide = intType(Math.max(from.bits, to.bits) * 2);
  const low = to.kind === "signed" ? -(1n << BigInt(to.bits - 1)) : 0n;
  const high = to.kind === "signed" ? (1n << BigInt(to.bits - 1)) - 1n : (1n << BigInt(to.bits)) - 1n;
  if (wide.bits > 64) {
    // Only between 64-bit types and others: one comparison each way in 64 bits.
    const signed = from.kind === "signed";
    const source = e.coerce(value, intType(64), signed);
    const type = intType(64);
    let result = source;
    if (to.bits < 64 || signed !== (to.kind === "signed")) {
      if (signed) result = e.call("llvm.smax.i64", type, [result, constInt(type, to.kind === "signed" ? low : 0n)]);
      if (!(to.kind === "unsigned" && to.bits === 64))
        result = e.call(signed ? "llvm.smin.i64" : "llvm.umin.i64", type, [result, constInt(type, high)]);
    }
    return e.coerce(result, ir);
  }
  const source = e.coerce(value, wide, from.kind === "signed");
  const bits = wide.bits;
  const raised = e.call(`llvm.smax.i${bits}`, wide, [source, constInt(wide, low)]);
  return e.coerce(e.call(`llvm.smin.i${bits}`, wide, [raised, constInt(wide, high)]), ir);
}

/** cvt.pack.sat.u8.s32.b32 d, a, b, c: (c << 16) | sat(a) << 8 | sat(b); without c for 16-bit results. */
function packIntegers(e: PtxEmitter, c: PtxCall): void {
  const [to, from] = c.types;
  if (!to || !from || (to.bits !== 8 && to.bits !== 16)) return e.unsupported(c);
  const part = (index: number): IrValue =>
    e.coerce(e.coerce(clamp(e, e.read(c, index, I32), from, to), intType(to.bits)), I32);
  let result = e.binary("or", e.binary("shl", part(1), e.i32(to.bits)), part(2));
  if (to.bits === 8) result = e.binary("or", result, e.binary("shl", e.read(c, 3, I32), e.i32(16)));
  e.write(c, 0, result);
}

/** tf32 keeps 10 bits of fraction. rna rounds ties away from zero; rn and rz are newer. */
function toTf32(e: PtxEmitter, c: PtxCall): void {
  const value = e.read(c, 1, F32);
  const bits = e.coerce(value, I32);
  let rounded = bits;
  if (has(c, "rna")) rounded = e.binary("add", bits, e.i32(0x1000));
  else if (has(c, "rn")) {
    const odd = e.binary("and", e.binary("lshr", bits, e.i32(13)), e.i32(1));
    rounded = e.binary("add", bits, e.binary("add", odd, e.i32(0xfff)));
  } else if (!has(c, "rz")) return e.unsupported(c);
  rounded = e.binary("and", rounded, e.i32(-0x2000));
  e.write(c, 0, e.select(e.fcmp("uno", value, value), bits, rounded));
}

function convertAddress(e: PtxEmitter, c: PtxCall): void {
  e.write(c, 0, e.read(c, 1, e.pointer));
}
/**
 * The address of the same variable in another block of the cluster. Addresses of 32 bits in shared memory know their
 * block where there are clusters.
 */
function mapAddress(e: PtxEmitter, c: PtxCall): void {
  e.write(c, 0, e.call("__heddle_cluster_map", e.pointer, [e.read(c, 1, e.pointer), e.read(c, 2, I32)]));
}
function rankOfAddress(e: PtxEmitter, c: PtxCall): void {
  e.write(c, 0, e.call("__heddle_cluster_rank_of", I32, [e.read(c, 1, e.pointer)]));
}
function isInSpace(e: PtxEmitter, c: PtxCall): void {
  const space = (c.words[1] ?? "").split("::")[0] as string;
  if (!/^(?:global|shared|local|const)$/.test(space)) return e.unsupported(c);
  e.write(c, 0, e.call(`llvm.nvvm.isspacep.${space}`, I1, [e.read(c, 1, e.pointer)]));
}

export const CONVERSIONS: Readonly<Record<string, PtxHandler>> = {
  cvt: convert,
  cvta: convertAddress,
  mapa: mapAddress,
  getctarank: rankOfAddress,
  isspacep: isInSpace,
};
