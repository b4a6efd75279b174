import { expect, test } from "vitest";
import { legalizeModule } from "./pass-legalize.ts";
import { SAMPLE } from "../model/sample.test-data.ts";
import { assertValid } from "../verify.ts";
import { isLegal } from "./legalize-types.ts";
import { partWidths } from "./legalize-memory.ts";
import { intType } from "../model/types.ts";
import { parse, named, bodyOf } from "./pass-test.test-helper.ts";

test("legalize: only scalars are left, and kernels keep their parameters' places", () => {
  const module = parse(SAMPLE);
  legalizeModule(module);
  assertValid(module, "legalizing");
  for (const fn of module.functions.values()) {
    for (const instruction of fn.blocks.flatMap((block) => block.instructions)) {
      if (instruction.op !== "cmpxchg") expect(isLegal(instruction.type)).toBe(true);
    }
  }
  expect(named(module, "kernel").params.map((param) => [param.type.kind, param.byval?.kind])).toEqual([
    ["ptr", undefined],
    ["int", undefined],
    ["ptr", "vector"],
    ["ptr", "struct"],
  ]);
});

test("legalize: aggregate arguments are taken apart, results go through memory", () => {
  const module =
    parse(`define { i32, <2 x i16> } @f({ i64, [2 x float] } %a, i128 %b) {\n  ret { i32, <2 x i16> } zeroinitializer\n}
define i32 @g({ i64, [2 x float] } %a) {
  %r = call { i32, <2 x i16> } @f({ i64, [2 x float] } %a, i128 5)
  %x = extractvalue { i32, <2 x i16> } %r, 0
  ret i32 %x
}`);
  legalizeModule(module);
  assertValid(module, "legalizing");
  expect(named(module, "f").params.map((param) => param.name)).toEqual(["result", "a.0", "a.1", "a.2", "b.0", "b.1"]);
  expect(bodyOf(named(module, "g"))).toContain(
    "call void @f(ptr %spill, i64 %a.0, float %a.1, float %a.2, i64 5, i64 0)",
  );
});

test.each([
  [32, [32]],
  [64, [64]],
  [96, [64, 32]],
  [128, [64, 64]],
  [136, [64, 64, 8]],
] as const)("an integer of %i bits has parts of at most 64", (bits, parts) => {
  expect(partWidths(intType(bits))).toEqual(parts);
});
