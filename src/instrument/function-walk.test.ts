import { expect, test } from "vitest";
import { createCheckers } from "../check/checkers.ts";
import { CHECK_NAMES } from "../check/check-names.ts";
import { parseModule } from "../ir/text/parse.ts";
import { verifyModule } from "../ir/verify.ts";
import { instrumentModule } from "./instrument-module.ts";

test("local arrays stay in the first block when checks split it", () => {
  const module = parseModule(
    `define i32 @f(ptr %p) {
  %a = alloca i32
  %x = load i32, ptr %p
  call void @g(i32 %x)
  %b = alloca [4 x i32]
  store i32 %x, ptr %b
  %y = load i32, ptr %b
  ret i32 %y
}
define void @g(i32 %x) {
  ret void
}`,
    "split.ll",
  );
  const functions = [...module.functions.values()];
  instrumentModule(module, functions, createCheckers(["memcheck", "initcheck"]), CHECK_NAMES, "test");
  expect(verifyModule(module)).toEqual([]);
  const blocks = module.functions.get("f")?.blocks ?? [];
  expect(blocks.length).toBeGreaterThan(1);
  expect(blocks.map(({ instructions }) => instructions.filter(({ op }) => op === "alloca").length)).toEqual([
    2,
    ...blocks.slice(1).map(() => 0),
  ]);
});
