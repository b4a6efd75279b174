/** The text of kernels that combine elements over dimensions. */
import { boolInputsOf } from "../expressions/expression.ts";
import { isFloatType, type ComputeType } from "../expressions/primitive.ts";
import { helpersFor, tritonStatements } from "../expressions/triton-text.ts";
import type { TensorDtype } from "../dtypes.ts";
import type { Layout } from "./layout.ts";
import { converted, isKnownStride, numberInput, numberKind } from "./pointwise.ts";
import type { Combination, Plan } from "./reduction.ts";
import { tritonName, type KernelParameter, type KernelText } from "./tensor-device.ts";

const WARPS = 4;

/** What the compiler may take for granted. */
interface Facts {
  readonly isWide: boolean;
  readonly isAligned: boolean;
  readonly isDivisible: boolean;
  /** Each row is cut into parts, which are combined by another launch. */
  readonly isSplit: boolean;
  /** Numbers of `finish`. */
  readonly numbers: number;
}

export const ARG_HELPERS = `@triton.jit
def _better_max(a, i, b, j):
    first = (a > b) | ((a != a) & (b == b)) | (((a == b) | ((a != a) & (b != b))) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)


@triton.jit
def _better_min(a, i, b, j):
    first = (a < b) | ((a != a) & (b == b)) | (((a == b) | ((a != a) & (b != b))) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)


`;
export const COMBINE_HELPERS = `@triton.jit
def _max(a, b):
    return tl.where((a >= b) | (a != a), a, b)


@triton.jit
def _min(a, b):
    return tl.where((a <= b) | (a != a), a, b)


@triton.jit
def _prod(a, b):
    return a * b


`;

/** What combining begins with. */
export function neutral(combine: Combination, type: ComputeType): string {
  if (combine === "sum") return "0";
  if (combine === "prod") return "1";
  const isMax = combine === "max" || combine === "argmax";
  if (isFloatType(type)) return `${isMax ? "-" : ""}float("inf")`;
  const isSigned = !type.startsWith("u");
  const bits = BigInt(type.replace(/\D/g, ""));
  if (isMax) return isSigned ? String(-(1n << (bits - 1n))) : "0";
  return String((1n << (isSigned ? bits - 1n : bits)) - 1n);
}

/** Offsets of pointers by the position in some dimensions. */
function offsetLines(
  prefix: string,
  position: string,
  { sizes, strides }: Layout,
  names: readonly string[],
): { lines: string[]; offsets: string[]; params: string[] } {
  const lines: string[] = [];
  const index = sizes.map((_, d) => (sizes.length === 1 ? position : `${prefix}${d}`));
  if (sizes.length > 1) {
    lines.push(`${prefix}_rest = ${position}`);
    for (let d = sizes.length - 1; d > 0; d--)
      lines.push(
        `${prefix}${d} = ${prefix}_rest % ${prefix}_size${d}`,
        `${prefix}_rest = ${prefix}_rest // ${prefix}_size${d}`,
      );
    lines.push(`${prefix}0 = ${prefix}_rest`);
  }
  const params: string[] = [];
  const offsets = names.map((name, k) => {
    const own = strides[k] as readonly number[];
    const parts = own.flatMap((stride, d) => {
      if (stride === 0) return [];
      if (isKnownStride(stride, d, own.length)) return [index[d] as string];
      params.push(`${name}_${prefix}${d}`);
      return [`${index[d]} * ${name}_${prefix}${d}`];
    });
    return parts.join(" + ");
  });
  return { lines, offsets, params };
}

type Named = readonly [declaration: string, parameter: KernelParameter];

class ReductionText {
  readonly #plan: Plan;
  readonly #facts: Facts;
  readonly #dtype: TensorDtype;
  readonly #pointers: readonly string[];
  readonly #outer: ReturnType<typeof offsetLines>;
  readonly #inner: ReturnType<typeof offsetLines>;
  readonly #isIndex: boolean;

  constructor(plan: Plan, dtype: TensorDtype, facts: Facts) {
    this.#plan = plan;
    this.#facts = facts;
    this.#dtype = dtype;
    this.#pointers = plan.operands.flatMap((operand, i) => (typeof operand === "number" ? [] : [`in${i}`]));
    this.#outer = offsetLines("row", "row", plan.outer, [...this.#pointers, "out"]);
    this.#inner = offsetLines("col", "column", plan.inner, this.#pointers);
    this.#isIndex = plan.fn.combine.startsWith("arg");
  }

  text(): KernelText {
    const { name, combine } = this.#plan.fn;
    const params = this.#parameters();
    const body = [...this.#beginning(), ...this.#loop().map((line) => `    ${line}`), ...this.#ending()];
    const lines = body.map((line) => `    ${line}\n`).join("");
    const text = `@triton.jit\ndef ${name}(${params.map(([declaration]) => declaration).join(", ")}):\n${lines}`;
    const helpers = [
      helpersFor(body),
      this.#isIndex ? ARG_HELPERS : "",
      this.#isIndex || combine === "sum" ? "" : COMBINE_HELPERS,
    ].join("");
    return { name, text: helpers + text, params: params.map(([, param]) => param), numWarps: WARPS };
  }

  get #finishers(): string[] {
    return Array.from({ length: this.#facts.numbers }, (_, i) => `f${i}`);
  }

  #parameters(): Named[] {
    const { fn, operands, tensors, outer, inner } = this.#plan;
    const { isWide, isAligned, isDivisible } = this.#facts;
    const number = (name: string): Named => {
      const kind = numberKind(fn.type);
      return [kind === "fp64" ? `${name}: tl.float64` : name, kind === "i64" ? { kind, isDivisible: false } : { kind }];
    };
    const whole = (name: string, divisible = false): Named => [
      name,
      { kind: isWide ? "i64" : "i32", isDivisible: divisible },
    ];
    const pointer = (name: string, dtype: TensorDtype): Named => [name, { kind: "pointer", dtype, isAligned }];
    const scalars = operands.flatMap((operand, i) => (typeof operand === "number" ? [`in${i}`] : []));
    return [
      ...tensors.map(({ dtype }, i) => pointer(this.#pointers[i] as string, dtype)),
      pointer("out", this.#dtype),
      ...scalars.map(number),
      ...this.#finishers.map(number),
      whole("rows"),
      whole("columns"),
      whole("chunk", isDivisible),
      ...outer.sizes.slice(1).map((_, d) => whole(`row_size${d + 1}`)),
      ...inner.sizes.slice(1).map((_, d) => whole(`col_size${d + 1}`)),
      ...[...this.#outer.params, ...this.#inner.params].map((name) => whole(name, isDivisible)),
    ];
  }

  #beginning(): string[] {
    const { fn, tile, isColumnwise } = this.#plan;
    const { isWide, isSplit } = this.#facts;
    const program = isWide ? "tl.program_id(0).to(tl.int64)" : "tl.program_id(0)";
    const { rows, columns } = tile;
    const shape = isColumnwise ? `[${columns}, ${rows}]` : `[${rows}, ${columns}]`;
    return [
      ...(isSplit ? [`blocks = tl.cdiv(rows, ${rows})`, `part = ${program} // blocks`] : []),
      isSplit ? `block = ${program} % blocks` : `block = ${program}`,
      `row = block * ${rows} + tl.arange(0, ${rows})${isColumnwise ? "[None, :]" : "[:, None]"}`,
      ...this.#outer.lines,
      ...this.#pointers.map((name, k) => `${name} = ${name} + ${this.#outer.offsets[k] || "0"}`),
      `acc = tl.full(${shape}, ${neutral(fn.combine, fn.type)}, tl.${fn.type})`,
      ...(this.#isIndex ? [`at = tl.full(${shape}, 0, tl.int32)`] : []),
      isSplit ? "begin = part * chunk" : "begin = 0",
      isSplit ? "end = tl.minimum(begin + chunk, columns)" : "end = columns",
      `for start in range(begin, end, ${columns}):`,
    ];
  }

  #loop(): string[] {
    const { fn, operands, tile, isColumnwise } = this.#plan;
    const { expression, type, combine } = fn;
    const lines = [
      `column = start + tl.arange(0, ${tile.columns})${isColumnwise ? "[:, None]" : "[None, :]"}`,
      "inside = (row < rows) & (column < end)",
      ...this.#inner.lines,
    ];
    const conditions = boolInputsOf([expression]);
    const inputs = operands.map((operand, i) => {
      const isBool = conditions.has(i);
      if (typeof operand === "number") return isBool ? `(in${i} != 0)` : numberInput(`in${i}`, type);
      const offset = this.#inner.offsets[this.#pointers.indexOf(`in${i}`)] || "column * 0";
      // A division by what lies beside the array must not trap.
      const other = operand.dtype.includes("float") || operand.dtype === "bool" ? "" : ", other=1";
      lines.push(`x${i} = tl.load(in${i} + ${offset}, mask=inside${other})`);
      const name = converted(`x${i}`, operand.dtype, type, isBool);
      if (name !== `x${i}`) lines.push(`x${i} = ${name}`);
      return `x${i}`;
    });
    const computed = tritonStatements([expression], type, inputs);
    const value = expression.isBool ? `${computed.results[0]}.to(tl.${type})` : `${computed.results[0]}`;
    lines.push(...computed.lines, `value = tl.where(inside, ${value}, ${neutral(combine, type)})`);
    if (!this.#isIndex) return [...lines, `acc = ${combined(combine, "acc", "value")}`];
    const isGreater = combine === "argmax" ? ">" : "<";
    return [
      ...lines,
      `better = inside & ((value ${isGreater} acc) | ((value != value) & (acc == acc)))`,
      "at = tl.where(better, column.to(tl.int32), at)",
      "acc = tl.where(better, value, acc)",
    ];
  }

  #ending(): string[] {
    const { fn, tile, outer, isColumnwise } = this.#plan;
    const axis = isColumnwise ? 0 : 1;
    const { combine, finish, type } = fn;
    const lines: string[] = [];
    if (this.#isIndex) lines.push(`acc, at = tl.reduce((acc, at), ${axis}, _better_${combine.slice(3)})`);
    else if (combine === "sum") lines.push(`acc = tl.sum(acc, axis=${axis})`);
    else lines.push(`acc = tl.reduce(acc, ${axis}, _${combine})`);
    const strides = [outer.strides.at(-1) as readonly number[]];
    const storing = offsetLines("row", "row", { sizes: outer.sizes, strides }, ["out"]);
    lines.push(`row = block * ${tile.rows} + tl.arange(0, ${tile.rows})`, ...storing.lines);
    let result = this.#isIndex ? "at" : "acc";
    if (finish !== null) {
      const numbers = this.#finishers.map((name) => numberInput(name, type));
      const finished = tritonStatements([finish], type, ["acc", ...numbers]);
      // The names of both texts differ.
      const renamed = (line: string): string => line.replace(/\bt(\d+)\b/g, "u$1");
      lines.push(...finished.lines.map(renamed));
      result = renamed(finished.results[0] as string);
    }
    const element = this.#dtype === "bool" ? `(${result} != 0)` : `${result}.to(tl.${tritonName(this.#dtype)})`;
    const offset = [storing.offsets[0] || "row * 0", ...(this.#facts.isSplit ? ["part * rows"] : [])].join(" + ");
    lines.push(`tl.store(out + ${offset}, ${element}, mask=row < rows)`);
    return lines;
  }
}

export function reductionText(plan: Plan, dtype: TensorDtype, facts: Facts): KernelText {
  return new ReductionText(plan, dtype, facts).text();
}

export function combined(combine: Combination, acc: string, value: string): string {
  if (combine === "sum") return `${acc} + ${value}`;
  return combine === "prod" ? `${acc} * ${value}` : `_${combine}(${acc}, ${value})`;
}
