import { expect, test } from "vitest";
import { compareValues } from "./comparison.ts";
import type { OutputDeclaration, Shape } from "../kernel-library/ladder.ts";

const output = (absolute: number, relative: number): OutputDeclaration<Shape> => ({
  dtype: "float32",
  length: () => 3,
  tolerance: { absolute, relative, reason: "test" },
});
const compare = (values: number[], expected: number[], absolute = 0.1, relative = 0) =>
  compareValues("y", output(absolute, relative), {}, values, Float64Array.from(expected));

test("within and beyond the tolerance", () => {
  expect(compare([1, 2.05, 3], [1, 2, 3])).toMatchObject({
    wrong: 0,
    elements: 3,
    absoluteError: expect.closeTo(0.05),
    usedTolerance: expect.closeTo(0.5),
  });
  expect(compare([1, 2.2, 3.3], [1, 2, 3])).toMatchObject({ wrong: 2, first: { index: 1, value: 2.2, expected: 2 } });
  expect(compare([101, 2, 3], [100, 2, 3], 0, 0.01)).toMatchObject({ wrong: 0 });
});

test("NaN and infinity are wrong, unless the reference says so", () => {
  expect(compare([NaN, 2, 3], [1, 2, 3], Infinity)).toMatchObject({ wrong: 1, absoluteError: Infinity });
  expect(compare([Infinity, 2, 3], [1, 2, 3])).toMatchObject({ wrong: 1 });
  expect(compare([NaN, Infinity, 3], [NaN, Infinity, 3])).toMatchObject({ wrong: 0 });
  expect(compare([Infinity, 2, 3], [-Infinity, 2, 3])).toMatchObject({ wrong: 1 });
  expect(compare([5, 2, NaN], [Infinity, 2, Infinity], 0.1, 0.1)).toMatchObject({ wrong: 2 });
});

test("a reference that is asked element by element, at an offset", () => {
  expect(compareValues("y", output(0, 0), {}, [10, 11], (i) => i, 10)).toMatchObject({ wrong: 0 });
  expect(compareValues("y", output(0, 0), {}, [10, 11], (i) => i, 11)).toMatchObject({
    wrong: 2,
    first: { index: 11 },
  });
});
