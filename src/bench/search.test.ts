import fc from "fast-check";
import { expect, test } from "vitest";
import { generator } from "../kernel-library/distributions.ts";
import type { Configuration } from "../kernel-library/ladder.ts";
import { EXHAUSTIVE_LIMIT, neighbours, search } from "./search.ts";
import {
  configurations,
  defaultConfiguration,
  firstConfigurations,
  keyOf,
  type Space,
} from "../kernel-library/search-space.ts";

const space: Space = {
  names: ["A", "B"],
  values: [
    [1, 2, 3],
    [10, 20],
  ],
  allow: ({ A = 0, B = 0 }) => A * B !== 40,
};
/** 1000 configurations, 500 of them allowed. */
const large: Space = {
  names: ["A", "B", "C"],
  values: Array.from({ length: 3 }, () => [...Array(10).keys()]),
  allow: ({ A = 0, B = 0 }) => (A + B) % 2 === 0,
};

test("allowed combinations come once each, the default first", () => {
  expect([...configurations(space)].map(keyOf)).toEqual(["A=1 B=10", "A=1 B=20", "A=2 B=10", "A=3 B=10", "A=3 B=20"]);
  expect(defaultConfiguration({ ...space, allow: ({ B }) => B === 20 }, "v")).toEqual({ A: 1, B: 20 });
  expect(() => defaultConfiguration({ ...space, allow: () => false }, "v")).toThrow(/v allows no configuration/);
  expect([...configurations({ names: [], values: [], allow: () => true })]).toEqual([{}]);
});

test("the first configurations of a space are found without a look at the rest", () => {
  let looks = 0;
  // 10^24 combinations.
  const huge: Space = {
    names: Array.from({ length: 24 }, (_, i) => `P${i}`),
    values: Array.from({ length: 24 }, () => [...Array(10).keys()]),
    allow: () => ++looks > 0,
  };
  expect(firstConfigurations(huge, 65)).toHaveLength(65);
  expect(looks).toBe(65);
  expect(firstConfigurations(space, 5)).toEqual([...configurations(space)]);
  expect(firstConfigurations(space, 100)).toEqual([...configurations(space)]);
});

test("neighbours differ in one parameter and are allowed", () => {
  expect(neighbours(space, { A: 2, B: 10 }).map(keyOf)).toEqual(["A=1 B=10", "A=3 B=10"]);
});

test("a small space is tried as a whole", async () => {
  const tried: string[] = [];
  await search(space, async (configuration) => tried.push(keyOf(configuration)), generator(1));
  expect(tried).toHaveLength(5);
});

test("a large space is searched within the budget, each configuration once, allowed ones only", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const tried: Configuration[] = [];
      await search(
        large,
        async (configuration) => {
          tried.push(configuration);
          return configuration["C"] === 5
            ? null
            : Math.abs((configuration["A"] ?? 0) - 7) +
                Math.abs((configuration["B"] ?? 0) - 3) +
                Math.abs((configuration["C"] ?? 0) - 8);
        },
        generator(seed),
      );
      expect(tried.length).toBeLessThanOrEqual(EXHAUSTIVE_LIMIT);
      expect(new Set(tried.map(keyOf)).size).toBe(tried.length);
      expect(tried.every(large.allow)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test("the search finds the best of a smooth space more often than as many random tries would", async () => {
  let found = 0;
  for (let seed = 0; seed < 100; seed++) {
    let best = Infinity;
    await search(
      large,
      async ({ A = 0, B = 0, C = 0 }) => {
        const time = 1 + (A - 7) ** 2 + (B - 3) ** 2 + (C - 8) ** 2;
        best = Math.min(best, time);
        return time;
      },
      generator(seed),
    );
    if (best === 1) found++;
  }
  // 64 of 500 at random find it in 13 of 100 runs.
  expect(found).toBeGreaterThan(26);
});
