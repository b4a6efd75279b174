/** Sizes that follow from arrays' lengths, and what is said where they do not. */
import { expect, test } from "vitest";
import { HeddleError } from "../base/diagnostics.ts";
import { uniform } from "./distributions.ts";
import type { Ladder } from "./ladder.ts";
import { shapeOfCall, type Called } from "./shape-of-call.ts";

type LengthOf = (shape: Record<string, number>) => number;
const called = (
  sizes: readonly string[],
  inputs: Record<string, LengthOf>,
  outputs: Record<string, LengthOf> = {},
  other: Record<string, number> = {},
): Called => {
  const of = (lengths: Record<string, LengthOf>): object =>
    Object.fromEntries(
      Object.entries(lengths).map(([name, length]) => [
        name,
        { dtype: "float32", length, values: uniform(0, 1), seed: 1 },
      ]),
    );
  const shape = { ...Object.fromEntries(sizes.map((size) => [size, 1])), ...other };
  return {
    name: "op",
    ladder: {
      inputs: of(inputs),
      outputs: of(outputs),
      shapes: { check: [shape], time: { emulated: [], cuda: [] } },
    } as unknown as Ladder,
  };
};
const plus = ({ n = 0 }: Record<string, number>): number => n;
const norm = called(["rows", "columns"], {
  x: ({ rows = 0, columns = 0 }) => rows * columns,
  weight: ({ columns = 0 }) => columns,
});
const product = called(
  ["m", "n", "k"],
  { a: ({ m = 0, k = 0 }) => m * k, b: ({ n = 0, k = 0 }) => n * k },
  { c: ({ m = 0, n = 0 }) => m * n },
);
const padded = called(["rows", "classes"], {
  logits: ({ rows = 0, classes = 0 }) => rows * 4 * Math.ceil(classes / 4),
  targets: ({ rows = 0 }) => rows,
});
const shapeOf = (
  operation: Called,
  given: Record<string, number>,
  lengths: Record<string, number>,
): Record<string, number> => ({ ...shapeOfCall(operation, given, new Map(Object.entries(lengths))) });
const told = (operation: () => unknown): string => {
  try {
    operation();
  } catch (error) {
    if (error instanceof HeddleError) return [error.code, error.summary, ...(error.notes ?? [])].join("; ");
    throw error;
  }
  return "nothing";
};

test.each<[string, Called, Record<string, number>, Record<string, number>, Record<string, number>]>([
  ["the only one", called(["n"], { a: plus, b: plus }), {}, { a: 1 << 26, b: 1 << 26 }, { n: 1 << 26 }],
  [
    "one after the other, whatever the order of arrays",
    norm,
    {},
    { x: 5 * 768, weight: 768 },
    { rows: 5, columns: 768 },
  ],
  ["beside those that are given", product, { k: 3 }, { a: 12, b: 15 }, { m: 4, n: 5, k: 3 }],
  ["an output that is there tells, too", product, { m: 4 }, { a: 12, b: 15, c: 20 }, { m: 4, n: 5, k: 3 }],
  ["rows that are padded", padded, { classes: 5 }, { logits: 24, targets: 3 }, { rows: 3, classes: 5 }],
  [
    "all are given: arrays may be longer",
    norm,
    { rows: 2, columns: 3 },
    { x: 100, weight: 7 },
    { rows: 2, columns: 3 },
  ],
])("%s", (_, operation, given, lengths, shape) => {
  expect(shapeOf(operation, given, lengths)).toEqual(shape);
});

test("a size that no length tells throws when it is read, and not before", () => {
  const shape = shapeOfCall(called(["n", "different"], { x: plus }), {}, new Map([["x", 9]]));
  expect({ ...shape }).toEqual({ n: 9 });
  expect(told(() => shape["different"])).toMatch(
    /bad-arguments; op needs its size different, which "x" \(9 elements\) does not tell/,
  );
});

test.each<[string, () => unknown, RegExp]>([
  [
    "several unknown at once",
    () =>
      shapeOfCall(
        product,
        {},
        new Map([
          ["a", 12],
          ["b", 15],
        ]),
      )["m"],
    /op needs its size m or n or k, which "a" \(12 elements\), "b" \(15 elements\) do not tell/,
  ],
  [
    "more than one fits",
    () =>
      shapeOfCall(
        padded,
        {},
        new Map([
          ["logits", 24],
          ["targets", 3],
        ]),
      )["classes"],
    new RegExp(
      'needs its size classes.*classes may be 5 or 6 for the 24 elements of "logits"; ' +
        'rows=3 follows from the 3 elements of "targets"',
    ),
  ],
  [
    "none fits",
    () => shapeOf(norm, {}, { x: 10, weight: 3 }),
    /op: no rows makes "x" an array of 10 elements at columns=3/,
  ],
  [
    "an empty array",
    () => shapeOf(called(["n"], { x: plus }), {}, { x: 0 }),
    /op: no n makes "x" an array of 0 elements$/,
  ],
  [
    "arrays that do not fit one another",
    () => shapeOf(called(["n"], { a: plus, b: plus }), {}, { a: 10, b: 8 }),
    /op at n=10 needs 10 elements for "b", not 8; n=10 follows from the 10 elements of "a"/,
  ],
  [
    "a name that it does not have",
    () => shapeOf(norm, { row: 1 }, {}),
    /op at row=1: its sizes are whole numbers from 1 on by the names rows, columns/,
  ],
  ["no whole number", () => shapeOf(norm, { rows: 1.5 }, {}), /whole numbers from 1 on/],
  ["zero", () => shapeOf(norm, { rows: 0 }, {}), /whole numbers from 1 on/],
])("%s", (_, operation, message) => {
  expect(told(operation)).toMatch(message);
});

test("a size is zero where the ladder's own shapes have it so: it is a switch", () => {
  expect(shapeOf(called(["n", "causal"], { x: plus }, {}, { causal: 0 }), { causal: 0 }, { x: 3 })).toEqual({
    n: 3,
    causal: 0,
  });
});
