/**
 * Floating-point arithmetic, comparison and conversions. half and bfloat16 are computed in single precision and
 * rounded: with at least 2p+2 bits in between that equals one rounding (Figueroa, "When is double rounding innocuous?",
 * 1995). NaNs are not canonicalised; everything else is bit for bit IEEE 754.
 */
import { bug } from "../../base/diagnostics.ts";
import type {
  BinaryInstruction,
  CastInstruction,
  FcmpInstruction,
  FloatFormat,
  FnegInstruction,
  IrType,
  IrValue,
} from "../../ir/model/ir.ts";
import type { PlainMethod } from "../../wasm/function-builder.ts";
import type { ScalarContext } from "./environment.ts";
import { emitCrop, emitIntegerCast, getSigned } from "./integers.ts";
import { bitWidth, isHalfLike, wasmTypeOf } from "./value-types.ts";

export function formatOf(type: IrType): FloatFormat {
  return type.kind === "float" ? type.format : bug(`${type.kind} where a float is expected`);
}

/** The WebAssembly type that arithmetic of a format is done in. */
export function computeType(format: FloatFormat): "f32" | "f64" {
  return format === "double" ? "f64" : "f32";
}

/** Pushes a float value in its compute type. */
export function getFloat(c: ScalarContext, value: IrValue): void {
  c.get(value);
  if (isHalfLike(value.type)) c.f.call(c.env.support.widen(value.type.format));
}

/** Rounds the compute-type value on the stack back to the format. */
export function emitFinish(c: ScalarContext, format: FloatFormat): void {
  if (format === "half" || format === "bfloat") c.f.call(c.env.support.narrow(format));
}

const ARITHMETIC = { fadd: "Add", fsub: "Sub", fmul: "Mul", fdiv: "Div" } as const;

export function emitFloatBinary(c: ScalarContext, i: BinaryInstruction): void {
  const format = formatOf(i.type);
  const type = computeType(format);
  getFloat(c, i.lhs);
  if (i.operator === "frem") {
    if (type === "f32") c.f.f64PromoteF32();
    getFloat(c, i.rhs);
    if (type === "f32") c.f.f64PromoteF32();
    c.f.call(c.env.math.fmod);
    if (type === "f32") c.f.f32DemoteF64(); // exact: the remainder has no more bits than the operands
  } else {
    getFloat(c, i.rhs);
    c.f.op(
      `${type}${ARITHMETIC[i.operator as keyof typeof ARITHMETIC] ?? bug(`${i.operator} on floats`)}` as PlainMethod,
    );
  }
  emitFinish(c, format);
}

export function emitFneg(c: ScalarContext, i: FnegInstruction): void {
  c.get(i.operand);
  const format = formatOf(i.type);
  if (format === "float") c.f.f32Neg();
  else if (format === "double") c.f.f64Neg();
  else c.f.i32Const(0x8000).i32Xor();
}

/** Pushes 0 or 1. */
export function emitFcmp(c: ScalarContext, i: FcmpInstruction): void {
  const { f } = c;
  const type = computeType(formatOf(i.lhs.type));
  const op = (name: string): void => {
    f.op(`${type}${name}` as PlainMethod);
  };
  const both = (): void => {
    getFloat(c, i.lhs);
    getFloat(c, i.rhs);
  };
  const compare = (name: string): void => {
    both();
    op(name);
  };
  const unordered = (value: IrValue): void => {
    getFloat(c, value);
    getFloat(c, value);
    op("Ne");
  };
  switch (i.predicate) {
    case "false":
      f.i32Const(0);
      return;
    case "true":
      f.i32Const(1);
      return;
    case "oeq":
      return compare("Eq");
    case "ogt":
      return compare("Gt");
    case "oge":
      return compare("Ge");
    case "olt":
      return compare("Lt");
    case "ole":
      return compare("Le");
    case "one":
      compare("Lt");
      compare("Gt");
      f.i32Or();
      return;
    case "ord":
      unordered(i.lhs);
      unordered(i.rhs);
      f.i32Or().i32Eqz();
      return;
    case "uno":
      unordered(i.lhs);
      unordered(i.rhs);
      f.i32Or();
      return;
    case "ueq":
      compare("Lt");
      compare("Gt");
      f.i32Or().i32Eqz();
      return;
    case "ugt":
      compare("Le");
      f.i32Eqz();
      return;
    case "uge":
      compare("Lt");
      f.i32Eqz();
      return;
    case "ult":
      compare("Ge");
      f.i32Eqz();
      return;
    case "ule":
      compare("Gt");
      f.i32Eqz();
      return;
    case "une":
      return compare("Ne");
  }
}

/** Every cast; pushes the result. */
export function emitCast(c: ScalarContext, i: CastInstruction): void {
  const { f } = c;
  const { operand, type: to } = i;
  switch (i.operator) {
    case "trunc":
    case "zext":
    case "sext":
      return emitIntegerCast(c, i.operator, operand, to);
    case "addrspacecast":
      c.get(operand);
      return;
    case "ptrtoint":
      return emitIntegerCast(c, bitWidth(to) < 32 ? "trunc" : "zext", operand, to);
    case "inttoptr":
      return emitIntegerCast(c, bitWidth(operand.type) > 32 ? "trunc" : "zext", operand, to);
    case "bitcast": {
      c.get(operand);
      const from = wasmTypeOf(operand.type);
      const target = wasmTypeOf(to);
      if (from === target) return;
      if (from === "f32" && target === "i32") f.i32ReinterpretF32();
      else if (from === "i32" && target === "f32") f.f32ReinterpretI32();
      else if (from === "f64" && target === "i64") f.i64ReinterpretF64();
      else if (from === "i64" && target === "f64") f.f64ReinterpretI64();
      else bug(`bitcast from ${from} to ${target}`);
      return;
    }
    case "fpext":
      getFloat(c, operand);
      if (formatOf(to) === "double" && formatOf(operand.type) !== "double") f.f64PromoteF32();
      return;
    case "fptrunc": {
      const format = formatOf(to);
      const from = formatOf(operand.type);
      if (from === "double") {
        c.get(operand);
        if (format === "float") f.f32DemoteF64();
        else if (format !== "double") f.call(c.env.support.narrowDouble(format));
      } else {
        getFloat(c, operand);
        emitFinish(c, format);
      }
      return;
    }
    case "sitofp":
    case "uitofp":
      return emitFromInteger(c, i, i.operator === "sitofp");
    case "fptosi":
    case "fptoui":
      getFloat(c, operand);
      return emitToInteger(c, computeType(formatOf(operand.type)), bitWidth(to), i.operator === "fptosi");
  }
}

function emitFromInteger(c: ScalarContext, i: CastInstruction, signed: boolean): void {
  const { f } = c;
  const format = formatOf(i.type);
  const carrier = wasmTypeOf(i.operand.type);
  if (signed) getSigned(c, i.operand);
  else c.get(i.operand);
  if (format === "float" || format === "double") {
    f.op(`${computeType(format)}Convert${carrier === "i64" ? "I64" : "I32"}${signed ? "S" : "U"}` as PlainMethod);
  } else if (carrier === "i64") {
    f.call(c.env.support.convertOdd(signed)).call(c.env.support.narrowDouble(format));
  } else {
    f.op(signed ? "f64ConvertI32S" : "f64ConvertI32U").call(c.env.support.narrowDouble(format));
  }
}

/**
 * The float on the stack towards zero, as the interpreter's convertToInt: saturating in 32 or 64 bits, then cut off.
 * WebAssembly's conversions make 0 of a NaN.
 */
export function emitToInteger(c: ScalarContext, from: "f32" | "f64", bits: number, signed: boolean): void {
  const { f } = c;
  const carrier = bits > 32 ? "i64" : "i32";
  const truncate = (): void => {
    f.op(`${carrier}TruncSat${from === "f32" ? "F32" : "F64"}${signed ? "S" : "U"}` as PlainMethod);
  };
  if (from === "f32" && carrier === "i32") truncate();
  else {
    const value = f.local(from);
    f.localTee(value);
    truncate();
    if (carrier === "i32") f.i32Const(-0x8000_0000);
    else f.i64Const(-(1n << 63n));
    f.localGet(value).localGet(value).op(`${from}Eq`).select();
    f.free(value);
  }
  if (bits !== 32 && bits !== 64) emitCrop(f, bits);
}
