/** Moves, elementary functions, signs and classes of floats (PTX ISA 8.5, 9.7.3 and 9.7.9.2). */
import { constFloat, constFloatBits, constInt } from "../model/build.ts";
import type { FloatType, IrType, IrValue } from "../model/ir.ts";
import type { PtxCall, PtxEmitter } from "./emit.ts";
import { F32, F64, I32, intType } from "../model/types.ts";
import { lastType, rounding, suffix, floatOperation } from "./handler.ts";

// ---------------------------------------------------------------- moves and functions

/** mov, with packing and unpacking of vectors. */
export function move(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const destination = c.operands[0];
  const source = c.operands[1];
  const ir: IrType = type.lanes === 2 ? I32 : type.ir;
  if (source?.kind === "vector") {
    const width = partWidth(e, c, type.bits, source.elements.length);
    const whole = intType(type.bits);
    const parts = source.elements.map((element, i) => {
      const part = e.coerce(e.readOperand(c, element, intType(width)), whole);
      return i === 0 ? part : e.binary("shl", part, constInt(whole, i * width));
    });
    return e.write(
      c,
      0,
      parts.reduce((a, b) => e.binary("or", a, b)),
    );
  }
  if (destination?.kind === "vector") {
    const width = partWidth(e, c, type.bits, destination.elements.length);
    const whole = intType(type.bits);
    const value = e.read(c, 1, whole);
    destination.elements.forEach((element, i) => {
      if (element.kind === "sink") return;
      e.writeOperand(
        c,
        element,
        e.cast("trunc", i === 0 ? value : e.binary("lshr", value, constInt(whole, i * width)), intType(width)),
      );
    });
    return;
  }
  e.write(c, 0, e.read(c, 1, ir));
}

/** Of a register that is two or four others. */
function partWidth(e: PtxEmitter, c: PtxCall, bits: number, parts: number): number {
  const width = bits / parts;
  return parts >= 2 && Number.isInteger(width) && width >= 8 ? width : e.unsupported(c);
}

/** One-operand functions: the device library's, in float or double. */
export function elementary(e: PtxEmitter, c: PtxCall): void {
  const type = lastType(e, c);
  const word = c.words[0] as string;
  const direction = rounding(c);
  floatOperation(e, c, type, 1, ([a], ir) => {
    const value = a as IrValue;
    if (direction !== null && (word === "rcp" || word === "sqrt"))
      return e.call(`llvm.nvvm.${word}.${direction}.${ir === F32 ? "f" : "d"}`, ir, [value]);
    if (word === "rcp") return e.binary("fdiv", constFloat(ir, 1), value);
    if (word === "sqrt") return e.call(`llvm.sqrt.${suffix(ir)}`, ir, [value]);
    const names: Readonly<Record<string, string>> = {
      ex2: "exp2",
      lg2: "log2",
      sin: "sin",
      cos: "cos",
      tanh: "tanh",
      rsqrt: "rsqrt",
    };
    const name = names[word] ?? e.unsupported(c);
    if (ir === F64) return e.call(`__nv_${name}`, F64, [value]);
    if (ir === F32) return e.call(`__nv_${name}f`, F32, [value]);
    return e.cast("fptrunc", e.call(`__nv_${name}f`, F32, [e.cast("fpext", value, F32)]), ir);
  });
}

export function copySign(e: PtxEmitter, c: PtxCall): void {
  const ir = lastType(e, c).ir as FloatType;
  e.write(c, 0, e.call(`llvm.copysign.${suffix(ir)}`, ir, [e.read(c, 2, ir), e.read(c, 1, ir)]));
}

const SMALLEST_NORMAL = { double: 2 ** -1022, float: 2 ** -126, bfloat: 2 ** -126, half: 2 ** -14 } as const;

export function testProperty(e: PtxEmitter, c: PtxCall): void {
  const ir = lastType(e, c).ir as FloatType;
  const value = e.read(c, 1, ir);
  const magnitude = e.call(`llvm.fabs.${suffix(ir)}`, ir, [value]);
  const infinity = constFloat(ir, Infinity);
  const smallest = constFloat(ir, SMALLEST_NORMAL[ir.format]);
  const zero = constFloatBits(ir, 0n);
  const tests: Readonly<Record<string, () => IrValue>> = {
    finite: () => e.fcmp("olt", magnitude, infinity),
    infinite: () => e.fcmp("oeq", magnitude, infinity),
    number: () => e.fcmp("ord", value, value),
    notanumber: () => e.fcmp("uno", value, value),
    normal: () => e.binary("and", e.fcmp("oge", magnitude, smallest), e.fcmp("olt", magnitude, infinity)),
    subnormal: () => e.binary("and", e.fcmp("olt", magnitude, smallest), e.fcmp("ogt", magnitude, zero)),
  };
  e.write(c, 0, (tests[c.words[1] as string] ?? e.unsupported(c))());
}
