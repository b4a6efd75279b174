/**
 * What the stores of a group are compared with before the first one: each other, and the loads that wait with them.
 *
 * Used by: store-groups.ts.
 */
import type { IrValue } from "../../../ir/model/ir.ts";
import type { FunctionBuilder } from "../../../wasm/function-builder.ts";
import type { MemoryContext } from "./memory-access.ts";
import { pushSpanTest, type Range } from "./slice-addresses.ts";
import type { SliceLoader } from "./slice-loads.ts";

/** Pairs of ranges that a group compares; where there are more, stores must lie in order. */
const MAX_COMPARISONS = 12;
/** Comparisons where stores lie in order. */
const MAX_ORDERED_COMPARISONS = 40;

/** Where an access of a warp lies: bytes from a constant distance on, relative to the other places with these terms. */
export interface Place {
  readonly terms: string;
  readonly constant: number;
  readonly bytes: number;
  /** From the lowest address, by lane. */
  readonly offsets: readonly number[];
}

/** Stores of one size with the same terms. Distances are from the first store's lowest byte. */
export interface Hull {
  readonly terms: string;
  readonly bytes: 4 | 8;
  readonly first: IrValue;
  /** What is added to the first store's address for its lowest byte. */
  readonly firstLow: number;
  readonly constant: number;
  low: number;
  high: number;
  isProvenInBounds: boolean;
  /** How many stores it has. */
  stores: number;
}

/**
 * What is to be compared when the kernel runs: each pair of ranges. Or, where these are too many, as with stores at
 * distances that are not known when compiling: the hulls lie one behind the other, and no load lies between the first
 * byte and the last one.
 */
export type Comparisons =
  | { readonly kind: "pairs"; readonly pairs: readonly (readonly [Hull, Hull | Range])[] }
  | { readonly kind: "ordered"; readonly loads: readonly Range[] };

/** Null where too many are to be compared, or a load's range is not known. */
export function comparisonsOf(
  hulls: readonly Hull[],
  loads: readonly { readonly loader: SliceLoader; readonly place: Place | null }[],
): Comparisons | null {
  const pairs: (readonly [Hull, Hull | Range])[] = [];
  hulls.forEach((hull, n) => {
    for (const other of hulls.slice(n + 1)) if (other.terms !== hull.terms) pairs.push([hull, other]);
  });
  const ranges = new Map<string, Range>();
  let isAmongHulls = false;
  for (const { loader, place } of loads) {
    const range = loader.groupRange ?? loader.range;
    if (range === null) return null;
    const text = `${range.base} ${range.distance} ${range.bytes}`;
    if (ranges.has(text)) continue;
    for (const hull of hulls) if (hull.terms !== place?.terms) pairs.push([hull, range]);
    if (hulls.some(({ terms }) => terms === place?.terms)) isAmongHulls = true;
    ranges.set(text, range);
  }
  if (pairs.length <= MAX_COMPARISONS) return { kind: "pairs", pairs };
  // Many hulls of several stores each were slower in order than without a group: 65536 elements in fft/lines.cuh.
  if (hulls.length > 2 && hulls.some(({ stores }) => stores > 1)) return null;
  if (isAmongHulls || hulls.some(({ bytes }) => bytes !== hulls[0]!.bytes)) return null;
  return hulls.length - 1 + ranges.size > MAX_ORDERED_COMPARISONS
    ? null
    : { kind: "ordered", loads: [...ranges.values()] };
}

/**
 * The tests that make sure of the order. Legal addresses have no gap: with the first and the last range, those between
 * them are legal.
 */
export function orderTests(
  context: MemoryContext,
  ranges: readonly Range[],
  bytes: 4 | 8,
  loads: readonly Range[],
): readonly (() => void)[] {
  const { code } = context;
  const [first, last] = [ranges[0]!, ranges.at(-1)!];
  const tests = [first, last].map((range) => (): void => pushSpanTest(context, range.base, bytes, range.bytes - bytes));
  tests.push(() => {
    ranges.forEach(({ base }, n) => {
      code.localGet(base);
      if (n > 0) code.i32Or();
    });
    code
      .i32Const(bytes - 1)
      .i32And()
      .i32Eqz();
  });
  ranges.slice(1).forEach((range, n) => tests.push(() => pushIsBefore(code, ranges[n]!, range)));
  // A load of n bytes at x is apart from the bytes from f on, before e, if x - (f - n + 1) is e - f + n - 1 or more, as
  // a number without a sign.
  for (const n of new Set(loads.map((load) => load.bytes))) {
    const [low, size] = [code.local("i32"), code.local("i32")];
    tests.push(() => {
      code
        .localGet(first.base)
        .i32Const(n - 1)
        .i32Sub()
        .localSet(low);
      code.localGet(last.base).localGet(first.base).i32Sub();
      code
        .i32Const(last.bytes + n - 1)
        .i32Add()
        .localSet(size);
      loads
        .filter((load) => load.bytes === n)
        .forEach((load, at) => {
          code.localGet(load.base);
          if (load.distance !== 0) code.i32Const(load.distance).i32Add();
          code.localGet(low).i32Sub().localGet(size).i32GeU();
          if (at > 0) code.i32And();
        });
      code.free(low, size);
    });
  }
  return tests;
}
/** Pushes "the last byte of one is before the first byte of the other". Both are legal, so no sum overflows. */
function pushIsBefore(code: FunctionBuilder, a: Range, b: Range): void {
  code
    .localGet(a.base)
    .i32Const(a.distance + a.bytes)
    .i32Add();
  code.localGet(b.base);
  if (b.distance !== 0) code.i32Const(b.distance).i32Add();
  code.i32LeU();
}
