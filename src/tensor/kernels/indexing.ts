/** Elements by tensors of indices, by kernels: reading them, and adding to them. */
import { isFloating, type TensorDtype } from "../dtypes.ts";
import { elementCount, empty, type Shape, type Tensor } from "../tensor.ts";
import { copyInto } from "../operations/copies.ts";
import { dense } from "./dense.ts";
import { CHECK_LINES, checkIndices, noteIndices } from "./index-errors.ts";
import { settings } from "./settings.ts";
import { kernelsFor, tritonName, type KernelParameter, type TensorDevice } from "./tensor-device.ts";
import { tritonFunction } from "./triton-function.ts";

const ELEMENTS = 512;

/** A tensor as [outer, size, inner] around a dimension. */
interface Rows {
  readonly outer: number;
  readonly size: number;
  readonly inner: number;
}

function rowsOf(shape: Shape, dim: number): Rows {
  return {
    outer: elementCount(shape.slice(0, dim)),
    size: shape[dim] ?? 1,
    inner: elementCount(shape.slice(dim + 1)),
  };
}

/** Each row at an index of its own, or all rows at the same indices. */
type Indexing = "each" | "rows";

interface Plan {
  readonly device: TensorDevice;
  readonly rows: Rows;
  /** Indices along the dimension. */
  readonly count: number;
  readonly index: Tensor;
  readonly indexing: Indexing;
}

function planFor(tensor: Tensor, dim: number, index: Tensor, elements: number, indexing: Indexing): Plan | null {
  const device = kernelsFor(tensor.place, Math.max(elements, 1));
  if (device === null || elements === 0 || tensor.length === 0 || index.place !== tensor.place) return null;
  if (index.dtype !== "int64" && index.dtype !== "int32") return null;
  if (Math.max(tensor.length, elements) >= 2 ** 31 || !index.isContiguous) return null;
  if (indexing === "each") {
    const isSame = index.shape.every((size, d) => d === dim || size === tensor.shape[d]);
    if (!isSame || index.rank !== tensor.rank) return null;
  }
  const count = indexing === "each" ? (index.shape[dim] ?? 1) : index.length;
  return { device, rows: rowsOf(tensor.shape, dim), count, index, indexing };
}

/** Places of a block of elements: which index is theirs, and where it leads. */
function placeLines(indexing: Indexing): string[] {
  return [
    `i = tl.program_id(0) * ${ELEMENTS} + tl.arange(0, ${ELEMENTS})`,
    "inside = i < n",
    "outer = i // (count * inner)",
    "column = i % inner",
    indexing === "each" ? "at = i" : "at = (i // inner) % count",
    "index = tl.load(indices + at, mask=inside, other=0).to(tl.int64)",
    ...CHECK_LINES,
    "place = (outer * size + index) * inner + column",
  ];
}

const whole: KernelParameter = { kind: "i32", isDivisible: false };

function launch(plan: Plan, name: string, tensors: readonly Tensor[], lines: readonly string[], n: number): void {
  const { device, rows, count, index, indexing } = plan;
  const pointers = [...tensors, index];
  const isAligned = pointers.every(({ pointer }) => pointer % 16 === 0);
  const key = `${name} ${indexing} ${pointers.map(({ dtype }) => dtype).join()} ${isAligned}`;
  const kernel = device.kernel(key, () => {
    const params = [...tensors.map((_, k) => `p${k}`), "indices", "notes", "n", "count", "size", "inner"];
    return {
      name,
      text: tritonFunction(name, params, [...placeLines(indexing), ...lines]),
      params: [
        ...pointers.map(({ dtype }) => ({ kind: "pointer", dtype, isAligned }) as const),
        { kind: "pointer", dtype: "int64", isAligned: true },
        whole,
        whole,
        whole,
        whole,
      ],
      numWarps: 4,
    };
  });
  const args = [n, count, rows.size, rows.inner];
  kernel.launch(Math.ceil(n / ELEMENTS), [...pointers.map(({ pointer }) => pointer), noteIndices(device), ...args]);
  checkIndices(device);
}

function read(plan: Plan, tensor: Tensor, shape: Shape): Tensor {
  const result = empty(shape, tensor.dtype, tensor.place);
  const from = dense(tensor);
  launch(
    plan,
    "read_at",
    [result, from],
    ["tl.store(p0 + i, tl.load(p1 + place, mask=valid, other=0), mask=inside)"],
    result.length,
  );
  if (from !== tensor) from.release();
  return result;
}

/** Types whose sums memory itself can add up. */
const ATOMIC: ReadonlySet<TensorDtype> = new Set<TensorDtype>(["float32", "float64", "int32", "int64"]);

function addAt(plan: Plan, tensor: Tensor, source: Tensor, alpha: number): Tensor | null {
  const { dtype } = tensor;
  if (settings.isDeterministic && isFloating(dtype)) return null;
  const isSmall = dtype === "float16" || dtype === "bfloat16";
  if (!isSmall && !ATOMIC.has(dtype)) return null;
  if (!isFloating(dtype) && !Number.isInteger(alpha)) return null;
  const sums = empty(tensor.shape, isSmall ? "float32" : dtype, tensor.place);
  copyInto(sums, tensor);
  const from = dense(source);
  const value = `tl.load(p1 + i, mask=valid, other=0).to(tl.${tritonName(sums.dtype)})`;
  const scaled = alpha === 1 ? value : `${value} * ${alpha}`;
  const name = alpha === 1 ? "add_at" : `add_at_scaled_${String(alpha).replaceAll(/\W/g, "_")}`;
  launch(plan, name, [sums, from], [`tl.atomic_add(p0 + place, ${scaled}, mask=valid, sem="relaxed")`], source.length);
  sums.storage.version++;
  if (from !== source) from.release();
  if (!isSmall) return sums;
  const result = empty(tensor.shape, dtype, tensor.place);
  copyInto(result, sums);
  sums.release();
  return result;
}

/** A copy with the elements of `source` at the indices: of several for one place, any. */
function writeAt(plan: Plan, tensor: Tensor, source: Tensor): Tensor {
  const result = empty(tensor.shape, tensor.dtype, tensor.place);
  copyInto(result, tensor);
  const from = dense(source);
  launch(
    plan,
    "write_at",
    [result, from],
    ["tl.store(p0 + place, tl.load(p1 + i, mask=valid), mask=valid)"],
    from.length,
  );
  result.storage.version++;
  if (from !== source) from.release();
  return result;
}

export function launchIndexReplace(tensor: Tensor, dim: number, index: Tensor, source: Tensor): Tensor | null {
  const plan = planFor(tensor, dim, index, source.length, "rows");
  // Of several rows for one place the last one stays, where the order counts.
  return plan === null || settings.isDeterministic ? null : writeAt(plan, tensor, source);
}

export function launchScatter(tensor: Tensor, dim: number, index: Tensor, source: Tensor): Tensor | null {
  if (source.rank !== index.rank || source.shape.some((size, d) => size !== index.shape[d])) return null;
  const plan = planFor(tensor, dim, index, index.length, "each");
  return plan === null || settings.isDeterministic ? null : writeAt(plan, tensor, source);
}

/** What a dimension holds at the indices. Null: the host does it. */
export function launchIndexSelect(tensor: Tensor, dim: number, index: Tensor, shape: Shape): Tensor | null {
  const plan = planFor(tensor, dim, index, elementCount(shape), "rows");
  return plan === null ? null : read(plan, tensor, shape);
}

export function launchIndexAdd(
  tensor: Tensor,
  dim: number,
  index: Tensor,
  source: Tensor,
  alpha: number,
): Tensor | null {
  const plan = planFor(tensor, dim, index, source.length, "rows");
  return plan === null ? null : addAt(plan, tensor, source, alpha);
}

export function launchGather(tensor: Tensor, dim: number, index: Tensor): Tensor | null {
  const plan = planFor(tensor, dim, index, index.length, "each");
  return plan === null ? null : read(plan, tensor, index.shape);
}

export function launchScatterAdd(tensor: Tensor, dim: number, index: Tensor, source: Tensor): Tensor | null {
  if (source.rank !== index.rank || source.shape.some((size, d) => size !== index.shape[d])) return null;
  if (source.dtype !== tensor.dtype) return null;
  const plan = planFor(tensor, dim, index, index.length, "each");
  return plan === null ? null : addAt(plan, tensor, source, 1);
}
