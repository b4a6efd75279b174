import { describe, expect, test } from "vitest";
import { generator, indices, integers, normal, uniform } from "./distributions.ts";

/** xoshiro128** as its authors write it, in 32-bit steps; its state is filled as ours is. */
function xoshiro(seed: number): () => number {
  let mixed = seed;
  const next = (): number => {
    mixed = (mixed + 0x9e3779b9) | 0;
    let z = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  };
  const s = [next(), next(), next(), next()] as [number, number, number, number];
  const rotl = (x: number, k: number): number => ((x << k) | (x >>> (32 - k))) >>> 0;
  return () => {
    const result = Math.imul(rotl(Math.imul(s[1], 5) >>> 0, 7), 9) >>> 0;
    const t = (s[1] << 9) >>> 0;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3] >>> 0, 11);
    return result / 2 ** 32;
  };
}

test.each([0, 1, 12345, 2 ** 31 - 1])("seed %i gives the published sequence", (seed) => {
  const [ours, theirs] = [generator(seed), xoshiro(seed)];
  for (let i = 0; i < 1000; i++) expect(ours()).toBe(theirs());
});

describe.each([
  ["uniform", uniform(-1, 3), 1, 4 / Math.sqrt(12)],
  ["normal", normal(2, 0.5), 2, 0.5],
  ["integers", integers(-2, 2), 0, Math.sqrt(2)],
])("%s", (_, distribution, mean, deviation) => {
  const n = 100_000;
  const values = Array.from({ length: n }, distribution(generator(7), {}));

  test("has its mean and its deviation, to five standard errors", () => {
    const average = values.reduce((sum, value) => sum + value, 0) / n;
    expect(Math.abs(average - mean)).toBeLessThan((5 * deviation) / Math.sqrt(n));
    const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - average) ** 2, 0) / n);
    expect(Math.abs(spread - deviation)).toBeLessThan((5 * deviation) / Math.sqrt(n));
  });

  test("neighbours have nothing to do with each other", () => {
    const product =
      values.slice(1).reduce((sum, value, i) => sum + (value - mean) * ((values[i] as number) - mean), 0) / (n - 1);
    expect(Math.abs(product)).toBeLessThan((5 * deviation ** 2) / Math.sqrt(n));
  });

  test("is the same for a seed, also where two are drawn in turns", () => {
    const [first, second] = [distribution(generator(9), {}), distribution(generator(9), {})];
    for (let i = 0; i < 100; i++) expect(first()).toBe(second());
  });
});

test("normal numbers have the tails that they should", () => {
  const next = normal()(generator(3), {});
  const counts = [0, 0];
  for (let i = 0; i < 100_000; i++) {
    const size = Math.abs(next());
    if (size > 1) counts[0] = (counts[0] as number) + 1;
    if (size > 2) counts[1] = (counts[1] as number) + 1;
  }
  // 31.73 % and 4.55 %.
  expect(Math.abs((counts[0] as number) - 31731)).toBeLessThan(740);
  expect(Math.abs((counts[1] as number) - 4550)).toBeLessThan(330);
});

test("indices reach every element of what they index and nothing beyond", () => {
  const next = indices("words")(generator(5), { words: 7, rows: 3 });
  expect([...new Set(Array.from({ length: 1000 }, next))].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(() => indices("words")(generator(5), { rows: 3 })).toThrow(
    /indices into "words", which is no size of the shape: rows/,
  );
});
