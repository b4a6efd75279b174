/** Conversions of varying values, one slice at a time (see arithmetic.ts). */
import { type Element, elementOf, isWide } from "./element.ts";
import { bug } from "../../../base/diagnostics.ts";
import type { IrInstruction } from "../../../ir/model/ir.ts";
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

export function emitCast(emitter: VectorEmitter, i: IrInstruction & { op: "cast" }, s: number, p: number): void {
  const { code, values } = emitter;
  const from = elementOf(i.operand.type);
  const to = elementOf(i.type);
  const push = (part = p): void => values.pushVector(i.operand, s, part);
  const splat = (v: number): void => {
    values.pushIntegers(v);
  };
  switch (i.operator) {
    case "addrspacecast":
    case "bitcast":
      if (BITS[from] !== BITS[to]) bug(`bitcast from ${from} to ${to}`);
      push();
      return;
    case "ptrtoint":
    case "inttoptr":
    case "zext":
    case "trunc":
      if (isWide(to) && isWide(from)) push();
      else if (isWide(to)) {
        push(0);
        if (from === "i1") {
          splat(1);
          code.v128And();
        }
        code.op(p === 0 ? "i64x2ExtendLowI32x4U" : "i64x2ExtendHighI32x4U");
      } else {
        if (isWide(from)) {
          push(0);
          push(1);
          code.i32x4Shuffle(0, 2, 4, 6);
        } else push();
        if (to === "i1") {
          if (from !== "i1") {
            splat(1);
            code.v128And();
            splat(0);
            code.i32x4Ne();
          }
        } else if (from === "i1") {
          splat(1);
          code.v128And();
        } else if (BITS[to] < 32 && BITS[from] > BITS[to]) {
          splat(2 ** BITS[to] - 1);
          code.v128And();
        }
      }
      return;
    case "sext":
      push(0);
      if (from === "i8" || from === "i16") {
        const shift = 32 - BITS[from];
        code.i32Const(shift).i32x4Shl().i32Const(shift).i32x4ShrS();
      }
      if (isWide(to)) code.op(p === 0 ? "i64x2ExtendLowI32x4S" : "i64x2ExtendHighI32x4S");
      else if (BITS[to] < 32) {
        splat(2 ** BITS[to] - 1);
        code.v128And();
      }
      return;
    case "fpext":
    case "fptrunc":
      if (from === "f64" && to !== "f32") {
        emitter.laneByLane(i, s, p);
        return;
      } // double to half rounds once: not through float
      if (from === "f64") {
        push(0);
        code.f32x4DemoteF64x2Zero();
        push(1);
        code.f32x4DemoteF64x2Zero().i32x4Shuffle(0, 1, 4, 5);
        return;
      }
      push(0);
      if (from !== "f32") toFloat(emitter, from);
      if (to === "f64") high(emitter, p).f64x2PromoteLowF32x4();
      else if (to !== "f32") fromFloat(emitter, to);
      return;
    case "fptosi":
    case "fptoui": {
      const signed = i.operator === "fptosi";
      if (isWide(to) || to === "i1") {
        emitter.laneByLane(i, s, p);
        return;
      }
      if (from === "f64") {
        // A NaN gives the highest bit; WebAssembly makes 0 of it.
        const halves = [0, 1].map((part) => {
          const half = code.local("v128");
          push(part);
          code.localSet(half);
          return half;
        });
        for (const half of halves)
          code.localGet(half).op(signed ? "i32x4TruncSatF64x2SZero" : "i32x4TruncSatF64x2UZero");
        code.i32x4Shuffle(0, 1, 4, 5);
        splat(-0x8000_0000);
        for (const half of halves) code.localGet(half).localGet(half).f64x2Eq();
        code.i32x4Shuffle(0, 2, 4, 6).v128Bitselect();
        code.free(...halves);
      } else {
        push(0);
        if (from !== "f32") toFloat(emitter, from);
        code.op(signed ? "i32x4TruncSatF32x4S" : "i32x4TruncSatF32x4U");
      }
      if (BITS[to] < 32) {
        splat(2 ** BITS[to] - 1);
        code.v128And();
      }
      return;
    }
    case "sitofp":
    case "uitofp": {
      const signed = i.operator === "sitofp";
      if (isWide(from)) {
        emitter.laneByLane(i, s, p);
        return;
      }
      if (to === "f16" || (to === "bf16" && BITS[from] > 16)) {
        emitter.laneByLane(i, s, p);
        return;
      } // large integers round once
      push(0);
      if (from === "i1" && !signed) {
        splat(1);
        code.v128And();
      }
      if (signed && (from === "i8" || from === "i16")) {
        const shift = 32 - BITS[from];
        code.i32Const(shift).i32x4Shl().i32Const(shift).i32x4ShrS();
      }
      if (to === "f64") high(emitter, p).op(signed ? "f64x2ConvertLowI32x4S" : "f64x2ConvertLowI32x4U");
      else {
        code.op(signed ? "f32x4ConvertI32x4S" : "f32x4ConvertI32x4U");
        if (to === "bf16") fromFloat(emitter, to);
      }
    }
  }
}

/** For part 1 the upper two 32-bit lanes move down. */
function high(emitter: VectorEmitter, p: number): VectorEmitter["code"] {
  const { code } = emitter;
  if (p === 1) {
    const t = code.local("v128");
    code.localTee(t).localGet(t).i32x4Shuffle(2, 3, 2, 3);
    code.free(t);
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
