/**
 * Where elements are that are not 0: tiles count theirs, and the running counts of tiles say where each tile's places
 * go. The elements are read twice, and nothing else of their number is written or read.
 */
import { empty, type Shape, type Tensor } from "../tensor.ts";
import { launchScan } from "./scans.ts";
import type { KernelParameter, KernelText, TensorDevice } from "./tensor-device.ts";
import { tritonFunction } from "./triton-function.ts";

/**
 * Elements of a program. The lanes of one warp count on without shared memory: with four warps the emulated device
 * takes three times as long.
 */
const TILE = 1024;
const WARPS = 1;

/** How many elements are not 0, in each tile and those before it. */
export interface TileCounts {
  readonly elements: Tensor;
  readonly running: Tensor;
}

/** Which numbers hold indices of so many elements. */
const indexType = (length: number): "int32" | "int64" => (length < 2 ** 31 ? "int32" : "int64");

/** What is the same in both kernels: the elements of a tile, and which of them are not 0. */
function beginTile({ dtype, length, pointer }: Tensor): {
  readonly key: string;
  readonly lines: readonly string[];
  readonly params: readonly KernelParameter[];
} {
  const isAligned = pointer % 16 === 0;
  const isDivisible = length % 16 === 0;
  const type = indexType(length);
  // A comparison of booleans is one of numbers.
  const widened = dtype === "bool" ? ".to(tl.int32)" : "";
  return {
    key: `${dtype} ${isAligned} ${isDivisible} ${type}`,
    lines: [
      "tile = tl.program_id(0)",
      `i = tile.to(tl.${type}) * ${TILE} + tl.arange(0, ${TILE})`,
      `holds = (i < n) & (tl.load(x + i, mask=i < n, other=0)${widened} != 0)`,
    ],
    params: [
      { kind: "pointer", dtype, isAligned },
      { kind: type === "int32" ? "i32" : "i64", isDivisible },
    ],
  };
}

/** @param elements a vector without gaps */
export function launchTileCounts(device: TensorDevice, elements: Tensor): TileCounts {
  const { length, place, pointer } = elements;
  const type = indexType(length);
  const tiles = Math.ceil(length / TILE);
  const counts = empty([tiles], type, place);
  const { key, lines, params } = beginTile(elements);
  const name = "count_tiles";
  const kernel = device.kernel(`${name} ${key}`, (): KernelText => ({
    name,
    text: tritonFunction(
      name,
      ["counts", "x", "n"],
      [...lines, `tl.store(counts + tile, tl.sum(holds.to(tl.int32), axis=0).to(tl.${type}))`],
    ),
    params: [{ kind: "pointer", dtype: type, isAligned: false }, ...params],
    numWarps: WARPS,
  }));
  kernel.launch(tiles, [counts.pointer, pointer, length]);
  if (tiles === 1) return { elements, running: counts };
  const running = empty([tiles], type, place);
  launchScan(device, "sum", type, [counts, running, null], { outer: 1, columns: tiles, inner: 1 });
  return { elements, running };
}

/** Fills `out` [count, dimensions], int64, with the indices of the elements of `shape` that are not 0, row by row. */
export function launchPlaces(device: TensorDevice, { elements, running }: TileCounts, shape: Shape, out: Tensor): void {
  const { length, pointer } = elements;
  const type = indexType(length);
  const rank = shape.length;
  const name = `places_${rank}`;
  const sizes = shape.map((_, d) => `size${d}`);
  const begun = beginTile(elements);
  const kernel = device.kernel(`${name} ${begun.key}`, (): KernelText => ({
    name,
    text: tritonFunction(
      name,
      ["out", "running", "x", "n", ...sizes],
      [
        ...begun.lines,
        "before = tl.load(running + tile - 1, mask=tile > 0, other=0).to(tl.int64)",
        `row = out + (before + tl.cumsum(holds.to(tl.int32), axis=0) - 1) * ${rank}`,
        "rest = i",
        ...[...sizes.keys()].reverse().flatMap((d) =>
          // What is left of the index belongs to the first dimension.
          d === 0
            ? ["tl.store(row, rest.to(tl.int64), mask=holds)"]
            : [`tl.store(row + ${d}, (rest % size${d}).to(tl.int64), mask=holds)`, `rest = rest // size${d}`],
        ),
      ],
    ),
    params: [
      { kind: "pointer", dtype: "int64", isAligned: false },
      { kind: "pointer", dtype: type, isAligned: false },
      ...begun.params,
      ...sizes.map(() => ({ kind: type === "int32" ? "i32" : "i64", isDivisible: false }) as const),
    ],
    numWarps: WARPS,
  }));
  kernel.launch(running.length, [out.pointer, running.pointer, pointer, length, ...shape]);
}
