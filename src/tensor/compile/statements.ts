/** Values as statements of a kernel: what the texts of both languages have in common. */
import { isFloating, type TensorDtype } from "../dtypes.ts";
import type { ComputeType } from "../expressions/primitive.ts";
import type { PrimitiveName } from "../expressions/primitives.ts";
import type { Buffer } from "./graph.ts";
import type { Affine } from "./indices.ts";
import { product } from "./lower.ts";
import { argsOf, orderOf, type Value } from "./values.ts";

/** Where a position lies: whether its text has an index of rows, or of columns. */
export interface Position {
  readonly text: string;
  readonly byRow: boolean;
  readonly byColumn: boolean;
}

/** Dimensions of a kernel: the names of their indices, and of the position in all of them. */
export interface Dimensions {
  readonly sizes: readonly number[];
  readonly names: readonly string[];
  readonly whole: string;
}

/** A language of kernels. */
export interface Language {
  /** A statement that gives a value its name. */
  define(name: string, dtype: TensorDtype, text: string, comment: string): string;
  load(pointer: string, position: Position, dtype: TensorDtype): string;
  cast(text: string, from: TensorDtype, to: TensorDtype): string;
  number(value: number, dtype: TensorDtype): string;
  /** A number where no operand says its type. */
  typedNumber(value: number, dtype: TensorDtype): string;
  call(op: PrimitiveName, args: readonly string[], type: ComputeType): string;
  index(position: Position, dtype: TensorDtype): string;
  uniform(position: Position, length: number, counter: number): string;
}

export type Reduction = Extract<Value, { kind: "reduce" }>;

export class Statements {
  readonly #language: Language;
  readonly #buffers: readonly Buffer[];
  readonly #names = new Map<Value, string>();
  readonly #counts = new Map<string, number>();
  readonly #groups: readonly Dimensions[];
  /** In the order in which they are first used. */
  readonly pointers: number[] = [];

  /** @param rows null: the kernel has none */
  constructor(language: Language, buffers: readonly Buffer[], rows: Dimensions | null, columns: Dimensions) {
    this.#language = language;
    this.#buffers = buffers;
    this.#groups = rows === null ? [columns] : [rows, columns];
  }

  pointerOf(buffer: number): string {
    if (!this.pointers.includes(buffer)) this.pointers.push(buffer);
    return (this.#buffers[buffer] as Buffer).name;
  }

  nameOf(value: Value): string {
    if (value.kind === "number") return this.#language.number(value.value, value.dtype);
    return this.#names.get(value) ?? `unknown_${value.id}`;
  }

  fresh(label: string): string {
    const count = this.#counts.get(label) ?? 0;
    this.#counts.set(label, count + 1);
    return `${label}_${count}`;
  }

  setName(value: Value, name: string): void {
    this.#names.set(value, name);
  }

  position({ strides, offset }: Affine): Position {
    const parts: string[] = [];
    const along: boolean[] = [];
    let first = 0;
    for (const { sizes, names, whole } of this.#groups) {
      const own = strides.slice(first, first + sizes.length);
      first += sizes.length;
      along.push(own.some((stride) => stride !== 0));
      const term = (name: string, stride: number): string => (stride === 1 ? name : `${name} * ${stride}`);
      const inner = own.at(-1) ?? 0;
      // The position in all of these dimensions, where they lie one after the other.
      const isWhole = inner !== 0 && own.every((stride, d) => stride === inner * product(sizes.slice(d + 1)));
      if (isWhole) parts.push(term(whole, inner));
      else for (const [d, stride] of own.entries()) if (stride !== 0) parts.push(term(names[d] as string, stride));
    }
    if (offset !== 0 || parts.length === 0) parts.push(String(offset));
    return { text: parts.join(" + "), byRow: along.length > 1 && along[0] === true, byColumn: along.at(-1) === true };
  }

  /**
   * Statements for all that these need, which `isWanted`, and whose own operands have names.
   * @param reduce the statements of a reduction; null: reductions have names already, or none yet
   */
  emit(
    roots: readonly Value[],
    isWanted: (value: Value) => boolean,
    reduce: ((value: Reduction) => string[]) | null = null,
  ): string[] {
    const lines: string[] = [];
    for (const value of orderOf(roots)) {
      if (value.kind === "number" || this.#names.has(value) || !isWanted(value)) continue;
      if (value.kind === "reduce") {
        if (reduce !== null) lines.push(...reduce(value));
        continue;
      }
      if (!argsOf(value).every((arg) => arg.kind === "number" || this.#names.has(arg))) continue;
      lines.push(this.#define(value));
    }
    return lines;
  }

  /** The names of values that change from one iteration of a loop to the next. */
  forget(isForgotten: (value: Value) => boolean): void {
    for (const value of this.#names.keys()) if (isForgotten(value)) this.#names.delete(value);
  }

  #define(value: Exclude<Value, Reduction>): string {
    const label = value.kind === "load" ? (this.#buffers[value.buffer] as Buffer).name : value.label;
    const name = this.fresh(label.replace(/\W/g, "_"));
    const text = this.#text(value);
    this.#names.set(value, name);
    return this.#language.define(name, value.dtype, text, value.kind === "cast" ? "" : value.label);
  }

  #text(value: Exclude<Value, Reduction>): string {
    const language = this.#language;
    switch (value.kind) {
      case "load":
        return language.load(this.pointerOf(value.buffer), this.position(value.access), value.dtype);
      case "index":
        return language.index(this.position(value.access), value.dtype);
      case "uniform":
        return language.uniform(this.position(value.access), value.length, value.counter);
      case "cast": {
        const { arg } = value;
        const text = arg.kind === "number" ? language.typedNumber(arg.value, arg.dtype) : this.nameOf(arg);
        return language.cast(text, arg.dtype, value.dtype);
      }
      case "number":
        return language.number(value.value, value.dtype);
      default: {
        const { op, args, type } = value;
        const isAlone = args.every((arg) => arg.kind === "number" || arg.dtype === "bool");
        const isTyped = isAlone || op === "pow" || op === "fmod" || op === "atan2";
        const texts = args.map((arg) =>
          arg.kind === "number" && isTyped ? language.typedNumber(arg.value, arg.dtype) : this.nameOf(arg),
        );
        return language.call(op, texts, type);
      }
    }
  }
}

/**
 * Sums of exp(x - m) over rows whose greatest x is m, with that maximum: one way over the row has both (Milakov and
 * Gimelshein, "Online normalizer calculation for softmax", 2018).
 */
export function onlineSums(roots: readonly Value[]): Map<Reduction, Reduction> {
  const found = new Map<Reduction, Reduction>();
  for (const sum of orderOf(roots)) {
    if (sum.kind !== "reduce" || sum.combine !== "sum" || !isFloating(sum.type as TensorDtype)) continue;
    const { arg } = sum;
    if (arg.kind !== "call" || arg.op !== "exp") continue;
    const [apart] = arg.args as [Value];
    if (apart.kind !== "call" || apart.op !== "sub") continue;
    const [x, greatest] = apart.args as [Value, Value];
    const isOfX = greatest.kind === "reduce" && greatest.combine === "max" && greatest.arg === x;
    if (isOfX && greatest.type === sum.type) found.set(sum, greatest);
  }
  return found;
}

/**
 * How many reductions a reduction waits for, one after the other, with itself.
 * @param together sums that are made along with another reduction
 */
export function levelsOf(
  values: readonly Value[],
  together: ReadonlyMap<Reduction, Reduction> = new Map(),
): Map<Reduction, number> {
  const levels = new Map<Value, number>();
  const reductions = new Map<Reduction, number>();
  for (const value of orderOf(values)) {
    const before = Math.max(0, ...argsOf(value).map((arg) => levels.get(arg) ?? 0));
    const other = value.kind === "reduce" ? together.get(value) : undefined;
    const own = other === undefined ? before + 1 : (levels.get(other) as number);
    const level = value.kind === "reduce" ? own : before;
    levels.set(value, level);
    if (value.kind === "reduce") reductions.set(value, level);
  }
  return reductions;
}

/** How many of these reductions a value waits for, one after the other. */
export function levelOf(root: Value, levels: ReadonlyMap<Reduction, number>): number {
  let most = 0;
  for (const value of orderOf([root])) if (value.kind === "reduce") most = Math.max(most, levels.get(value) ?? 0);
  return most;
}

/** The index of each dimension, from the position in all of them. */
export function indexTexts(
  prefix: string,
  position: string,
  sizes: readonly number[],
  divide: (a: string, b: number) => string,
): Dimensions & { readonly texts: readonly (readonly [name: string, text: string])[] } {
  if (sizes.length <= 1) return { sizes, whole: position, names: sizes.map(() => position), texts: [] };
  let inner = sizes.reduce((all, size) => all * size, 1);
  const names = sizes.map((_, d) => `${prefix}${d}`);
  const texts = sizes.map((size, d) => {
    inner /= size;
    const over = inner === 1 ? position : divide(position, inner);
    return [names[d] as string, d === 0 ? over : `${over} % ${size}`] as const;
  });
  return { sizes, whole: position, names, texts };
}
