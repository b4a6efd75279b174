/** Kernels as Triton's text. Sizes are constants of the text: a kernel is made for one shape. */
import { combined, neutral } from "../kernels/reduction-text.ts";
import { flatText } from "./emit-flat.ts";
import type { Buffer } from "./graph.ts";
import { isWide, type KernelNames } from "./kernel-text.ts";
import { product, type Lowered } from "./lower.ts";
import { indexTexts, levelOf, levelsOf, onlineSums, Statements, type Position, type Reduction } from "./statements.ts";
import type { Tiling } from "./tilings.ts";
import { finished, type EmittedTriton } from "./triton-kernel.ts";
import { Triton } from "./triton-language.ts";
import type { Value } from "./values.ts";

/** @param tiling one of `tilingsOf` */
export function emitTriton(
  lowered: Lowered,
  buffers: readonly Buffer[],
  names: KernelNames,
  tiling: Tiling,
): EmittedTriton {
  if (tiling.kind === "flat") return flatText(lowered, buffers, names, tiling);
  return new RowText(lowered, buffers, names, tiling).emit();
}

class RowText {
  readonly #lowered: Lowered;
  readonly #buffers: readonly Buffer[];
  readonly #names: KernelNames;
  readonly #tiling: Tiling;
  readonly #language: Triton;
  readonly #statements: Statements;
  readonly #height: number;
  readonly #width: number;
  readonly #lines: string[] = [];
  readonly #columnTexts: readonly (readonly [string, string])[];

  constructor(lowered: Lowered, buffers: readonly Buffer[], names: KernelNames, tiling: Tiling) {
    this.#lowered = lowered;
    this.#buffers = buffers;
    this.#names = names;
    this.#tiling = tiling;
    [this.#height, this.#width] = [product(lowered.rows), product(lowered.columns)];
    const masks = {
      row: this.#height % tiling.rows === 0 ? null : `(row < ${this.#height})`,
      column: this.#width % tiling.columns === 0 ? null : `(column < ${this.#width})`,
    };
    const mask = ({ byRow, byColumn }: Position): string | null => {
      const parts = [byRow ? masks.row : null, byColumn ? masks.column : null].filter((part) => part !== null);
      return parts.length === 0 ? null : parts.join(" & ");
    };
    this.#language = new Triton({ mask, shape: "[1, 1]", names });
    const rows = indexTexts("r", "row", lowered.rows, (a, b) => `${a} // ${b}`);
    const columns = indexTexts("c", "column", lowered.columns, (a, b) => `${a} // ${b}`);
    this.#columnTexts = columns.texts;
    this.#statements = new Statements(this.#language, buffers, rows, columns);
    const program = isWide(lowered, buffers) ? "tl.program_id(0).to(tl.int64)" : "tl.program_id(0)";
    const [across, down] = tiling.isTurned ? ["[:, None]", "[None, :]"] : ["[None, :]", "[:, None]"];
    this.#across = across;
    this.#lines.push(`row = ${program} * ${tiling.rows} + tl.arange(0, ${tiling.rows})${down}`);
    for (const [name, text] of rows.texts) this.#lines.push(`${name} = ${text}`);
  }

  readonly #across: string;

  emit(): EmittedTriton {
    if (this.#tiling.isHeld) this.#held();
    else this.#looped();
    const programs = Math.ceil(this.#height / this.#tiling.rows);
    const { warps } = this.#tiling;
    return finished(this.#lowered, this.#buffers, this.#names, {
      statements: this.#statements,
      lines: this.#lines,
      programs,
      warps,
    });
  }

  get #roots(): Value[] {
    return this.#lowered.stores.map(({ value }) => value);
  }

  /** A program has all of its rows at once. */
  #held(): void {
    const { columns } = this.#tiling;
    this.#lines.push(`column = tl.arange(0, ${columns})${this.#across}`, ...this.#columnLines());
    this.#lines.push(
      ...this.#statements.emit(
        this.#roots,
        () => true,
        (value) => this.#reduced(value, this.#masked(value)),
      ),
      ...this.#stores(() => true),
    );
  }

  #columnLines(): string[] {
    const inside = `(row < ${this.#height}) & (column < ${this.#width})`;
    return [...this.#columnTexts.map(([name, text]) => `${name} = ${text}`), `inside = ${inside}`];
  }

  #masked({ arg, combine, type }: Reduction): string {
    return `tl.where(inside, ${this.#statements.nameOf(arg)}, ${neutral(combine, type)})`;
  }

  /** The combination of all columns of a tile. */
  #reduced(value: Reduction, tile: string): string[] {
    const { combine, label, type } = value;
    const axis = this.#tiling.isTurned ? 0 : 1;
    const name = this.#statements.fresh(label);
    this.#statements.setName(value, name);
    if (combine.startsWith("arg")) {
      const which = combine.slice(3);
      const [x, at] = [this.#statements.fresh("best"), this.#statements.fresh("at")];
      const index = `tl.broadcast_to(column.to(tl.int32), ${this.#shape})`;
      return [
        `${x}, ${at} = tl.reduce((${tile}, ${index}), ${axis}, _better_${which}, keep_dims=True)`,
        `${name} = ${at}`,
      ];
    }
    if (combine === "sum") return [`${name} = tl.sum(${tile}, axis=${axis}, keep_dims=True).to(tl.${type})`];
    return [`${name} = tl.reduce(${tile}, ${axis}, _${combine}, keep_dims=True)`];
  }

  get #shape(): string {
    const { rows, columns, isTurned } = this.#tiling;
    return isTurned ? `[${columns}, ${rows}]` : `[${rows}, ${columns}]`;
  }

  /** A program reads its rows once for each level of reductions, and once more for what it stores of them. */
  #looped(): void {
    const online = onlineSums(this.#roots);
    const levels = levelsOf(this.#roots, online);
    const most = Math.max(0, ...levels.values());
    for (let level = 1; level <= most; level++) {
      const own = [...levels.keys()].filter((value) => levels.get(value) === level);
      // What is stored along the way waits for no other reductions.
      const stored = this.#fullStores((own) => own === level - 1, levels, most);
      const roots = stored.map(({ value }) => value);
      this.#rowValues([...own, ...roots]);
      const accumulators = new Map(own.map((value) => [value, this.#begin(value)]));
      const read = own.flatMap((value) => (online.has(value) ? [] : [value.arg]));
      this.#loop([...read, ...roots], () => [
        ...[...online].flatMap(([sum, greatest]) => this.#addOnline(sum, greatest, accumulators)),
        ...own.flatMap((value) =>
          online.has(value) ? [] : this.#accumulate(value, accumulators.get(value) as Accumulator),
        ),
        ...this.#stores(({ byColumn }) => byColumn, stored),
      ]);
      for (const [value, accumulator] of accumulators) {
        const greatest = online.get(value);
        if (greatest === undefined) this.#end(value, accumulator);
        else this.#endOnline(value, greatest, accumulator, accumulators.get(greatest) as Accumulator);
      }
    }
    this.#rowValues(this.#roots);
    this.#lines.push(...this.#stores(({ byColumn }) => !byColumn));
    const full = this.#fullStores((own) => own === most, levels, most);
    if (full.length === 0) return;
    this.#loop(
      full.map(({ value }) => value),
      () => this.#stores(({ byColumn }) => byColumn, full),
    );
  }

  /** Stores of elements, by the level of reductions behind which they are made. */
  #fullStores(
    isWanted: (level: number) => boolean,
    levels: ReadonlyMap<Reduction, number>,
    most: number,
  ): Lowered["stores"] {
    const { stores, values } = this.#lowered;
    // What a kernel reads and changes has to be as it was until the end.
    const read = new Set(values.flatMap((value) => (value.kind === "load" ? [value.buffer] : [])));
    return stores.filter(
      ({ value, access, node }) =>
        this.#isFull(access.strides) && isWanted(read.has(node.output.buffer) ? most : levelOf(value, levels)),
    );
  }

  #isFull(strides: readonly number[]): boolean {
    return strides.some((stride, d) => d >= this.#lowered.rows.length && stride !== 0);
  }

  #rowValues(roots: readonly Value[]): void {
    this.#lines.push(...this.#statements.emit(roots, ({ byColumn, kind }) => !byColumn && kind !== "reduce"));
  }

  #loop(roots: readonly Value[], ending: () => string[]): void {
    const { columns } = this.#tiling;
    const body = [
      `column = start + tl.arange(0, ${columns})${this.#across}`,
      ...this.#columnLines(),
      ...this.#statements.emit(roots, ({ byColumn, kind }) => byColumn && kind !== "reduce"),
      ...ending(),
    ];
    this.#lines.push(`for start in range(0, ${this.#width}, ${columns}):`, ...body.map((line) => `    ${line}`));
    this.#statements.forget(({ byColumn }) => byColumn);
  }

  #begin({ combine, type, label }: Reduction): Accumulator {
    const sum = this.#statements.fresh(`${label}_acc`);
    this.#lines.push(`${sum} = tl.full(${this.#shape}, ${neutral(combine, type)}, tl.${type})`);
    if (!combine.startsWith("arg")) return { sum, at: null };
    const at = this.#statements.fresh(`${label}_at`);
    this.#lines.push(`${at} = tl.full(${this.#shape}, 0, tl.int32)`);
    return { sum, at };
  }

  #accumulate(value: Reduction, { sum, at }: Accumulator): string[] {
    const { combine } = value;
    const masked = this.#masked(value);
    if (at === null) return [`${sum} = ${combined(combine, sum, masked)}`];
    const isGreater = combine === "argmax" ? ">" : "<";
    return [
      `value = ${masked}`,
      `better = inside & ((value ${isGreater} ${sum}) | ((value != value) & (${sum} == ${sum})))`,
      `${at} = tl.where(better, column.to(tl.int32), ${at})`,
      `${sum} = tl.where(better, value, ${sum})`,
    ];
  }

  /** Before the maximum so far changes: one exponential an element, of how far the element is from it. */
  #addOnline(sum: Reduction, greatest: Reduction, accumulators: ReadonlyMap<Reduction, Accumulator>): string[] {
    const own = accumulators.get(sum);
    const most = accumulators.get(greatest);
    if (own === undefined || most === undefined) return [];
    const { type } = sum;
    const part = this.#statements.fresh("part");
    const exp = this.#language.call("exp", [`-tl.abs(${part} - ${most.sum})`], type);
    const scale = this.#statements.fresh("scale");
    return [
      `${part} = ${this.#masked(greatest)}`,
      // Two infinities differ by nothing.
      `${scale} = tl.where(${part} == ${most.sum}, 1.0, ${exp})`,
      `${own.sum} = tl.where(${part} > ${most.sum}, ${own.sum} * ${scale} + 1.0, ${own.sum} + ${scale})`,
    ];
  }

  #endOnline(sum: Reduction, greatest: Reduction, own: Accumulator, most: Accumulator): void {
    const name = this.#statements.nameOf(greatest);
    const isNumber = `${name} - ${name} == 0.0`;
    const exp = this.#language.call("exp", [`${most.sum} - ${name}`], sum.type);
    this.#lines.push(
      `${own.sum} = ${own.sum} * tl.where(${most.sum} == ${name}, 1.0, ${exp})`,
      ...this.#reduced(sum, own.sum),
    );
    // exp(x - m) is no number where m is infinite, or none.
    const all = this.#statements.nameOf(sum);
    this.#lines.push(`${all} = tl.where(${isNumber}, ${all}, float("nan"))`);
  }

  #end(value: Reduction, { sum, at }: Accumulator): void {
    if (at === null) {
      this.#lines.push(...this.#reduced(value, sum));
      return;
    }
    const axis = this.#tiling.isTurned ? 0 : 1;
    const name = this.#statements.fresh(value.label);
    this.#statements.setName(value, name);
    const which = value.combine.slice(3);
    this.#lines.push(`${sum}, ${name} = tl.reduce((${sum}, ${at}), ${axis}, _better_${which}, keep_dims=True)`);
  }

  #stores(isWanted: (position: Position) => boolean, stores: Lowered["stores"] = this.#lowered.stores): string[] {
    const lines: string[] = [];
    for (const { node, value, access } of stores) {
      const position = this.#statements.position(access);
      if (!isWanted(position)) continue;
      // A tile of pointers, also where there is one row.
      const text = position.byRow || position.byColumn ? position.text : `row * 0 + ${position.text}`;
      const mask = this.#language.maskOf({ ...position, byRow: true });
      const at = `${this.#statements.pointerOf(node.output.buffer)} + ${text}`;
      const stored = this.#language.stored(value, this.#statements);
      lines.push(`tl.store(${at}, ${stored}${mask === null ? "" : `, mask=${mask}`})`);
    }
    return lines;
  }
}

interface Accumulator {
  readonly sum: string;
  readonly at: string | null;
}
