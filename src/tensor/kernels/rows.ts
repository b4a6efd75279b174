/**
 * Kernels that take a row of a tensor as a whole: softmax, norms, cross entropy. A row is read once where it fits into
 * the registers of a block, else once for each pass.
 */
import type { ComputeType } from "../expressions/primitive.ts";
import type { Tensor } from "../tensor.ts";
import { CHECK_LINES, checkIndices, noteIndices } from "./index-errors.ts";
import { nextPowerOfTwo } from "./layout.ts";
import { tritonName, type KernelParameter, type KernelText, type TensorDevice } from "./tensor-device.ts";

/** What a tensor has an element for: each place of the rows, each row, or each column. */
type Extent = "element" | "row" | "column";

export interface RowOperand {
  /** In the statements of passes. */
  readonly name: string;
  readonly tensor: Tensor;
  readonly of: Extent;
}

/** One way over the row. Statements are Triton's, with the names of operands for their elements here. */
export interface RowPass {
  readonly lines?: readonly string[];
  /** What becomes one number for the row. */
  readonly reductions?: readonly { readonly name: string; readonly combine: "sum" | "max"; readonly value: string }[];
  /** Behind the way: numbers for the row. */
  readonly after?: readonly string[];
  /** Elements of results. */
  readonly stores?: readonly { readonly to: string; readonly value: string }[];
}

/** A computation of rows, which lie without gaps: as [outer, columns, inner], a row for each outer and inner. */
export interface RowProgram {
  readonly name: string;
  readonly type: ComputeType;
  readonly operands: readonly RowOperand[];
  readonly results: readonly RowOperand[];
  /** Parameters that are numbers: `columns` is one already, as a number of the computing type it is `size`. */
  readonly numbers: Readonly<Record<string, number>>;
  readonly passes: readonly RowPass[];
  /** Numbers of the row that are stored behind all passes. */
  readonly rowStores?: readonly { readonly to: string; readonly value: string }[];
  /** An operand of rows that is an index into the columns, and a condition for it to count. */
  readonly index?: { readonly name: string; readonly counts: string };
}

export interface RowExtents {
  readonly outer: number;
  readonly columns: number;
  readonly inner: number;
}

/** Elements of a block's tile; a row of up to so many stays in registers. */
const MOST = 8192;
const USUAL = 1024;

/** A block's tile: rows, and columns that are read together. */
export interface RowShape {
  readonly rows: number;
  readonly block: number;
  readonly isLooped: boolean;
  readonly isInner: boolean;
}

export function rowShape({ columns, inner, outer }: RowExtents, most: number = MOST): RowShape {
  const isInner = inner > 1;
  const whole = nextPowerOfTwo(columns);
  // Rows that lie side by side are read together.
  const side = isInner ? Math.min(32, nextPowerOfTwo(inner)) : 1;
  const block = Math.min(whole, most / side);
  const rows = Math.max(side, Math.min(USUAL / Math.min(block, USUAL), nextPowerOfTwo(outer * inner)));
  return { rows, block, isLooped: block < columns, isInner };
}

/** A tile of the kernel, as its shape. */
export function tileOf({ rows, block, isInner }: RowShape): string {
  return isInner ? `[${block}, ${rows}]` : `[${rows}, ${block}]`;
}

/** Which rows a program has: `row`, `in_rows`, `base`. Parameters are `rows`, `columns`, `inner`. */
export function beginRows({ rows, isInner }: RowShape): string[] {
  return [
    `row = tl.program_id(0) * ${rows} + tl.arange(0, ${rows})${isInner ? "[None, :]" : "[:, None]"}`,
    "in_rows = row < rows",
    isInner
      ? "base = (row // inner).to(tl.int64) * columns * inner + row % inner"
      : "base = row.to(tl.int64) * columns",
  ];
}

/** Where the elements of a tile are: `column`, `inside`, `places`. */
export function columnsFrom(start: string, { block, isInner }: RowShape): string[] {
  return [
    `column = ${start} + tl.arange(0, ${block})${isInner ? "[:, None]" : "[None, :]"}`,
    "inside = in_rows & (column < columns)",
    `places = base + ${isInner ? "column.to(tl.int64) * inner" : "column"}`,
  ];
}

/** The parameters of `beginRows`. */
export const ROW_PARAMETERS: readonly KernelParameter[] = [
  { kind: "i32", isDivisible: false },
  { kind: "i32", isDivisible: false },
  { kind: "i32", isDivisible: false },
];

const has = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);

class RowText {
  readonly #program: RowProgram;
  readonly #shape: RowShape;

  constructor(program: RowProgram, shape: RowShape) {
    this.#program = program;
    this.#shape = shape;
  }

  text(isAligned: boolean): KernelText {
    const { name, operands, results, numbers, type } = this.#program;
    const { rows, block } = this.#shape;
    const pointers = [...results, ...operands];
    const params: KernelParameter[] = pointers.map(({ tensor }) => ({
      kind: "pointer",
      dtype: tensor.dtype,
      isAligned,
    }));
    const names = pointers.map((operand) => `${operand.name}_p`);
    for (const number of Object.keys(numbers)) {
      names.push(type === "float64" ? `${number}: tl.float64` : number);
      params.push({ kind: type === "float64" ? "fp64" : "fp32" });
    }
    if (this.#program.index !== undefined) {
      names.push("notes");
      params.push({ kind: "pointer", dtype: "int64", isAligned: true });
    }
    names.push("rows", "columns", "inner");
    params.push(...ROW_PARAMETERS);
    const lines = this.#lines().map((line) => `    ${line}\n`);
    const text = `@triton.jit\ndef ${name}(${names.join(", ")}):\n${lines.join("")}`;
    return { name, text, params, numWarps: Math.max(4, Math.min(16, (rows * block) / 256)) };
  }

  /** A tile of one number for each row. */
  get #rowTile(): string {
    return this.#shape.isInner ? `[1, ${this.#shape.rows}]` : `[${this.#shape.rows}, 1]`;
  }

  #lines(): string[] {
    const { operands, passes, type, rowStores = [], index } = this.#program;
    const { block, isLooped } = this.#shape;
    const lines = [...beginRows(this.#shape), `size = columns.to(tl.${type})`];
    for (const operand of operands.filter((one) => one.of === "row")) lines.push(...this.#load(operand));
    if (!isLooped) lines.push(...columnsFrom("0", this.#shape));
    const loaded = new Set<string>();
    for (const pass of passes) {
      const used = [
        ...(pass.lines ?? []),
        ...(pass.reductions ?? []).map(({ value }) => value),
        ...(pass.stores ?? []).map(({ value }) => value),
      ].join("\n");
      const needed = operands.filter(({ of, name }) => of !== "row" && has(used, name));
      const reductions = pass.reductions ?? [];
      const body: string[] = [];
      if (isLooped) {
        for (const { name, combine } of reductions)
          lines.push(`${name}_all = tl.full(${tileOf(this.#shape)}, ${neutral(combine)}, tl.${type})`);
        lines.push(`for start in range(0, columns, ${block}):`);
        body.push(...columnsFrom("start", this.#shape));
      }
      for (const operand of needed) {
        if (!isLooped && loaded.has(operand.name)) continue;
        loaded.add(operand.name);
        body.push(...this.#load(operand));
      }
      body.push(...(pass.lines ?? []));
      for (const { name, combine, value } of reductions) {
        const own = `tl.where(inside, ${value}, ${neutral(combine)})`;
        if (!isLooped) body.push(`${name} = ${this.#reduced(combine, own)}`);
        else
          body.push(`${name}_all = ${combine === "sum" ? `${name}_all + ${own}` : `_greatest(${name}_all, ${own})`}`);
      }
      for (const { to, value } of pass.stores ?? [])
        body.push(`tl.store(${to}_p + places, (${value}).to(tl.${this.#dtypeOf(to)}), mask=inside)`);
      lines.push(...(isLooped ? body.map((line) => `    ${line}`) : body));
      if (isLooped)
        for (const { name, combine } of reductions) lines.push(`${name} = ${this.#reduced(combine, `${name}_all`)}`);
      lines.push(...(pass.after ?? []));
    }
    for (const { to, value } of rowStores)
      lines.push(
        `tl.store(${to}_p + row, tl.broadcast_to(${value}, ${this.#rowTile}).to(tl.${this.#dtypeOf(to)}), ` +
          "mask=in_rows)",
      );
    if (index !== undefined)
      lines.push(
        `index = ${index.name}`,
        `inside = in_rows & (${index.counts})`,
        ...CHECK_LINES.map((line) => line.replaceAll(/\bsize\b/g, "columns")),
      );
    return lines;
  }

  #load({ name, of, tensor }: RowOperand): string[] {
    const { type } = this.#program;
    const [at, mask] = {
      element: ["places", "inside"],
      row: ["row", "in_rows"],
      column: ["column", "column < columns"],
    }[of] as [string, string];
    const isWhole = !tensor.dtype.includes("float");
    const text = `tl.load(${name}_p + ${at}, mask=${mask}, other=0)`;
    return [`${name} = ${text}.to(tl.${isWhole ? "int64" : type})`];
  }

  #reduced(combine: "sum" | "max", value: string): string {
    const axis = this.#shape.isInner ? 0 : 1;
    const reduced = combine === "sum" ? `tl.sum(${value}, axis=${axis})` : `tl.reduce(${value}, ${axis}, _greatest)`;
    return `(${reduced})${this.#shape.isInner ? "[None, :]" : "[:, None]"}`;
  }

  #dtypeOf(result: string): string {
    const own = this.#program.results.find(({ name }) => name === result);
    return tritonName((own as RowOperand).tensor.dtype);
  }
}

const neutral = (combine: "sum" | "max"): string => (combine === "sum" ? "0.0" : '-float("inf")');

const HELPERS = `@triton.jit
def _greatest(a, b):
    return tl.where((a >= b) | (a != a), a, b)


`;

/** All tensors without gaps; those of elements have `outer * columns * inner` of them. */
export function launchRows(device: TensorDevice, program: RowProgram, extents: RowExtents): void {
  const rows = extents.outer * extents.inner;
  if (rows === 0 || extents.columns === 0) return;
  const shape = rowShape(extents);
  const pointers = [...program.results, ...program.operands].map(({ tensor }) => tensor);
  const isAligned = pointers.every(({ pointer }) => pointer % 16 === 0);
  const types = pointers.map(({ dtype }) => dtype).join();
  const form = `${shape.rows}x${shape.block}${shape.isLooped ? "loop" : ""}${shape.isInner ? "inner" : ""}`;
  const key = `rows ${program.name} ${program.type} ${types} ${form} ${isAligned}`;
  const kernel = device.kernel(key, () => {
    const made = new RowText(program, shape).text(isAligned);
    return { ...made, text: HELPERS + made.text };
  });
  const notes = program.index === undefined ? [] : [noteIndices(device)];
  kernel.launch(Math.ceil(rows / shape.rows), [
    ...pointers.map(({ pointer }) => pointer),
    ...Object.values(program.numbers),
    ...notes,
    rows,
    extents.columns,
    extents.inner,
  ]);
  if (program.index !== undefined) checkIndices(device);
}
