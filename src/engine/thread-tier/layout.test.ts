/** Records in memory: every field is a word of its own, and the record holds them all. */
import { expect, test } from "vitest";
import { BLOCK_BYTES, BLOCK_RECORD, SUMMARY, SUMMARY_BYTES } from "./layout.ts";

test.each([
  ["a block's", BLOCK_RECORD, BLOCK_BYTES],
  ["a run's", SUMMARY, SUMMARY_BYTES],
] as const)("%s record", (_, record, bytes) => {
  const offsets = Object.values(record);
  expect(offsets.filter((offset) => offset % 4 !== 0)).toEqual([]);
  expect(new Set(offsets).size).toBe(offsets.length);
  expect(Math.max(...offsets) + 4).toBeLessThanOrEqual(bytes);
});
