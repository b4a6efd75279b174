/** What the analysis says of thread coordinates and of arithmetic on them, against the coordinates themselves. */
import fc from "../../base/properties.test-helper.ts";
import { expect, test } from "vitest";
import { dim3Unflatten } from "../../base/dim3.ts";
import {
  LANES,
  addShapes,
  alignOf,
  isDisjoint,
  laneGeometry,
  meet,
  offsetsOf,
  offsetShape,
  scaleShape,
  strideOf,
  varying,
  type LaneShape,
} from "./lane-shape.ts";

const block = fc
  .tuple(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 32 }), fc.integer({ min: 1, max: 8 }))
  .filter(([x, y, z]) => x * y * z <= 1024)
  .map(([x, y, z]) => ({ x, y, z }));

/** The values of a shape's lanes in a warp, given the value of lane 0; null where the shape says nothing. */
function expectLanes(shape: LaneShape, lanes: readonly number[], live: number): void {
  const offsets = offsetsOf(shape);
  if (offsets) {
    const base = lanes[0]! - offsets[0]!;
    for (let l = 0; l < live; l++) expect(lanes[l]).toBe((base + offsets[l]!) | 0);
    if (base !== 0) expect((base % alignOf(shape)) | 0).toBe(0);
  }
  const stride = strideOf(shape);
  if (stride !== null)
    for (let l = 1; l < live; l++) if (l % 4 !== 0) expect((lanes[l]! - lanes[l - 1]!) | 0).toBe(stride);
}

test("coordinates of the threads of every warp follow their shapes", () => {
  fc.assert(
    fc.property(block, (b) => {
      const { tid, warps, threads } = laneGeometry(b);
      expect(threads).toBe(b.x * b.y * b.z);
      for (let w = 0; w < warps; w++) {
        const live = Math.min(LANES, threads - w * LANES);
        const at = Array.from({ length: LANES }, (_, l) => dim3Unflatten(w * LANES + l, b));
        for (const axis of ["x", "y", "z"] as const)
          expectLanes(
            tid[axis],
            at.map((t) => t[axis]),
            live,
          );
      }
    }),
  );
});

test("sums and multiples of coordinates follow the shapes of the sums and multiples", () => {
  fc.assert(
    fc.property(block, fc.integer({ min: -8, max: 8 }), fc.constantFrom<1 | -1>(1, -1), (b, factor, sign) => {
      const { tid } = laneGeometry(b);
      const shape = addShapes(scaleShape(tid.x, factor), tid.y, sign);
      const lanes = Array.from({ length: LANES }, (_, l) => dim3Unflatten(l, b)).map(
        (t) => (t.x * factor + sign * t.y) | 0,
      );
      expectLanes(shape, lanes, Math.min(LANES, b.x * b.y * b.z));
    }),
  );
});

test("the meet of two shapes promises no more than either", () => {
  const a = offsetShape(
    Array.from({ length: LANES }, (_, l) => 4 * l),
    128,
  );
  const b = offsetShape(
    Array.from({ length: LANES }, (_, l) => 4 * (l % 16)),
    64,
  );
  expect(strideOf(meet(a, b))).toBe(4);
  expect(meet(a, b)).toMatchObject({ kind: "rowUniform", rows: 2, align: 64 });
  const c = offsetShape(
    Array.from({ length: LANES }, (_, l) => 4 * (l % 4)),
    16,
  );
  expect(strideOf(meet(a, c))).toBe(4);
  expect(meet(a, c).kind).toBe("varying");
  expect(meet(a, varying(8))).toEqual(varying(null));
  expect(isDisjoint(a)).toBe(true);
  expect(isDisjoint(offsetShape(a.kind === "offset" ? a.offsets : [], 64))).toBe(false);
});
