import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { appendResult, readResults } from "./result-file-node.ts";
import { compareResults, isComparable } from "./compare-results.ts";
import { benchPage } from "./bench-page.ts";
import { throttledBy } from "../measure/gpu-clocks.ts";
import { formatHistory } from "./report-history.ts";
import { formatLadder, plain } from "./report-table.ts";
import type { ResultRecord } from "./results.ts";
import { summarize } from "../measure/statistics.ts";

const directory = mkdtempSync(join(tmpdir(), "heddle-results-"));
afterAll(() => rmSync(directory, { recursive: true }));

const around = (ms: number, part: number): number[] =>
  Array.from({ length: 21 }, (_, i) => ms * (1 + (part * (i - 10)) / 10));

function record(ms: number, part = 0.02, host = "here"): ResultRecord {
  return {
    format: 1,
    ladder: "scale",
    summary: "y <= 2 x",
    shape: { n: 8 },
    work: { bytes: 64, operations: 8 },
    checkedShapes: 2,
    seed: 1,
    clocks: { before: null, after: null },
    surroundings: {
      time: "2026-01-02T03:04:05Z",
      heddle: "0",
      commit: "0123456789abcdef",
      dirty: false,
      machine: { host, cpu: "c", cores: 1 },
      device: { kind: "emulated", name: "A", driver: null, engine: "auto" },
    },
    versions: [
      {
        version: "1-naive",
        idea: "plain",
        source: "s",
        verdict: "ok",
        problem: null,
        configuration: { BLOCK: 64 },
        trials: [
          { configuration: { BLOCK: 64 }, medianMs: ms, problem: null },
          { configuration: { BLOCK: 32 }, medianMs: 2 * ms, problem: null },
        ],
        comparison: { elements: 8, wrong: 0, first: null, absoluteError: 0, usedTolerance: 0 },
        timings: [{ cache: "hot", ms: summarize(around(ms, part)), floorMs: 0, limitMs: ms / 2, limitedBy: "bytes" }],
      },
    ],
    rivals: [],
  };
}

test("results are added to the file, and come back", () => {
  const file = join(directory, "a/bench.jsonl");
  expect(readResults(file)).toEqual([]);
  appendResult(file, record(1));
  appendResult(file, record(2));
  expect(readResults(file)).toEqual([record(1), record(2)]);
  expect(formatHistory(readResults(file), plain)).toMatch(/1-naive slower by 100 %/);
});

test("a broken line is told by its number", () => {
  const file = join(directory, "broken.jsonl");
  writeFileSync(file, `${JSON.stringify(record(1))}\n{"format":1,`);
  expect(() => readResults(file)).toThrow(/broken\.jsonl:2 is no result/);
});

test("only a change beyond the spread is one", () => {
  const verdict = (a: ResultRecord, b: ResultRecord) => compareResults(a, b)[0]?.verdict;
  expect(verdict(record(1), record(1.01))).toBe("same");
  expect(verdict(record(1), record(1.2))).toBe("slower");
  expect(verdict(record(1.2), record(1))).toBe("faster");
  expect(verdict(record(1, 0.5), record(1.2, 0.5))).toBe("same");
  expect(isComparable(record(1), record(2))).toBe(true);
  expect(isComparable(record(1), record(2, 0.02, "elsewhere"))).toBe(false);
});

test("table and page", () => {
  expect(formatLadder(record(1), plain)).toMatch(
    /1-naive +BLOCK=64 +1\.000 ms +± 1\.0 % +0\.00006400 GB\/s +50 % +exact/,
  );
  const page = benchPage([record(1)]);
  expect(page).toContain("y &lt;= 2 x");
  expect(page).toMatch(/<svg[\s\S]*limit 500\.0 µs[\s\S]*Sweep of 1-naive: 2 configurations/);
});

test("rivals have rows, and the best version is compared with the fastest", () => {
  const one = record(1);
  const [version] = one.versions;
  const timing = {
    cache: "hot",
    ms: summarize(around(0.8, 0.02)),
    floorMs: 0,
    limitMs: 0.5,
    limitedBy: "operations",
  } as const;
  const rival = {
    rival: "C",
    description: "cc 1.2",
    verdict: "ok",
    problem: null,
    timings: [timing],
    comparison: (version as ResultRecord["versions"][number]).comparison,
  } as const;
  const absent = {
    ...rival,
    rival: "other",
    description: null,
    verdict: "absent",
    problem: "it is not there",
    timings: [],
  } as const;
  const both: ResultRecord = { ...one, work: { bytes: 64, operations: 4e9 }, rivals: [absent, rival] };
  const table = formatLadder(both, plain);
  expect(table).toMatch(/\nother +absent\nC +cc 1\.2 +800\.0 µs +± 1\.0 % +5\.000 TFLOP\/s +63 % +exact\n/);
  expect(table).toContain("1-naive has 80 % of the speed of C, the fastest rival\nother is absent: it is not there\n");
  expect(benchPage([both])).toMatch(/<td class="text">C<\/td>[\s\S]*5\.000 TFLOP\/s[\s\S]*<\/table>/);
  expect(benchPage([both])).toContain("absent: it is not there");
  expect(formatHistory([both], plain)).toMatch(/1-naive +1\.000 ms/);
});

test("what else has changed between two results is shown beside them: the driver, Heddle, throttling", () => {
  const [one, two] = [record(1), record(1)];
  const state = { smMHz: 1980, memoryMHz: 2619, temperatureC: 80, throttled: "0x8" };
  const later: ResultRecord = {
    ...two,
    surroundings: { ...two.surroundings, heddle: "1", device: { ...two.surroundings.device, driver: "580" } },
    clocks: { before: null, after: state },
  };
  expect(formatHistory([one, later], plain)).toMatch(
    /1-naive.*\n.*1-naive.* driver - → 580; heddle 0 → 1; THROTTLED\n$/,
  );
  expect(benchPage([later])).toMatch(
    /× before[\s\S]*<td[^>]*>± 1\.0 %<\/td>[\s\S]*clocks: SM \? → 1980 MHz[^\n]*throttled \(0x8\)/,
  );
});

test("how long clocks were lowered is told where the driver counts it", () => {
  const state = { smMHz: 1980, memoryMHz: 2619, temperatureC: 80, throttled: "0x4" };
  const lowered = (power: number, heat: number) => ({ ...state, loweredMs: { "power cap": power, heat } });
  expect(throttledBy({ clocks: { before: lowered(10, 2), after: lowered(35, 2) } })).toBe("power cap for 25.00 ms");
  // The reason of a moment says nothing of the time between.
  expect(throttledBy({ clocks: { before: lowered(10, 2), after: lowered(10.5, 2) } })).toBeNull();
  expect(throttledBy({ clocks: { before: lowered(10, 2), after: state } })).toBe("0x4");
});

test("lines of before there were rivals have none", () => {
  const file = join(directory, "old.jsonl");
  const { rivals: _rivals, ...old } = record(1);
  writeFileSync(file, `${JSON.stringify(old)}\n`);
  expect(readResults(file)).toEqual([record(1)]);
});
