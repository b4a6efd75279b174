import { expect, test } from "vitest";
import { fuseMultiplyAdd } from "./pass-contract.ts";
import { assertValid } from "../verify.ts";
import { parse, named, bodyOf } from "./pass-test.test-helper.ts";

function fused(body: string, flags = "contract "): string {
  const module = parse(
    `define float @f(float %a, float %b, float %c, float %d) {\nentry:\n${body.replaceAll("~", flags)}\n}`,
  );
  fuseMultiplyAdd(module);
  assertValid(module, "fusing");
  return bodyOf(named(module, "f"));
}

test("fma: a*b+c, c+a*b, a*b-c, c-a*b, c-(-(a*b))", () => {
  expect(fused("%m = fmul ~float %a, %b\n%r = fadd ~float %m, %c\nret float %r")).toBe(
    "entry:\n%r.1 = call contract float @llvm.fma.f32(float %a, float %b, float %c)\nret float %r.1",
  );
  expect(fused("%m = fmul ~float %a, %b\n%r = fadd ~float %c, %m\nret float %r")).toContain(
    "fma.f32(float %a, float %b, float %c)",
  );
  expect(fused("%m = fmul ~float %a, %b\n%r = fsub ~float %m, %c\nret float %r")).toContain(
    "%neg = fneg float %c\n%r.1 = call contract float @llvm.fma.f32(float %a, float %b, float %neg)",
  );
  expect(fused("%m = fmul ~float %a, %b\n%r = fsub ~float %c, %m\nret float %r")).toContain(
    "%neg = fneg float %a\n%r.1 = call contract float @llvm.fma.f32(float %neg, float %b, float %c)",
  );
  expect(fused("%m = fmul ~float %a, %b\n%n = fneg float %m\n%r = fsub ~float %c, %n\nret float %r")).toBe(
    "entry:\n%r.1 = call contract float @llvm.fma.f32(float %a, float %b, float %c)\nret float %r.1",
  );
});

test("fma: of two products the left one, and chains", () => {
  expect(fused("%m = fmul ~float %a, %b\n%n = fmul ~float %c, %d\n%r = fadd ~float %m, %n\nret float %r")).toBe(
    `entry:
%n = fmul contract float %c, %d
%r.1 = call contract float @llvm.fma.f32(float %a, float %b, float %n)
ret float %r.1`,
  );
  expect(
    fused(
      `%m = fmul ~float %a, %b
%r = fadd ~float %m, %c
%n = fmul ~float %r, %r
%s = fadd ~float %n, %d
ret float %s`,
    ),
  ).toContain("@llvm.fma.f32(float %r.1, float %r.1, float %d)");
});

test("fma: not without flags, with two uses, or across blocks", () => {
  const plain = "%m = fmul ~float %a, %b\n%r = fadd ~float %m, %c\nret float %r";
  expect(fused(plain, "")).not.toContain("fma");
  expect(fused(plain, "nnan ")).not.toContain("fma");
  expect(fused(plain, "fast ")).toContain("fma");
  expect(fused("%m = fmul ~float %a, %b\n%r = fadd ~float %m, %m\nret float %r")).not.toContain("fma");
  expect(fused("%m = fmul ~float %a, %b\nbr label %next\nnext:\n%r = fadd ~float %m, %c\nret float %r")).not.toContain(
    "fma",
  );
});

test("fma: llvm.fmuladd, vectors, half and bfloat", () => {
  expect(fused("%r = call float @llvm.fmuladd.f32(float %a, float %b, float %c)\nret float %r")).toContain(
    "@llvm.fma.f32",
  );
  const module = parse(`define <2 x half> @f(<2 x half> %a) {
  %m = fmul contract <2 x half> %a, %a
  %r = fadd contract <2 x half> %m, %a
  ret <2 x half> %r
}
define bfloat @g(bfloat %a) {
  %m = fmul contract bfloat %a, %a
  %r = fadd contract bfloat %m, %a
  ret bfloat %r
}`);
  expect(fuseMultiplyAdd(module)).toBe(2);
  expect([...module.functions.keys()]).toEqual(["f", "g", "llvm.fma.v2f16", "llvm.fma.bf16"]);
});
