/**
 * The order of rows. Elements become whole numbers of the same order. A short row is sorted by one program: a bitonic
 * network (Batcher, "Sorting networks and their applications", 1968) sorts numbers of 64 bits, each a key of 32 bits
 * with its index. Longer rows are merged: each launch makes one sorted run of 4 or 16 beside one another. An element
 * finds its place in the new run by itself: its place in its own run, and how many elements of each other run come
 * before it, by binary search. Equal elements keep their order.
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

/** Statements that make `key`, a whole number of 64 bits, or of 32 where `isNarrow`, of `x`. NaN is the greatest. */
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
        `key = tl.where(number != number, ${most}, key)`,
      ]
    : [`key = x.to(tl.int${bits})`];
  if (isDescending) lines.push("key = -1 - key");
  return { lines, isNarrow: !isWide };
}

function pointer(dtype: Tensor["dtype"], isAligned = true): KernelParameter {
  return { kind: "pointer", dtype, isAligned };
}
const whole: KernelParameter = { kind: "i32", isDivisible: false };

/** Whether one program sorts a row of so many columns, a power of two. */
function isSortedByOne(dtype: Tensor["dtype"], width: number): boolean {
  return keyLines(dtype, false).isNarrow && width <= MOST;
}

/** The indices, int64, that sort each row of `x` [rows, columns], which has no gaps. */
export function launchSort(device: TensorDevice, x: Tensor, isDescending: boolean): Tensor {
  const [rows, columns] = x.shape as [number, number];
  const indices = empty([rows, columns], "int64", x.place);
  const width = Math.max(2, nextPowerOfTwo(columns));
  scoped(() => {
    if (isSortedByOne(x.dtype, width)) sortShort(device, x, indices, isDescending, width);
    else sortLong(device, x, indices, isDescending);
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
      "both = tl.where(inside, key.to(tl.int64) * 4294967296 + column, 0x7fffffffffffffff)",
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

/** The order of runs of rows, and the places that their elements had in them. */
interface Runs {
  readonly keys: Tensor;
  /** Null: each is at its own place still. */
  readonly places: Tensor | null;
}

/** How rows are cut into programs: tiles of some rows, or of a part of one. */
interface Tiling {
  readonly rows: number;
  readonly columns: number;
  readonly block: number;
  readonly tileRows: number;
  readonly programs: number;
}

function tilingOf(rows: number, columns: number): Tiling {
  const block = Math.min(ELEMENTS, nextPowerOfTwo(columns));
  const tileRows = ELEMENTS / block;
  const programs = Math.ceil(rows / tileRows) * Math.ceil(columns / block);
  return { rows, columns, block, tileRows, programs };
}

/** `row`, `column`, `inside` and `base`, where a row begins. Parameters are `rows` and `columns`. */
function tileLines({ block, tileRows }: Tiling): string[] {
  return [
    `blocks = (columns + ${block - 1}) // ${block}`,
    `row = (tl.program_id(0) // blocks) * ${tileRows} + tl.arange(0, ${tileRows})[:, None]`,
    `column = (tl.program_id(0) % blocks) * ${block} + tl.arange(0, ${block})[None, :]`,
    "inside = (row < rows) & (column < columns)",
    "base = row.to(tl.int64) * columns",
  ];
}

function sortLong(device: TensorDevice, x: Tensor, indices: Tensor, isDescending: boolean): void {
  const [rows, columns] = x.shape as [number, number];
  const tiling = tilingOf(rows, columns);
  let runs: Runs = { keys: keysOf(device, x, isDescending, tiling), places: null };
  for (let shift = 0; ;) {
    const ways = shift < 8 ? 16 : 4;
    const next = shift + Math.log2(ways);
    const isLast = 2 ** next >= columns;
    const to = isLast ? null : { keys: like(runs.keys), places: empty(x.shape, "int32", x.place) };
    merge(device, runs, to ?? indices, { tiling, ways, shift });
    if (to === null) return;
    runs = to;
    shift = next;
  }
}

const like = (tensor: Tensor): Tensor => empty(tensor.shape, tensor.dtype, tensor.place);

function keysOf(device: TensorDevice, x: Tensor, isDescending: boolean, tiling: Tiling): Tensor {
  const { lines, isNarrow } = keyLines(x.dtype, isDescending);
  const dtype = isNarrow ? "int32" : "int64";
  const keys = empty(x.shape, dtype, x.place);
  const name = `sort_keys_${isDescending ? "down" : "up"}`;
  const kernel = device.kernel(`${name} ${x.dtype} ${tiling.block}`, () => ({
    name,
    text: tritonFunction(
      name,
      ["keys", "x", "rows", "columns"],
      [
        ...tileLines(tiling),
        "x = tl.load(x + base + column, mask=inside, other=0)",
        ...lines,
        `tl.store(keys + base + column, key.to(tl.${dtype}), mask=inside)`,
      ],
    ),
    params: [pointer(dtype), pointer(x.dtype, false), whole, whole],
    numWarps: 4,
  }));
  kernel.launch(tiling.programs, [keys.pointer, x.pointer, tiling.rows, tiling.columns]);
  return keys;
}

/**
 * Runs of 2^shift elements become runs of `ways` times as many.
 * @param to the new runs, or, of the last merge, the places alone
 */
function merge(
  device: TensorDevice,
  from: Runs,
  to: Runs | Tensor,
  { tiling, ways, shift }: { readonly tiling: Tiling; readonly ways: number; readonly shift: number },
): void {
  const [keysTo, placesTo] = "keys" in to ? [to.keys, to.places as Tensor] : [null, to];
  const isFirst = from.places === null;
  const name = `sort_merge_${ways}${isFirst ? "_first" : ""}${keysTo === null ? "_last" : ""}`;
  const kernel = device.kernel(`${name} ${from.keys.dtype} ${tiling.block}`, (): KernelText => {
    const lines = [
      ...tileLines(tiling),
      "key = tl.load(keys + base + column, mask=inside, other=0)",
      isFirst ? "place = column" : "place = tl.load(places + base + column, mask=inside, other=0)",
      "run = tl.broadcast_to(column >> shift, inside.shape)",
      "length = 1 << shift",
      `to = ((run - run % ${ways}) << shift) + (column & (length - 1))`,
      `for sibling in range(1, ${ways}):`,
      ...[
        "other = run ^ sibling",
        "begin = tl.minimum(other << shift, columns)",
        "low = begin",
        "high = tl.minimum(begin + length, columns)",
        "for step in range(0, shift + 1):",
        "    middle = (low + high) >> 1",
        "    is_searched = inside & (low < high)",
        "    found = tl.load(keys + base + middle, mask=is_searched, other=0)",
        "    is_before = is_searched & ((found < key) | ((found == key) & (other < run)))",
        "    low = tl.where(is_before, middle + 1, low)",
        "    high = tl.where(is_searched & (is_before == 0), middle, high)",
        "to += low - begin",
      ].map((line) => `    ${line}`),
      `tl.store(places_to + base + to, place.to(tl.${placesTo.dtype}), mask=inside)`,
      ...(keysTo === null ? [] : ["tl.store(keys_to + base + to, key, mask=inside)"]),
    ];
    const pointers = [
      ["places_to", placesTo.dtype],
      ...(keysTo === null ? [] : [["keys_to", keysTo.dtype]]),
      ["keys", from.keys.dtype],
      ...(isFirst ? [] : [["places", "int32"]]),
    ] as [string, Tensor["dtype"]][];
    return {
      name,
      text: tritonFunction(name, [...pointers.map(([own]) => own), "rows", "columns", "shift"], lines),
      params: [...pointers.map(([, dtype]) => pointer(dtype)), whole, whole, whole],
      numWarps: 4,
    };
  });
  const tensors = [placesTo, keysTo, from.keys, from.places].filter((tensor) => tensor !== null);
  const { rows, columns, programs } = tiling;
  kernel.launch(programs, [...tensors.map((tensor) => tensor.pointer), rows, columns, shift]);
}
