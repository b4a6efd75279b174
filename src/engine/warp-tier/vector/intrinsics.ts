/** Pure intrinsic functions on varying values that have a vector form; the rest is done lane by lane. */
import type { CallInstruction, IrValue } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, PlainMethod } from "../../../wasm/function-builder.ts";
import { elementOf, type Element } from "./element.ts";
import { fromFloat, toFloat, type VectorEmitter } from "./arithmetic.ts";

type Emit = (e: VectorEmitter, call: CallInstruction, s: number, p: number, element: Element) => boolean;

const arg = (call: CallInstruction, n: number): IrValue => call.args[n]!;
const splat = (f: FunctionBuilder, v: number): FunctionBuilder => f.i32x4Const(v, v, v, v);
const isFloat = (e: Element): boolean => e === "f32" || e === "f64" || e === "f16" || e === "bf16";

/** Operands as floats of the compute type; the result is brought back. */
const floats =
  (count: number, op: (f: FunctionBuilder, type: "f32x4" | "f64x2", e: VectorEmitter) => boolean | void): Emit =>
  (e, call, s, p, element) => {
    if (!isFloat(element)) return false;
    for (let n = 0; n < count; n++) {
      e.values.pushVector(arg(call, n), s, p);
      if (element === "f16" || element === "bf16") toFloat(e, element);
    }
    op(e.f, element === "f64" ? "f64x2" : "f32x4", e);
    if (element === "f16" || element === "bf16") fromFloat(e, element);
    return true;
  };
const unary = (name: string): Emit =>
  floats(1, (f, type) => {
    f.op(`${type}${name}` as PlainMethod);
  });

/**
 * minnum and maxnum ignore a NaN operand, and order zeros by sign. pmin and pmax (one machine instruction each) return
 * their first operand for NaNs and zeros: both ways round, joined by OR or AND, they give the right zero, and NaNs are
 * put right after.
 */
const minMaxNumber =
  (isMaximum: boolean): Emit =>
  (e, call, s, p, element) => {
    if (!isFloat(element)) return false;
    const { f } = e;
    const type = element === "f64" ? "f64x2" : "f32x4";
    const narrow = element === "f16" || element === "bf16";
    const a = f.local("v128");
    const b = f.local("v128");
    [a, b].forEach((local, n) => {
      e.values.pushVector(arg(call, n), s, p);
      if (narrow) toFloat(e, element);
      f.localSet(local);
    });
    const op: PlainMethod = `${type}${isMaximum ? "Pmax" : "Pmin"}`;
    f.localGet(b);
    f.localGet(a);
    f.localGet(a).localGet(b).op(op);
    f.localGet(b).localGet(a).op(op);
    f.op(isMaximum ? "v128And" : "v128Or");
    f.localGet(b).localGet(b).op(`${type}Ne`);
    e.values.selectByMask(); // b is NaN: a
    f.localGet(a).localGet(a).op(`${type}Ne`);
    e.values.selectByMask(); // a is NaN: b
    if (narrow) fromFloat(e, element);
    f.free(a, b);
    return true;
  };

const integers =
  (name: string): Emit =>
  (e, call, s, _p, element) => {
    if (element !== "i32") return false;
    e.values.pushVector(arg(call, 0), s);
    e.values.pushVector(arg(call, 1), s);
    e.f.op(`i32x4${name}` as PlainMethod);
    return true;
  };

const TABLE: Readonly<Record<string, Emit>> = {
  "llvm.fabs": (e, call, s, p, element) => {
    if (element === "f16" || element === "bf16") {
      e.values.pushVector(arg(call, 0), s);
      splat(e.f, 0x7fff).v128And();
      return true;
    }
    return unary("Abs")(e, call, s, p, element);
  },
  "llvm.sqrt": unary("Sqrt"),
  "llvm.floor": unary("Floor"),
  "llvm.ceil": unary("Ceil"),
  "llvm.trunc": unary("Trunc"),
  "llvm.rint": unary("Nearest"),
  "llvm.nearbyint": unary("Nearest"),
  "llvm.roundeven": unary("Nearest"),
  "llvm.minnum": minMaxNumber(false),
  "llvm.maxnum": minMaxNumber(true),
  "llvm.minimum": floats(2, (f, type) => {
    f.op(`${type}Min`);
  }),
  "llvm.maximum": floats(2, (f, type) => {
    f.op(`${type}Max`);
  }),
  "llvm.fma": (e, call, s, p, element) => {
    const { f, values } = e;
    if (element === "f32") {
      for (let n = 0; n < 3; n++) values.pushVector(arg(call, n), s);
      if (e.helpers.options.relaxedFma) f.f32x4RelaxedMadd();
      else f.call(e.helpers.fma32);
      return true;
    }
    if (element === "f64" && e.helpers.options.relaxedFma) {
      for (let n = 0; n < 3; n++) values.pushVector(arg(call, n), s, p);
      f.f64x2RelaxedMadd();
      return true;
    }
    return false;
  },
  "llvm.copysign": (e, call, s, p, element) => {
    const { f, values } = e;
    values.pushVector(arg(call, 1), s, p);
    values.pushVector(arg(call, 0), s, p);
    if (element === "f64") f.v128Const([0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x80]);
    else splat(f, element === "f32" ? 0x80000000 | 0 : 0x8000);
    f.v128Bitselect();
    return true;
  },
  "llvm.smin": integers("MinS"),
  "llvm.smax": integers("MaxS"),
  "llvm.umin": integers("MinU"),
  "llvm.umax": integers("MaxU"),
  "llvm.abs": (e, call, s, p, element) => {
    if (element !== "i32" && element !== "i64") return false;
    e.values.pushVector(arg(call, 0), s, p);
    e.f.op(element === "i64" ? "i64x2Abs" : "i32x4Abs");
    return true;
  },
  "llvm.ctpop": (e, call, s, p, element) => {
    if (element !== "i32") return false;
    e.values.pushVector(arg(call, 0), s, p);
    e.f.i8x16Popcnt().i16x8ExtaddPairwiseI8x16U().i32x4ExtaddPairwiseI16x8U();
    return true;
  },
};
for (const same of ["fshl", "fshr"] as const) {
  (TABLE as Record<string, Emit>)[`llvm.${same}`] = (e, call, s, p, element) => {
    const amount = e.values.context.constantBits(arg(call, 2));
    if (amount === null || (element !== "i32" && element !== "i64")) return false;
    const bits = element === "i32" ? 32 : 64;
    const by = Number(amount % BigInt(bits));
    const left = same === "fshl" ? by : bits - by;
    const [a, b] = [arg(call, 0), arg(call, 1)];
    const type = element === "i32" ? "i32x4" : "i64x2";
    if (by === 0) {
      e.values.pushVector(same === "fshl" ? a : b, s, p);
      return true;
    }
    e.values.pushVector(a, s, p);
    e.f.i32Const(left).op(`${type}Shl`);
    e.values.pushVector(b, s, p);
    e.f
      .i32Const(bits - left)
      .op(`${type}ShrU`)
      .v128Or();
    return true;
  };
}

/** Emits one slice; false when there is no vector form. */
export function emitVectorIntrinsic(
  e: VectorEmitter,
  call: CallInstruction,
  name: string,
  s: number,
  p: number,
): boolean {
  const base = /^(llvm\.[a-z]+)/.exec(name)?.[1] ?? "";
  if (name.startsWith("llvm.nvvm.") || !(base in TABLE)) return false;
  return TABLE[base]!(e, call, s, p, elementOf(call.type));
}
