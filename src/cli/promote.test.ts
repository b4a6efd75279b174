import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readWinners } from "../kernel-library/winner-file-node.ts";
import type { ResultRecord } from "../bench/results.ts";
import { summarize } from "../measure/statistics.ts";
import { promote } from "./promote.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-promote-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A run of versions, with the milliseconds that each took. */
function run(versions: Readonly<Record<string, number>>): ResultRecord {
  return {
    ladder: "scale",
    shape: { n: 8 },
    surroundings: { time: "2026-01-02T03:04:05Z", device: { kind: "cuda", name: "H200" } },
    versions: Object.entries(versions).map(([version, ms]) => ({
      version,
      source: "s",
      verdict: "ok",
      configuration: {},
      timings: [{ cache: "cold", ms: summarize([ms]), floorMs: 0, limitMs: 1, limitedBy: "bytes" }],
    })),
  } as unknown as ResultRecord;
}

const promoted = () => readWinners(folder).map(({ version, medianMs }) => `${version} ${medianMs}`);

test("a run of some versions does not put a slower one in a faster one's place, a run of all does", () => {
  expect(promote(folder, run({ "1-naive": 4, "2-shared": 2, "3-registers": 1 }))).toMatch(/3-registers is promoted/);
  expect(promote(folder, run({ "2-shared": 2 }))).toMatch(
    /3-registers stays, which is faster than 2-shared and was not in this run/,
  );
  expect(promoted()).toEqual(["3-registers 1"]);
  expect(promote(folder, run({ "4-ahead": 0.5 }))).toMatch(/4-ahead is promoted/);
  // On another day it takes longer.
  expect(promote(folder, run({ "4-ahead": 0.9 }))).toMatch(/4-ahead is promoted/);
  expect(promote(folder, run({ "3-registers": 1, "4-ahead": 1.1 }))).toMatch(/3-registers is promoted/);
  expect(promoted()).toEqual(["3-registers 1"]);
});
