import { expect, test } from "vitest";
import { wavefrontsOf } from "./warp-counts.ts";

const all = (addressOf: (lane: number) => number): number[] => Array.from({ length: 32 }, (_, lane) => addressOf(lane));
const ALL = -1;

test("loads of 16 bytes by lanes in pairs with one address are served for half a warp at a time", () => {
  const broadcast = { lanes: ALL, addresses: all(() => 0), bytes: 16 };
  expect(wavefrontsOf({ ...broadcast, isLoad: true })).toBe(2);
  // Stores are not.
  expect(wavefrontsOf(broadcast)).toBe(4);
  const halves = { lanes: ALL, addresses: all((lane) => 16 * (lane >> 4)), bytes: 16, isLoad: true };
  expect(wavefrontsOf(halves)).toBe(2);
  const neighbours = { lanes: ALL, addresses: all((lane) => 16 * (lane >> 1)), bytes: 16, isLoad: true };
  expect(wavefrontsOf(neighbours)).toBe(2);
  const byTwo = {
    lanes: ALL,
    addresses: all((lane) => 16 * (((lane >> 2) << 1) | (lane & 1))),
    bytes: 16,
    isLoad: true,
  };
  expect(wavefrontsOf(byTwo)).toBe(2);
  // Sixteen different addresses in each half: what nvcc's code of src/profile/suite/matmul-naive.cu loads as b.
  const different = { lanes: ALL, addresses: all((lane) => 16 * (lane % 16)), bytes: 16, isLoad: true };
  expect(wavefrontsOf(different)).toBe(4);
});

test("loads of 8 bytes by lanes in pairs with one address are served for the whole warp", () => {
  const pairs = { lanes: ALL, addresses: all((lane) => 8 * (lane >> 1)), bytes: 8, isLoad: true };
  expect(wavefrontsOf(pairs)).toBe(1);
  expect(wavefrontsOf({ ...pairs, addresses: all((lane) => 8 * lane) })).toBe(2);
});

test("lanes that take no part part no pair", () => {
  expect(wavefrontsOf({ lanes: 1, addresses: all((lane) => 16 * lane), bytes: 16, isLoad: true })).toBe(1);
  expect(wavefrontsOf({ lanes: 0x101, addresses: all((lane) => 2 * lane), bytes: 16, isLoad: true })).toBe(1);
});
