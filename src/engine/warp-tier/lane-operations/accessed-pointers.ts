/**
 * Pointers at which the active lanes of a block have loaded or stored: what is accessed there again needs no test.
 */
import type { IrType, IrValue, LoadInstruction, StoreInstruction } from "../../../ir/model/ir.ts";
import { bytesOf, elementOf } from "./element.ts";

export class AccessedPointers {
  readonly #known = new Map<IrValue, { readonly bytes: number; readonly align: number }>();

  clear(): void {
    this.#known.clear();
  }

  note({ pointer, align }: LoadInstruction | StoreInstruction, type: IrType): void {
    const bytes = bytesOf(elementOf(type));
    const known = this.#known.get(pointer);
    this.#known.set(pointer, {
      bytes: Math.max(bytes, known?.bytes ?? 0),
      align: Math.max(align, known?.align ?? 0),
    });
  }

  has(pointer: IrValue, bytes: number, align: number): boolean {
    const known = this.#known.get(pointer);
    return known !== undefined && bytes <= known.bytes && align <= known.align;
  }
}
