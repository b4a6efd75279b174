/** What the instructions of a function write IR with: as for inline assembly, and names of variables. */
import { HeddleError } from "../../base/diagnostics.ts";
import { constInt, newByteOffset, type NameSource } from "../../ir/model/build.ts";
import type { IrBlock, IrModule, IrType, IrValue } from "../../ir/model/ir.ts";
import { I32, PTR, sameType } from "../../ir/model/types.ts";
import { PtxEmitter, type PtxCall, type Variable } from "../../ir/inline-ptx/emit.ts";
import type { PtxInstruction, PtxOperand, PtxRegister } from "../../ir/inline-ptx/syntax.ts";
import type { PtxText } from "./tokens.ts";

/** What a name that is no register stands for, as an address. */
export type SymbolAddress = (operand: Extract<PtxOperand, { kind: "symbol" }>) => IrValue | null;

export interface EmitterParts {
  readonly module: IrModule;
  readonly entry: IrBlock;
  readonly names: NameSource;
  readonly registers: ReadonlyMap<PtxRegister, Variable>;
  readonly carry: Variable;
  readonly text: PtxText;
  readonly symbol: SymbolAddress;
}

export class FunctionEmitter extends PtxEmitter {
  readonly #parts: EmitterParts;
  /** The offset in the text of the instruction. */
  at = 0;
  /** Results are taken where this holds. */
  guard: IrValue | null = null;

  constructor(parts: EmitterParts) {
    super(parts.module, parts.entry, null, parts.names, [], parts.registers, parts.carry);
    this.#parts = parts;
  }

  override unsupported(call: PtxCall | PtxInstruction): never {
    const text = "source" in call ? call.source.text : call.text;
    throw this.#parts.text.unsupported(this.at, `'${text}'`);
  }

  fail(message: string): never {
    throw this.#parts.text.error(this.at, message);
  }

  override readOperand(call: PtxCall, operand: PtxOperand, type: IrType, signed = false): IrValue {
    if (operand.kind === "symbol") return this.coerce(this.symbol(operand), type, signed);
    if (operand.kind === "address") return this.coerce(this.#sum(call, operand.base, operand.offset), type, signed);
    if (operand.kind === "label") return this.fail(`the label '${operand.name}' is no operand here`);
    return super.readOperand(call, operand, type, signed);
  }

  override writeOperand(call: PtxCall, operand: PtxOperand, value: IrValue, signed = false): void {
    const variable = this.guard === null ? null : this.variable(operand);
    if (variable === null) return super.writeOperand(call, operand, value, signed);
    const old = variable.value as IrValue;
    super.writeOperand(call, operand, value, signed);
    variable.value = this.select(this.guard as IrValue, variable.value as IrValue, old);
  }

  override address(call: PtxCall, index: number, extra = 0): IrValue {
    const operand = call.operands[index];
    if (operand?.kind !== "address") return this.unsupported(call);
    return this.#sum(call, operand.base, operand.offset + BigInt(extra));
  }

  symbol(operand: Extract<PtxOperand, { kind: "symbol" }>): IrValue {
    return this.#parts.symbol(operand) ?? this.fail(`unknown name '${operand.name}'`);
  }

  #sum(call: PtxCall, base: PtxOperand, offset: bigint): IrValue {
    const pointer = this.readOperand(call, base, PTR);
    return offset === 0n ? pointer : this.add(newByteOffset(this, this.name(), pointer, constInt(I32, offset)));
  }

  override coerce(value: IrValue, type: IrType, signed = false): IrValue {
    if (sameType(value.type, type)) return value;
    if (type.kind === "ptr" && value.type.kind === "int" && value.type.bits >= 32)
      return this.cast("inttoptr", value, PTR); // recover-pointers.ts finds the pointer
    if (value.kind === "instruction" && value.op === "cast") {
      const { operator, operand } = value;
      // What was reinterpreted or extended comes back as it was.
      if (operator === "bitcast" && sameType(operand.type, type)) return operand;
      if (operator === "zext" && sameType(operand.type, type)) return operand;
      if (operator === "sext" && sameType(operand.type, type)) return operand;
    }
    return super.coerce(value, type, signed);
  }
}

/** Errors of the text that were thrown without a place get this one. */
export function withPlace<T>(text: PtxText, at: number, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof HeddleError) || error.location !== undefined) throw error;
    const { message } = text.error(at, error.summary);
    throw new HeddleError(error.code, message, { location: text.location(at) });
  }
}
