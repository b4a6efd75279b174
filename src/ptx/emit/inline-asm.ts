/**
 * Inline PTX of the program: the instructions as they are written, with the operands in place ("Inline PTX Assembly in
 * CUDA").
 */
import { unsupported } from "../../base/diagnostics.ts";
import type { CallInstruction, InlineAsm, IrType, IrValue } from "../../ir/model/ir.ts";
import { splitConstantOffset } from "../../ir/model/gep.ts";
import { sameType, scalarBits } from "../../ir/model/types.ts";
import { globalAddressOperands, hintedCopyTargets } from "./native-inline-ptx.ts";
import type { PtxFunction } from "./ptx-function.ts";
import { REGISTER_TYPES, registerClass, type RegisterClass } from "./ptx-types.ts";

const CLASSES: Readonly<Record<string, RegisterClass>> = { b: "p", c: "h", h: "h", r: "r", l: "rd", f: "f", d: "fd" };

export function emitInlineAsm(f: PtxFunction, i: CallInstruction, asm: InlineAsm): void {
  const types = resultTypes(i.type);
  const globals = globalAddressOperands(asm.template);
  const targets = hintedCopyTargets(asm.template);
  const operands: string[] = [];
  const reads: string[] = [];
  const outputs: { register: string; held: RegisterClass; type: IrType }[] = [];
  let argument = 0;
  for (const constraint of asm.constraints.split(",")) {
    if (constraint === "" || constraint.startsWith("~")) continue;
    const fail = (): never => {
      throw unsupported(`the constraint "${constraint}" of inline PTX on a GPU`, i.location ?? undefined);
    };
    if (constraint.startsWith("=")) {
      const held = CLASSES[constraint.replace(/^=&?/, "")] ?? fail();
      const register = f.fresh(held);
      outputs.push({ register, held, type: types[outputs.length] ?? fail() });
      operands.push(register);
      continue;
    }
    const value = i.args[argument++] ?? fail();
    if (/^\d+$/.test(constraint)) {
      const tied = outputs[Number(constraint)] ?? fail();
      f.emit(`mov.${REGISTER_TYPES[tied.held]} ${tied.register}, ${inputRegister(f, value, tied.held)}`);
      operands.push(tied.register);
    } else if (globals.has(operands.length)) operands.push(globalAddress(f, value));
    else if (constraint === "n" || constraint === "i" || constraint === "C") operands.push(f.operand(value));
    else {
      const register = inputRegister(f, value, CLASSES[constraint] ?? fail());
      operands.push(targets.has(operands.length) ? wholeAddress(f, register) : register);
    }
    reads.push(operands.at(-1) as string);
  }
  const label = f.program.label().slice(1);
  const text = asm.template
    .replace(/\$\{:uid\}/g, label)
    .replace(/\$\$/g, "\u0000")
    .replace(
      /\$(?:(\d+)|\{(\d+)(?::\w*)?\})/g,
      (_, a: string | undefined, b: string | undefined) => operands[Number(a ?? b)] ?? "",
    )
    .replaceAll("\u0000", "$");
  const body = text.trim();
  if (body !== "") {
    const line = `\t${body}${/[;}]$/.test(body) ? "" : ";"}`;
    f.lines.push("\t{", line, "\t}");
    f.statements.set(line, { writes: outputs.map(({ register }) => register), reads });
  }
  const results = outputs.map(({ register, held, type }) => fromClass(f, register, held, type));
  if (i.type.kind === "struct") f.results.set(i, results);
  else if (i.type.kind !== "void") f.alias(i, results[0] as string);
}

function resultTypes(type: IrType): readonly IrType[] {
  if (type.kind === "void") return [];
  return type.kind === "struct" ? type.elements : [type];
}

/** The value in a register of the class that the constraint asks for. */
function inputRegister(f: PtxFunction, value: IrValue, held: RegisterClass): string {
  const { type } = value;
  const own = registerClass(type);
  const operand = type.kind === "ptr" ? f.inRegister(f.programPointer(value), f.pointers.held) : f.register(value);
  if (own === held) return operand;
  const make = (line: string): string => f.make(held, line);
  if (held === "rd") {
    if (own === "fd") return make(`mov.b64 $d, ${operand}`);
    let word = operand;
    if (own === "p") word = f.make("r", `selp.b32 $d, 1, 0, ${operand}`);
    else if (own === "f") word = f.make("r", `mov.b32 $d, ${operand}`);
    return make(`cvt.u64.u32 $d, ${word}`);
  }
  if (held === "r") {
    if (own === "p") return make(`selp.b32 $d, 1, 0, ${operand}`);
    if (own === "h") return make(`cvt.u32.u16 $d, ${operand}`);
    if (own === "rd") return make(`cvt.u32.u64 $d, ${operand}`);
    return make(`mov.b32 $d, ${operand}`);
  }
  if (held === "h") return make(`cvt.u16.u${own === "rd" ? 64 : 32} $d, ${operand}`);
  if (held === "p") return make(`setp.ne.u32 $d, ${operand}, 0`);
  return make(`mov.b${held === "fd" ? 64 : 32} $d, ${operand}`);
}

/**
 * The same address of shared memory, as ptxas cannot take it apart: a permutation of bytes that moves none. It costs an
 * instruction.
 */
function wholeAddress(f: PtxFunction, address: string): string {
  const whole = (word: string): string => f.make("r", `prmt.b32 $d, ${word}, 0, 0x3210`);
  if (!address.startsWith("%rd")) return whole(address);
  return f.make("rd", `cvt.u64.u32 $d, ${whole(f.make("r", `cvt.u32.u64 $d, ${address}`))}`);
}

/** What a constraint's register holds, as the type of the output. */
function fromClass(f: PtxFunction, register: string, held: RegisterClass, type: IrType): string {
  const wanted = registerClass(type);
  if (type.kind === "int" && type.bits < 32 && type.bits > 1) {
    let word = register;
    if (held === "h") word = f.make("r", `cvt.u32.u16 $d, ${register}`);
    else if (held === "rd") word = f.make("r", `cvt.u32.u64 $d, ${register}`);
    return f.make("r", `and.b32 $d, ${word}, ${(1 << type.bits) - 1}`);
  }
  if (wanted === held) return register;
  if (held === "rd" && wanted === "r") return f.make("r", `cvt.u32.u64 $d, ${register}`);
  if (held === "r" && wanted === "rd") return f.make("rd", `cvt.u64.u32 $d, ${register}`);
  if (held === "h" && wanted === "r") return f.make("r", `cvt.u32.u16 $d, ${register}`);
  if (held === "r" && wanted === "h") return f.make("h", `cvt.u16.u32 $d, ${register}`);
  if (held === "r" && wanted === "p") return f.make("p", `setp.ne.u32 $d, ${register}, 0`);
  return f.make(wanted, `mov.b${scalarBits(type)} $d, ${register}`);
}

/** The program has a pointer, or a number made of one; the GPU's address has the window's upper half. */
function globalAddress(f: PtxFunction, value: IrValue): string {
  const source = pointerBehind(value);
  if (source !== null) {
    const { base } = splitConstantOffset(source);
    return base.kind === "param" && base.byval !== null ? f.paramAddress(source) : f.wideAddress(source);
  }
  if (f.pointers.bits === 64) return f.register(value);
  const low = scalarBits(value.type) === 64 ? f.make("r", `cvt.u32.u64 $d, ${f.register(value)}`) : f.register(value);
  return f.widen(low, "global");
}

function pointerBehind(value: IrValue): IrValue | null {
  if (value.type.kind === "ptr") return value;
  if (value.kind !== "instruction" || value.op !== "cast") return null;
  if (value.operator === "ptrtoint") return value.operand;
  return value.operator === "zext" && !sameType(value.operand.type, value.type) ? pointerBehind(value.operand) : null;
}
