/**
 * The order of rows: elements become whole numbers of the same order, which a bitonic network sorts (Batcher, "Sorting
 * networks and their applications", 1968). A number of 32 bits is one of 64 bits together with its index: equal
 * elements keep their order. A short row is sorted by one program, a longer one by a launch for each step.
 */
import { empty, scoped, type Tensor } from "../tensor.ts";
import { nextPowerOfTwo } from "./layout.ts";
import { tritonName, type KernelParameter, type KernelText, type TensorDevice } from "./tensor-device.ts";
import { tritonFunction } from "./triton-function.ts";

/** Columns that one program sorts: of more, its code becomes long. */
const MOST = 256;
const ELEMENTS = 512;
/** Indices have 31 bits. */
export const MOST_SORTED: number = 2 ** 30;

/** Statements that make `key`, a whole number of 64 bits (of 32 where `isNarrow`), of `x`. NaN is the greatest. */
function keyLines(dtype: Tensor["dtype"], isDescending: boolean): { lines: string[]; isNarrow: boolean } {
  const isWide = dtype === "float64" || dtype === "int64";
  const bits = isWide ? 64 : 32;
  const most = isWide ? "0x7fffffffffffffff" : "0x7fffffff";
  const lines = dtype.includes("float")
    ? [
        // -0 is 0.
        `number = x.to(tl.float${bits}) + 0.0`,
        `number = tl.where(number == 0.0, 0.0, number)`,
        `bits = number.to(tl.int${bits}, bitcast=True)`,
        `key = tl.where(bits < 0, bits ^ ${most}, bits)`,
        `key = tl.where(number != number, ${most}, key).to(tl.int64)`,
      ]
    : ["key = x.to(tl.int64)"];
  if (isDescending) lines.push("key = -1 - key");
  return { lines, isNarrow: !isWide };
}

function pointer(dtype: Tensor["dtype"], isAligned = true): KernelParameter {
  return { kind: "pointer", dtype, isAligned };
}
const whole: KernelParameter = { kind: "i32", isDivisible: false };

/** Whether one program sorts a row. */
export function isSortedByOne(dtype: Tensor["dtype"], columns: number): boolean {
  return keyLines(dtype, false).isNarrow && Math.max(2, nextPowerOfTwo(columns)) <= MOST;
}

/** The indices, int64, that sort each row of `x` [rows, columns], which has no gaps. */
export function launchSort(device: TensorDevice, x: Tensor, isDescending: boolean): Tensor {
  const [rows, columns] = x.shape as [number, number];
  const indices = empty([rows, columns], "int64", x.place);
  const width = Math.max(2, nextPowerOfTwo(columns));
  scoped(() => {
    if (isSortedByOne(x.dtype, columns)) sortShort(device, x, indices, isDescending, width);
    else sortLong(device, x, indices, isDescending, width);
  });
  return indices;
}

function sortShort(device: TensorDevice, x: Tensor, indices: Tensor, isDescending: boolean, width: number): void {
  const [rows, columns] = x.shape as [number, number];
  const tile = Math.max(1, Math.min(MOST / width, nextPowerOfTwo(rows)));
  const name = `sort_${isDescending ? "down" : "up"}`;
  const kernel = device.kernel(`${name} ${tritonName(x.dtype)} ${tile}x${width}`, (): KernelText => {
    const lines = [
      `row = tl.program_id(0) * ${tile} + tl.arange(0, ${tile})[:, None]`,
      `column = tl.arange(0, ${width})[None, :]`,
      "inside = (row < rows) & (column < columns)",
      "places = row.to(tl.int64) * columns + column",
      "x = tl.load(x + places, mask=inside, other=0)",
      ...keyLines(x.dtype, isDescending).lines,
      "both = tl.where(inside, key * 4294967296 + column, 0x7fffffffffffffff)",
      "both = tl.sort(both, 1)",
      "tl.store(out + places, both & 0xffffffff, mask=inside)",
    ];
    return {
      name,
      text: tritonFunction(name, ["out", "x", "rows", "columns"], lines),
      params: [pointer("int64"), pointer(x.dtype, false), whole, whole],
      numWarps: 4,
    };
  });
  kernel.launch(Math.ceil(rows / tile), [indices.pointer, x.pointer, rows, columns]);
}

function sortLong(device: TensorDevice, x: Tensor, indices: Tensor, isDescending: boolean, width: number): void {
  const [rows, columns] = x.shape as [number, number];
  const keys = empty([rows, width], "int64", x.place);
  const places = empty([rows, width], "int32", x.place);
  const grid = Math.ceil((rows * width) / ELEMENTS);
  const at = `at = tl.program_id(0).to(tl.int64) * ${ELEMENTS} + tl.arange(0, ${ELEMENTS})`;
  const kernelOf = (
    name: string,
    signature: string,
    lines: readonly string[],
    params: KernelText["params"],
    key = name,
  ): ReturnType<TensorDevice["kernel"]> =>
    device.kernel(key, () => ({
      name,
      text: tritonFunction(name, [signature], lines),
      params,
      numWarps: 4,
    }));
  const begin = kernelOf(
    `sort_begin_${isDescending ? "down" : "up"}`,
    "keys, places, x, rows, columns, width",
    [
      at,
      "row = at // width",
      "column = at % width",
      "inside = (row < rows) & (column < columns)",
      "x = tl.load(x + row * columns + column, mask=inside, other=0)",
      ...keyLines(x.dtype, isDescending).lines,
      "tl.store(keys + at, tl.where(inside, key, 0x7fffffffffffffff), mask=row < rows)",
      // What is beside the row is behind all, also behind the greatest numbers.
      "tl.store(places + at, column.to(tl.int32), mask=row < rows)",
    ],
    [pointer("int64"), pointer("int32"), pointer(x.dtype, false), whole, whole, whole],
    `sort_begin ${x.dtype} ${isDescending}`,
  );
  begin.launch(grid, [keys.pointer, places.pointer, x.pointer, rows, columns, width]);
  const step = kernelOf(
    "sort_step",
    "keys, places, count, length, distance",
    [
      at,
      "low = (at // distance) * distance * 2 + at % distance",
      "high = low + distance",
      "inside = at < count",
      "a = tl.load(keys + low, mask=inside, other=0)",
      "b = tl.load(keys + high, mask=inside, other=0)",
      "i = tl.load(places + low, mask=inside, other=0)",
      "j = tl.load(places + high, mask=inside, other=0)",
      "is_greater = (a > b) | ((a == b) & (i > j))",
      "swap = inside & (is_greater == ((low & length) == 0))",
      "tl.store(keys + low, b, mask=swap)",
      "tl.store(keys + high, a, mask=swap)",
      "tl.store(places + low, j, mask=swap)",
      "tl.store(places + high, i, mask=swap)",
    ],
    [pointer("int64"), pointer("int32"), { kind: "i64", isDivisible: false }, whole, whole],
  );
  const count = (rows * width) / 2;
  for (let length = 2; length <= width; length *= 2)
    for (let distance = length / 2; distance > 0; distance /= 2) {
      // The last merge of a row goes upwards in all rows.
      const direction = length === width ? 0 : length;
      step.launch(Math.ceil(count / ELEMENTS), [keys.pointer, places.pointer, count, direction, distance]);
    }
  const end = kernelOf(
    "sort_end",
    "out, places, rows, columns, width",
    [
      at,
      "row = at // columns",
      "column = at % columns",
      "inside = row < rows",
      "tl.store(out + at, tl.load(places + row * width + column, mask=inside, other=0).to(tl.int64), mask=inside)",
    ],
    [pointer("int64"), pointer("int32"), whole, whole, whole],
  );
  end.launch(Math.ceil((rows * columns) / ELEMENTS), [indices.pointer, places.pointer, rows, columns, width]);
}
