/** Variables of a function that asynccheck adds, a word each: they begin as 0. */
import type { IrEdits } from "../../instrument/ir-edits.ts";
import { constI32, newInstruction } from "../../ir/model/build.ts";
import type { AllocaInstruction, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { I32, ptrType } from "../../ir/model/types.ts";

/** One for each instruction that asks for it. */
export class ProductVariables {
  readonly #function: IrFunction;
  readonly #name: string;
  readonly #known = new Map<IrInstruction, IrValue>();

  constructor(fn: IrFunction, name: string) {
    this.#function = fn;
    this.#name = name;
  }

  of(owner: IrInstruction, edits: IrEdits): IrValue {
    const known = this.#known.get(owner);
    if (known !== undefined) return known;
    const e = edits.behindAllocas();
    const made = newInstruction<AllocaInstruction>(e, {
      op: "alloca",
      type: ptrType(0),
      name: e.name(this.#name),
      allocatedType: I32,
      count: null,
      align: 4,
    });
    made.isToolCode = true;
    // A variable of the function is in its first block, with the others.
    this.#function.blocks[0]?.instructions.unshift(made);
    e.store(constI32(0), made, 4);
    this.#known.set(owner, made);
    return made;
  }
}
