/** Comparisons of varying values, one slice at a time: each leaves a mask of 0 or −1 in 32-bit lanes. */
import type { FloatPredicate, IntPredicate, IrInstruction, IrValue } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, PlainMethod } from "../../../wasm/function-builder.ts";
import { elementOf } from "./element.ts";
import type { VectorEmitter } from "./vector-emitter.ts";
import { splatI32 } from "./element.ts";
import { toFloat } from "./casts.ts";

/** Leaves a mask in 32-bit lanes. */
export function emitCompare(emitter: VectorEmitter, i: IrInstruction & { op: "icmp" }, s: number): void {
  const { code, values } = emitter;
  const element = elementOf(i.lhs.type);
  const signed = i.predicate.startsWith("s");
  if (element === "i64") {
    const part = (p: number): void => {
      for (const v of [i.lhs, i.rhs]) {
        values.pushVector(v, s, p);
        if (i.predicate.startsWith("u"))
          code.v128Const([0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x80]).v128Xor();
      }
      const name = { eq: "Eq", ne: "Ne", lt: "LtS", le: "LeS", gt: "GtS", ge: "GeS" }[
        i.predicate.length === 2 ? i.predicate : i.predicate.slice(1)
      ]!;
      code.op(`i64x2${name}` as PlainMethod);
    };
    part(0);
    part(1);
    code.i32x4Shuffle(0, 2, 4, 6);
    return;
  }
  for (const v of [i.lhs, i.rhs]) {
    values.pushVector(v, s);
    if (element === "i1" && !signed && i.predicate !== "eq" && i.predicate !== "ne") {
      values.pushIntegers(1);
      code.v128And();
    }
    if (signed && (element === "i8" || element === "i16")) {
      const shift = element === "i8" ? 24 : 16;
      code.i32Const(shift).i32x4Shl().i32Const(shift).i32x4ShrS();
    }
  }
  code.op(INT_COMPARES[i.predicate]);
}

const INT_COMPARES: Readonly<Record<IntPredicate, PlainMethod>> = {
  eq: "i32x4Eq",
  ne: "i32x4Ne",
  ult: "i32x4LtU",
  ule: "i32x4LeU",
  ugt: "i32x4GtU",
  uge: "i32x4GeU",
  slt: "i32x4LtS",
  sle: "i32x4LeS",
  sgt: "i32x4GtS",
  sge: "i32x4GeS",
};

export function emitFloatCompare(emitter: VectorEmitter, i: IrInstruction & { op: "fcmp" }, s: number): void {
  const { code, values } = emitter;
  const element = elementOf(i.lhs.type);
  if (element === "f64") {
    const part = (p: number): void =>
      floatCompare(
        code,
        "f64x2",
        i.predicate,
        () => values.pushVector(i.lhs, s, p),
        () => values.pushVector(i.rhs, s, p),
      );
    part(0);
    part(1);
    code.i32x4Shuffle(0, 2, 4, 6);
    return;
  }
  const push = (v: IrValue) => (): void => {
    values.pushVector(v, s);
    if (element !== "f32") toFloat(emitter, element);
  };
  floatCompare(code, "f32x4", i.predicate, push(i.lhs), push(i.rhs));
}

function floatCompare(
  code: FunctionBuilder,
  type: "f32x4" | "f64x2",
  predicate: FloatPredicate,
  a: () => void,
  b: () => void,
): void {
  const op = (name: string): FunctionBuilder => code.op(`${type}${name}` as PlainMethod);
  const simple = (name: string, negate = false): void => {
    a();
    b();
    op(name);
    if (negate) code.v128Not();
  };
  switch (predicate) {
    case "false":
      splatI32(code, 0);
      return;
    case "true":
      splatI32(code, -1);
      return;
    case "oeq":
      simple("Eq");
      return;
    case "une":
      simple("Ne");
      return;
    case "ogt":
      simple("Gt");
      return;
    case "oge":
      simple("Ge");
      return;
    case "olt":
      simple("Lt");
      return;
    case "ole":
      simple("Le");
      return;
    case "ugt":
      simple("Le", true);
      return;
    case "uge":
      simple("Lt", true);
      return;
    case "ult":
      simple("Ge", true);
      return;
    case "ule":
      simple("Gt", true);
      return;
    case "one":
    case "ueq":
      a();
      b();
      op("Lt");
      a();
      b();
      op("Gt");
      code.v128Or();
      if (predicate === "ueq") code.v128Not();
      return;
    case "ord":
    case "uno":
      a();
      a();
      op("Eq");
      b();
      b();
      op("Eq");
      code.v128And();
      if (predicate === "uno") code.v128Not();
  }
}

/** A 32-bit lane mask on the stack becomes the mask of part p of the 64-bit lanes. */
export function widenMask(code: FunctionBuilder, p: number): void {
  code.op(p === 0 ? "i64x2ExtendLowI32x4S" : "i64x2ExtendHighI32x4S");
}
