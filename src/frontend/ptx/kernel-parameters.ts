/**
 * A kernel's parameters. One of 32 or 64 bits is a pointer if memory is accessed at it, or at a sum that it
 * begins: launches and tools know then which memory a kernel is given. Else it is an integer.
 */
import { newCast, newInstruction, type NameSource } from "../../ir/model/build.ts";
import type { FreezeInstruction, IrBlock, IrFunction, IrParam, IrValue } from "../../ir/model/ir.ts";
import { I32, I64, PTR, functionType } from "../../ir/model/types.ts";
import { replaceUses } from "../../ir/model/uses.ts";

export class KernelParameters {
  readonly #entry: IrBlock;
  readonly #names: NameSource;
  /** What stands for a parameter until all is read, and which. */
  readonly #views: Map<IrValue, IrParam> = new Map();
  readonly #pointers: Set<IrParam> = new Set();

  constructor(entry: IrBlock, names: NameSource) {
    this.#entry = entry;
    this.#names = names;
  }

  /** What stands for parameters are the first instructions of the entry, so many. */
  get count(): number {
    return this.#views.size;
  }

  /** The parameter's value, as code reads it. */
  view(param: IrParam): IrValue {
    if (param.type.kind !== "int" || param.type.bits < I32.bits) return param;
    for (const [view, known] of this.#views) if (known === param) return view;
    const view = newInstruction<FreezeInstruction>(
      { block: this.#entry, location: null },
      { op: "freeze", type: param.type, name: this.#names.fresh(param.name), operand: param },
    );
    this.#entry.instructions.unshift(view);
    this.#views.set(view, param);
    return view;
  }

  /** null: the value is no such parameter. */
  stateOf(value: IrValue): "pointer" | "unknown" | null {
    const param = this.#views.get(value);
    if (param === undefined) return null;
    return this.#pointers.has(param) ? "pointer" : "unknown";
  }

  /** From here on it is a pointer. */
  take(value: IrValue): IrValue {
    const param = this.#views.get(value) as IrParam;
    this.#pointers.add(param);
    if (value.type.kind === "int" && value.type.bits > I32.bits) param.isWide = true;
    param.type = PTR;
    return param;
  }

  /** When all code is there: the types, and integers of what became a pointer. */
  complete(fn: IrFunction): void {
    const replaced = new Map<IrValue, IrValue>();
    for (const [view, param] of this.#views) {
      if (!this.#pointers.has(param)) {
        replaced.set(view, param);
        continue;
      }
      const place = { block: this.#entry, location: null };
      const address = newCast(place, this.#names.fresh(param.name), "ptrtoint", param, I32);
      const at = this.#entry.instructions.indexOf(view as FreezeInstruction);
      const made = [address];
      if (param.isWide === true) made.push(newCast(place, this.#names.fresh(param.name), "zext", address, I64));
      this.#entry.instructions.splice(at, 0, ...made);
      replaced.set(view, made.at(-1) as IrValue);
    }
    for (const view of replaced.keys()) this.#entry.instructions = this.#entry.instructions.filter((i) => i !== view);
    replaceUses(fn, replaced);
    fn.functionType = functionType(
      fn.functionType.result,
      fn.params.map(({ type }) => type),
    );
  }
}
