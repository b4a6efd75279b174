/** Kernels that compute expressions of the elements of some operands, one element at a time. */
import { bug } from "../../base/diagnostics.ts";
import type { ComputeType } from "../expressions/primitive.ts";
import { boolInputsOf, type Expression } from "../expressions/expression.ts";
import { helpersFor, tritonStatements } from "../expressions/triton-text.ts";
import type { TensorDtype } from "../dtypes.ts";
import type { Tensor } from "../tensor.ts";
import { collapse, nextPowerOfTwo, reachOf, type Layout } from "./layout.ts";
import { tritonName, type KernelParameter, type KernelText, type TensorDevice } from "./tensor-device.ts";
import { tritonFunction } from "./triton-function.ts";

/** What a kernel computes for each element. */
export interface PointwiseFunction {
  /** For the names of kernels: letters, digits and underscores. */
  readonly name: string;
  /** One for each result. Input k is operand k. */
  readonly expressions: readonly Expression[];
  readonly type: ComputeType;
}

const ELEMENTS = 1024;
const WARPS = 4;

const identities = new WeakMap<Expression, number>();
let identityCount = 0;

/** Differs for expressions that are different objects. */
export function identityOf(expression: Expression): number {
  let identity = identities.get(expression);
  if (identity === undefined) identities.set(expression, (identity = ++identityCount));
  return identity;
}

/**
 * Fills `outputs`, tensors of one shape.
 * @param operands tensors that are expanded to this shape, and numbers.
 */
export function launchPointwise(
  device: TensorDevice,
  fn: PointwiseFunction,
  operands: readonly (Tensor | number)[],
  outputs: readonly Tensor[],
): void {
  const [output] = outputs as [Tensor];
  if (output.length === 0) return;
  const tensors: Tensor[] = [...outputs];
  const numbers: number[] = [];
  for (const operand of operands) {
    if (typeof operand === "number") numbers.push(operand);
    else tensors.push(operand);
  }
  const layout = collapse(output.shape, tensors);
  const isFlat = layout.sizes.length <= 1 && layout.strides.every(([stride = 1]) => stride === 0 || stride === 1);
  const isWide = reachOf(layout) >= 2 ** 31 - ELEMENTS;
  const isAligned = tensors.every(({ pointer }) => pointer % 16 === 0);
  const { args, isDivisible, programs, key, tile } = isFlat ? flat(layout, output.length) : tiled(layout);
  const kinds = operands.map((operand) => (typeof operand === "number" ? "#" : operand.dtype)).join();
  const types = outputs.map(({ dtype }) => dtype).join();
  const ids = fn.expressions.map(identityOf).join();
  const full = `${ids} ${fn.type} ${types} ${kinds} ${key} ${Number(isWide)}${Number(isAligned)}${Number(isDivisible)}`;
  const kernel = device.kernel(full, () =>
    kernelText(fn, { operands, outputs, layout, isWide, isAligned, isDivisible, tile }),
  );
  kernel.launch(programs, [...tensors.map(({ pointer }) => pointer), ...numbers, ...args]);
}

interface Form {
  /** Sizes and strides that the kernel is passed. */
  readonly args: readonly number[];
  readonly isDivisible: boolean;
  readonly programs: number;
  readonly key: string;
  /** Rows and columns of a program; null: all operands are rows without gaps, or numbers. */
  readonly tile: Tile | null;
}
interface Tile {
  readonly rows: number;
  readonly columns: number;
}

function flat({ strides }: Layout, length: number): Form {
  return {
    args: [length],
    isDivisible: length % 16 === 0,
    programs: Math.ceil(length / ELEMENTS),
    key: strides.map(([stride = 1]) => stride).join(""),
    tile: null,
  };
}

/** Strides that a kernel's text has: 0, and 1 of the innermost dimension. All others are passed. */
export function isKnownStride(stride: number, d: number, rank: number): boolean {
  return stride === 0 || (stride === 1 && d === rank - 1);
}

export const strideKey = (strides: readonly number[]): string => {
  let key = "";
  for (let d = 0; d < strides.length; d++) {
    const stride = strides[d] as number;
    key += isKnownStride(stride, d, strides.length) ? stride : "s";
  }
  return key;
};

function tiled({ sizes, strides }: Layout): Form {
  const inner = sizes.at(-1) ?? 1;
  const outer = sizes.slice(0, -1).reduce((product, size) => product * size, 1);
  // Operands that run along other dimensions are read in squares, so that what is loaded together is used together.
  const isTurned = strides.some((own) => Math.abs(own.at(-1) ?? 0) > 1);
  const columns = Math.min(isTurned && outer >= 32 ? 32 : ELEMENTS, nextPowerOfTwo(inner));
  const rows = Math.min(ELEMENTS / columns, nextPowerOfTwo(outer));
  const passed = strides.flatMap((own) => own.filter((stride, d) => !isKnownStride(stride, d, own.length)));
  return {
    args: [...sizes, ...passed],
    isDivisible: inner % 16 === 0 && passed.every((stride) => stride % 16 === 0),
    programs: Math.ceil(outer / rows) * Math.ceil(inner / columns),
    key: `${strides.map(strideKey).join("/")} ${rows}x${columns}`,
    tile: { rows, columns },
  };
}

interface KernelShape {
  readonly operands: readonly (Tensor | number)[];
  readonly outputs: readonly Tensor[];
  readonly layout: Layout;
  readonly isWide: boolean;
  readonly isAligned: boolean;
  readonly isDivisible: boolean;
  readonly tile: Tile | null;
}

/** An element as a number of the computing type, or as a condition. */
export function converted(name: string, from: TensorDtype, type: ComputeType, isBool: boolean): string {
  if (isBool) return from === "bool" ? name : `(${name} != 0)`;
  return from === type ? name : `${name}.to(tl.${type})`;
}

function kernelText(fn: PointwiseFunction, shape: KernelShape): KernelText {
  const { operands, outputs, isAligned, isDivisible, tile, layout, isWide } = shape;
  const pointers = [
    ...outputs.map((tensor, i) => ({ name: `out${i}`, tensor })),
    ...operands.flatMap((tensor, i) => (typeof tensor === "number" ? [] : [{ name: `in${i}`, tensor }])),
  ];
  const numbers = operands.flatMap((operand, i) => (typeof operand === "number" ? [`in${i}`] : []));
  const index = isWide ? "i64" : "i32";
  const params: KernelParameter[] = pointers.map(({ tensor }) => ({ kind: "pointer", dtype: tensor.dtype, isAligned }));
  const signature = pointers.map(({ name }) => name);
  for (const name of numbers) {
    const kind = numberKind(fn.type);
    params.push(kind === "i64" ? { kind, isDivisible: false } : { kind });
    signature.push(kind === "fp64" ? `${name}: tl.float64` : name);
  }
  const addressed =
    tile === null
      ? flatAddresses(
          layout,
          pointers.map(({ name }) => name),
          isWide,
        )
      : tiledAddresses(
          layout,
          pointers.map(({ name }) => name),
          tile,
          isWide,
        );
  for (const name of addressed.params) {
    signature.push(name);
    params.push({ kind: index, isDivisible });
  }
  const body = [...addressed.lines];
  const boolInputs = boolInputsOf(fn.expressions);
  const inputs = operands.map((operand, i) => {
    const isBool = boolInputs.has(i);
    if (typeof operand === "number") return isBool ? `(in${i} != 0)` : numberInput(`in${i}`, fn.type);
    const address = addressed.of.get(`in${i}`) ?? bug(`no address of operand ${i}`);
    const isInteger = !operand.dtype.includes("float") && operand.dtype !== "bool";
    // A division by what lies beside the array must not trap.
    const mask = address.isOne ? "" : `, mask=${addressed.mask}${isInteger ? ", other=1" : ""}`;
    body.push(`x${i} = tl.load(${address.text}${mask})`);
    const name = converted(`x${i}`, operand.dtype, fn.type, isBool);
    if (name !== `x${i}`) body.push(`x${i} = ${name}`);
    return `x${i}`;
  });
  const { lines, results } = tritonStatements(fn.expressions, fn.type, inputs);
  body.push(...lines);
  for (const [i, output] of outputs.entries()) {
    const address = addressed.of.get(`out${i}`) ?? bug(`no address of result ${i}`);
    const element = stored(results[i] as string, fn, i, output.dtype, addressed.zero);
    body.push(`tl.store(${address.text}, ${element}, mask=${addressed.mask})`);
  }
  const name = `${fn.name}_${outputs.map(({ dtype }) => tritonName(dtype)).join("_")}`;
  const text = tritonFunction(name, signature, body);
  const helpers = helpersFor(body);
  return { name, text: helpers + text, params, numWarps: WARPS };
}

/** A result as an element of memory. Floats become whole numbers by leaving out the fraction. */
function stored(result: string, fn: PointwiseFunction, index: number, dtype: TensorDtype, zero: string): string {
  const isBool = fn.expressions[index]?.isBool === true;
  // A tile, also where all elements are one number.
  if (dtype === "bool") return isBool ? `(${result} | (${zero} != 0))` : `((${result} + ${zero}) != 0)`;
  if (isBool) return `(${result} | (${zero} != 0)).to(tl.${tritonName(dtype)})`;
  // Small integers wrap; a GPU would give the nearest that there is.
  const isCut = fn.type.startsWith("float") && /^u?int(8|16)$/.test(dtype);
  return isCut ? `${result}.to(tl.int32).to(tl.${dtype})` : `${result}.to(tl.${tritonName(dtype)})`;
}

export function numberKind(type: ComputeType): "fp32" | "fp64" | "i64" {
  if (type === "float32") return "fp32";
  return type === "float64" ? "fp64" : "i64";
}

export function numberInput(name: string, type: ComputeType): string {
  return type.startsWith("float") ? name : `${name}.to(tl.${type})`;
}

interface Addresses {
  /** Parameters for sizes and strides. */
  readonly params: readonly string[];
  readonly lines: readonly string[];
  readonly mask: string;
  /** A tile of zeros, of int32. */
  readonly zero: string;
  /** By the names of pointers. @param isOne all elements are the same one */
  readonly of: ReadonlyMap<string, { readonly text: string; readonly isOne: boolean }>;
}

function flatAddresses({ strides }: Layout, names: readonly string[], isWide: boolean): Addresses {
  const program = isWide ? "tl.program_id(0).to(tl.int64)" : "tl.program_id(0)";
  return {
    params: ["n"],
    lines: [`i = ${program} * ${ELEMENTS} + tl.arange(0, ${ELEMENTS})`, "inside = i < n"],
    mask: "inside",
    zero: "i * 0",
    of: new Map(
      names.map((name, k) => {
        const isOne = strides[k]?.[0] === 0;
        return [name, { text: isOne ? name : `${name} + i`, isOne }];
      }),
    ),
  };
}

function tiledAddresses(
  { sizes, strides }: Layout,
  names: readonly string[],
  { rows, columns }: Tile,
  isWide: boolean,
): Addresses {
  const last = sizes.length - 1;
  const program = isWide ? "tl.program_id(0).to(tl.int64)" : "tl.program_id(0)";
  const outer =
    sizes
      .slice(0, -1)
      .map((_, d) => `size${d}`)
      .join(" * ") || "1";
  const lines = [
    `blocks = tl.cdiv(size${last}, ${columns})`,
    `row = ${program} // blocks * ${rows} + tl.arange(0, ${rows})[:, None]`,
    `column = ${program} % blocks * ${columns} + tl.arange(0, ${columns})[None, :]`,
    `inside = (row < ${outer}) & (column < size${last})`,
  ];
  const params = sizes.map((_, d) => `size${d}`);
  const offsets = names.map((): string[] => []);
  if (last > 0) {
    lines.push("rest = row");
    for (let d = last - 1; d >= 0; d--) {
      lines.push(d === 0 ? "index0 = rest" : `index${d} = rest % size${d}`);
      if (d > 0) lines.push(`rest = rest // size${d}`);
    }
  }
  for (const [k, name] of names.entries())
    for (const [d, stride] of (strides[k] as readonly number[]).entries()) {
      if (stride === 0) continue;
      const position = d === last ? "column" : `index${d}`;
      if (stride === 1 && d === last) (offsets[k] as string[]).push(position);
      else {
        params.push(`${name}_stride${d}`);
        (offsets[k] as string[]).push(`${position} * ${name}_stride${d}`);
      }
    }
  return {
    params,
    lines,
    mask: "inside",
    zero: "(row + column) * 0",
    of: new Map(
      names.map((name, k) => {
        const own = offsets[k] as string[];
        return [name, { text: own.length === 0 ? name : `${name} + ${own.join(" + ")}`, isOne: own.length === 0 }];
      }),
    ),
  };
}
