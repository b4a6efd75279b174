import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findMistake } from "./check.mjs";
import { Contestant } from "./contestant.mjs";
import { engineCommand } from "./engines.mjs";
import { measureInTurns } from "./measure.mjs";
import { parseOptions } from "./options.mjs";
import { formatPlan, writePlan } from "./plan.mjs";
import { asMarkdown, asText, growthTable, mainTable, rate, replaceBetween, workersTable } from "./report.mjs";
import { blockCount, GROWTH, makeCase, ROWS } from "./rows.mjs";
import { geometricMean, median, quantile, summary } from "./statistics.mjs";

describe("statistics", () => {
  it("finds quantiles between values", () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantile([4, 1, 3, 2], 0)).toBe(1);
    expect(quantile([4, 1, 3, 2], 1)).toBe(4);
    expect(median([7])).toBe(7);
    expect(() => median([])).toThrow("no values");
  });
  it("gives half the distance of the quartiles as the spread", () => {
    expect(summary([8, 9, 10, 11, 12])).toEqual({
      median: 10,
      q1: 9,
      q3: 11,
      min: 8,
      max: 12,
      spread: 0.1,
      samples: 5,
    });
  });
  it("finds the geometric mean", () => {
    expect(geometricMean([1, 4, 16])).toBeCloseTo(4);
  });
});

describe("checks", () => {
  it("allows floats their tolerance and integers nothing", () => {
    expect(findMistake("y", Float32Array.of(1, 2), { values: [1, 2.001], relative: 1e-3 })).toBeNull();
    expect(findMistake("y", Float32Array.of(1, NaN), { values: [1, 2], relative: 1 })).toMatch(
      "y[1] is NaN instead of 2; 1 of 2",
    );
    expect(findMistake("n", Int32Array.of(1, 2), { values: [1, 3] })).toMatch("n[1] is 2 instead of 3");
    expect(findMistake("n", Int32Array.of(1), { values: [1, 3] })).toMatch("1 values instead of 2");
  });
  it("allows a part to differ where that is said", () => {
    expect(findMistake("n", Int32Array.of(1, 2, 3, 5), { values: [1, 2, 3, 4], differing: 0.25 })).toBeNull();
    expect(findMistake("n", Int32Array.of(1, 2, 4, 5), { values: [1, 2, 3, 4], differing: 0.25 })).toMatch("2 of 4");
  });
});

describe("plans", () => {
  it("are text that C reads easily", () => {
    const launch = { kernel: "scale<4>", grid: [3, 2], block: [32, 8], args: [{ int: 5 }, { float: 0.5 }, "x"] };
    expect(
      formatPlan(
        [
          { name: "n", restored: false, file: "/a b/n" },
          { name: "x", restored: true, file: "/x" },
        ],
        [launch],
      ),
    ).toBe("buffer n 0 /a b/n\nbuffer x 1 /x\nlaunch scale 96 16 1 32 8 1\nint 5\nfloat 0.5\nat 1\n");
    expect(() => formatPlan([], [launch])).toThrow("there is no buffer x");
  });
});

describe("options", () => {
  it("choose rows, in the table's order", () => {
    expect(parseOptions(["--only", "hash,saxpy"]).rows.map(({ name }) => name)).toEqual(["saxpy", "hash"]);
    expect(parseOptions([])).toMatchObject({ rows: ROWS, samples: 15, rivals: true, extras: true });
  });
  it.each([
    [["--only", "sax"], "no row is called sax; there are saxpy"],
    [["--samples", "0"], "--samples must be a whole number"],
    [["--markdown", "--no-rivals"], "--markdown writes what a full run"],
    [["--sample", "3"], "--sample"],
    [["--engine", "none"], "--engine must be one of auto, warp"],
  ])("%j is refused", (args, message) => {
    expect(() => parseOptions(args)).toThrow(message);
  });
});

describe("tables", () => {
  const of = (ms, tier = "") => ({ median: ms, spread: 0.02, tier });
  const report = {
    engines: ["Node.js 24", "Node.js 20"],
    rivals: ["PoCL", "clang"],
    rows: [
      {
        title: "copy",
        unit: "GB/s",
        work: 2e9,
        target: 2,
        results: {
          "Node.js 24": of(100, "warp"),
          "Node.js 20": of(200),
          PoCL: of(400),
          clang: of(50),
          "two workers": of(60),
        },
      },
      {
        title: "count",
        unit: "Mitems/s",
        work: 1e6,
        target: 1,
        results: { "Node.js 24": of(10, "thread"), PoCL: of(2.5) },
      },
    ],
    growth: [
      {
        title: "copy",
        sizes: [
          { blocks: 10, ms: of(1) },
          { blocks: 640, ms: of(80) },
        ],
      },
    ],
  };
  it("show speeds, ratios and what is met", () => {
    expect(rate(report.rows[0], 100)).toBe(20);
    expect(rate(report.rows[1], 10)).toBe(100);
    expect(asText(mainTable(report))).toBe(
      [
        "kernel              unit  Node.js 24      ±    tier  PoCL   ratio  target  met  clang  Node.js 20   ratio",
        "copy                GB/s        20.0  2.0 %    warp  5.00  4.00 ×     2 ×  yes   40.0        10.0  2.00 ×",
        "count           Mitems/s         100  2.0 %  thread   400  0.25 ×     1 ×   NO",
        "geometric mean                                             1.00 ×     4 ×   NO                     2.00 ×",
      ].join("\n"),
    );
    expect(workersTable(report)[1]).toEqual(["copy", "GB/s", "20.0", "33.3", "1.67 ×", "1.7 ×", "NO"]);
    expect(growthTable(report).slice(1)).toEqual([
      ["copy", "10", "1.00", "100", "", "", ""],
      ["copy", "640", "80.0", "125", "+25 %", "+10 %", "NO"],
    ]);
  });
  it("go between markers of a document", () => {
    const text = replaceBetween(
      "a\n<!-- x -->\nold\n<!-- /x -->\nb\n",
      "x",
      asMarkdown([
        ["k", "v"],
        ["a", "1"],
      ]),
    );
    expect(text).toBe("a\n<!-- x -->\n| k | v |\n| --- | ---: |\n| a | 1 |\n<!-- /x -->\nb\n");
    expect(() => replaceBetween("", "x", "")).toThrow("no markers");
  });
});

describe("rows", () => {
  it("have names of their own and grow 64-fold", () => {
    expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length);
    for (const { kernel, sizes } of GROWTH) {
      const [first, last] = [sizes[0], sizes.at(-1)].map((size) => blockCount(makeCase({ kernel, size })));
      expect(last).toBe(64 * first);
    }
  });
});

describe("Heddle as a contestant", () => {
  let folder;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "heddle-bench-test-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const engine = {
    path: process.execPath,
    dist: resolve(import.meta.dirname, "../../dist"),
    workers: 1,
    engine: "auto",
  };

  it("is checked and timed", async () => {
    const { kernel } = ROWS.find(({ name }) => name === "saxpy");
    const case_ = kernel.make(kernel.tiny);
    writePlan(folder, case_);
    const contestant = await Contestant.start(engineCommand(engine, kernel, folder));
    expect(contestant.description).toBe("warp");
    const entry = { contestant, case_, expected: case_.expected(), label: "saxpy" };
    expect(await measureInTurns([entry], 2)).toMatchObject([{ samples: 2 }]);
    const wrong = { y: { values: new Float64Array(1000) } };
    await expect(measureInTurns([{ ...entry, expected: wrong }], 2)).rejects.toThrow("saxpy: y[0] is");
    await contestant.close();
  });
  it("says why it cannot start", async () => {
    const { kernel } = ROWS.find(({ name }) => name === "hash");
    await expect(Contestant.start(engineCommand(engine, { ...kernel, cuda: "hash/none.cu" }, folder))).rejects.toThrow(
      /ended with code 1: .*none\.cu/s,
    );
  });
});
