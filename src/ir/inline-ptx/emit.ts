/**
 * What the tables of PTX instructions write IR with: registers as variables, operands read in a type, results written
 * back.
 *
 * PTX registers are bits (PTX ISA 8.5, 5.2.1): an operand is reinterpreted in the instruction's type, cut or extended
 * where its width differs, as ld, st and cvt relax it (9.4.1). Every address space is one memory here, so that
 * addresses convert freely.
 */
import { bug, unsupported, type SourceLocation } from "../../base/diagnostics.ts";
import {
  constFloat,
  constFloatBits,
  constInt,
  newBinary,
  newCall,
  newCast,
  newFcmp,
  newIcmp,
  newInstruction,
  newSelect,
  CONTRACT,
  type NameSource,
} from "../model/build.ts";
import { declareFunction } from "../model/build-module.ts";
import { float64FromBits } from "../../base/float-bits.ts";
import type {
  BinaryOperator,
  CallInstruction,
  CastOperator,
  FloatPredicate,
  FloatType,
  ExtractValueInstruction,
  FnegInstruction,
  IntPredicate,
  IntType,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrModule,
  IrType,
  PointerType,
  IrValue,
} from "../model/ir.ts";
import type { PtxInstruction, PtxOperand, PtxRegister } from "./syntax.ts";
import {
  BF16,
  F16,
  F32,
  F64,
  I1,
  I32,
  VOID,
  intType,
  pointerOf,
  sameType,
  structType,
  scalarBits,
} from "../model/types.ts";

/** A register: a declared one, or an operand of the assembly statement. `bits` is its width. */
export interface Variable {
  readonly bits: number;
  value: IrValue | null;
}

/** u32, s64, b16, f32, f16x2, bf16x2, pred … */
export interface PtxType {
  readonly kind: "unsigned" | "signed" | "bits" | "float" | "predicate";
  /** Of the whole register: 32 for f16x2. */
  readonly bits: number;
  /** The IR type of one element. */
  readonly ir: IntType | FloatType;
  /** 2 for packed types. */
  readonly lanes: 1 | 2;
}

export function ptxType(word: string): PtxType | null {
  const match = /^([usb])(8|16|32|64|128)$/.exec(word);
  if (match) {
    const bits = Number(match[2]);
    return {
      kind: ({ u: "unsigned", s: "signed", b: "bits" } as const)[match[1] as "u" | "s" | "b"],
      bits,
      ir: intType(bits),
      lanes: 1,
    };
  }
  switch (word) {
    case "pred":
      return { kind: "predicate", bits: 1, ir: I1, lanes: 1 };
    case "f16":
      return { kind: "float", bits: 16, ir: F16, lanes: 1 };
    case "bf16":
      return { kind: "float", bits: 16, ir: BF16, lanes: 1 };
    case "f16x2":
      return { kind: "float", bits: 32, ir: F16, lanes: 2 };
    case "bf16x2":
      return { kind: "float", bits: 32, ir: BF16, lanes: 2 };
    case "f32":
      return { kind: "float", bits: 32, ir: F32, lanes: 1 };
    case "f64":
      return { kind: "float", bits: 64, ir: F64, lanes: 1 };
    default:
      return null;
  }
}

/** One instruction as its handler sees it. */
export interface PtxCall {
  readonly words: readonly string[];
  readonly operands: readonly PtxOperand[];
  /** The types among the words, in order. */
  readonly types: readonly PtxType[];
  readonly source: PtxInstruction;
}

export class PtxEmitter {
  readonly module: IrModule;
  readonly fn: IrFunction;
  location: SourceLocation | null;
  /** Where the next instruction goes. */
  block: IrBlock;
  readonly operands: readonly Variable[];
  readonly registers: ReadonlyMap<PtxRegister, Variable>;
  /** The carry of add.cc and its kin (PTX ISA 9.7.2). */
  readonly carry: Variable;
  readonly #names: NameSource;

  constructor(
    module: IrModule,
    block: IrBlock,
    location: SourceLocation | null,
    names: NameSource,
    operands: readonly Variable[],
    registers: ReadonlyMap<PtxRegister, Variable>,
    carry: Variable = { bits: 1, value: null },
  ) {
    this.carry = carry;
    this.module = module;
    this.fn = block.function;
    this.block = block;
    this.location = location;
    this.operands = operands;
    this.registers = registers;
    this.#names = names;
  }

  /** The type of addresses, in whatever memory they lie. */
  get pointer(): PointerType {
    return pointerOf(this.fn);
  }

  name(hint = "ptx"): string {
    return this.#names.fresh(hint);
  }
  unsupported(call: PtxCall | PtxInstruction): never {
    throw unsupported(`inline PTX '${"source" in call ? call.source.text : call.text}'`, this.location ?? undefined);
  }

  // ---------------------------------------------------------------- instructions

  add<T extends IrInstruction>(instruction: T): T {
    this.block.instructions.push(instruction);
    return instruction;
  }
  binary(operator: BinaryOperator, a: IrValue, b: IrValue, contract = false): IrValue {
    return this.add(newBinary(this, this.name(), operator, a, b, contract ? CONTRACT : null));
  }
  icmp(predicate: IntPredicate, a: IrValue, b: IrValue): IrValue {
    return this.add(newIcmp(this, this.name(), predicate, a, b));
  }
  fcmp(predicate: FloatPredicate, a: IrValue, b: IrValue): IrValue {
    return this.add(newFcmp(this, this.name(), predicate, a, b));
  }
  cast(operator: CastOperator, value: IrValue, type: IrType): IrValue {
    return this.add(newCast(this, this.name(), operator, value, type));
  }
  select(condition: IrValue, a: IrValue, b: IrValue): IrValue {
    return this.add(newSelect(this, this.name(), condition, a, b));
  }
  negate(value: IrValue): IrValue {
    return this.add(
      newInstruction<FnegInstruction>(this, {
        op: "fneg",
        type: value.type,
        name: this.name(),
        operand: value,
        fastMath: null,
      }),
    );
  }
  call(name: string, result: IrType, args: readonly IrValue[]): CallInstruction {
    const callee = declareFunction(
      this.module,
      name,
      result,
      args.map((arg) => arg.type),
    );
    return this.add(newCall(this, result.kind === "void" ? "" : this.name(), callee, [...args]));
  }
  /**
   * A device function that returns `count` values of a type: a struct whose name tells the linker that they are the
   * same.
   */
  callMany(name: string, element: IrType, count: number, args: readonly IrValue[]): IrValue[] {
    if (count === 1) return [this.call(name, element, args)];
    const short = `${element.kind === "float" ? "f" : "b"}${scalarBits(element)}`;
    const structName = `struct.__heddle_${short}x${count}`;
    const type =
      this.module.structTypes.get(structName) ??
      structType(
        Array.from({ length: count }, () => element),
        structName,
      );
    this.module.structTypes.set(structName, type);
    const result = this.call(name, type, args);
    return Array.from({ length: count }, (_, index) => this.extract(result, index, element));
  }
  extract(aggregate: IrValue, index: number, type: IrType): IrValue {
    return this.add(
      newInstruction<ExtractValueInstruction>(this, {
        op: "extractvalue",
        type,
        name: this.name(),
        aggregate,
        indices: [index],
      }),
    );
  }
  callVoid(name: string, args: readonly IrValue[]): void {
    this.call(name, VOID, args);
  }

  int(type: IntType, value: bigint | number): IrValue {
    return constInt(type, value);
  }
  i32(value: number): IrValue {
    return constInt(I32, value);
  }

  // ---------------------------------------------------------------- conversions

  /** The same bits in another type; cut, or extended by zeros (by the sign where `signed`), where the width differs. */
  coerce(value: IrValue, type: IrType, signed = false): IrValue {
    const from = value.type;
    if (sameType(from, type)) return value;
    if (value.kind === "const-int" && type.kind === "int") {
      return constInt(type, signed ? BigInt.asIntN(value.type.bits, value.value) : value.value);
    }
    if (from.kind === "ptr")
      return type.kind === "ptr"
        ? this.cast("addrspacecast", value, type)
        : this.coerce(this.cast("ptrtoint", value, intType(from.bits)), type);
    if (type.kind === "ptr") return this.cast("inttoptr", this.coerce(value, intType(type.bits)), type);
    if (from.kind !== "int") return this.coerce(this.cast("bitcast", value, intType(this.width(from))), type, signed);
    if (type.kind !== "int") return this.cast("bitcast", this.coerce(value, intType(this.width(type)), signed), type);
    if (type.bits === 1) return this.icmp("ne", value, constInt(from, 0));
    return type.bits < from.bits ? this.cast("trunc", value, type) : this.cast(signed ? "sext" : "zext", value, type);
  }
  protected width(type: IrType): number {
    switch (type.kind) {
      case "int":
        return type.bits;
      case "float":
        return scalarBits(type);
      case "ptr":
        return type.bits;
      case "vector":
        return type.length * this.width(type.element);
      default:
        throw unsupported(`an operand of inline PTX of type ${type.kind}`, this.location ?? undefined);
    }
  }

  /** The two elements of a packed register, the lower one first. */
  unpack(value: IrValue, element: FloatType | IntType): [IrValue, IrValue] {
    const bits = this.coerce(value, I32);
    const low = this.cast("trunc", bits, intType(16));
    const high = this.cast("trunc", this.binary("lshr", bits, this.i32(16)), intType(16));
    return [this.coerce(low, element), this.coerce(high, element)];
  }
  pack(low: IrValue, high: IrValue): IrValue {
    const half = (value: IrValue): IrValue => this.coerce(this.coerce(value, intType(16)), I32);
    return this.binary("or", half(low), this.binary("shl", half(high), this.i32(16)));
  }

  // ---------------------------------------------------------------- operands

  variable(operand: PtxOperand): Variable | null {
    if (operand.kind === "asm") return this.operands[operand.index] ?? null;
    if (operand.kind === "register")
      return this.registers.get(operand.register) ?? bug(`the register ${operand.register.name}`);
    return null;
  }

  read(call: PtxCall, index: number, type: IrType, signed = false): IrValue {
    const operand = call.operands[index];
    return operand === undefined ? this.unsupported(call) : this.readOperand(call, operand, type, signed);
  }

  readOperand(call: PtxCall, operand: PtxOperand, type: IrType, signed = false): IrValue {
    switch (operand.kind) {
      case "int":
        if (type.kind === "int") return constInt(type, operand.value);
        if (type.kind === "float") return constFloat(type, Number(operand.value));
        return this.coerce(constInt(I32, operand.value), type);
      case "float": {
        if (type.kind !== "float")
          return this.coerce(
            operand.width === 32 ? constFloatBits(F32, operand.bits) : constFloatBits(F64, operand.bits),
            type,
          );
        if (operand.width === 32 && type.format === "float") return constFloatBits(F32, operand.bits);
        if (operand.width === 64)
          return type.format === "double"
            ? constFloatBits(F64, operand.bits)
            : constFloat(type, float64FromBits(operand.bits));
        return this.unsupported(call);
      }
      case "not":
        return this.binary("xor", this.readOperand(call, operand.operand, I1), constInt(I1, 1));
      case "negative": {
        const value = this.readOperand(call, operand.operand, type, signed);
        return type.kind === "float" ? this.negate(value) : this.binary("sub", constInt(type as IntType, 0), value);
      }
      case "special":
        return this.coerce(this.#special(call, operand.name), type);
      case "asm":
      case "register": {
        const variable = this.variable(operand);
        if (!variable) return this.unsupported(call);
        // Reading a register that nothing was written to gives whatever the hardware holds; zero is as good.
        return this.coerce(variable.value ?? constInt(intType(variable.bits), 0), type, signed);
      }
      default:
        return this.unsupported(call);
    }
  }

  /** Writes a result; a wider register gets it extended, by the sign where `signed`. */
  write(call: PtxCall, index: number, value: IrValue, signed = false): void {
    const operand = call.operands[index];
    if (operand === undefined) this.unsupported(call);
    this.writeOperand(call, operand, value, signed);
  }
  writeOperand(call: PtxCall, operand: PtxOperand, value: IrValue, signed = false): void {
    if (operand.kind === "sink") return;
    const variable = this.variable(operand);
    if (!variable) return this.unsupported(call);
    const width = this.width(value.type);
    variable.value = width === variable.bits ? value : this.coerce(value, intType(variable.bits), signed);
  }
  /** The elements of a vector operand, or the operand alone. */
  elements(call: PtxCall, index: number): readonly PtxOperand[] {
    const operand = call.operands[index];
    if (operand === undefined) return this.unsupported(call);
    return operand.kind === "vector" ? operand.elements : [operand];
  }

  /** `[base + offset]` as a pointer `extra` bytes on. */
  address(call: PtxCall, index: number, extra = 0): IrValue {
    const operand = call.operands[index];
    if (operand?.kind !== "address") return this.unsupported(call);
    const base = this.readOperand(call, operand.base, this.pointer);
    const offset = operand.offset + BigInt(extra);
    if (offset === 0n) return base;
    return this.add(
      newInstruction(this, {
        op: "gep",
        type: this.pointer,
        name: this.name(),
        sourceType: intType(8),
        base,
        indices: [constInt(I32, offset)],
        inbounds: false,
      }),
    );
  }

  #special(call: PtxCall, name: string): IrValue {
    const prefix = "llvm.nvvm.read.ptx.sreg.";
    if (/^(?:tid|ntid|ctaid|nctaid|clusterid|nclusterid)\.[xyz]$/.test(name)) return this.call(prefix + name, I32, []);
    if (/^(?:laneid|warpid|nwarpid|smid|nsmid|gridid|clock)$/.test(name)) return this.call(prefix + name, I32, []);
    if (/^lanemask_(?:eq|le|lt|ge|gt)$/.test(name)) return this.call(prefix + name.replace("_", "."), I32, []);
    if (name === "clock64" || name === "globaltimer") return this.call(prefix + name, intType(64), []);
    if (name === "globaltimer_lo") return this.cast("trunc", this.call(`${prefix}globaltimer`, intType(64), []), I32);
    if (name === "clock_hi" || name === "globaltimer_hi") {
      const time = this.call(`${prefix}${name === "clock_hi" ? "clock64" : "globaltimer"}`, intType(64), []);
      return this.cast("trunc", this.binary("lshr", time, constInt(intType(64), 32)), I32);
    }
    if (/^cluster_n?(?:ctaid\.[xyz]|ctarank)$/.test(name)) return this.call(prefix + name.replace("_", "."), I32, []);
    if (name === "is_explicit_cluster") return this.call("llvm.nvvm.is_explicit_cluster", I1, []);
    return this.unsupported(call);
  }
}
