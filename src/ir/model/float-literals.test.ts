import fc from "../../base/properties.test-helper.ts";
import { expect, test } from "vitest";
import { bitsToNumber, formatFloatLiteral, numberToBits, parseFloatLiteral } from "./float-literals.ts";
import type { FloatFormat } from "./ir.ts";

const formats: readonly [FloatFormat, number][] = [
  ["half", 16],
  ["bfloat", 16],
  ["float", 32],
  ["double", 64],
];

test.each(formats)("%s: every bit pattern survives printing and reading", (format, bits) => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n }), (pattern) => {
      expect(parseFloatLiteral(formatFloatLiteral(pattern, format), format)).toBe(pattern);
    }),
    { numRuns: 2000 },
  );
});

test("float rounds as Math.fround does", () => {
  fc.assert(
    fc.property(fc.double(), (value) => {
      fc.pre(!Number.isNaN(value));
      expect(bitsToNumber(numberToBits(value, "float"), "float")).toBe(Math.fround(value));
    }),
    { numRuns: 3000 },
  );
});

test("half: all values are exact, halfway cases go to even, beyond the range is infinity", () => {
  const wrong: bigint[] = [];
  for (let bits = 0n; bits < 0x10000n; bits++) {
    const value = bitsToNumber(bits, "half");
    if (!Number.isNaN(value) && numberToBits(value, "half") !== bits) wrong.push(bits);
  }
  expect(wrong).toEqual([]);
  expect(numberToBits(1 + 2 ** -11, "half")).toBe(0x3c00n);
  expect(numberToBits(1 + 3 * 2 ** -11, "half")).toBe(0x3c02n);
  expect(numberToBits(65519, "half")).toBe(0x7bffn);
  expect(numberToBits(65520, "half")).toBe(0x7c00n);
  expect(numberToBits(2 ** -25, "half")).toBe(0n);
  expect(numberToBits(2 ** -25 * 1.0001, "half")).toBe(1n);
});

test("constants that LLVM would refuse are refused", () => {
  expect(parseFloatLiteral("0x3FB999999999999A", "float")).toMatch(/not exact/);
  expect(parseFloatLiteral("0xH3C00", "float")).toMatch(/cannot be written/);
  expect(parseFloatLiteral("0x7FF8000000000000", "float")).toBe(0x7fc00000n);
});
