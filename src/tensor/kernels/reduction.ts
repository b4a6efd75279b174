/** Kernels that combine expressions of elements over some dimensions: sums, products, greatest and least elements. */
import type { Expression } from "../expressions/expression.ts";
import type { ComputeType } from "../expressions/primitive.ts";
import type { TensorDtype } from "../dtypes.ts";
import { denseStrides, empty, scoped, type Tensor } from "../tensor.ts";
import { collapseStrides, nextPowerOfTwo, reachOf, type Layout } from "./layout.ts";
import { identityOf, isKnownStride, strideKey } from "./pointwise.ts";
import { reductionText } from "./reduction-text.ts";
import type { TensorDevice } from "./tensor-device.ts";

export type Combination = "sum" | "prod" | "max" | "min" | "argmax" | "argmin";

export interface ReductionFunction {
  /** For the names of kernels. */
  readonly name: string;
  readonly combine: Combination;
  /** What is combined: input k is operand k. */
  readonly expression: Expression;
  readonly type: ComputeType;
  /** What becomes of the combined value (input 0); numbers are the inputs that follow. Null: nothing. */
  readonly finish: Expression | null;
}

const ELEMENTS = 1024;

/** Programs that keep all of a device busy. */
const programsOf = ({ raw }: TensorDevice): number =>
  raw.kind === "emulated" ? 16 : raw.properties.multiProcessorCount * 4;

/**
 * @param operands tensors of one shape, and numbers
 * @param output of that shape, with size 1 in the dimensions that are combined
 * @param numbers for `finish`
 */
export function launchReduction(
  device: TensorDevice,
  fn: ReductionFunction,
  operands: readonly (Tensor | number)[],
  output: Tensor,
  numbers: readonly number[],
): void {
  const tensors = operands.filter((operand): operand is Tensor => typeof operand !== "number");
  const [{ shape }] = tensors as [Tensor];
  const isReduced = shape.map((size, d) => size !== 1 && output.shape[d] === 1);
  const [outerDims, innerDims]: [number[], number[]] = [[], []];
  for (const [d, reduced] of isReduced.entries()) (reduced ? innerDims : outerDims).push(d);
  const pick = (of: readonly number[], dims: readonly number[]): number[] => dims.map((d) => of[d] as number);
  const outer = collapseStrides(pick(shape, outerDims), [
    ...tensors.map(({ strides }) => pick(strides, outerDims)),
    pick(output.strides, outerDims),
  ]);
  const isIndex = fn.combine.startsWith("arg");
  const inner = collapseStrides(
    pick(shape, innerDims),
    tensors.map(({ strides }) => pick(strides, innerDims)),
    isIndex,
  );
  const rows = outer.sizes.reduce((product, size) => product * size, 1);
  const columns = inner.sizes.reduce((product, size) => product * size, 1);
  const isColumnwise = (outer.strides[0]?.at(-1) ?? 0) === 1 && (inner.strides[0]?.at(-1) ?? 1) !== 1;
  const tile = tileFor(rows, columns, isColumnwise);
  const blocks = Math.ceil(rows / tile.rows);
  const wanted = Math.floor(programsOf(device) / blocks);
  const splits = isIndex ? 1 : Math.min(wanted, Math.ceil(columns / (tile.columns * 4)));
  const plan: Plan = { fn, operands, tensors, outer, inner, tile, isColumnwise };
  if (splits > 1) {
    scoped(() => {
      // Parts of each row first, then their combination.
      const parts = empty([splits, rows], fn.type as TensorDtype, output.place);
      const flat: Layout = { sizes: outer.sizes, strides: [...outer.strides.slice(0, -1), denseStrides(outer.sizes)] };
      run(device, { ...plan, fn: { ...fn, finish: null }, outer: flat }, parts, splits, []);
      const again: ReductionFunction = { ...fn, name: `${fn.name}_parts`, expression: IDENTITY };
      const view = output.asStrided(
        output.shape.filter((_, d) => isReduced[d] !== true),
        output.strides.filter((_, d) => isReduced[d] !== true),
      );
      const dims = view.shape;
      const own = parts.asStrided([splits, ...dims], [rows, ...denseStrides(dims)]);
      launchReduction(device, again, [own], view.asStrided([1, ...dims], [0, ...view.strides]), numbers);
      return null;
    });
    return;
  }
  run(device, plan, output, 1, numbers);
}

const IDENTITY: Expression = { op: "input", index: 0, isBool: false };

export interface Tile {
  readonly rows: number;
  readonly columns: number;
}

function tileFor(rows: number, columns: number, isColumnwise: boolean): Tile {
  if (!isColumnwise) {
    const width = Math.min(ELEMENTS, nextPowerOfTwo(columns));
    return { columns: width, rows: Math.min(ELEMENTS / width, nextPowerOfTwo(rows)) };
  }
  const width = Math.min(64, nextPowerOfTwo(rows));
  return { rows: width, columns: Math.min(ELEMENTS / width, nextPowerOfTwo(columns)) };
}

/** A kernel of its own: sizes apart, all that its text depends on. */
export interface Plan {
  readonly fn: ReductionFunction;
  readonly operands: readonly (Tensor | number)[];
  readonly tensors: readonly Tensor[];
  /** Of the tensors, then of the output. */
  readonly outer: Layout;
  readonly inner: Layout;
  readonly tile: Tile;
  readonly isColumnwise: boolean;
}

function run(device: TensorDevice, plan: Plan, output: Tensor, splits: number, numbers: readonly number[]): void {
  const { fn, operands, tensors, outer, inner, tile, isColumnwise } = plan;
  const rows = outer.sizes.reduce((product, size) => product * size, 1);
  const columns = inner.sizes.reduce((product, size) => product * size, 1);
  const isWide = reachOf(outer) + reachOf(inner) >= 2 ** 31 - ELEMENTS || rows * splits >= 2 ** 31;
  const isAligned = [...tensors, output].every(({ pointer }) => pointer % 16 === 0);
  const chunk = splits === 1 ? columns : Math.ceil(columns / splits / tile.columns) * tile.columns;
  const passed = [...passedStrides(outer), ...passedStrides(inner)];
  const isDivisible = passed.every((stride) => stride % 16 === 0) && chunk % 16 === 0;
  const kinds = operands.map((operand) => (typeof operand === "number" ? "#" : operand.dtype)).join();
  const forms = [outer, inner].map(({ strides }) => strides.map(strideKey).join("/")).join("|");
  const flags = [isWide, isAligned, isDivisible, isColumnwise, splits > 1].map(Number).join("");
  const ids = `${fn.combine} ${identityOf(fn.expression)} ${fn.finish === null ? 0 : identityOf(fn.finish)}`;
  const types = `${fn.type} ${output.dtype} ${kinds}`;
  const key = `reduce ${ids} ${types} ${forms} ${tile.rows}x${tile.columns} ${flags} ${numbers.length}`;
  const kernel = device.kernel(key, () =>
    reductionText(plan, output.dtype, { isWide, isAligned, isDivisible, isSplit: splits > 1, numbers: numbers.length }),
  );
  const blocks = Math.ceil(rows / tile.rows);
  kernel.launch(blocks * splits, [
    ...tensors.map(({ pointer }) => pointer),
    output.pointer,
    ...operands.filter((operand) => typeof operand === "number"),
    ...numbers,
    rows,
    columns,
    chunk,
    ...outer.sizes.slice(1),
    ...inner.sizes.slice(1),
    ...passed,
  ]);
  output.storage.version++;
}

function passedStrides({ strides }: Layout): number[] {
  return strides.flatMap((own) => own.filter((stride, d) => !isKnownStride(stride, d, own.length)));
}
