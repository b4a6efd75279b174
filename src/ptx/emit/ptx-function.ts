/**
 * The text of one function while it is written: registers, operands, lines. What instructions become is in the files
 * emit/.
 */
import { bug } from "../../base/diagnostics.ts";
import type { SourceLocation } from "../../base/diagnostics.ts";
import { isConstant } from "../../ir/model/build.ts";
import type {
  AllocaInstruction,
  IrBlock,
  IrConstant,
  IrFunction,
  IrGlobal,
  IrParam,
  IrType,
  IrValue,
  PointerType,
} from "../../ir/model/ir.ts";
import { forEachSymbol } from "../../ir/model/constant-symbols.ts";
import { splitConstantOffset } from "../../ir/model/gep.ts";
import { alignUp } from "../../base/align.ts";
import type { StatementEffects } from "./coalesce-copies.ts";
import { loopsTestedAtEnd } from "./loop-exit-tests.ts";
import type { PointerModel, PtxAddress } from "./pointer-model.ts";
import {
  declaredSpace,
  spaceOfConstant,
  type PointerSpace,
  type PointerSpaces,
} from "../../analysis/pointers/pointer-spaces.ts";
import { scalarBits } from "../../ir/model/types.ts";
import type { ProgramFacts } from "./program-facts.ts";
import { REGISTER_TYPES, float32Literal, float64Literal, registerClass, type RegisterClass } from "./ptx-types.ts";

export class PtxFunction {
  readonly program: ProgramFacts;
  readonly fn: IrFunction;
  readonly spaces: PointerSpaces;
  readonly pointers: PointerModel;
  /** ".ftz" where float subnormals are flushed (-use_fast_math, -ftz=true), else "". */
  readonly ftz: "" | ".ftz";
  /** -prec-div=false, -prec-sqrt=false: division and square root need not be rounded correctly. */
  readonly approximate: boolean;
  readonly blockLabels: Map<IrBlock, string> = new Map();
  /** Latches to headers: see loop-exit-tests.ts. */
  readonly loopTests: ReadonlyMap<IrBlock, IrBlock>;
  /** Where in the function's frame each allocation lies. */
  readonly frameOffsets: Map<AllocaInstruction, number> = new Map();
  readonly lines: string[] = [];
  /** What the lines of inline PTX do with registers. */
  readonly statements: Map<string, StatementEffects> = new Map();
  readonly #counts: Record<RegisterClass, number> = { p: 0, h: 0, r: 0, rd: 0, f: 0, fd: 0 };
  readonly #registers = new Map<IrValue, string>();
  /** The 64-bit address of a global pointer that accesses begin at, made where the pointer is. */
  readonly #wide = new Map<IrValue, string>();
  /** The parts of vectors of 16-bit or smaller elements that only intrinsics of the target see. */
  readonly vectorParts: Map<IrValue, readonly IrValue[]> = new Map();
  /** The registers of instructions with several results, which extractvalue takes apart. */
  readonly results: Map<IrValue, readonly string[]> = new Map();
  #location: SourceLocation | null = null;

  constructor(
    program: ProgramFacts,
    fn: IrFunction,
    spaces: PointerSpaces,
    arithmetic: { readonly ftz: boolean; readonly approximate: boolean },
  ) {
    this.program = program;
    this.fn = fn;
    this.spaces = spaces;
    this.pointers = program.pointers;
    this.ftz = arithmetic.ftz ? ".ftz" : "";
    this.approximate = arithmetic.approximate;
    this.loopTests = loopsTestedAtEnd(fn, (pointer) => this.spaceOf(pointer));
  }

  // ---------------------------------------------------------------- text

  emit(line: string): void {
    this.lines.push(`\t${line};`);
  }
  label(name: string): void {
    this.lines.push(`${name}:`);
  }

  /** A new register. */
  fresh(held: RegisterClass): string {
    return `%${held}${++this.#counts[held]}`;
  }

  /** One line whose result is a new register, which is returned: `$d` stands for it. */
  make(held: RegisterClass, line: string): string {
    const register = this.fresh(held);
    this.emit(line.replaceAll("$d", register));
    return register;
  }

  declarations(): string[] {
    return (Object.keys(REGISTER_TYPES) as RegisterClass[])
      .filter((held) => this.#counts[held] > 0)
      .map((held) => `\t.reg .${REGISTER_TYPES[held]} %${held}<${this.#counts[held] + 1}>;`);
  }

  /** The lines that follow belong to this place of the source. */
  locate(location: SourceLocation | null): void {
    if (!this.program.target.lineInfo || location === null || location.line === 0) return;
    const last = this.#location;
    if (last !== null && last.line === location.line && last.file === location.file && last.column === location.column)
      return;
    this.#location = location;
    this.lines.push(`\t.loc ${this.program.fileNumber(location.file)} ${location.line} ${location.column}`);
  }

  // ---------------------------------------------------------------- values

  /** The register that an instruction's or parameter's value goes to. */
  define(value: IrValue): string {
    const known = this.#registers.get(value);
    if (known !== undefined) return known;
    const register = this.fresh(registerClass(value.type));
    this.#registers.set(value, register);
    return register;
  }

  /** Says that a value needs no code: it is what is in another register. */
  alias(value: IrValue, register: string): void {
    const known = this.#registers.get(value);
    if (known === undefined) this.#registers.set(value, register);
    else this.copy(value, register);
  }

  /**
   * Puts into a value's own register what is in another. The result of a call is never an alias of what it is given:
   * see loop-exit-tests.ts.
   */
  copy(value: IrValue, register: string): void {
    this.emit(`mov.${REGISTER_TYPES[registerClass(value.type)]} ${this.define(value)}, ${register}`);
  }

  isDefined(value: IrValue): boolean {
    return this.#registers.has(value);
  }

  /** A register, or a literal where the value is a constant of a type that may be one. */
  operand(value: IrValue): string {
    if (value.kind === "instruction" || value.kind === "param") {
      if (value.kind === "instruction" && value.op === "alloca") return this.#allocaAddress(value);
      return this.#registers.get(value) ?? this.define(value);
    }
    if (!isConstant(value)) return bug(`the value of ${value.kind}`);
    return this.#constant(value);
  }

  register(value: IrValue): string {
    const operand = this.operand(value);
    return operand.startsWith("%") ? operand : this.inRegister(operand, registerClass(value.type));
  }

  inRegister(operand: string, held: RegisterClass): string {
    return operand.startsWith("%") ? operand : this.make(held, `mov.${REGISTER_TYPES[held]} $d, ${operand}`);
  }

  #constant(constant: IrConstant): string {
    const { type } = constant;
    if (type.kind === "vector") return this.#vectorConstant(constant);
    const shared = sharedSymbol(constant);
    if (shared !== null)
      return constant.kind === "global"
        ? this.make(this.pointers.held, `mov.b${this.pointers.bits} $d, ${this.program.sharedName(shared)}`)
        : bug("a constant expression of a shared variable is left");
    if (type.kind === "ptr") return this.pointers.constant(this, constant);
    if (type.kind === "int" && type.bits === 64 && this.pointers.bits === 64 && constant.kind === "const-expr")
      return this.pointers.constant(this, constant);
    const bits = this.program.bits(constant);
    switch (type.kind) {
      case "int":
        if (type.bits === 1) return this.make("p", `setp.${bits === 1n ? "eq" : "ne"}.u32 $d, 0, 0`);
        return String(type.bits >= 32 ? BigInt.asIntN(type.bits, bits) : bits);
      case "float":
        if (type.format === "float") return float32Literal(bits);
        if (type.format === "double") return float64Literal(bits);
        return this.make("h", `mov.b16 $d, 0x${bits.toString(16)}`);
      default:
        return bug("a constant that is no scalar");
    }
  }

  #vectorConstant(constant: IrConstant): string {
    if (constant.kind === "const-undef" || constant.kind === "const-zero") return "0";
    if (constant.kind !== "const-aggregate" || constant.type.kind !== "vector") return bug("a vector constant");
    const { element } = constant.type;
    const width = BigInt(scalarBits(element));
    return String(
      constant.elements.reduce((sum, part, i) => sum | (this.program.bits(part) << (BigInt(i) * width)), 0n),
    );
  }

  // ---------------------------------------------------------------- pointers

  spaceOf(value: IrValue): PointerSpace {
    if (value.kind === "instruction" || value.kind === "param") return this.spaces.get(value) ?? "generic";
    return isConstant(value) ? (spaceOfConstant(value) ?? "generic") : "generic";
  }

  /** The frame's beginning in local memory; the register is made when it is first asked for. */
  get frame(): string {
    return (this.#frame ??= this.fresh(this.pointers.held));
  }
  get usesFrame(): boolean {
    return this.#frame !== null;
  }
  #frame: string | null = null;
  frameBytes = 0;
  frameAlign = 8;

  /** Room in the frame; its offset. */
  reserveFrame(bytes: number, align: number): number {
    const at = alignUp(this.frameBytes, align);
    this.frameBytes = at + bytes;
    this.frameAlign = Math.max(this.frameAlign, align);
    return at;
  }

  #allocaAddress(alloca: AllocaInstruction): string {
    const known = this.#registers.get(alloca);
    if (known !== undefined) return known;
    const offset = this.frameOffsets.get(alloca);
    if (offset === undefined) return this.define(alloca);
    const { held, bits } = this.pointers;
    return offset === 0 ? this.frame : this.make(held, `add.s${bits} $d, ${this.frame}, ${offset}`);
  }

  /**
   * The pointer as the program sees it: what is stored, compared, passed on. A pointer type that names its space keeps
   * the space's own form.
   */
  programPointer(value: IrValue): string {
    const type = value.type as PointerType;
    const held = this.spaceOf(value);
    if (declaredSpace(type.addressSpace) === held || type.addressSpace === 3 || type.addressSpace === 5)
      return this.operand(value);
    return this.toGeneric(this.operand(value), held);
  }

  toGeneric(operand: string, held: PointerSpace): string {
    return this.pointers.toGeneric(this, operand, held);
  }

  /** The pointer in the form of `space`, which it is known to fit. */
  pointerIn(value: IrValue, space: PointerSpace): string {
    const held = this.spaceOf(value);
    if (held === space || value.kind === "const-null" || value.kind === "const-undef") return this.operand(value);
    if (held === "param") return this.paramAddress(value);
    return this.fromGeneric(this.toGeneric(this.operand(value), held), space);
  }

  /** The generic address of a place in a kernel's parameter (PTX ISA 8.5, 9.7.9.20 "cvta"). */
  paramAddress(pointer: IrValue): string {
    const { base, offset } = this.splitPointer(pointer);
    if (base.kind !== "param") return this.make("rd", `cvta.param.u64 $d, ${this.operand(pointer)}`);
    const start = this.make("rd", `cvta.param.u64 $d, ${this.make("rd", `mov.b64 $d, ${kernelParamName(base)}`)}`);
    return offset === 0 ? start : this.make("rd", `add.s64 $d, ${start}, ${offset}`);
  }

  fromGeneric(generic: string, space: PointerSpace): string {
    return this.pointers.fromGeneric(this, generic, space);
  }

  /**
   * What stands in brackets, and the state space of the instruction ("" for a generic address). Distances that
   * constants add are part of the instruction; no wrap is possible, as nothing is mapped near the window's ends
   * (address-map.ts).
   */
  address(pointer: IrValue, extra = 0): PtxAddress {
    const { base, offset } = this.splitPointer(pointer);
    return this.#addressAt(base, offset + extra);
  }

  /**
   * A pointer as a base and the bytes that constant indices add to it. A generic base must itself point into its
   * object, as it is what tells the space.
   */
  splitPointer(pointer: IrValue): { readonly base: IrValue; readonly offset: number } {
    return splitConstantOffset(
      pointer,
      (gep, offset) =>
        gep.type.kind === "ptr" && Math.abs(offset) <= MAX_OFFSET && (gep.inbounds || this.spaceOf(gep) !== "generic"),
    );
  }

  #addressAt(base: IrValue, offset: number): PtxAddress {
    const space = this.spaceOf(base);
    const at = (register: string): string => (offset === 0 ? `[${register}]` : `[${register}+${offset}]`);
    switch (space) {
      case "shared": {
        if (base.kind === "global") return { space: ".shared", text: at(this.program.sharedName(base)) };
        return { space: ".shared", text: at(this.inRegister(this.operand(base), this.pointers.held)) };
      }
      case "local": {
        const frame = base.kind === "instruction" && base.op === "alloca" ? this.frameOffsets.get(base) : undefined;
        if (frame !== undefined) {
          offset += frame;
          return { space: ".local", text: at(this.frame) };
        }
        return { space: ".local", text: at(this.inRegister(this.operand(base), this.pointers.held)) };
      }
      case "param": {
        if (base.kind === "param") return { space: ".param", text: at(kernelParamName(base)) };
        return { space: ".param", text: at(this.inRegister(this.operand(base), this.pointers.held)) };
      }
      case "constant":
        return this.pointers.constantAddress(this, base, offset);
      case "global":
        return { space: ".global", text: at(this.wideAddress(base)) };
      case "generic": {
        const { shared, local, constant, param } = this.program.reachable;
        if (!shared && !local && !constant && !param) return { space: ".global", text: at(this.wideAddress(base)) };
        return { space: "", text: at(this.wideAddress(base)) };
      }
    }
  }

  /** The 64-bit address of a pointer to global memory or of a generic one. */
  wideAddress(value: IrValue): string {
    return this.#wide.get(value) ?? this.pointers.wideAddress(this, value);
  }

  widen(pointer: string, space: PointerSpace): string {
    return this.pointers.widen(this, pointer, space);
  }

  /** Makes a pointer's 64-bit address where the pointer is defined, for all accesses that begin at it. */
  prepareWide(value: IrValue): void {
    if (this.pointers.prepares && !this.#wide.has(value))
      this.#wide.set(value, this.widen(this.operand(value), this.spaceOf(value)));
  }
}

/** The shared variable that a constant mentions, or null. */
export function sharedSymbol(constant: IrConstant): IrGlobal | null {
  let found: IrGlobal | null = null;
  forEachSymbol(constant, (symbol) => {
    if (symbol.kind === "global" && symbol.type.addressSpace === 3) found = symbol;
  });
  return found;
}

/** Offsets that instructions hold: 24 bits with sign, and never so far that an address in the window could leave it. */
const MAX_OFFSET = 1 << 22;

export function kernelParamName(param: IrParam): string {
  return `param_${param.index}`;
}

export function elementTypeOf(type: IrType): IrType {
  return type.kind === "vector" ? type.element : type;
}
