/** What is a copy of bits, and what is arithmetic. */
import { expect, test } from "vitest";
import type { IrFunction } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { moves } from "./computed-values.ts";

test("halves that are put together are a copy, as shifts and masks by constants are; a sum is none", () => {
  const module = parseModule(
    `define i32 @f(i16 %a, i16 %b, i32 %c) {
  %low = zext i16 %a to i32
  %wide = zext i16 %b to i32
  %high = shl i32 %wide, 16
  %both = or i32 %low, %high
  %signed = sext i16 %a to i32
  %mixed = or i32 %signed, %high
  %masked = and i32 %c, 255
  %joined = or i32 %masked, %high
  %moved = shl i32 %c, %both
  %sum = add i32 %both, %joined
  ret i32 %sum
}`,
    "values.ll",
  );
  const [fn] = module.functions.values();
  const found = (fn as IrFunction).blocks.flatMap(({ instructions }) =>
    instructions.filter(({ name }) => name !== "").map((i) => [i.name, moves(i)]),
  );
  expect(Object.fromEntries(found)).toEqual({
    low: true,
    wide: true,
    high: true,
    both: true,
    signed: true,
    mixed: false,
    masked: true,
    joined: true,
    moved: false,
    sum: false,
  });
});
