/**
 * Kernels of matrix products whose operands lie anywhere: a product of stacks of matrices, and convolutions, whose
 * matrices are read from images in place (implicit matrix products). Each program computes a tile; a product with few
 * tiles and long rows is cut along its inner dimension, too, and the parts are summed.
 */
import { withoutTape } from "../autograd/tape.ts";
import { reduce } from "../operations/reductions.ts";
import { cast } from "../operations/elementwise.ts";
import { empty, type Shape, type Tensor } from "../tensor.ts";
import { tritonName, type KernelParameter, type KernelText, type TensorDevice } from "./tensor-device.ts";
import { tritonFunction } from "./triton-function.ts";

/** How products of float32 are computed on a GPU: exactly, or by its matrix units with factors of 11 bits. */
export type Float32Precision = "ieee" | "tf32";

/** A product: `rows` × `columns` elements for each of `stacks`, each a sum of `inner` products. */
export interface ProductText {
  /** Differs for products whose text differs. */
  readonly key: string;
  readonly name: string;
  readonly stacks: number;
  readonly rows: number;
  readonly columns: number;
  readonly inner: number;
  /** Numbers that the text uses by name. */
  readonly numbers: Readonly<Record<string, number>>;
  /** Statements before the loop; `stack`, `row` (a column of numbers) and `column` (a row) are known. */
  readonly before: readonly string[];
  /** Statements in the loop, which set `x` and `y`; `k` (a row) and `k_` (a column) are known. */
  readonly loads: readonly string[];
  /** Where an element goes: an expression of `row`, `column` and `stack`. */
  readonly place: string;
  readonly precision: Float32Precision;
}

/** Tiles by the number of columns: few channels need few. */
function tileOf({ rows, columns }: ProductText): { rows: number; columns: number; depth: number } {
  const wide = columns > 32 ? 64 : 32;
  return { rows: rows > 32 ? 64 : 32, columns: columns <= 16 ? 16 : wide, depth: 32 };
}

const WARPS = 4;
/** Steps of the loop that a part has at least. */
const LEAST_STEPS = 4;

export function launchProduct(
  device: TensorDevice,
  text: ProductText,
  operands: readonly [Tensor, Tensor],
  shape: Shape,
): Tensor {
  const tile = tileOf(text);
  const tiles = Math.ceil(text.rows / tile.rows) * Math.ceil(text.columns / tile.columns);
  const steps = Math.ceil(text.inner / tile.depth);
  const parts = device.leastElements > 0 ? 1 : partsOf(device, tiles * text.stacks, steps);
  const length = Math.ceil(steps / parts) * tile.depth;
  const [{ dtype, place }] = operands;
  const result = empty(parts === 1 ? shape : [parts, ...shape], parts === 1 ? dtype : "float32", place);
  const numbers = { rows: text.rows, columns: text.columns, inner: text.inner, length, ...text.numbers };
  const tensors = [result, ...operands];
  const isAligned = tensors.every(({ pointer }) => pointer % 16 === 0);
  const kinds = Object.values(numbers).map((value) => (value === 1 ? "1" : Number(value % 16 === 0) * 16));
  const key = `${text.name} ${text.key} ${tensors.map((tensor) => tensor.dtype).join()} ${kinds.join()} ${Number(
    isAligned,
  )} ${tile.rows} ${tile.columns} ${text.precision} ${text.stacks > 1} ${parts > 1}`;
  const kernel = device.kernel(key, () => kernelText(text, tile, tensors, numbers, isAligned));
  const passed = Object.values(numbers).filter((value) => value !== 1);
  const count = shape.reduce((product, size) => product * size, 1);
  kernel.launch(tiles * text.stacks * parts, [...tensors.map(({ pointer }) => pointer), count, parts, ...passed]);
  result.storage.version++;
  if (parts === 1) return result;
  return withoutTape(() => cast(reduce("sum", result, [0]), dtype));
}

function partsOf({ raw }: TensorDevice, tiles: number, steps: number): number {
  const wanted = Math.floor((2 * raw.properties.multiProcessorCount) / tiles);
  return Math.max(1, Math.min(wanted, Math.floor(steps / LEAST_STEPS)));
}

function kernelText(
  { name, before, loads, place, precision }: ProductText,
  tile: ReturnType<typeof tileOf>,
  tensors: readonly Tensor[],
  numbers: Readonly<Record<string, number>>,
  isAligned: boolean,
): KernelText {
  const passed = Object.entries(numbers).filter(([, value]) => value !== 1);
  const ones = Object.entries(numbers).filter(([, value]) => value === 1);
  const [result] = tensors as [Tensor];
  const params: KernelParameter[] = [
    ...tensors.map((tensor): KernelParameter => ({ kind: "pointer", dtype: tensor.dtype, isAligned })),
    { kind: "i32", isDivisible: false },
    { kind: "i32", isDivisible: false },
    ...passed.map(([, value]): KernelParameter => ({ kind: "i32", isDivisible: value % 16 === 0 })),
  ];
  const lines = [
    ...ones.map(([own]) => `${own} = 1`),
    "program = tl.program_id(0)",
    `across = tl.cdiv(columns, ${tile.columns})`,
    `tiles = tl.cdiv(rows, ${tile.rows}) * across`,
    "tile = program % tiles",
    "part = (program // tiles) % parts",
    "stack = program // (tiles * parts)",
    `row = (tile // across) * ${tile.rows} + tl.arange(0, ${tile.rows})[:, None]`,
    `column = (tile % across) * ${tile.columns} + tl.arange(0, ${tile.columns})[None, :]`,
    ...before,
    `total = tl.zeros((${tile.rows}, ${tile.columns}), dtype=tl.float32)`,
    "begin = part * length",
    "end = tl.minimum(begin + length, inner)",
    `for first in range(begin, end, ${tile.depth}):`,
    `    k = first + tl.arange(0, ${tile.depth})[None, :]`,
    `    k_ = first + tl.arange(0, ${tile.depth})[:, None]`,
    ...loads.map((line) => `    ${line}`),
    `    total = tl.dot(x, y, total, input_precision="${precision}")`,
    `at = out + part * count + ${place}`,
    `tl.store(at, total.to(tl.${tritonName(result.dtype)}), mask=(row < rows) & (column < columns))`,
  ];
  const signature = ["out", "a", "b", "count", "parts", ...passed.map(([own]) => own)];
  return { name, text: tritonFunction(name, signature, lines), params, numWarps: WARPS };
}
