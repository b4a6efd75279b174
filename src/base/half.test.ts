import { expect, test } from "vitest";
import { bfloatToNumber, numberToBfloat } from "./bfloat.ts";
import { float32FromBits, float32ToBits, float64ToBits } from "./float-bits.ts";
import { bigintToFloat32, composeFloat64, decompose, fmaFloat32, fmaFloat64, roundHalfEven } from "./float-rounding.ts";
import { halfToNumber, numberToHalf } from "./half.ts";

/** Claims that are compared one by one, because an `expect` for each of a million takes seconds. */
function expectAll(claims: Iterable<readonly [is: number, shouldBe: number, of: number]>): void {
  for (const [is, shouldBe, of] of claims) if (is !== shouldBe) expect({ of, is }).toEqual({ of, is: shouldBe });
}

test("every half and bfloat16 survives the way to a number and back", () => {
  expectAll(
    (function* () {
      for (let bits = 0; bits < 65536; bits++) {
        const isNan = (bits & 0x7c00) === 0x7c00 && (bits & 0x3ff) !== 0;
        yield [numberToHalf(halfToNumber(bits)), isNan ? 0x7fff : bits, bits];
        const isNanB = (bits & 0x7f80) === 0x7f80 && (bits & 0x7f) !== 0;
        yield [numberToBfloat(bfloatToNumber(bits)), isNanB ? 0x7fff : bits, bits];
      }
    })(),
  );
});

test("the midpoint of neighbours goes to the even one, a hair above goes up, a hair below down", () => {
  expectAll(
    (function* () {
      for (let bits = 0; bits < 0x7bff; bits++) {
        const middle = (halfToNumber(bits) + halfToNumber(bits + 1)) / 2;
        const even = bits & 1 ? bits + 1 : bits;
        yield [numberToHalf(middle), even, middle];
        yield [numberToHalf(middle * (1 + 2 ** -52)), bits + 1, middle];
        yield [numberToHalf(middle * (1 - 2 ** -52)), bits, middle];
        yield [numberToHalf(-middle), even | 0x8000, -middle];
      }
      for (let bits = 0; bits < 0x7f7f; bits++) {
        const middle = (bfloatToNumber(bits) + bfloatToNumber(bits + 1)) / 2;
        yield [numberToBfloat(middle), bits & 1 ? bits + 1 : bits, middle];
        yield [numberToBfloat(middle * (1 + 2 ** -52)), bits + 1, middle];
        yield [numberToBfloat(middle * (1 - 2 ** -52)), bits, middle];
      }
    })(),
  );
  expect(numberToHalf(65519.999)).toBe(0x7bff);
  expect(numberToHalf(65520)).toBe(0x7c00);
});

/** Small deterministic generator (xorshift32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** The float nearest to an exact rational mantissa·2^exponent, by searching its neighbours: slow and independent. */
function nearestFloat32(mantissa: bigint, exponent: number): number {
  const guess = Math.fround(composeFloat64(mantissa, exponent));
  let best = guess;
  let bestDistance: bigint | null = null;
  for (const step of [-1, 0, 1]) {
    const candidate = guess === 0 ? step * 2 ** -149 : float32FromBits(float32ToBits(guess) + step);
    if (!Number.isFinite(candidate)) continue;
    const d = decompose(candidate);
    const low = Math.min(d.exponent, exponent) - 1;
    const difference = (d.mantissa << BigInt(d.exponent - low)) - (mantissa << BigInt(exponent - low));
    const distance = (difference < 0n ? -difference : difference) << BigInt(low + 2300);
    const even = (float32ToBits(candidate) & 1) === 0;
    if (bestDistance === null || distance < bestDistance || (distance === bestDistance && even)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

test("fused multiply-add of floats is rounded once", () => {
  const next = generator(12345);
  const pick = (): number => {
    for (;;) {
      const r = next();
      // Near exponents, so that cancellation and ties happen; now and then anything.
      const value = float32FromBits((r & 7) === 0 ? next() : (r & 0x807fffff) | ((120 + ((r >>> 3) % 12)) << 23));
      if (Number.isFinite(value)) return value;
    }
  };
  for (let i = 0; i < 20000; i++) {
    const a = pick();
    const b = pick();
    let c = pick();
    if (i % 3 === 0) c = Math.fround(-a * b * (i % 2 ? 1 : 2 ** 24));
    if (!Number.isFinite(c)) continue;
    const x = decompose(a);
    const y = decompose(b);
    const z = decompose(c);
    const low = Math.min(x.exponent + y.exponent, z.exponent);
    const exact =
      ((x.mantissa * y.mantissa) << BigInt(x.exponent + y.exponent - low)) + (z.mantissa << BigInt(z.exponent - low));
    const got = fmaFloat32(a, b, c);
    if (!Number.isFinite(got) || exact === 0n) continue;
    expect(got + 0, `${a} ${b} ${c}`).toBe(nearestFloat32(exact, low) + 0);
  }
  expect(fmaFloat32(1 + 2 ** -12, 1 + 2 ** -12, -1)).toBe(2 ** -11 + 2 ** -24);
  expect(fmaFloat32(-1, 0, 0)).toBe(0);
  expect(fmaFloat32(Infinity, 0, 1)).toBeNaN();
});

test("fused multiply-add of doubles is rounded once", () => {
  expect(fmaFloat64(1 + 2 ** -52, 1 - 2 ** -52, -1)).toBe(-(2 ** -104));
  expect(fmaFloat64(0.1, 10, -1)).toBe(2 ** -54);
  expect(fmaFloat64(2 ** -1074, 0.5, 0)).toBe(0);
  expect(fmaFloat64(2 ** -1074, 0.5, 2 ** -1074)).toBe(2 ** -1073);
  expect(fmaFloat64(1e308, 10, -1e308)).toBe(Infinity);
  expect(fmaFloat64(1e308, 10, -Infinity)).toBe(-Infinity);
  expect(fmaFloat64(1e200, 1e200, -1)).toBe(Infinity);
  expect(Object.is(fmaFloat64(-1, 0, -0), -0)).toBe(true);
  expect(fmaFloat64(2 ** 600, 2 ** 500, -(2 ** 1023))).toBe(Infinity);
  expect(fmaFloat64(3, 5, 2 ** -1070)).toBe(15);
});

test("integers to floats, integral rounding", () => {
  expect(bigintToFloat32((1n << 60n) + (1n << 36n) + 1n)).toBe(2 ** 60 + 2 ** 37);
  expect(bigintToFloat32((1n << 60n) + (1n << 36n))).toBe(2 ** 60);
  expect(bigintToFloat32(-((1n << 63n) - 1n))).toBe(-(2 ** 63));
  expect([0.5, 1.5, 2.5, -0.5, -1.5, 2 ** 52 + 1].map(roundHalfEven)).toEqual([0, 2, 2, -0, -2, 2 ** 52 + 1]);
  expect(composeFloat64(1n, -1074)).toBe(5e-324);
  expect(composeFloat64((1n << 53n) - 1n, -1075)).toBe(2 ** -1022);
  expect(float64ToBits(composeFloat64(-3n, -2))).toBe(float64ToBits(-0.75));
});
