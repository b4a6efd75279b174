import { expect, test } from "vitest";
import { generator, normal } from "../kernel-library/distributions.ts";
import { isPrecise, LEAST_SAMPLES, median, summarize } from "./statistics.ts";

test("median and quartiles", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(summarize([5, 1, 3, 2, 4])).toMatchObject({ median: 3, min: 1, samples: 5, spread: 1 / 3 });
});

test("the interval holds the true median about 95 times in 100", () => {
  const next = normal(10, 2)(generator(7), {});
  for (const samples of [LEAST_SAMPLES, 10, 40, 200]) {
    let inside = 0;
    for (let run = 0; run < 2000; run++) {
      const { low, high } = summarize(Array.from({ length: samples }, next));
      if (low <= 10 && 10 <= high) inside++;
    }
    // Intervals of ranks have at least what is asked for, except for the normal approximation of the ranks.
    expect(inside / 2000, `${samples} samples`).toBeGreaterThan(0.93);
  }
});

test("precision needs samples that have an interval", () => {
  expect(isPrecise([1, 1, 1], 0.01)).toBe(false);
  expect(isPrecise(Array(LEAST_SAMPLES).fill(1), 0.01)).toBe(true);
  expect(isPrecise([1, 2, 1, 2, 1, 2, 1, 2], 0.01)).toBe(false);
});
