import { expect, test } from "vitest";
import { orders } from "./ordered-hooks.ts";

test.each([
  [null, false, false],
  ["monotonic", false, false],
  ["acquire", true, false],
  ["release", false, true],
  ["acq_rel", true, true],
  ["seq_cst", true, true],
] as const)("%s", (ordering, acquires, releases) => {
  expect([orders(ordering, "acquire"), orders(ordering, "release")]).toEqual([acquires, releases]);
});
