/** Slices run side by side as long as their vectors stay in registers: 12 of all slices together. */
import { expect, test } from "vitest";
import { slicesWith } from "./deferred-vector-ops.ts";

test.each([
  [0, 8],
  [1, 8],
  [2, 4],
  [3, 4],
  [4, 2],
  [6, 2],
  [7, 1],
  [40, 1],
] as const)("%i vectors live at once: %i slices", (vectors, slices) => expect(slicesWith(vectors)).toBe(slices));
