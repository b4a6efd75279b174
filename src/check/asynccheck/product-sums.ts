/**
 * Which instructions read the sums of a wgmma that may still be under way.
 *
 * A product leaves its sums in the function's local memory `wgmma.d` (ir/inline-ptx/wgmma.ts), and loads behind the
 * call make them values. A product that adds to them stores them there again: no read. Phis and casts pass them on.
 * Sums that the compiler keeps in a local array are not followed.
 * A local variable of each product holds the group that it was last issued in.
 */
import type { IrEdits } from "../../instrument/ir-edits.ts";
import type { CallInstruction, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { operandsOf } from "../../ir/model/operands.ts";
import { isProduct, asyncOperationOf } from "./async-operations.ts";
import { ProductVariables } from "./product-variables.ts";

const SUMS = "wgmma.d";

export interface SumRead {
  readonly value: IrValue;
  readonly product: CallInstruction;
  readonly isFirst: boolean;
}

export class ProductSums {
  readonly #function: IrFunction;
  /** By the values that are sums, or passed on from sums. */
  readonly #products = new Map<IrValue, ReadonlySet<CallInstruction>>();
  readonly #groups: ProductVariables;
  /** Products whose sums were read in the block that is walked, since the last wait. */
  readonly #told = new Set<CallInstruction>();
  #block: IrInstruction["block"] | null = null;

  constructor(fn: IrFunction) {
    this.#function = fn;
    this.#groups = new ProductVariables(fn, "product.group");
    if (fn.blocks.some(({ instructions }) => instructions.some(isProduct))) this.#follow();
  }

  /** The sums that the instruction reads. `isFirst`: nothing has read the product's between the last wait and here. */
  readBy(i: IrInstruction): readonly SumRead[] {
    if (this.#products.size === 0) return [];
    if (i.block !== this.#block || asyncOperationOf(i) !== null) {
      this.#block = i.block;
      this.#told.clear();
    }
    if (passesOn(i) || isSumStore(i)) return [];
    const found: SumRead[] = [];
    for (const value of operandsOf(i))
      for (const product of this.#products.get(value) ?? []) {
        if (isOwnStore(i, product)) continue;
        found.push({ value, product, isFirst: !this.#told.has(product) });
        this.#told.add(product);
      }
    return found;
  }

  /** Where the number of the product's group is; null: nobody reads its sums. */
  groupOf(product: CallInstruction, edits: IrEdits): IrValue | null {
    if (this.#products.size === 0) return null;
    return this.#groups.of(product, edits);
  }

  #follow(): void {
    for (const { instructions } of this.#function.blocks) {
      let last: CallInstruction | null = null;
      for (const i of instructions) {
        if (isProduct(i)) last = i;
        else if (last !== null && i.op === "load" && isSums(i.pointer)) this.#products.set(i, new Set([last]));
      }
    }
    for (let changes = true; changes;) {
      changes = false;
      for (const { instructions } of this.#function.blocks)
        for (const i of instructions) if (passesOn(i) && this.#passOn(i)) changes = true;
    }
  }

  #passOn(i: IrInstruction): boolean {
    const from = new Set(operandsOf(i).flatMap((operand) => [...(this.#products.get(operand) ?? [])]));
    if (from.size === (this.#products.get(i)?.size ?? 0)) return false;
    this.#products.set(i, from);
    return true;
  }
}

function passesOn(i: IrInstruction): boolean {
  return i.op === "phi" || i.op === "select" || i.op === "freeze" || (i.op === "cast" && i.operator === "bitcast");
}

function isSumStore(i: IrInstruction): boolean {
  return i.op === "store" && isSums(i.pointer);
}

/**
 * The statement of the product stores its results into an array that the compiler keeps in local memory: a GPU keeps it
 * in registers.
 */
function isOwnStore(i: IrInstruction, product: CallInstruction): boolean {
  return i.op === "store" && JSON.stringify(i.location) === JSON.stringify(product.location);
}

function isSums(pointer: IrValue): boolean {
  const base = pointer.kind === "instruction" && pointer.op === "gep" ? pointer.base : pointer;
  return base.kind === "instruction" && base.op === "alloca" && base.name === SUMS;
}
