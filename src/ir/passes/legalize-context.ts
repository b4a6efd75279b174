/** What the rules of legalization work with: the code that is written, and the parts of each value. */
import type { AllocaInstruction, IrFunction, IrInstruction, IrType, IrValue } from "../model/ir.ts";
import type { Emitter } from "../model/emitter.ts";

export interface LegalizeContext {
  readonly function: IrFunction;
  readonly emitter: Emitter;
  /** The scalars that stand for a value. */
  partsOf(value: IrValue): readonly IrValue[];
  /** The scalar that stands for a value. */
  single(value: IrValue): IrValue;
  /** Notes the scalars that stand for the result of an instruction. */
  set(instruction: IrInstruction, parts: readonly IrValue[]): void;
  /** The instruction as it is, on the parts of its operands, each of which must be one. */
  keep(instruction: IrInstruction): void;
  /** Stack memory in the entry block. */
  alloca(type: IrType): AllocaInstruction;
}

/** How memory is accessed where an instruction says nothing else. */
export const PLAIN_ACCESS = { volatile: false, ordering: null, scope: null, cache: null, invariant: false } as const;

/** An i1: legal as a value, but in memory it is a byte. */
export function isBit(type: IrType): boolean {
  return type.kind === "int" && type.bits === 1;
}
