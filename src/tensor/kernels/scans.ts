/** Running sums, products and extremes of rows: a tile is scanned at a time, and its last elements go on. */
import { isFloatType, type ComputeType } from "../expressions/primitive.ts";
import { empty, type Tensor } from "../tensor.ts";
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
/** Fewer programs leave a GPU's multiprocessors idle: long rows are cut into parts then. */
const FEW_PROGRAMS = 512;
/** Parts of a row, over all rows; and the tiles that a part has at least. */
const PARTS = 2048;
const LEAST_TILES = 4;

/** What a program does with its part of a row. */
type Step =
  /** The part is the row. */
  | "whole"
  /** Finds what the part comes to. */
  | "totals"
  /** Begins with what the parts before it come to. */
  | "carried";

interface ScanPlan {
  readonly running: Running;
  /** That elements are combined in. */
  readonly type: ComputeType;
  readonly shape: RowShape;
  readonly step: Step;
}

/**
 * Fills `result`, and for extremes `indices`, from `x`: all without gaps, as [outer, columns, inner]. Few long rows are
 * cut into parts: the total of each, a scan of the totals, and scans of the parts that begin with it.
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
  // Sums of exponentials are much code for each element of a thread.
  const shape = rowShape(extents, running === "logsumexp" ? MOST / 4 : MOST);
  const plan = { running, type, shape };
  const programs = Math.ceil(rows / shape.rows);
  const tiles = Math.ceil(extents.columns / shape.block);
  const own = { rows, ...extents, programs };
  const results = indices === null ? [result] : [result, indices];
  if (programs >= FEW_PROGRAMS || tiles < 2 * LEAST_TILES) {
    launchStep(device, { ...plan, step: "whole" }, [x, ...results], { ...own, parts: 1, size: extents.columns });
    return;
  }
  const size = shape.block * Math.max(LEAST_TILES, Math.ceil((tiles * programs) / PARTS));
  const cut = { ...own, parts: Math.ceil(extents.columns / size), size };
  const partShape = [extents.outer, cut.parts, extents.inner];
  const totals = [empty(partShape, type, x.place), ...(indices === null ? [] : [empty(partShape, "int64", x.place)])];
  const before = totals.map((tensor) => empty(partShape, tensor.dtype, x.place)) as [Tensor, Tensor?];
  launchStep(device, { ...plan, step: "totals" }, [x, ...totals], cut);
  launchScan(device, running, type, [totals[0] as Tensor, before[0], before[1] ?? null], {
    ...extents,
    columns: cut.parts,
  });
  // The scan of the totals names parts; which element was the extreme of a part, its total says.
  const carried = indices === null ? before : [...before, totals[1] as Tensor];
  launchStep(device, { ...plan, step: "carried" }, [x, ...results, ...(carried as Tensor[])], cut);
}

function launchStep(
  device: TensorDevice,
  plan: ScanPlan,
  tensors: readonly Tensor[],
  cut: RowExtents & {
    readonly rows: number;
    readonly programs: number;
    readonly parts: number;
    readonly size: number;
  },
): void {
  const { running, type, shape, step } = plan;
  const isAligned = tensors.every(({ pointer }) => pointer % 16 === 0);
  const form = `${shape.rows}x${shape.block}${shape.isInner ? "inner" : ""}`;
  const key = `scan ${step} ${running} ${type} ${tensors.map(({ dtype }) => dtype).join()} ${form} ${isAligned}`;
  const kernel = device.kernel(key, () => scanText(plan, tensors, isAligned));
  const cuts = step === "whole" ? [] : [cut.parts, cut.size];
  const args = [cut.rows, cut.columns, cut.inner, ...cuts];
  kernel.launch(cut.programs * cut.parts, [...tensors.map(({ pointer }) => pointer), ...args]);
}

/** Tensors: `x`, the results; of "carried" then the totals before each part, and the places of extremes. */
function scanText(
  { running, type, shape, step }: ScanPlan,
  tensors: readonly Tensor[],
  isAligned: boolean,
): KernelText {
  const hasIndices = running === "max" || running === "min";
  const axis = shape.isInner ? 0 : 1;
  const across = shape.isInner ? "[None, :]" : "[:, None]";
  const rowTile = shape.isInner ? `[1, ${shape.rows}]` : `[${shape.rows}, 1]`;
  const start = neutral(running, type);
  const values = hasIndices ? "y, at" : "y";
  const scanned = hasIndices ? "(x, column_ + x.to(tl.int64) * 0)" : "x";
  const last = (of: string): string => `tl.sum(tl.where(column == start + ${shape.block - 1}, ${of}, 0), axis=${axis})`;
  const isPart = step !== "whole";
  const x = [
    ...columnsFrom("start", shape),
    `x = tl.load(p0 + places, mask=inside, other=0).to(tl.${type})`,
    `x = tl.where(inside, x, ${start})`,
  ];
  const scan = [
    ...(hasIndices ? ["column_ = tl.where(inside, column, 0).to(tl.int64)"] : []),
    `${values} = tl.associative_scan(${scanned}, ${axis}, _next)`,
    hasIndices ? "y, at = _next(carry, carry_at, y, at)" : "y = _next(carry, y)",
    ...(step === "totals"
      ? []
      : [
          `tl.store(p1 + places, y.to(tl.${tritonName((tensors[1] as Tensor).dtype)}), mask=inside)`,
          ...(hasIndices ? ["tl.store(p2 + places, at, mask=inside)"] : []),
        ]),
    `carry = (${last("y")})${across}.to(tl.${type})`,
    ...(hasIndices ? [`carry_at = (${last("at")})${across}`] : []),
  ];
  const total = [`carry = _next(carry, (tl.reduce(x, ${axis}, _next))${across}).to(tl.${type})`];
  const loop = [...x, ...(step === "totals" && !hasIndices ? total : scan)];
  const begin = beginRows(shape).map((line) =>
    isPart ? line.replace("tl.program_id(0)", "(tl.program_id(0) // parts)") : line,
  );
  const lines = [
    ...begin,
    ...(isPart
      ? [
          "part = tl.program_id(0) % parts",
          shape.isInner
            ? "part_base = (row // inner).to(tl.int64) * parts * inner + row % inner"
            : "part_base = row.to(tl.int64) * parts",
          `part_place = part_base + part * ${shape.isInner ? "inner" : "1"}`,
        ]
      : []),
    `carry = tl.full(${rowTile}, ${start}, tl.${type})`,
    ...(hasIndices ? [`carry_at = tl.full(${rowTile}, 0, tl.int64)`] : []),
    ...(step === "carried" ? carryLines(hasIndices, shape.isInner, start, type) : []),
    isPart
      ? `for start in range(part * size, tl.minimum(part * size + size, columns), ${shape.block}):`
      : `for start in range(0, columns, ${shape.block}):`,
    ...loop.map((line) => `    ${line}`),
    ...(step === "totals"
      ? [
          "tl.store(p1 + part_place, carry, mask=in_rows)",
          ...(hasIndices ? ["tl.store(p2 + part_place, carry_at, mask=in_rows)"] : []),
        ]
      : []),
  ];
  const parameters = [...tensors.map((_, i) => `p${i}`), "rows", "columns", "inner"];
  const name = `running_${running}${isPart ? `_${step}` : ""}`;
  return {
    name,
    text: `@triton.jit\n${HELPERS[running]}\n\n\n${tritonFunction(
      name,
      isPart ? [...parameters, "parts", "size"] : parameters,
      lines,
    )}`,
    params: [
      ...tensors.map(({ dtype }) => ({ kind: "pointer", dtype, isAligned }) as const),
      ...ROW_PARAMETERS,
      ...(isPart ? ROW_PARAMETERS.slice(0, 2) : []),
    ],
    numWarps: 4,
  };
}

/** `carry` becomes what all parts before this one come to. */
function carryLines(hasIndices: boolean, isInner: boolean, start: string, type: ComputeType): string[] {
  const before = hasIndices ? "p3" : "p2";
  const step = isInner ? "inner" : "1";
  const mask = "in_rows & (part > 0)";
  return [
    `known = tl.load(${before} + part_place - ${step}, mask=${mask}, other=0)`,
    `carry = tl.where(${mask}, known, ${start}).to(tl.${type})`,
    ...(hasIndices
      ? [
          `known_part = tl.load(p4 + part_place - ${step}, mask=${mask}, other=0)`,
          `carry_at = tl.load(p5 + part_base + known_part * ${step}, mask=${mask}, other=0)`,
        ]
      : []),
  ];
}
