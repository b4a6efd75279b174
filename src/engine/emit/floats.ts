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
export function getFloat(context: ScalarContext, value: IrValue): void {
  context.get(value);
  if (isHalfLike(value.type)) context.code.call(context.env.support.widen(value.type.format));
}

/** Rounds the compute-type value on the stack back to the format. */
export function emitFinish(context: ScalarContext, format: FloatFormat): void {
  if (format === "half" || format === "bfloat") context.code.call(context.env.support.narrow(format));
}

const ARITHMETIC = { fadd: "Add", fsub: "Sub", fmul: "Mul", fdiv: "Div" } as const;

export function emitFloatBinary(context: ScalarContext, i: BinaryInstruction): void {
  const format = formatOf(i.type);
  const type = computeType(format);
  getFloat(context, i.lhs);
  if (i.operator === "frem") {
    if (type === "f32") context.code.f64PromoteF32();
    getFloat(context, i.rhs);
    if (type === "f32") context.code.f64PromoteF32();
    context.code.call(context.env.math.fmod);
    if (type === "f32") context.code.f32DemoteF64(); // exact: the remainder has no more bits than the operands
  } else {
    getFloat(context, i.rhs);
    context.code.op(
      `${type}${ARITHMETIC[i.operator as keyof typeof ARITHMETIC] ?? bug(`${i.operator} on floats`)}` as PlainMethod,
    );
  }
  emitFinish(context, format);
}

export function emitFneg(context: ScalarContext, i: FnegInstruction): void {
  context.get(i.operand);
  const format = formatOf(i.type);
  if (format === "float") context.code.f32Neg();
  else if (format === "double") context.code.f64Neg();
  else context.code.i32Const(0x8000).i32Xor();
}

/** Pushes 0 or 1. */
export function emitFcmp(context: ScalarContext, i: FcmpInstruction): void {
  const { code } = context;
  const type = computeType(formatOf(i.lhs.type));
  const op = (name: string): void => {
    code.op(`${type}${name}` as PlainMethod);
  };
  const both = (): void => {
    getFloat(context, i.lhs);
    getFloat(context, i.rhs);
  };
  const compare = (name: string): void => {
    both();
    op(name);
  };
  const unordered = (value: IrValue): void => {
    getFloat(context, value);
    getFloat(context, value);
    op("Ne");
  };
  switch (i.predicate) {
    case "false":
      code.i32Const(0);
      return;
    case "true":
      code.i32Const(1);
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
      code.i32Or();
      return;
    case "ord":
      unordered(i.lhs);
      unordered(i.rhs);
      code.i32Or().i32Eqz();
      return;
    case "uno":
      unordered(i.lhs);
      unordered(i.rhs);
      code.i32Or();
      return;
    case "ueq":
      compare("Lt");
      compare("Gt");
      code.i32Or().i32Eqz();
      return;
    case "ugt":
      compare("Le");
      code.i32Eqz();
      return;
    case "uge":
      compare("Lt");
      code.i32Eqz();
      return;
    case "ult":
      compare("Ge");
      code.i32Eqz();
      return;
    case "ule":
      compare("Gt");
      code.i32Eqz();
      return;
    case "une":
      return compare("Ne");
  }
}

/** Every cast; pushes the result. */
export function emitCast(context: ScalarContext, i: CastInstruction): void {
  const { code } = context;
  const { operand, type: to } = i;
  switch (i.operator) {
    case "trunc":
    case "zext":
    case "sext":
      return emitIntegerCast(context, i.operator, operand, to);
    case "addrspacecast":
      context.get(operand);
      return;
    case "ptrtoint":
      return emitIntegerCast(context, bitWidth(to) < bitWidth(operand.type) ? "trunc" : "zext", operand, to);
    case "inttoptr":
      return emitIntegerCast(context, bitWidth(operand.type) > bitWidth(to) ? "trunc" : "zext", operand, to);
    case "bitcast": {
      context.get(operand);
      const from = wasmTypeOf(operand.type);
      const target = wasmTypeOf(to);
      if (from === target) return;
      if (from === "f32" && target === "i32") code.i32ReinterpretF32();
      else if (from === "i32" && target === "f32") code.f32ReinterpretI32();
      else if (from === "f64" && target === "i64") code.i64ReinterpretF64();
      else if (from === "i64" && target === "f64") code.f64ReinterpretI64();
      else bug(`bitcast from ${from} to ${target}`);
      return;
    }
    case "fpext":
      getFloat(context, operand);
      if (formatOf(to) === "double" && formatOf(operand.type) !== "double") code.f64PromoteF32();
      return;
    case "fptrunc": {
      const format = formatOf(to);
      const from = formatOf(operand.type);
      if (from === "double") {
        context.get(operand);
        if (format === "float") code.f32DemoteF64();
        else if (format !== "double") code.call(context.env.support.narrowDouble(format));
      } else {
        getFloat(context, operand);
        emitFinish(context, format);
      }
      return;
    }
    case "sitofp":
    case "uitofp":
      return emitFromInteger(context, i, i.operator === "sitofp");
    case "fptosi":
    case "fptoui":
      getFloat(context, operand);
      return emitToInteger(context, computeType(formatOf(operand.type)), bitWidth(to), i.operator === "fptosi");
  }
}

function emitFromInteger(context: ScalarContext, i: CastInstruction, signed: boolean): void {
  const { code } = context;
  const format = formatOf(i.type);
  const carrier = wasmTypeOf(i.operand.type);
  if (signed) getSigned(context, i.operand);
  else context.get(i.operand);
  if (format === "float" || format === "double") {
    code.op(`${computeType(format)}Convert${carrier === "i64" ? "I64" : "I32"}${signed ? "S" : "U"}` as PlainMethod);
  } else if (carrier === "i64") {
    code.call(context.env.support.convertOdd(signed)).call(context.env.support.narrowDouble(format));
  } else {
    code.op(signed ? "f64ConvertI32S" : "f64ConvertI32U").call(context.env.support.narrowDouble(format));
  }
}

/**
 * The float on the stack towards zero, as the interpreter's convertToInt: saturating in 32 or 64 bits, then cut off.
 * WebAssembly's conversions make 0 of a NaN.
 */
export function emitToInteger(context: ScalarContext, from: "f32" | "f64", bits: number, signed: boolean): void {
  const { code } = context;
  const carrier = bits > 32 ? "i64" : "i32";
  const truncate = (): void => {
    code.op(`${carrier}TruncSat${from === "f32" ? "F32" : "F64"}${signed ? "S" : "U"}` as PlainMethod);
  };
  if (from === "f32" && carrier === "i32") truncate();
  else {
    const value = code.local(from);
    code.localTee(value);
    truncate();
    if (carrier === "i32") code.i32Const(-0x8000_0000);
    else code.i64Const(-(1n << 63n));
    code.localGet(value).localGet(value).op(`${from}Eq`).select();
    code.free(value);
  }
  if (bits !== 32 && bits !== 64) emitCrop(code, bits);
}
