/** Pure intrinsic functions on varying values that have a vector form; the rest is done lane by lane. */
import { intrinsicOf } from "../../../ir/intrinsics/lookup.ts";
import type { CallInstruction, IrValue } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, PlainMethod } from "../../../wasm/function-builder.ts";
import { elementOf, splatI32, type Element } from "./element.ts";
import { fromFloat, toFloat } from "./casts.ts";
import type { Values } from "./value-location.ts";
import { type VectorEmitter } from "./vector-emitter.ts";

type Emit = (emitter: VectorEmitter, call: CallInstruction, s: number, p: number, element: Element) => boolean;

const arg = (call: CallInstruction, n: number): IrValue => call.args[n]!;
const isFloat = (e: Element): boolean => e === "f32" || e === "f64" || e === "f16" || e === "bf16";

/** Operands as floats of the compute type; the result is brought back. */
const floats =
  (
    count: number,
    op: (code: FunctionBuilder, type: "f32x4" | "f64x2", emitter: VectorEmitter) => boolean | void,
  ): Emit =>
  (emitter, call, s, p, element) => {
    if (!isFloat(element)) return false;
    for (let n = 0; n < count; n++) {
      emitter.values.pushVector(arg(call, n), s, p);
      if (element === "f16" || element === "bf16") toFloat(emitter, element);
    }
    op(emitter.code, element === "f64" ? "f64x2" : "f32x4", emitter);
    if (element === "f16" || element === "bf16") fromFloat(emitter, element);
    return true;
  };
const unary = (name: string): Emit =>
  floats(1, (code, type) => {
    code.op(`${type}${name}` as PlainMethod);
  });

/**
 * minnum and maxnum ignore a NaN operand, and order zeros by sign. pmin and pmax (one machine instruction each) return
 * their first operand for NaNs and zeros. Applied to both orders of the operands and joined by OR or AND, they give the
 * right zero. Two selections then correct NaNs.
 */
const minMaxNumber =
  (isMaximum: boolean): Emit =>
  (emitter, call, s, p, element) => {
    if (!isFloat(element)) return false;
    const { code } = emitter;
    const type = element === "f64" ? "f64x2" : "f32x4";
    const narrow = element === "f16" || element === "bf16";
    const a = code.local("v128");
    const b = code.local("v128");
    [a, b].forEach((local, n) => {
      emitter.values.pushVector(arg(call, n), s, p);
      if (narrow) toFloat(emitter, element);
      code.localSet(local);
    });
    const op: PlainMethod = `${type}${isMaximum ? "Pmax" : "Pmin"}`;
    code.localGet(b);
    code.localGet(a);
    code.localGet(a).localGet(b).op(op);
    code.localGet(b).localGet(a).op(op);
    code.op(isMaximum ? "v128And" : "v128Or");
    code.localGet(b).localGet(b).op(`${type}Ne`);
    emitter.values.selectByMask(); // b is NaN: a
    code.localGet(a).localGet(a).op(`${type}Ne`);
    emitter.values.selectByMask(); // a is NaN: b
    if (narrow) fromFloat(emitter, element);
    code.free(a, b);
    return true;
  };

const integers =
  (name: string): Emit =>
  (emitter, call, s, _p, element) => {
    if (element !== "i32") return false;
    emitter.values.pushVector(arg(call, 0), s);
    emitter.values.pushVector(arg(call, 1), s);
    emitter.code.op(`i32x4${name}` as PlainMethod);
    return true;
  };

/** A factor that is the negative of a value, and has no locals: the instruction that subtracts a product takes it. */
function negatedFactor(values: Values, call: CallInstruction): { readonly at: number; readonly value: IrValue } | null {
  for (const at of [0, 1]) {
    const factor = arg(call, at);
    if (factor.kind === "instruction" && factor.op === "fneg" && values.inline.has(factor))
      return { at, value: factor.operand };
  }
  return null;
}

const TABLE: Readonly<Record<string, Emit>> = {
  "llvm.fabs": (emitter, call, s, p, element) => {
    if (element === "f16" || element === "bf16") {
      emitter.values.pushVector(arg(call, 0), s);
      splatI32(emitter.code, 0x7fff).v128And();
      return true;
    }
    return unary("Abs")(emitter, call, s, p, element);
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
  "llvm.minimum": floats(2, (code, type) => {
    code.op(`${type}Min`);
  }),
  "llvm.maximum": floats(2, (code, type) => {
    code.op(`${type}Max`);
  }),
  "llvm.fma": (emitter, call, s, p, element) => {
    const { code, values } = emitter;
    if (element !== "f32" && element !== "f64") return false;
    if (emitter.helpers.options.relaxedFma) {
      const negated = negatedFactor(values, call);
      for (let n = 0; n < 3; n++) values.pushVector(n === negated?.at ? negated.value : arg(call, n), s, p);
      code.op(`${element === "f32" ? "f32x4" : "f64x2"}Relaxed${negated === null ? "Madd" : "Nmadd"}`);
      return true;
    }
    if (element === "f64") return false;
    for (let n = 0; n < 3; n++) values.pushVector(arg(call, n), s);
    code.call(emitter.helpers.fma32);
    return true;
  },
  "llvm.copysign": (emitter, call, s, p, element) => {
    const { code, values } = emitter;
    values.pushVector(arg(call, 1), s, p);
    values.pushVector(arg(call, 0), s, p);
    if (element === "f64") code.v128Const([0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x80]);
    else splatI32(code, element === "f32" ? 0x80000000 | 0 : 0x8000);
    code.v128Bitselect();
    return true;
  },
  "llvm.smin": integers("MinS"),
  "llvm.smax": integers("MaxS"),
  "llvm.umin": integers("MinU"),
  "llvm.umax": integers("MaxU"),
  "llvm.abs": (emitter, call, s, p, element) => {
    if (element !== "i32" && element !== "i64") return false;
    emitter.values.pushVector(arg(call, 0), s, p);
    emitter.code.op(element === "i64" ? "i64x2Abs" : "i32x4Abs");
    return true;
  },
  "llvm.ctpop": (emitter, call, s, p, element) => {
    if (element !== "i32") return false;
    emitter.values.pushVector(arg(call, 0), s, p);
    emitter.code.i8x16Popcnt().i16x8ExtaddPairwiseI8x16U().i32x4ExtaddPairwiseI16x8U();
    return true;
  },
};
for (const same of ["fshl", "fshr"] as const) {
  (TABLE as Record<string, Emit>)[`llvm.${same}`] = (emitter, call, s, p, element) => {
    const amount = emitter.values.context.constantBits(arg(call, 2));
    if (amount === null || (element !== "i32" && element !== "i64")) return false;
    const bits = element === "i32" ? 32 : 64;
    const by = Number(amount % BigInt(bits));
    const left = same === "fshl" ? by : bits - by;
    const [a, b] = [arg(call, 0), arg(call, 1)];
    const type = element === "i32" ? "i32x4" : "i64x2";
    if (by === 0) {
      emitter.values.pushVector(same === "fshl" ? a : b, s, p);
      return true;
    }
    emitter.values.pushVector(a, s, p);
    emitter.code.i32Const(left).op(`${type}Shl`);
    emitter.values.pushVector(b, s, p);
    emitter.code
      .i32Const(bits - left)
      .op(`${type}ShrU`)
      .v128Or();
    return true;
  };
}

/** Emits one slice; false when there is no vector form. */
export function emitVectorIntrinsic(
  emitter: VectorEmitter,
  call: CallInstruction,
  name: string,
  s: number,
  p: number,
): boolean {
  const emit = TABLE[intrinsicOf(name)?.name ?? ""];
  return emit !== undefined && emit(emitter, call, s, p, elementOf(call.type));
}
