/** Conversions in PTX (PTX ISA 8.5, 9.7.9 "cvt", "mov"; LangRef, "Conversion Operations"). */
import { unsupported } from "../../base/diagnostics.ts";
import type { CastInstruction, FloatType, IntType, IrType, IrValue } from "../../ir/model/ir.ts";
import { formatType, scalarBits } from "../../ir/model/types.ts";
import { floatToHalf, halfToFloat, operandForConversionOf, signExtended } from "./arithmetic.ts";
import type { PtxFunction } from "./ptx-function.ts";
import { REGISTER_TYPES, registerClass } from "./ptx-types.ts";

export function emitCast(f: PtxFunction, i: CastInstruction): void {
  const from = i.operand.type;
  switch (i.operator) {
    case "trunc":
      return truncate(f, i, f.operand(i.operand), scalarBits(from), i.type as IntType);
    case "zext":
      return zeroExtend(f, i, f.operand(i.operand), scalarBits(from), scalarBits(i.type));
    case "sext":
      return signExtend(f, i);
    case "fptrunc":
      return floatTruncate(f, i);
    case "fpext":
      return floatExtend(f, i);
    case "fptosi":
    case "fptoui":
      return floatToInt(f, i);
    case "sitofp":
    case "uitofp":
      return intToFloat(f, i);
    case "ptrtoint":
      return pointerToInt(f, i);
    case "inttoptr":
      return intToPointer(f, i);
    case "bitcast":
      return bitcast(f, i, i.operand);
    case "addrspacecast":
      return castSpace(f, i);
  }
}

function truncate(f: PtxFunction, i: IrValue, operand: string, from: number, to: IntType): void {
  const low = from === 64 ? f.make("r", `cvt.u32.u64 $d, ${f.inRegister(operand, "rd")}`) : f.inRegister(operand, "r");
  if (to.bits === 32) return f.alias(i, low);
  if (to.bits === 1) return f.emit(`setp.ne.u32 ${f.define(i)}, ${f.make("r", `and.b32 $d, ${low}, 1`)}, 0`);
  f.emit(`and.b32 ${f.define(i)}, ${low}, ${(1 << to.bits) - 1}`);
}

function zeroExtend(f: PtxFunction, i: IrValue, operand: string, from: number, to: number): void {
  if (from === 1) return f.emit(`selp.b${to === 64 ? 64 : 32} ${f.define(i)}, 1, 0, ${operand}`);
  if (to === 64) return f.emit(`cvt.u64.u32 ${f.define(i)}, ${f.inRegister(operand, "r")}`);
  f.alias(i, f.inRegister(operand, "r"));
}

function signExtend(f: PtxFunction, i: CastInstruction): void {
  const [from, to] = [scalarBits(i.operand.type), scalarBits(i.type)];
  if (from === 1) {
    const ones = to === 8 || to === 16 ? (1 << to) - 1 : -1;
    return f.emit(`selp.b${to === 64 ? 64 : 32} ${f.define(i)}, ${ones}, 0, ${f.operand(i.operand)}`);
  }
  const extended = f.inRegister(signExtended(f, i.operand), "r");
  if (to === 64) return f.emit(`cvt.s64.s32 ${f.define(i)}, ${extended}`);
  if (to === 32) return f.alias(i, extended);
  f.emit(`and.b32 ${f.define(i)}, ${extended}, ${(1 << to) - 1}`);
}

function floatTruncate(f: PtxFunction, i: CastInstruction): void {
  const from = (i.operand.type as FloatType).format;
  const to = (i.type as FloatType).format;
  const a = f.register(i.operand);
  if (to === "float") return f.emit(`cvt.rn${f.ftz}.f32.f64 ${f.define(i)}, ${a}`);
  if (from === "float") return floatToHalf(f, f.define(i), a, to as "half" | "bfloat");
  if (to === "half") return f.emit(`cvt.rn.f16.f64 ${f.define(i)}, ${a}`);
  if (f.program.architecture >= 90) return f.emit(`cvt.rn.bf16.f64 ${f.define(i)}, ${a}`);
  throw unsupported("a conversion from double to bfloat16 below compute capability 9.0", i.location ?? undefined);
}

function floatExtend(f: PtxFunction, i: CastInstruction): void {
  const from = (i.operand.type as FloatType).format;
  const to = (i.type as FloatType).format;
  const a = f.register(i.operand);
  if (from === "float") return f.emit(`cvt${f.ftz}.f64.f32 ${f.define(i)}, ${a}`);
  const single = halfToFloat(f, a, from as "half" | "bfloat");
  if (to === "float") return f.alias(i, single);
  f.emit(`cvt.f64.f32 ${f.define(i)}, ${single}`);
}

/** Out of range saturates, as the instruction does; below 32 bits, to what is left of a saturated 32. */
function floatToInt(f: PtxFunction, i: CastInstruction): void {
  const bits = scalarBits(i.type);
  const [source, type] = operandForConversionOf(f, i.operand);
  const sign = i.operator === "fptosi" ? "s" : "u";
  const name = `cvt.rzi${type === "f32" ? f.ftz : ""}.${sign}${bits === 64 ? 64 : 32}.${type}`;
  if (bits >= 32) return f.emit(`${name} ${f.define(i)}, ${source}`);
  truncate(f, i, f.make("r", `${name} $d, ${source}`), 32, i.type as IntType);
}

function intToFloat(f: PtxFunction, i: CastInstruction): void {
  const { format } = i.type as FloatType;
  const bits = scalarBits(i.operand.type);
  const signed = i.operator === "sitofp";
  let source: string;
  if (bits === 1) source = f.make("r", `selp.b32 $d, ${signed ? -1 : 1}, 0, ${f.operand(i.operand)}`);
  else source = f.inRegister(signed ? signExtended(f, i.operand) : f.operand(i.operand), registerClass(i.operand.type));
  const type = `${signed ? "s" : "u"}${bits === 64 ? 64 : 32}`;
  if (format !== "bfloat") {
    const name = ({ half: "f16", float: "f32", double: "f64" } as const)[format];
    return f.emit(`cvt.rn.${name}.${type} ${f.define(i)}, ${source}`);
  }
  if (f.program.architecture >= 90) return f.emit(`cvt.rn.bf16.${type} ${f.define(i)}, ${source}`);
  if (bits > 16)
    throw unsupported(
      "a conversion from a 32-bit integer to bfloat16 below compute capability 9.0",
      i.location ?? undefined,
    );
  floatToHalf(f, f.define(i), f.make("f", `cvt.rn.f32.${type} $d, ${source}`), "bfloat");
}

function pointerToInt(f: PtxFunction, i: CastInstruction): void {
  const { held, bits: width } = f.pointers;
  const address = f.inRegister(f.programPointer(i.operand), held);
  const bits = scalarBits(i.type);
  if (bits === width) return f.alias(i, address);
  if (bits > width) return zeroExtend(f, i, address, width, bits);
  truncate(f, i, address, width, i.type as IntType);
}

function intToPointer(f: PtxFunction, i: CastInstruction): void {
  const bits = scalarBits(i.operand.type);
  const operand = f.operand(i.operand);
  const { held, bits: width } = f.pointers;
  if (bits === 1) return f.emit(`selp.b${width} ${f.define(i)}, 1, 0, ${operand}`);
  const given = f.inRegister(operand, bits === 64 ? "rd" : "r");
  let generic = given;
  if (bits === 64 && width === 32) generic = f.make("r", `cvt.u32.u64 $d, ${given}`);
  else if (bits < 64 && width === 64) generic = f.make("rd", `cvt.u64.u32 $d, ${given}`);
  f.alias(i, bits >= 32 ? f.fromGeneric(f.inRegister(generic, held), f.spaceOf(i)) : generic);
}

/** The forms of the two spaces say what there is to do. */
function castSpace(f: PtxFunction, i: CastInstruction): void {
  f.alias(i, convertedPointer(f, i, i.operand));
}

/** `operand` in the form of the space of `i`, in a register. */
export function convertedPointer(f: PtxFunction, i: IrValue, operand: IrValue): string {
  const [from, to] = [f.spaceOf(operand), f.spaceOf(i)];
  if (operand.kind === "const-null" || from === to || (to === "generic" && from !== "shared" && from !== "local"))
    return f.inRegister(f.operand(operand), f.pointers.held);
  return f.inRegister(f.fromGeneric(f.toGeneric(f.operand(operand), from), to), f.pointers.held);
}

// ---------------------------------------------------------------- bits

function bitcast(f: PtxFunction, i: CastInstruction, operand: IrValue): void {
  const [from, to] = [operand.type, i.type];
  if (from.kind === "ptr") return castSpace(f, i);
  const [a, b] = [registerClass(from), registerClass(to)];
  if (a === b) return f.alias(i, f.register(operand));
  reinterpret(f, f.define(i), f.register(operand), from, to);
}

/** The same bits in a register of another class. */
export function reinterpret(f: PtxFunction, d: string, register: string, from: IrType, to: IrType): void {
  const [a, b] = [registerClass(from), registerClass(to)];
  if (a === b) return f.emit(`mov.${REGISTER_TYPES[a]} ${d}, ${register}`);
  if (a === "h" && b === "r") return f.emit(`cvt.u32.u16 ${d}, ${register}`);
  if (a === "r" && b === "h") return f.emit(`cvt.u16.u32 ${d}, ${register}`);
  if (scalarBits(from) !== scalarBits(to))
    throw unsupported(`a bitcast from ${formatType(from)} to ${formatType(to)} on a GPU`);
  f.emit(`mov.b${scalarBits(from)} ${d}, ${register}`);
}
