import { expect, test } from "vitest";
import { constI8 } from "./build.ts";
import { foldIcmp } from "./fold.ts";
import { INVERSE_PREDICATES, SWAPPED_PREDICATES } from "./int-predicates.ts";
import type { IntPredicate } from "./ir.ts";

const isTrue = (predicate: IntPredicate, a: number, b: number): boolean => {
  const folded = foldIcmp(predicate, constI8(a), constI8(b));
  if (folded?.kind !== "const-int") throw new Error(`${predicate} is not folded`);
  return folded.value === 1n;
};

test.each(Object.keys(INVERSE_PREDICATES) as IntPredicate[])(
  "%s: inverse and swapped say what they should of all signs",
  (predicate) => {
    for (const a of [-128, -1, 0, 1, 127]) {
      for (const b of [-128, -1, 0, 1, 127]) {
        expect(isTrue(INVERSE_PREDICATES[predicate], a, b)).toBe(!isTrue(predicate, a, b));
        expect(isTrue(SWAPPED_PREDICATES[predicate], b, a)).toBe(isTrue(predicate, a, b));
      }
    }
  },
);
