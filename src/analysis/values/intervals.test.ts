/** Interval arithmetic against the machine's arithmetic on members of the intervals. */
import fc from "../../base/properties.test-helper.ts";
import { expect, test } from "vitest";
import {
  add,
  and,
  anything,
  asSigned,
  asUnsigned,
  divide,
  exactly,
  extremum,
  interval,
  multiply,
  or,
  remainder,
  shiftLeft,
  shiftRight,
  subtract,
  union,
  xor,
  type Interval,
} from "./intervals.ts";

const bound = fc.oneof(
  fc.integer({ min: -40, max: 40 }),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  fc.constantFrom(-(2 ** 31), 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 0),
);
/** An interval and one of its values. */
const member = fc
  .tuple(bound, fc.oneof(fc.nat(64), fc.nat(2 ** 31)), fc.nat(6), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([lo, count, k, at]) => {
    const step = 2 ** k;
    const a = interval(lo, lo + Math.min(count * step, 2 ** 32 - 1), step);
    return { a, v: (a.lo + Math.floor(((a.hi - a.lo) / a.step) * at) * a.step) | 0 };
  });

function contains(a: Interval, v: number): boolean {
  const from = v >>> 0;
  return [-2, -1, 0, 1].some((turn) => {
    const x = from + turn * 2 ** 32;
    return x >= a.lo && x <= a.hi && (x - a.lo) % a.step === 0;
  });
}

const binary: Record<
  string,
  { of: (a: Interval, b: Interval) => Interval; machine: (x: number, y: number) => number | null }
> = {
  add: { of: add, machine: (x, y) => x + y },
  subtract: { of: subtract, machine: (x, y) => x - y },
  multiply: { of: multiply, machine: (x, y) => Math.imul(x, y) },
  shiftLeft: { of: shiftLeft, machine: (x, y) => (y >>> 0 > 31 ? null : x << y) },
  lshr: { of: (a, b) => shiftRight(a, b, false), machine: (x, y) => (y >>> 0 > 31 ? null : x >>> y) },
  ashr: { of: (a, b) => shiftRight(a, b, true), machine: (x, y) => (y >>> 0 > 31 ? null : x >> y) },
  udiv: { of: (a, b) => divide(a, b, false), machine: (x, y) => (y === 0 ? null : Math.floor((x >>> 0) / (y >>> 0))) },
  sdiv: { of: (a, b) => divide(a, b, true), machine: (x, y) => (y === 0 ? null : Math.trunc(x / y)) },
  urem: { of: (a, b) => remainder(a, b, false), machine: (x, y) => (y === 0 ? null : (x >>> 0) % (y >>> 0)) },
  srem: { of: (a, b) => remainder(a, b, true), machine: (x, y) => (y === 0 ? null : x % y) },
  and: { of: and, machine: (x, y) => x & y },
  or: { of: or, machine: (x, y) => x | y },
  xor: { of: xor, machine: (x, y) => x ^ y },
  umin: { of: (a, b) => extremum(a, b, "min", false), machine: (x, y) => Math.min(x >>> 0, y >>> 0) },
  smax: { of: (a, b) => extremum(a, b, "max", true), machine: (x, y) => Math.max(x, y) },
  union: { of: union, machine: (x) => x },
};

test.each(Object.keys(binary))("%s of two members is a member", (name) => {
  const { of, machine } = binary[name]!;
  fc.assert(
    fc.property(member, member, (p, q) => {
      const result = machine(p.v, q.v);
      if (result !== null) expect(contains(of(p.a, q.a), result), `${p.v}, ${q.v}`).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test("small right operands, as shifts and divisors are", () => {
  const small = fc.tuple(fc.nat(12), fc.nat(12)).map(([lo, n]) => ({ a: interval(lo, lo + n), v: lo + n }));
  for (const name of ["shiftLeft", "lshr", "ashr", "udiv", "sdiv", "urem", "srem", "and", "or"]) {
    const { of, machine } = binary[name]!;
    fc.assert(
      fc.property(member, small, (p, q) => {
        const result = machine(p.v, q.v);
        if (result !== null) expect(contains(of(p.a, q.a), result), `${name} ${p.v}, ${q.v}`).toBe(true);
      }),
      { numRuns: 2000 },
    );
  }
});

test("a reading as signed or unsigned numbers keeps the members", () => {
  fc.assert(
    fc.property(member, ({ a, v }) => {
      expect(contains(a, v)).toBe(true);
      expect(asUnsigned(a).lo <= v >>> 0 && v >>> 0 <= asUnsigned(a).hi).toBe(true);
      expect(asSigned(a).lo <= v && v <= asSigned(a).hi).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test("what index arithmetic needs stays exact", () => {
  const tid = interval(0, 15);
  expect(multiply(tid, exactly(4))).toEqual(interval(0, 60, 4));
  expect(add(multiply(tid, exactly(64)), multiply(tid, exactly(4)))).toEqual(interval(0, 1020, 4));
  expect(or(multiply(tid, exactly(16)), interval(0, 15))).toEqual(interval(0, 255));
  expect(remainder(anything(), exactly(32), false)).toEqual(interval(0, 31));
  expect(and(anything(), exactly(-8))).toEqual(interval(0, 2 ** 32 - 8, 8));
  expect(subtract(tid, exactly(1))).toEqual(interval(-1, 14));
});
