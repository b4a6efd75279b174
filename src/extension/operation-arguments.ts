/** The arguments of an operation that an extension calls, by kind. */
import { HeddleError, bug } from "../base/diagnostics.ts";
import type { TensorDtype } from "../tensor/dtypes.ts";
import type { Operand } from "../tensor/operations/operands.ts";
import type { Place } from "../tensor/storage.ts";
import { Tensor } from "../tensor/tensor.ts";
import { DeviceName, Double, DtypeName, type Value } from "./values.ts";

export class OperationArguments {
  readonly #values: readonly Value[];
  /** The device that "cuda" means. */
  readonly #device: Exclude<Place, null>;

  /** Bytes of the extension's memory, as a copy. */
  readonly memory: (address: number, bytes: number) => Uint8Array<ArrayBuffer>;

  constructor(
    values: readonly Value[],
    device: Exclude<Place, null>,
    memory: (address: number, bytes: number) => Uint8Array<ArrayBuffer>,
  ) {
    this.#values = values;
    this.#device = device;
    this.memory = memory;
  }

  at(index: number): Value {
    return this.#values[index] ?? null;
  }

  tensor(index: number): Tensor {
    const value = this.at(index);
    if (value instanceof Tensor) return value;
    if (value === null) throw new HeddleError("bad-arguments", "Expected a tensor, but this one is undefined");
    return bug(`argument ${index} of an operation is no tensor`);
  }

  optionalTensor(index: number): Tensor | null {
    return this.at(index) === null ? null : this.tensor(index);
  }

  tensors(index: number): Tensor[] {
    return (this.at(index) as readonly Value[]).map((value) =>
      value instanceof Tensor ? value : bug("a list of tensors has something else in it"),
    );
  }

  number(index: number, otherwise = 0): number {
    const value = this.at(index);
    if (value === null) return otherwise;
    return value instanceof Double ? value.value : Number(value);
  }

  optionalNumber(index: number): number | null {
    return this.at(index) === null ? null : this.number(index);
  }

  flag(index: number): boolean {
    return this.at(index) === true || (this.at(index) !== false && this.number(index) !== 0);
  }

  text(index: number): string {
    return this.at(index) as string;
  }

  /** A list of numbers; null: none was given. */
  numbers(index: number): readonly number[] | null {
    const value = this.at(index);
    if (value === null) return null;
    return Array.isArray(value) ? (value as readonly Value[]).map(Number) : [this.number(index)];
  }

  shape(index: number): readonly number[] {
    return this.numbers(index) ?? [];
  }

  dtype(index: number): TensorDtype | null {
    const value = this.at(index);
    return value instanceof DtypeName ? value.dtype : null;
  }

  place(index: number): Place {
    const value = this.at(index);
    return value instanceof DeviceName && value.type === "cuda" ? this.#device : null;
  }

  /** A tensor, or a number of the program's text. */
  operand(index: number): Operand {
    const value = this.at(index);
    if (value instanceof Tensor) return value;
    if (typeof value === "boolean") return { value: Number(value), kind: "bool" };
    return { value: this.number(index), kind: value instanceof Double ? "float" : "int" };
  }

  /** A tensor or a number, as methods of tensors take them. */
  like(index: number): Tensor | number | boolean {
    const value = this.at(index);
    if (value instanceof Tensor || typeof value === "boolean") return value;
    return this.number(index);
  }

  bound(index: number): Tensor | number | null {
    const value = this.at(index);
    if (value === null || value instanceof Tensor) return value;
    return this.number(index);
  }
}
