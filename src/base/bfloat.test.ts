import { expect, test } from "vitest";
import { bfloatToNumber, numberToBfloat } from "./bfloat.ts";
import { float32FromBits, float64FromWords } from "./float-bits.ts";
import { roundToFormat } from "./float-rounding.ts";

test("every bfloat16 is its own nearest one", () => {
  for (let bits = 0; bits < 1 << 16; bits++) {
    const value = bfloatToNumber(bits);
    expect(numberToBfloat(value)).toBe(Number.isNaN(value) ? 0x7fff : bits);
  }
});

test(
  "what lies between two of them is rounded as every format is: halves and their " +
    "neighbours, of every exponent and sign",
  () => {
    for (let bits = 0; bits < 1 << 16; bits++) {
      const half = float32FromBits(bits * 2 ** 16 + 0x8000);
      if (Number.isNaN(half)) continue;
      for (const value of [
        half,
        half * (1 + 2 ** -52),
        half * (1 - 2 ** -53),
        half * (1 + 2 ** -30),
        half * (1 - 2 ** -30),
      ]) {
        const [ours, expected] = [numberToBfloat(value), roundToFormat(value, 8, 7, 0x7fff)];
        if (ours !== expected) expect({ value, ours }).toEqual({ value, ours: expected });
      }
    }
  },
);

test("doubles beyond the range, below it and of any bits are rounded as every format is", () => {
  let state = 1;
  const word = (): number => (state = Math.imul(state, 1664525) + 1013904223);
  for (let i = 0; i < 100_000; i++) {
    // Exponents around those of bfloat16 half of the time.
    const value = float64FromWords(word(), i % 2 === 0 ? word() : (word() & 0x800fffff) | ((880 + (i % 290)) << 20));
    const [ours, expected] = [numberToBfloat(value), roundToFormat(value, 8, 7, 0x7fff)];
    if (ours !== expected) expect({ value, ours }).toEqual({ value, ours: expected });
  }
  expect([0, -0, Infinity, -Infinity, Number.NaN, 3.4e38, -3.4e38, 5e-324].map(numberToBfloat)).toEqual([
    0, 0x8000, 0x7f80, 0xff80, 0x7fff, 0x7f80, 0xff80, 0,
  ]);
});
