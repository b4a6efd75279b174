/**
 * Random functions give what they gave: the same values are stored, in the same order, whatever way their branches
 * take.
 */
import { expect, test } from "vitest";
import { coalesceCopies } from "./coalesce-copies.ts";
import { numbers, randomFunction, statementsOf, stored } from "./line-functions.test-helper.ts";

test.each(["f", "fd", "r", "rd"])("random functions of registers %s", (held) => {
  const random = numbers(20261122);
  let removed = 0;
  for (let n = 0; n < 400; n++) {
    const before = randomFunction(random).map((line) => line.replaceAll("%f", `%${held}`));
    const after = coalesceCopies(before, statementsOf(before));
    removed += before.length - after.length;
    for (let way = 0; way < 8; way++) {
      const bits = Array.from({ length: 40 }, () => random() < 0.5);
      if (stored(after, bits).join() !== stored(before, bits).join())
        expect(after.join("\n"), `of\n${before.join("\n")}`).toBe("what it was");
    }
  }
  expect(removed).toBeGreaterThan(200);
});

test("a sum of a loop is added to in place, and so is what follows the loop", () => {
  const loop = [
    "\tmov.f32 %f1, 0f00000000;",
    "$L1:",
    "\tld.global.f32 %f2, [%rd1];",
    "\tadd.f32 %f3, %f1, %f2;",
    "\tmov.f32 %f1, %f3;",
    "\t@%p1 bra $L1;",
    "\tmov.f32 %f4, %f3;",
    "\tst.global.f32 [%rd2], %f4;",
    "\tret;",
  ];
  expect(coalesceCopies(loop)).toEqual([
    "\tmov.f32 %f4, 0f00000000;",
    "$L1:",
    "\tld.global.f32 %f2, [%rd1];",
    "\tadd.f32 %f4, %f4, %f2;",
    "\t@%p1 bra $L1;",
    "\tst.global.f32 [%rd2], %f4;",
    "\tret;",
  ]);
});

test("registers stay apart where both values are wanted, and where they are used in a way that is not known", () => {
  const swapped = [
    "\tmov.f32 %f3, %f1;",
    "\tmov.f32 %f1, %f2;",
    "\tmov.f32 %f2, %f3;",
    "\t@%p1 bra $L1;",
    "$L1:",
    "\tst.global.v2.f32 [%rd1], {%f1, %f2};",
    "\tret;",
  ];
  expect(coalesceCopies(swapped).filter((line) => line.includes("mov"))).toHaveLength(3);
  const written = ["\tmov.f32 %f2, %f1;", "\t@%p1 mov.f32 %f2, 0f00000000;", "\tst.global.f32 [%rd1], %f2;", "\tret;"];
  expect(coalesceCopies(written)).toEqual(written);
  const assembly = ["\tmov.f32 %f2, %f1;", "\t{", "\tfancy.f32 %f2, %f2; mov.f32 x, %f2;", "\t}", "\tret;"];
  expect(coalesceCopies(assembly)).toEqual(assembly);
  const several = ["\tmov.b32 %r2, %r1;", "\t{", "\tadd.s32 %r3, %r2, 1; mov.b32 %r1, %r3;", "\t}", "\tret;"];
  expect(coalesceCopies(several)).toEqual(several);
});

test("a value that one side of a branch leaves as it was needs no copy there", () => {
  const branch = [
    "\tmov.b32 %r1, 0;",
    "$L1:",
    "\t@%p1 bra $L2;",
    "\tmov.b32 %r2, %r1;",
    "\tbra $L3;",
    "$L2:",
    "\tadd.s32 %r3, %r1, 1;",
    "\tmov.b32 %r2, %r3;",
    "$L3:",
    "\tmov.b32 %r1, %r2;",
    "\t@%p2 bra $L1;",
    "\tst.global.b32 [%rd1], %r2;",
    "\tret;",
  ];
  expect(coalesceCopies(branch).filter((line) => line.includes("mov"))).toHaveLength(1);
});

test("an operand of inline PTX that is also its result needs no copy, and its other results stay apart", () => {
  const chain = [
    "\tmov.f32 %f1, 0f00000000;",
    "$L1:",
    "\tmov.f32 %f2, %f1;",
    "\ttwice %f2, %f9;",
    "\tmov.f32 %f3, %f2;",
    "\ttwice %f3, %f9;",
    "\tmov.f32 %f1, %f3;",
    "\t@%p1 bra $L1;",
    "\tst.global.f32 [%rd1], %f3;",
    "\tret;",
  ];
  const after = coalesceCopies(chain, statementsOf(chain));
  expect(after.filter((line) => line.includes("mov"))).toHaveLength(1);
  expect(new Set(after.join().match(/%f\d+/g))).toEqual(new Set([after[0]?.match(/%f\d+/)?.[0], "%f9"]));
  const early = [
    "\tmov.f32 %f1, 0f3F800000;",
    "\tearly %f2, %f1;",
    "\tmov.f32 %f1, %f2;",
    "\tst.global.f32 [%rd1], %f1;",
    "\tret;",
  ];
  expect(coalesceCopies(early, statementsOf(early))).toEqual(early);
});
