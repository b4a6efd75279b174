/** Kernels as CUDA's text: a thread for each element, or a block or a thread for each row. */
import type { TensorDtype } from "../dtypes.ts";
import { Cuda, CUDA_HELPERS, cudaNeutral, cudaType } from "./cuda-language.ts";
import type { Buffer } from "./graph.ts";
import { headerOf, isWide, type KernelNames } from "./kernel-text.ts";
import { isTurned } from "./tilings.ts";
import { product, type Lowered, type Store } from "./lower.ts";
import { indexTexts, levelsOf, Statements, type Position, type Reduction } from "./statements.ts";
import type { Value } from "./values.ts";

export interface EmittedCuda {
  readonly helpers: readonly string[];
  readonly text: string;
  readonly grid: number;
  readonly block: number;
  /** The buffers that its parameters are. */
  readonly buffers: readonly number[];
}

const BLOCK = 256;
/** Columns of a row for which a block of threads is worth while. */
const LEAST_COLUMNS = 64;

export function emitCuda(lowered: Lowered, buffers: readonly Buffer[], names: KernelNames): EmittedCuda {
  return new CudaText(lowered, buffers, names).emit();
}

class CudaText {
  readonly #lowered: Lowered;
  readonly #buffers: readonly Buffer[];
  readonly #names: KernelNames;
  readonly #language: Cuda;
  readonly #statements: Statements;
  readonly #lines: string[] = [];
  readonly #height: number;
  readonly #width: number;
  /** The position: "int", or wider where that is too small. */
  readonly #integer: string;
  readonly #columnTexts: readonly (readonly [string, string])[];
  readonly #rowTexts: readonly (readonly [string, string])[];
  readonly #kind: "elements" | "block" | "thread";

  constructor(lowered: Lowered, buffers: readonly Buffer[], names: KernelNames) {
    this.#lowered = lowered;
    this.#buffers = buffers;
    this.#names = names;
    this.#language = new Cuda(names);
    [this.#height, this.#width] = [product(lowered.rows), product(lowered.columns)];
    this.#integer = isWide(lowered, buffers) ? "long long" : "int";
    const isReducing = lowered.values.some(({ kind }) => kind === "reduce");
    const rank = lowered.rows.length;
    const ofRows = this.#width >= LEAST_COLUMNS && !isTurned(lowered) ? "block" : "thread";
    this.#kind = isReducing || rank > 0 ? ofRows : "elements";
    const divide = (a: string, b: number): string => `${a} / ${b}`;
    const columns = indexTexts("c", this.#kind === "elements" ? "i" : "column", lowered.columns, divide);
    const rows = indexTexts("r", "row", lowered.rows, divide);
    this.#columnTexts = columns.texts;
    this.#rowTexts = rows.texts;
    this.#statements = new Statements(this.#language, buffers, this.#kind === "elements" ? null : rows, columns);
  }

  emit(): EmittedCuda {
    if (this.#kind === "elements") this.#elements();
    else this.#rows();
    const perBlock = this.#kind === "block" ? 1 : BLOCK;
    const count = this.#kind === "elements" ? this.#width : this.#height;
    return this.#finished(Math.ceil(count / perBlock));
  }

  #begin(name: string, count: number): void {
    this.#lines.push(
      `const ${this.#integer} ${name} = (${this.#integer})blockIdx.x * ${BLOCK} + threadIdx.x;`,
      `if (${name} >= ${count}) return;`,
    );
  }

  #indexLines(texts: readonly (readonly [string, string])[]): string[] {
    return texts.map(([name, text]) => `const ${this.#integer} ${name} = ${text};`);
  }

  #elements(): void {
    this.#begin("i", this.#width);
    this.#lines.push(
      ...this.#indexLines(this.#columnTexts),
      ...this.#statements.emit(this.#roots, () => true),
      ...this.#stores(() => true),
    );
  }

  get #roots(): Value[] {
    return this.#lowered.stores.map(({ value }) => value);
  }

  #rows(): void {
    if (this.#kind === "thread") this.#begin("row", this.#height);
    else this.#lines.push(`const ${this.#integer} row = blockIdx.x;`);
    this.#lines.push(...this.#indexLines(this.#rowTexts));
    const levels = levelsOf(this.#roots);
    const most = Math.max(0, ...levels.values());
    for (let level = 1; level <= most; level++) {
      const own = [...levels.keys()].filter((value) => levels.get(value) === level);
      this.#rowValues(own);
      const names = own.map((value) => this.#accumulator(value));
      this.#loop(
        own.map(({ arg }) => arg),
        () => own.flatMap((value, i) => this.#accumulate(value, names[i] as string)),
      );
      for (const [i, value] of own.entries()) this.#combined(value, names[i] as string);
    }
    this.#rowValues(this.#roots);
    const ofRow = this.#stores(({ byColumn }) => !byColumn);
    if (ofRow.length > 0 && this.#kind === "block")
      this.#lines.push("if (threadIdx.x == 0) {", ...ofRow.map((line) => `  ${line}`), "}");
    else this.#lines.push(...ofRow);
    const full = this.#lowered.stores.filter((store) => this.#statements.position(store.access).byColumn);
    if (full.length > 0)
      this.#loop(
        full.map(({ value }) => value),
        () => this.#stores(({ byColumn }) => byColumn),
      );
  }

  #rowValues(roots: readonly Value[]): void {
    this.#lines.push(...this.#statements.emit(roots, ({ byColumn, kind }) => !byColumn && kind !== "reduce"));
  }

  #loop(roots: readonly Value[], ending: () => string[]): void {
    const [first, step] = this.#kind === "block" ? ["threadIdx.x", `${BLOCK}`] : ["0", "1"];
    const body = [
      ...this.#indexLines(this.#columnTexts),
      ...this.#statements.emit(roots, ({ byColumn, kind }) => byColumn && kind !== "reduce"),
      ...ending(),
    ];
    this.#lines.push(
      `for (${this.#integer} column = ${first}; column < ${this.#width}; column += ${step}) {`,
      ...body.map((line) => `  ${line}`),
      "}",
    );
    this.#statements.forget(({ byColumn }) => byColumn);
  }

  #accumulator({ combine, type, label }: Reduction): string {
    const name = this.#statements.fresh(`${label.replace(/\W/g, "_")}_acc`);
    this.#lines.push(`${cudaType(type)} ${name} = ${cudaNeutral(combine, type)};`);
    if (combine.startsWith("arg")) this.#lines.push(`int ${name}_at = 0x7fffffff;`);
    return name;
  }

  #accumulate({ arg, combine, type }: Reduction, name: string): string[] {
    const value = this.#statements.nameOf(arg);
    if (!combine.startsWith("arg")) return [`${name} = combine_${combine}<${cudaType(type)}>(${name}, ${value});`];
    const isMax = combine === "argmax";
    return [
      `if (is_better<${isMax}>(${value}, (int)column, ${name}, ${name}_at)) {`,
      `  ${name} = ${value};`,
      `  ${name}_at = (int)column;`,
      "}",
    ];
  }

  #combined(value: Reduction, name: string): void {
    const { combine, type, label, dtype } = value;
    const own = this.#statements.fresh(label.replace(/\W/g, "_"));
    this.#statements.setName(value, own);
    const t = cudaType(type);
    if (combine.startsWith("arg")) {
      const isMax = combine === "argmax";
      const text = this.#kind === "block" ? `best_over_block<${isMax}>(${name}, ${name}_at)` : `${name}_at`;
      this.#lines.push(`const int ${own} = ${text};`);
    } else {
      const text = this.#kind === "block" ? `over_block<${t}, combine_${combine}<${t}>>(${name})` : name;
      this.#lines.push(`const ${cudaType(dtype)} ${own} = ${text};`);
    }
  }

  #stores(isWanted: (position: Position) => boolean): string[] {
    const lines: string[] = [];
    for (const { node, value, access } of this.#lowered.stores) {
      const position = this.#statements.position(access);
      if (!isWanted(position)) continue;
      const pointer = this.#statements.pointerOf(node.output.buffer);
      lines.push(`${pointer}[${position.text}] = ${this.#statements.nameOf(value)};`);
    }
    return lines;
  }

  #finished(grid: number): EmittedCuda {
    const { values, stores } = this.#lowered;
    const { pointers } = this.#statements;
    const body = this.#lines.map((line) => `  ${line}\n`).join("");
    const helpers = [
      body.includes("remainder_floor(") ? CUDA_HELPERS.remainder : "",
      body.includes("combine_") ? CUDA_HELPERS.combine : "",
      body.includes("is_better") ? CUDA_HELPERS.best : "",
      body.includes("uniform(") ? CUDA_HELPERS.uniform : "",
    ].filter((helper) => helper !== "");
    const params = pointers.map((id) => this.#parameter(id, values, stores));
    const usesRandom = values.some(({ kind }) => kind === "uniform");
    if (usesRandom) params.push(`const long long* ${this.#names.random}`);
    const header = headerOf(this.#lowered, this.#buffers, pointers, this.#names);
    const comments = header.map((line) => `// ${line}\n`).join("");
    const name = `extern "C" __global__ void __launch_bounds__(${BLOCK}) ${this.#names.kernel}`;
    const text = `${comments}${name}(${params.join(", ")}) {\n${body}}\n`;
    return {
      helpers,
      text,
      grid,
      block: BLOCK,
      buffers: usesRandom ? [...pointers, this.#names.randomBuffer] : pointers,
    };
  }

  #parameter(id: number, values: readonly Value[], stores: readonly Store[]): string {
    const written = stores.find(({ node }) => node.output.buffer === id);
    const read = values.find((value) => value.kind === "load" && value.buffer === id);
    const dtype: TensorDtype = written?.node.output.dtype ?? read?.dtype ?? "float32";
    const { name } = this.#buffers[id] as Buffer;
    return `${written === undefined ? "const " : ""}${cudaType(dtype)}* ${name}`;
  }
}
