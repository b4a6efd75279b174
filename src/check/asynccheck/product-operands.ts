/**
 * The registers that products of a warpgroup read A from (wgmma with A in registers), and where the program gives such
 * a register another value.
 *
 * A product's statement stores them into the function's local memory `wgmma.a` (ir/inline-ptx/wgmma.ts). A register is
 * what LLVM makes of a value: the instruction that computes it writes the register again whenever it runs again, in the
 * next iteration of a loop. Where the compiler takes another register, nothing changes.
 */
import type { IrEdits } from "../../instrument/ir-edits.ts";
import type { Emitter } from "../../ir/model/emitter.ts";
import type { CallInstruction, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { storeSize } from "../../ir/model/layout.ts";
import { I32 } from "../../ir/model/types.ts";
import { isProduct } from "./async-operations.ts";
import { ProductVariables } from "./product-variables.ts";

const OPERANDS = "wgmma.a";

export interface ChangedOperand {
  readonly product: CallInstruction;
  /** A variable of the function: what the product has read. */
  readonly read: IrValue;
}

export class ProductOperands {
  readonly #byDefinition = new Map<IrInstruction, CallInstruction[]>();
  readonly #byProduct = new Map<CallInstruction, IrInstruction[]>();
  readonly #variables: ProductVariables;

  constructor(fn: IrFunction) {
    this.#variables = new ProductVariables(fn, "product.operand");
    for (const { instructions } of fn.blocks) {
      let definitions = new Set<IrInstruction>();
      for (const i of instructions) {
        const definition = i.op === "store" && isOperand(i.pointer) ? definitionOf(i.value) : null;
        if (definition !== null) definitions.add(definition);
        if (!isProduct(i)) continue;
        this.#byProduct.set(i, [...definitions]);
        for (const one of definitions) this.#byDefinition.set(one, [...(this.#byDefinition.get(one) ?? []), i]);
        definitions = new Set();
      }
    }
  }

  /** The products that read what the instruction defines. */
  definedBy(i: IrInstruction, edits: IrEdits): readonly ChangedOperand[] {
    return (this.#byDefinition.get(i) ?? []).map((product) => ({ product, read: this.#variables.of(i, edits) }));
  }

  /** Keeps what the product reads, in front of it. */
  keep(product: CallInstruction, e: Emitter, edits: IrEdits): void {
    for (const definition of this.#byProduct.get(product) ?? [])
      e.store(bitsOf(e, definition), this.#variables.of(definition, edits), 4);
  }
}

/** A register's bits. */
export function bitsOf(e: Emitter, value: IrValue): IrValue {
  return value.type.kind === "int" ? value : e.cast("bitcast", value, I32);
}

function isOperand(pointer: IrValue): boolean {
  const base = pointer.kind === "instruction" && pointer.op === "gep" ? pointer.base : pointer;
  return base.kind === "instruction" && base.op === "alloca" && base.name === OPERANDS;
}

/** Casts of bits stand in the product's own statement. */
function definitionOf(value: IrValue): IrInstruction | null {
  if (value.kind !== "instruction") return null;
  if (value.op === "cast" && value.operator === "bitcast") return definitionOf(value.operand);
  return value.type.kind !== "ptr" && storeSize(value.type) === 4 ? value : null;
}
