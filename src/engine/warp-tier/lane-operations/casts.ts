/** Conversions of varying values, one slice at a time (see arithmetic.ts). */
import { type Element, elementOf, isWide } from "./element.ts";
import { bug } from "../../../base/diagnostics.ts";
import type { IrInstruction } from "../../../ir/model/ir.ts";
import type { FunctionBuilder } from "../../../wasm/function-builder.ts";
import type { Values } from "./value-location.ts";
import type { VectorEmitter } from "./vector-emitter.ts";

const BITS: Readonly<Record<Element, number>> = {
  i1: 1,
  i8: 8,
  i16: 16,
  i32: 32,
  i64: 64,
  f16: 16,
  bf16: 16,
  f32: 32,
  f64: 64,
};

type Cast = IrInstruction & { readonly op: "cast" };

/** One slice of a conversion, part p of it for 64-bit results. */
export function emitCast(emitter: VectorEmitter, i: Cast, s: number, p: number): void {
  switch (i.operator) {
    case "addrspacecast":
    case "bitcast": {
      const [from, to] = [elementOf(i.operand.type), elementOf(i.type)];
      if (BITS[from] !== BITS[to]) bug(`bitcast from ${from} to ${to}`);
      emitter.values.pushVector(i.operand, s, p);
      return;
    }
    case "ptrtoint":
    case "inttoptr":
    case "zext":
    case "trunc":
      emitResize(emitter, i, s, p);
      return;
    case "sext":
      emitSignExtend(emitter, i, s, p);
      return;
    case "fpext":
    case "fptrunc":
      emitFloatResize(emitter, i, s, p);
      return;
    case "fptosi":
    case "fptoui":
      emitFloatToInteger(emitter, i, s, p);
      return;
    case "sitofp":
    case "uitofp":
      emitIntegerToFloat(emitter, i, s, p);
  }
}

/** Zero extension and truncation. */
function emitResize({ code, values }: VectorEmitter, i: Cast, s: number, p: number): void {
  const from = elementOf(i.operand.type);
  const to = elementOf(i.type);
  if (isWide(to) && isWide(from)) {
    values.pushVector(i.operand, s, p);
    return;
  }
  if (isWide(to)) {
    values.pushVector(i.operand, s, 0);
    if (from === "i1") maskBits(values, 1);
    code.op(p === 0 ? "i64x2ExtendLowI32x4U" : "i64x2ExtendHighI32x4U");
    return;
  }
  if (isWide(from)) {
    values.pushVector(i.operand, s, 0);
    values.pushVector(i.operand, s, 1);
    code.i32x4Shuffle(0, 2, 4, 6);
  } else values.pushVector(i.operand, s, p);
  if (to === "i1") {
    if (from === "i1") return;
    maskBits(values, 1);
    values.pushIntegers(0);
    code.i32x4Ne();
  } else if (from === "i1") maskBits(values, 1);
  else if (BITS[from] > BITS[to]) maskBits(values, BITS[to]);
}

/** Keeps the low bits of 32-bit lanes. */
function maskBits(values: Values, bits: number): void {
  if (bits >= 32) return;
  values.pushIntegers(2 ** bits - 1);
  values.code.v128And();
}

/** Sign-extends i8 and i16 to their 32-bit lanes. */
function extendInLanes(code: FunctionBuilder, from: Element): void {
  if (from !== "i8" && from !== "i16") return;
  const shift = 32 - BITS[from];
  code.i32Const(shift).i32x4Shl().i32Const(shift).i32x4ShrS();
}

function emitSignExtend({ code, values }: VectorEmitter, i: Cast, s: number, p: number): void {
  const to = elementOf(i.type);
  values.pushVector(i.operand, s, 0);
  extendInLanes(code, elementOf(i.operand.type));
  if (isWide(to)) code.op(p === 0 ? "i64x2ExtendLowI32x4S" : "i64x2ExtendHighI32x4S");
  else maskBits(values, BITS[to]);
}

function emitFloatResize(emitter: VectorEmitter, i: Cast, s: number, p: number): void {
  const { code, values } = emitter;
  const from = elementOf(i.operand.type);
  const to = elementOf(i.type);
  if (from === "f64" && to !== "f32") {
    // A double becomes a half by one rounding, so not through float.
    emitter.laneByLane(i, s, p);
    return;
  }
  if (from === "f64") {
    values.pushVector(i.operand, s, 0);
    code.f32x4DemoteF64x2Zero();
    values.pushVector(i.operand, s, 1);
    code.f32x4DemoteF64x2Zero().i32x4Shuffle(0, 1, 4, 5);
    return;
  }
  values.pushVector(i.operand, s, 0);
  if (from !== "f32") toFloat(emitter, from);
  if (to === "f64") high(emitter, p).f64x2PromoteLowF32x4();
  else if (to !== "f32") fromFloat(emitter, to);
}

function emitFloatToInteger(emitter: VectorEmitter, i: Cast, s: number, p: number): void {
  const { code, values } = emitter;
  const from = elementOf(i.operand.type);
  const to = elementOf(i.type);
  const signed = i.operator === "fptosi";
  if (isWide(to) || to === "i1") {
    emitter.laneByLane(i, s, p);
    return;
  }
  if (from === "f64") {
    // A NaN becomes the highest bit. WebAssembly makes 0 of it.
    const halves = [0, 1].map((part) => {
      const half = code.local("v128");
      values.pushVector(i.operand, s, part);
      code.localSet(half);
      return half;
    });
    for (const half of halves) code.localGet(half).op(signed ? "i32x4TruncSatF64x2SZero" : "i32x4TruncSatF64x2UZero");
    code.i32x4Shuffle(0, 1, 4, 5);
    values.pushIntegers(-0x8000_0000);
    for (const half of halves) code.localGet(half).localGet(half).f64x2Eq();
    code.i32x4Shuffle(0, 2, 4, 6).v128Bitselect();
    code.free(...halves);
  } else {
    values.pushVector(i.operand, s, 0);
    if (from !== "f32") toFloat(emitter, from);
    code.op(signed ? "i32x4TruncSatF32x4S" : "i32x4TruncSatF32x4U");
  }
  maskBits(values, BITS[to]);
}

function emitIntegerToFloat(emitter: VectorEmitter, i: Cast, s: number, p: number): void {
  const { code, values } = emitter;
  const from = elementOf(i.operand.type);
  const to = elementOf(i.type);
  const signed = i.operator === "sitofp";
  // Large integers become narrow floats by one rounding, so not through float.
  if (isWide(from) || to === "f16" || (to === "bf16" && BITS[from] > 16)) {
    emitter.laneByLane(i, s, p);
    return;
  }
  values.pushVector(i.operand, s, 0);
  if (from === "i1" && !signed) maskBits(values, 1);
  if (signed) extendInLanes(code, from);
  if (to === "f64") {
    high(emitter, p).op(signed ? "f64x2ConvertLowI32x4S" : "f64x2ConvertLowI32x4U");
    return;
  }
  code.op(signed ? "f32x4ConvertI32x4S" : "f32x4ConvertI32x4U");
  if (to === "bf16") fromFloat(emitter, to);
}

/** For part 1 the upper two 32-bit lanes move down. */
function high(emitter: VectorEmitter, p: number): VectorEmitter["code"] {
  const { code } = emitter;
  if (p === 1) {
    const vector = code.local("v128");
    code.localTee(vector).localGet(vector).i32x4Shuffle(2, 3, 2, 3);
    code.free(vector);
  }
  return code;
}

/** half or bfloat bits on the stack → floats. */
export function toFloat(emitter: VectorEmitter, element: Element): void {
  if (element === "bf16") emitter.code.i32Const(16).i32x4Shl();
  else emitter.code.call(emitter.helpers.halfToFloat);
}

export function fromFloat(emitter: VectorEmitter, element: Element): void {
  emitter.code.call(element === "bf16" ? emitter.helpers.floatToBfloat : emitter.helpers.floatToHalf);
}
