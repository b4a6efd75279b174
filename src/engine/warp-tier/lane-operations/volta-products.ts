/**
 * Volta's matrix products, out of line as those of matrix-products.ts: four products of 8 × 8 × 4 side by side.
 *
 * The meaning is libdevice/mma-forms.cu's, to the bit. Slices q and q + 4 make product q: slice q has rows and columns
 * 0 to 3, slice q + 4 those from 4 on. First each slice's registers of A become four vectors, one for each k, with its
 * rows in the lanes; those of B likewise, with its columns. Then every vector of the result is a sum of products of
 * shuffles of them.
 */
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import { SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { VoltaShape } from "../planning/matrix-shapes.ts";
import type { FloatHelpers } from "./float-helpers.ts";
import { MATRIX_SLOT, SLOT_BYTES } from "./lane-scratch.ts";

const at = (slot: number): number => (MATRIX_SLOT + slot) * SLOT_BYTES;
/** A vector for each k and slice. */
const ROWS = at(12);
const COLUMNS = at(14);
const ofK = (k: number): number => 16 * SLICES * k;
const STEPS = [0, 1, 2, 3] as const;

export function buildVoltaProduct(
  code: FunctionBuilder,
  scratch: number,
  helpers: FloatHelpers,
  { sum, rowA, rowB }: VoltaShape,
): void {
  const takeHalf = (part: number): void => {
    if (part === 0) code.i32x4Const(0xffff, 0xffff, 0xffff, 0xffff).v128And();
    else code.i32Const(16).i32x4ShrU();
    code.call(helpers.halfToFloat);
  };
  forEachSlice(code, scratch, (place) => {
    spread(code, place, takeHalf, { slot: 0, to: ROWS, isTurned: !rowA });
    spread(code, place, takeHalf, { slot: 2, to: COLUMNS, isTurned: rowB });
  });
  forEachSlice(code, scratch, (place) => {
    const product = code.local("i32"); // scratch + 16 q
    code
      .globalGet(scratch)
      .localGet(place)
      .globalGet(scratch)
      .i32Sub()
      .i32Const(16 * (SLICES / 2 - 1))
      .i32And()
      .i32Add()
      .localSet(product);
    if (sum === "f32") sumFloats(code, place, product);
    else sumHalves(code, place, product, takeHalf, helpers);
  });
}

/** `place`: scratch + 16 × slice. */
function forEachSlice(code: FunctionBuilder, scratch: number, body: (place: Local) => void): void {
  const place = code.local("i32");
  const end = code.local("i32");
  code
    .globalGet(scratch)
    .localTee(place)
    .i32Const(16 * SLICES)
    .i32Add()
    .localSet(end);
  const next = code.loop();
  body(place);
  code.localGet(place).i32Const(16).i32Add().localTee(place).localGet(end).i32Ne().brIf(next);
  code.end(next);
  code.free(place, end);
}

/**
 * The four halves of a slice's two registers as vectors of floats, one for each k. `isTurned`: a lane has one k, and
 * its halves are rows or columns.
 */
function spread(
  code: FunctionBuilder,
  place: Local,
  takeHalf: (part: number) => void,
  { slot, to, isTurned }: { readonly slot: number; readonly to: number; readonly isTurned: boolean },
): void {
  const halves = STEPS.map((n) => {
    const local = code.local("v128");
    code.localGet(place).v128Load(at(slot + (n >> 1)));
    takeHalf(n & 1);
    code.localSet(local);
    return local;
  });
  const [h0, h1, h2, h3] = halves as [Local, Local, Local, Local];
  for (const k of STEPS) {
    code.localGet(place);
    if (!isTurned) code.localGet(halves[k]!);
    else {
      code
        .localGet(h0)
        .localGet(h1)
        .i32x4Shuffle(k, 4 + k, k, 4 + k);
      code
        .localGet(h2)
        .localGet(h3)
        .i32x4Shuffle(k, 4 + k, k, 4 + k);
      code.i32x4Shuffle(0, 1, 4, 5);
    }
    code.v128Store(to + ofK(k));
  }
  code.free(...halves);
}

/** A lane has two rows, two apart, and two pairs of columns. */
function sumFloats(code: FunctionBuilder, place: Local, product: Local): void {
  const sums = Array.from({ length: 8 }, (_, n) => {
    const local = code.local("v128");
    code
      .localGet(place)
      .v128Load(at(4 + n))
      .localSet(local);
    return local;
  });
  const left = [0, 1].map(() => code.local("v128"));
  const right = STEPS.map(() => code.local("v128"));
  for (const k of STEPS) {
    left.forEach((local, i) => {
      const rows = (): FunctionBuilder => code.localGet(place).v128Load(ROWS + ofK(k));
      rows();
      rows()
        .i32x4Shuffle(2 * i, 2 * i + 1, 2 * i, 2 * i + 1)
        .localSet(local);
    });
    right.forEach((local, j) => {
      const columns = (): FunctionBuilder => code.localGet(product).v128Load(columnsOf(k, j >> 1));
      const first = j & 1;
      columns();
      columns()
        .i32x4Shuffle(first, first, first + 2, first + 2)
        .localSet(local);
    });
    sums.forEach((sum, i) => {
      code.localGet(sum);
      code.localGet(left[(i >> 1) & 1]!).localGet(right[(i & 1) + ((i >> 1) & 2)]!);
      code.f32x4Mul().f32x4Add().localSet(sum);
    });
  }
  sums.forEach((sum, n) =>
    code
      .localGet(place)
      .localGet(sum)
      .v128Store(at(4 + n)),
  );
  code.free(...sums, ...left, ...right);
}

/** A lane has one row. */
function sumHalves(
  code: FunctionBuilder,
  place: Local,
  product: Local,
  takeHalf: (part: number) => void,
  helpers: FloatHelpers,
): void {
  const sums = Array.from({ length: 8 }, (_, n) => {
    const local = code.local("v128");
    code.localGet(place).v128Load(at(4 + (n >> 1)));
    takeHalf(n & 1);
    code.localSet(local);
    return local;
  });
  for (const k of STEPS) {
    sums.forEach((sum, i) => {
      code.localGet(sum);
      code.localGet(place).v128Load(ROWS + ofK(k));
      code.localGet(product).v128Load32Splat(columnsOf(k, i >> 2) + 4 * (i & 3));
      code.f32x4Mul().f32x4Add().localSet(sum);
    });
  }
  for (const n of STEPS) {
    code.localGet(place);
    code.localGet(sums[2 * n]!).call(helpers.floatToHalf);
    code
      .localGet(sums[2 * n + 1]!)
      .call(helpers.floatToHalf)
      .i32Const(16)
      .i32x4Shl()
      .v128Or();
    code.v128Store(at(4 + n));
  }
  code.free(...sums);
}

/** Where a product's columns 0 to 3, or 4 to 7, lie, from its first slice on. */
function columnsOf(k: number, upper: number): number {
  return COLUMNS + ofK(k) + 16 * (SLICES / 2) * upper;
}
