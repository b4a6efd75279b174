import { expect, test } from "vitest";
import { F64, I16, I32, I8, structType } from "../../ir/model/types.ts";
import type { IrType } from "../../ir/model/ir.ts";
import { leafRange, leavesOf } from "./shadow-types.ts";

const arrayOf = (element: IrType, length: number): IrType => ({ kind: "array", element, length });

/** { i8, [3 x { i16, i32 }], double } */
const pair = structType([I16, I32]);
const outer = structType([I8, arrayOf(pair, 3), F64]);

test("an aggregate's leaves stand one behind the other, each at its offset", () => {
  expect(leavesOf(outer).map(({ offset }) => offset)).toEqual([0, 4, 8, 12, 16, 20, 24, 32]);
});

test.each([
  [[], 0, 8],
  [[0], 0, 1],
  [[1], 1, 6],
  [[1, 0], 1, 2],
  [[1, 2], 5, 2],
  [[1, 2, 1], 6, 1],
  [[2], 7, 1],
])("the element at %j is the leaves from %i, so many: %i", (indices, first, count) => {
  expect(leafRange(outer, indices)).toMatchObject({ first, count });
});
