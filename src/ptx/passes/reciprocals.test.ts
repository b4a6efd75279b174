/** Multiplications in place of divisions, against the divisions of BigInt. */
import { expect, test } from "vitest";
import { signedReciprocal, unsignedReciprocal } from "./reciprocals.ts";

/** Divisors and dividends around what matters: small ones, powers of two, the ends of the range. */
function around(bits: number): bigint[] {
  const found = new Set<bigint>();
  for (let n = 1n; n < 70n; n++) found.add(n);
  for (let power = 3; power <= bits; power++)
    for (const by of [-3n, -2n, -1n, 0n, 1n, 2n, 3n]) found.add((1n << BigInt(power)) + by);
  for (const n of [100n, 641n, 1000n, 10000n, 12345677n, 1000000007n, 4294967291n]) found.add(n);
  return [...found].filter((n) => n > 0n && n < 1n << BigInt(bits));
}

test.each([8, 16, 32, 64])("unsigned, %d bits", (bits) => {
  const mask = (1n << BigInt(bits)) - 1n;
  for (const by of around(bits)) {
    const { multiplier, before, after, isLong } = unsignedReciprocal(by, bits);
    for (const n of around(bits)) {
      for (const x of new Set([n, mask - n, (n * by) & mask, (n * by - 1n) & mask])) {
        const full = (multiplier ?? 0n) + (isLong ? 1n << BigInt(bits) : 0n);
        const got = multiplier === null ? x >> BigInt(after) : ((x >> BigInt(before)) * full) >> BigInt(bits + after);
        if (got !== x / by) expect(`${x} / ${by} = ${got}`).toBe(`${x} / ${by} = ${x / by}`);
      }
    }
    if (multiplier !== null) expect(multiplier <= mask).toBe(true);
  }
});

test.each([32, 64])("signed, %d bits", (bits) => {
  for (const by of around(bits - 1).filter((n) => n > 2n && (n & (n - 1n)) !== 0n)) {
    const { multiplier, after, isLong } = signedReciprocal(by, bits);
    expect(BigInt.asIntN(bits, multiplier)).toBe(multiplier);
    const full = multiplier + (isLong ? 1n << BigInt(bits) : 0n);
    for (const n of around(bits)) {
      for (const x of [n, -n, n * by, n * by - 1n, -n * by, 1n - n * by].map((value) => BigInt.asIntN(bits, value))) {
        const got = ((x * full) >> BigInt(bits + after)) + (x < 0n ? 1n : 0n);
        if (got !== x / by) expect(`${x} / ${by} = ${got}`).toBe(`${x} / ${by} = ${x / by}`);
      }
    }
  }
});
