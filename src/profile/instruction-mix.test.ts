/** What is counted of arithmetic, after the machine code that nvcc 13.0 makes of it for sm_90. */
import { expect, test } from "vitest";
import { fuseMultiplyAdd } from "../ir/passes/pass-contract.ts";
import { parseModule } from "../ir/text/parse.ts";
import { workContext, worksOf } from "./instruction-mix.ts";

/** Operations of floats and doubles in a kernel with the lines, by class. */
function operations(lines: string, fast: boolean): Record<string, number> {
  const attribute = fast ? `"denormal-fp-math-f32"="preserve-sign,preserve-sign"` : "";
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
declare float @__nv_sqrtf(float)
declare float @__nv_expf(float)
declare float @__nv_fast_fdividef(float, float)
define ptx_kernel void @k(ptr %out, float %x, float %y, float %z, double %d) ${attribute} {
${lines}
  store float %r, ptr %out, align 4
  ret void
}`,
    "test.ll",
  );
  fuseMultiplyAdd(module);
  const fn = [...module.functions.values()].find(({ blocks }) => blocks.length > 0);
  const context = workContext(fn!);
  const sums: Record<string, number> = {};
  for (const i of fn!.blocks.flatMap(({ instructions }) => instructions))
    for (const { work, count } of worksOf(i, context))
      if (/^fp|special/.test(work)) sums[work] = (sums[work] ?? 0) + count;
  return sums;
}

const DIVISION = "  %r = fdiv contract float %x, %y";
const RECIPROCAL = "  %r = fdiv contract float 1.0, %y";
const SQUARE_ROOT = "  %r = call contract float @__nv_sqrtf(float %x)";
const QUOTIENT_AND_SUM = "  %q = fdiv contract float %x, %y\n  %r = fadd contract float %q, %z";
const QUOTIENT_TWICE = `${QUOTIENT_AND_SUM}1\n`.replace("%z1", "%q");
const ROUNDED = "  %q = fdiv contract float %x, %y\n  %r = fadd float %q, %z";
const AS_DOUBLE = "  %w = fpext float %x to double\n  %s = fadd double %w, %d\n  %r = fptrunc double %s to float";

test.each<[string, string, Record<string, number>]>([
  ["x / y is x times the reciprocal", DIVISION, { special: 1, "fp32-mul": 1 }],
  ["1 / y is the reciprocal alone", RECIPROCAL, { special: 1 }],
  ["a square root is one instruction", SQUARE_ROOT, { special: 1 }],
  ["x / y + z is fused", QUOTIENT_AND_SUM, { special: 1, "fp32-fma": 1 }],
  ["what is used twice is not", QUOTIENT_TWICE, { special: 1, "fp32-mul": 1, "fp32-add": 1 }],
  ["what must be rounded is not", ROUNDED, { special: 1, "fp32-mul": 1, "fp32-add": 1 }],
  ["a double of a float is flushed by a product", AS_DOUBLE, { "fp32-mul": 1, "fp64-add": 1 }],
])("-use_fast_math: %s", (_, lines, expected) => {
  expect(operations(lines, true)).toEqual(expected);
});

test("without -use_fast_math, divisions are exact, and doubles of floats cost no product", () => {
  expect(operations(RECIPROCAL, false)).toEqual({ special: 1, "fp32-add": 1, "fp32-fma": 2 });
  expect(operations(QUOTIENT_AND_SUM, false)).toEqual({ special: 2, "fp32-fma": 5, "fp32-add": 1 });
  expect(operations(AS_DOUBLE, false)).toEqual({ "fp64-add": 1 });
  const byFunction = "  %q = call contract float @__nv_fast_fdividef(float %x, float %y)\n";
  expect(operations(`${byFunction}  %r = fadd contract float %q, %z`, false)).toEqual({
    special: 1,
    "fp32-mul": 1,
    "fp32-fma": 1,
  });
});
