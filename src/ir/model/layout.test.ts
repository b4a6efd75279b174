import { expect, test } from "vitest";
import { alignOf, sizeOf, storeSize, structOffsets } from "./layout.ts";
import {
  BF16,
  F32,
  F64,
  I1,
  I128,
  I16,
  I32,
  I64,
  I8,
  PTR,
  arrayType,
  intType,
  structType,
  vectorType,
} from "./types.ts";

test.each([
  [I1, 1, 1],
  [I8, 1, 1],
  [I16, 2, 2],
  [I32, 4, 4],
  [I64, 8, 8],
  [I128, 16, 16],
  [PTR, 4, 4],
  [BF16, 2, 2],
  [F32, 4, 4],
  [F64, 8, 8],
  [intType(24), 4, 4],
  [intType(33), 8, 8],
  [intType(48), 8, 8],
  [intType(65), 16, 16],
  [vectorType(F32, 2), 8, 8],
  [vectorType(F32, 3), 16, 16],
  [vectorType(I1, 4), 1, 1],
  [vectorType(I16, 2), 4, 4],
  [arrayType(F64, 3), 24, 8],
  [arrayType(I8, 0), 0, 1],
])("%o: size and alignment", (type, size, align) => {
  expect([sizeOf(type), alignOf(type)]).toEqual([size, align]);
});

test("structs are padded, packed ones are not", () => {
  const type = structType([I8, F64, I16, PTR]);
  expect(structOffsets(type)).toEqual([0, 8, 16, 20]);
  expect([sizeOf(type), alignOf(type)]).toEqual([24, 8]);
  const packed = structType([I8, F64, I16, PTR], null, true);
  expect(structOffsets(packed)).toEqual([0, 1, 9, 11]);
  expect([sizeOf(packed), alignOf(packed)]).toEqual([15, 1]);
});

test("store sizes are those of the bits", () => {
  expect([intType(24), intType(33), vectorType(F32, 3), I1].map(storeSize)).toEqual([3, 5, 12, 1]);
});
