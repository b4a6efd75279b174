/** Running results and the order of rows, by kernels where a device has them. Nothing is put on the tape. */
import type { TensorDtype } from "../dtypes.ts";
import { dense } from "../kernels/dense.ts";
import { launchScan, type Running } from "../kernels/scans.ts";
import { launchSort, MOST_SORTED } from "../kernels/sorting.ts";
import { eagerKernelsFor } from "../tracing.ts";
import { aliasOf, elementCount, empty, scoped, type Tensor } from "../tensor.ts";
import { sumType } from "./broadcasting.ts";
import { computeTypeOf } from "./copies.ts";
import { dimension, transpose } from "./shapes.ts";

export interface RunningResult {
  readonly values: Tensor;
  /** Of extremes: where each is in its row. */
  readonly indices: Tensor | null;
}

/** Null: the host does it. @param dtype of the values */
export function runningOnDevice(
  tensor: Tensor,
  dim: number,
  running: Running,
  dtype: TensorDtype,
): RunningResult | null {
  const device = eagerKernelsFor(tensor.place, tensor.length);
  if (device === null) return null;
  const { shape, place } = tensor;
  const at = dimension(tensor, dim);
  const values = empty(shape, dtype, place);
  const isExtreme = running === "max" || running === "min";
  const indices = isExtreme ? empty(shape, "int64", place) : null;
  const type = isExtreme || running === "logsumexp" ? computeTypeOf(tensor.dtype) : sumType(dtype);
  scoped(() => {
    launchScan(device, running, type, [dense(aliasOf(tensor)), values, indices], {
      outer: elementCount(shape.slice(0, at)),
      columns: shape[at] ?? 1,
      inner: elementCount(shape.slice(at + 1)),
    });
  });
  return { values, indices };
}

/** The indices that sort a dimension, equal elements in their order; null: the host does it. */
export function orderOnDevice(tensor: Tensor, dim: number, isDescending: boolean): Tensor | null {
  const device = eagerKernelsFor(tensor.place, tensor.length);
  const at = dimension(tensor, dim);
  const columns = tensor.shape[at] ?? 1;
  if (device === null || tensor.length >= MOST_SORTED || columns * 2 >= MOST_SORTED) return null;
  if (tensor.dtype.startsWith("float8")) return null;
  return scoped(() => {
    const last = Math.max(0, tensor.rank - 1);
    const moved = tensor.rank === 0 ? aliasOf(tensor) : transpose(aliasOf(tensor), at, last);
    const rows = dense(moved).asStrided([tensor.length / columns, columns], [columns, 1]);
    const order = launchSort(device, rows, isDescending);
    if (tensor.rank === 0) return order.asStrided([], []);
    const own = order.asStrided(
      moved.shape,
      moved.shape.map((_, d) => elementCount(moved.shape.slice(d + 1))),
    );
    return dense(transpose(own, at, last));
  });
}
