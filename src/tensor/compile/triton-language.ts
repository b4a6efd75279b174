/** Values as Triton's text. */
import { isFloating, type TensorDtype } from "../dtypes.ts";
import type { ComputeType } from "../expressions/primitive.ts";
import { PRIMITIVES } from "../expressions/primitives.ts";
import { number } from "../expressions/triton-text.ts";
import { tritonName } from "../kernels/tensor-device.ts";
import type { KernelNames } from "./kernel-text.ts";
import type { Language, Position, Statements } from "./statements.ts";
import { computeType, type Value } from "./values.ts";

export interface TritonOptions {
  readonly mask: (position: Position) => string | null;
  /** Of a tile of one number. */
  readonly shape: string;
  readonly names: KernelNames;
  /** Words that random numbers are made of, by counter; absent: each number draws words of its own. */
  readonly words?: ReadonlyMap<number, string>;
}

export class Triton implements Language {
  readonly maskOf: TritonOptions["mask"];
  readonly #shape: string;
  readonly #names: KernelNames;
  readonly #words: ReadonlyMap<number, string> | null;

  constructor({ mask, shape, names, words }: TritonOptions) {
    this.maskOf = mask;
    this.#words = words ?? null;
    this.#shape = shape;
    this.#names = names;
  }

  define(name: string, _dtype: TensorDtype, text: string): string {
    return `${name} = ${text}`;
  }

  load(pointer: string, position: Position, dtype: TensorDtype): string {
    const { text, byRow, byColumn } = position;
    const at = text === "0" ? pointer : `${pointer} + ${text}`;
    const mask = byRow || byColumn ? this.maskOf(position) : null;
    // A division by what lies beside the array must not trap.
    const other = isFloating(dtype) || dtype === "bool" ? "" : ", other=1";
    return mask === null ? `tl.load(${at})` : `tl.load(${at}, mask=${mask}${other})`;
  }

  cast(text: string, from: TensorDtype, to: TensorDtype): string {
    if (to === "bool") return `(${text} != 0)`;
    const isCut = isFloating(from) && /^u?int(8|16)$/.test(to);
    return isCut ? `${text}.to(tl.int32).to(tl.${to})` : `${text}.to(tl.${tritonName(to)})`;
  }

  number(value: number, dtype: TensorDtype): string {
    if (dtype === "bool") return this.typedNumber(value, dtype);
    return number(wrapped(value, dtype), computeType(dtype));
  }

  typedNumber(value: number, dtype: TensorDtype): string {
    if (dtype === "bool") return `(tl.full(${this.#shape}, ${value}, tl.int32) != 0)`;
    return `tl.full(${this.#shape}, ${this.number(value, dtype)}, tl.${tritonName(dtype)})`;
  }

  call(op: keyof typeof PRIMITIVES, args: readonly string[], type: ComputeType): string {
    return PRIMITIVES[op].triton?.(args, type) ?? "";
  }

  index({ text }: Position, dtype: TensorDtype): string {
    return /^\d+$/.test(text) ? `tl.full(${this.#shape}, ${text}, tl.${dtype})` : `(${text}).to(tl.${dtype})`;
  }

  uniform({ text }: Position, length: number, counter: number): string {
    const word = this.#words?.get(counter);
    if (word !== undefined) return `_number_of(${word})`;
    const at = /^\d+$/.test(text) ? `tl.full(${this.#shape}, ${text}, tl.int32)` : text;
    return `_uniform(${this.#names.random}, ${counter}, ${at}, ${this.#names.threadsOf(length)})`;
  }

  stored(value: Value, statements: Statements): string {
    return value.kind === "number" ? this.typedNumber(value.value, value.dtype) : statements.nameOf(value);
  }
}

/** As memory of whole numbers has it. */
export function wrapped(value: number, dtype: TensorDtype): number {
  if (isFloating(dtype) || dtype === "bool" || !Number.isInteger(value)) return value;
  const bits = Number(dtype.replace(/\D/g, ""));
  const own = BigInt(value);
  return Number(dtype.startsWith("u") ? BigInt.asUintN(bits, own) : BigInt.asIntN(bits, own));
}
