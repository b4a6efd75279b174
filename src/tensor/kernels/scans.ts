/** Running sums, products and extremes of rows: a tile is scanned at a time, and its last elements go on. */
import { isFloatType, type ComputeType } from "../expressions/primitive.ts";
import type { Tensor } from "../tensor.ts";
import { beginRows, columnsFrom, rowShape, ROW_PARAMETERS, type RowExtents, type RowShape } from "./rows.ts";
import { tritonName, type KernelText, type TensorDevice } from "./tensor-device.ts";
import { tritonFunction } from "./triton-function.ts";

export type Running = "sum" | "prod" | "max" | "min" | "logsumexp";

const HELPERS: Readonly<Record<Running, string>> = {
  sum: "def _next(a, b):\n    return a + b",
  prod: "def _next(a, b):\n    return a * b",
  // Of equal ones the later one; NaN stays.
  max: `def _next(a, i, b, j):
    later = (b != b) | ((b >= a) & (a == a))
    return tl.where(later, b, a), tl.where(later, j, i)`,
  min: `def _next(a, i, b, j):
    later = (b != b) | ((b <= a) & (a == a))
    return tl.where(later, b, a), tl.where(later, j, i)`,
  logsumexp: `def _next(a, b):
    top = tl.where((a >= b) | (a != a), a, b)
    rest = tl.where((a >= b) | (a != a), b, a)
    sum = top + libdevice.log1p(libdevice.exp(rest - top))
    return tl.where((top == rest) & (tl.abs(top) == float("inf")), top, sum)`,
};

/** What changes nothing. */
function neutral(running: Running, type: ComputeType): string {
  if (running === "sum") return "0";
  if (running === "prod") return "1";
  const isMin = running === "min";
  if (isFloatType(type)) return `${isMin ? "" : "-"}float("inf")`;
  const bits = BigInt(type.replace(/\D/g, ""));
  const isSigned = !type.startsWith("u");
  const [least, most] = isSigned ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
  return String(isMin ? most : least);
}

/** A scan keeps all of a tile in registers, and what it exchanges in shared memory. */
const MOST = 512;

/**
 * Fills `result`, and for extremes `indices`, from `x`: all without gaps, as [outer, columns, inner].
 * @param type that elements are combined in
 */
export function launchScan(
  device: TensorDevice,
  running: Running,
  type: ComputeType,
  [x, result, indices]: readonly [Tensor, Tensor, Tensor | null],
  extents: RowExtents,
): void {
  const rows = extents.outer * extents.inner;
  if (rows === 0 || extents.columns === 0) return;
  const shape = rowShape(extents, MOST);
  const tensors = indices === null ? [x, result] : [x, result, indices];
  const isAligned = tensors.every(({ pointer }) => pointer % 16 === 0);
  const form = `${shape.rows}x${shape.block}${shape.isInner ? "inner" : ""}`;
  const key = `scan ${running} ${type} ${tensors.map(({ dtype }) => dtype).join()} ${form} ${isAligned}`;
  const kernel = device.kernel(key, () => scanText(running, type, tensors, shape, isAligned));
  const args = [rows, extents.columns, extents.inner];
  kernel.launch(Math.ceil(rows / shape.rows), [...tensors.map(({ pointer }) => pointer), ...args]);
}

function scanText(
  running: Running,
  type: ComputeType,
  tensors: readonly Tensor[],
  shape: RowShape,
  isAligned: boolean,
): KernelText {
  const name = `running_${running}`;
  const hasIndices = tensors.length === 3;
  const axis = shape.isInner ? 0 : 1;
  const across = shape.isInner ? "[None, :]" : "[:, None]";
  const rowTile = shape.isInner ? `[1, ${shape.rows}]` : `[${shape.rows}, 1]`;
  const start = neutral(running, type);
  const values = hasIndices ? "y, at" : "y";
  const scanned = hasIndices ? "(x, column_ + x.to(tl.int64) * 0)" : "x";
  const last = (of: string): string => `tl.sum(tl.where(column == start + ${shape.block - 1}, ${of}, 0), axis=${axis})`;
  const lines = [
    ...beginRows(shape),
    `carry = tl.full(${rowTile}, ${start}, tl.${type})`,
    ...(hasIndices ? [`carry_at = tl.full(${rowTile}, 0, tl.int64)`] : []),
    `for start in range(0, columns, ${shape.block}):`,
    ...[
      ...columnsFrom("start", shape),
      `x = tl.load(p0 + places, mask=inside, other=0).to(tl.${type})`,
      `x = tl.where(inside, x, ${start})`,
      ...(hasIndices ? ["column_ = tl.where(inside, column, 0).to(tl.int64)"] : []),
      `${values} = tl.associative_scan(${scanned}, ${axis}, _next)`,
      hasIndices ? "y, at = _next(carry, carry_at, y, at)" : "y = _next(carry, y)",
      `tl.store(p1 + places, y.to(tl.${tritonName((tensors[1] as Tensor).dtype)}), mask=inside)`,
      ...(hasIndices ? ["tl.store(p2 + places, at, mask=inside)"] : []),
      `carry = (${last("y")})${across}.to(tl.${type})`,
      ...(hasIndices ? [`carry_at = (${last("at")})${across}`] : []),
    ].map((line) => `    ${line}`),
  ];
  const parameters = [...tensors.map((_, i) => `p${i}`), "rows", "columns", "inner"];
  return {
    name,
    text: `@triton.jit\n${HELPERS[running]}\n\n\n${tritonFunction(name, parameters, lines)}`,
    params: [...tensors.map(({ dtype }) => ({ kind: "pointer", dtype, isAligned }) as const), ...ROW_PARAMETERS],
    numWarps: 4,
  };
}
