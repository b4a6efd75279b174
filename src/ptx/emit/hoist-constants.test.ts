/** Constants in front of branches: random functions store what they stored. */
import { expect, test } from "vitest";
import { hoistConstants } from "./hoist-constants.ts";
import { numbers, randomFunction, stored } from "./line-functions.test-helper.ts";

test("random functions", () => {
  const random = numbers(20261124);
  let removed = 0;
  for (let n = 0; n < 900; n++) {
    // Few registers and few constants, so that both sides often begin alike.
    const before = randomFunction(random).flatMap((line, at) =>
      at < 8 || (!line.endsWith(":") && !line.includes(" bra "))
        ? [line]
        : [line, ...[1, 2, 3].filter(() => random() < 0.6).map((r) => `\tmov.f32 %f${r}, ${random() < 0.8 ? 5 : 6};`)],
    );
    const after = hoistConstants(before);
    removed += before.length - after.length;
    for (let way = 0; way < 4; way++) {
      const bits = Array.from({ length: 40 }, () => random() < 0.5);
      if (stored(after, bits).join() !== stored(before, bits).join())
        expect(after.join("\n"), `of\n${before.join("\n")}`).toBe("what it was");
    }
  }
  expect(removed).toBeGreaterThan(20);
});

test("what both sides of a branch begin with stands in front of it, and what one side has stays", () => {
  const sum = [
    "\t@%p1 bra $L1;",
    "\tmov.f32 %f1, 0f00000000;",
    "\tmov.f32 %f2, 0f00000000;",
    "\tbra $L3;",
    "$L1:",
    "\tmov.f32 %f2, 0f00000000;",
    "\tmov.b32 %r1, 0;",
    "\tmov.f32 %f1, 0f00000000;",
    "$L2:",
    "\t@%p2 bra $L2;",
    "$L3:",
    "\tret;",
  ];
  expect(hoistConstants(sum)).toEqual([
    "\tmov.f32 %f1, 0f00000000;",
    "\tmov.f32 %f2, 0f00000000;",
    "\t@%p1 bra $L1;",
    "\tbra $L3;",
    "$L1:",
    "\tmov.b32 %r1, 0;",
    "$L2:",
    "\t@%p2 bra $L2;",
    "$L3:",
    "\tret;",
  ]);
  const entered = ["\t@%p3 bra $L1;", ...sum];
  expect(hoistConstants(entered)).toEqual(entered);
  const fallenInto = sum.filter((line) => line !== "\tbra $L3;");
  expect(hoistConstants(fallenInto)).toEqual(fallenInto);
});
