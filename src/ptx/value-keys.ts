/** Texts that are equal where values are the same: for tables of operations that are looked up by their operands. */
import { isConstant } from "../ir/model/build.ts";
import type { IrValue } from "../ir/model/ir.ts";

export class ValueKeys {
  readonly #numbers = new Map<unknown, number>();

  /** A number of its own for each value, block or other object. */
  number(thing: unknown): number {
    let known = this.#numbers.get(thing);
    if (known === undefined) this.#numbers.set(thing, (known = this.#numbers.size));
    return known;
  }

  of(value: IrValue): string {
    if (value.kind === "const-int") return `${value.value}:${value.type.bits}`;
    if (value.kind === "const-float") return `f${value.bits}:${value.type.format}`;
    if (value.kind === "const-null") return "null";
    const isNumber = isConstant(value) && value.kind !== "global" && value.kind !== "function";
    return `${isNumber ? "c" : "v"}${this.number(value)}`;
  }
}
