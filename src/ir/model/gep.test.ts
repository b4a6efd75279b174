import { expect, test } from "vitest";
import { parseModule } from "../text/parse.ts";
import type { IrBlock, IrFunction, IrInstruction } from "./ir.ts";
import { constantGepOffset, splitConstantOffset } from "./gep.ts";

const fn = parseModule(
  `target triple = "nvptx-nvidia-cuda"
define void @f(ptr %p, i32 %i) {
  %a = getelementptr i32, ptr %p, i32 %i
  %b = getelementptr { i8, [4 x i32] }, ptr %a, i32 1, i32 1, i32 2
  %c = getelementptr i8, ptr %b, i32 -3
  %d = getelementptr { i8, { i32, [4 x double] } }, ptr %p, i32 0, i32 1, i32 1, i32 2
  ret void
}`,
  "test.ll",
).functions.get("f") as IrFunction;
type Gep = Extract<IrInstruction, { op: "gep" }>;
const [a, b, c, d] = (fn.blocks[0] as IrBlock).instructions as [Gep, Gep, Gep, Gep];

test("the bytes of a gep are known where its indices are constants", () => {
  expect([a, b, c].map((gep) => constantGepOffset(gep))).toEqual([null, 20 + 4 + 8, -3]);
});

test("offsets inside of nested aggregates", () => {
  expect(constantGepOffset(d)).toBe(8 + 8 + 16);
});

test("a pointer is a base and constant bytes, as far back as the caller accepts", () => {
  expect(splitConstantOffset(c)).toEqual({ base: a, offset: 29 });
  expect(splitConstantOffset(c, (_, offset) => offset < 0)).toEqual({ base: b, offset: -3 });
});
