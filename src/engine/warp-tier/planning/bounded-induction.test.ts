import { expect, test } from "vitest";
import { exactly, interval } from "../../../analysis/values/intervals.ts";
import { boundedInduction } from "./bounded-induction.ts";

test("bounds that are only near", () => {
  const exit = (stays: "slt" | "ult" | "ne" | "sgt", tested: "phi" | "next") => ({ stays, tested });
  expect(boundedInduction(exactly(0), exactly(1), exit("slt", "phi"), exactly(16), true)).toEqual(interval(0, 16));
  expect(boundedInduction(exactly(0), exactly(1), exit("ne", "phi"), exactly(16), true)).toEqual(interval(0, 16));
  expect(boundedInduction(exactly(0), exactly(1), exit("ne", "next"), interval(5, 9), false)).toBeNull();
  expect(boundedInduction(exactly(-1), exactly(1), exit("ult", "next"), exactly(16), true)).toBeNull();
  expect(boundedInduction(exactly(20), exactly(1), exit("slt", "next"), exactly(16), true)).toEqual(exactly(20));
});
