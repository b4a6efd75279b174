/**
 * What the forms of a report hold: text, SARIF (against the standard's schema), annotations, and what suppressions take
 * out of them.
 */
import { createRequire } from "node:module";
import Ajv from "ajv";
import type { Log } from "sarif";
import { describe, expect, it } from "vitest";
import { dim3 } from "../base/dim3.ts";
import type { Finding } from "./finding.ts";
import { formatAnnotations } from "./report-annotations.ts";
import { formatSarif } from "./report-sarif.ts";
import { formatFindings } from "./report-text.ts";
import { parseSuppressions, suppressionOf } from "./suppressions.ts";

const launch = {
  kernel: "k",
  grid: dim3(2),
  block: dim3(64),
  sharedBytes: 0,
  ordinal: 1,
  location: { file: "./main.cu", line: 30, column: 3 },
};
const outside: Finding = {
  checker: "memcheck",
  kind: "out-of-bounds",
  title: "out of bounds",
  message: "read of 4 bytes",
  location: { file: "./src/a b.cu", line: 9, column: 12, functionName: "shift" },
  function: "shift",
  count: 10_000,
  example: { block: { x: 0, y: 0, z: 0 }, thread: { x: 63, y: 0, z: 0 } },
  launch,
  help: "compare the index",
  details: { address: 16 },
  notes: [
    { text: "0 bytes past the end, of 100%" },
    {
      text: "the allocation was made here",
      location: { file: "./main.cu", line: 12, column: 3, functionName: "main" },
    },
  ],
};
const unlooked: Finding = {
  ...outside,
  checker: "api",
  kind: "wrong-direction",
  level: "warning",
  title: "wrong copy direction",
  count: 1,
  location: null,
  function: null,
  example: null,
  launch: null,
  notes: [],
};
const inlined: Finding = {
  ...outside,
  location: {
    file: "/heddle/include/x.h",
    line: 1,
    column: 1,
    functionName: "helper",
    inlinedAt: { file: "./lib/reduce.cuh", line: 40, column: 1, functionName: "_Z6reduceIfEvPT_" },
  },
};

const readable = (name: string): string => (name === "_Z6reduceIfEvPT_" ? "reduce<float>(float*)" : name);
const pathOf = (file: string): string => file.replace(/^\.\//, "");
const style = {
  color: false,
  linesOf: (file: string) =>
    file === "./src/a b.cu" ? [...Array.from({ length: 8 }, () => ""), "\tx = tile[i + n];"] : null,
  readable,
};

describe("text", () => {
  it("is one report for a fault of many threads, with the line, the launch and the allocation", () => {
    expect(formatFindings([outside], style)).toBe(
      [
        "memcheck: out of bounds: read of 4 bytes",
        "  --> ./src/a b.cu:9:12, in shift",
        "   |",
        "9  | \tx = tile[i + n];",
        "   | \t          ^",
        "   by thread (63, 0, 0) of block (0, 0, 0), and 9999 more",
        "   0 bytes past the end, of 100%",
        "   the allocation was made here",
        "  --> ./main.cu:12:3",
        "   launch 1: k<<<(2, 1, 1), (64, 1, 1)>>>, at ./main.cu:30:3",
        "   help: compare the index",
        "",
      ].join("\n"),
    );
  });

  it("stops at a limit and says how many more there are", () => {
    const text = formatFindings([outside, unlooked, outside], style, 1);
    expect(text.match(/^memcheck:/gm)).toHaveLength(1);
    expect(text).toMatch(/\nand 2 more\n$/);
  });

  it("is coloured only where that is asked for", () => {
    expect(formatFindings([outside, unlooked], style)).not.toContain("\u001b");
    expect(formatFindings([outside, unlooked], { ...style, color: true })).toContain("\u001b[1;31mmemcheck");
  });
});

describe("SARIF", () => {
  const text = formatSarif(
    [outside, unlooked, outside],
    [
      { bytes: 64, count: 2, location: { file: "./main.cu", line: 5, column: 1 } },
      { bytes: 4, count: 1, location: null },
    ],
    { version: "1.2.3", pathOf, root: "file:///repo/", readable },
  );
  const log = JSON.parse(text) as Log;

  it("is valid by the schema of the standard", () => {
    const require = createRequire(import.meta.url);
    const ajv = new Ajv({ schemaId: "id", meta: false, unknownFormats: ["uri-reference"] });
    ajv.addMetaSchema(require("ajv/lib/refs/json-schema-draft-04.json") as object);
    const validate = ajv.compile(require("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json") as object);
    expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...log, version: "2.0.0" })).toBe(false);
    expect(validate({ ...log, runs: [{ results: [] }] })).toBe(false);
  });

  it("has a rule for each kind, with help, and places with what belongs to them", () => {
    const run = log.runs[0];
    expect(
      run?.tool.driver.rules?.map(({ id, help, defaultConfiguration }) => [
        id,
        help?.text,
        defaultConfiguration?.level,
      ]),
    ).toEqual([
      ["memcheck/out-of-bounds", "compare the index", "error"],
      ["api/wrong-direction", "compare the index", "warning"],
      ["api/leak", expect.any(String), "note"],
    ]);
    expect(run?.results?.map(({ ruleIndex, level, occurrenceCount }) => [ruleIndex, level, occurrenceCount])).toEqual([
      [0, "error", 10_000],
      [1, "warning", 1],
      [0, "error", 10_000],
      [2, "note", 2],
      [2, "note", 1],
    ]);
    expect(run?.results?.[0]).toMatchObject({
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "src/a%20b.cu", uriBaseId: "%SRCROOT%" },
            region: { startLine: 9, startColumn: 12 },
          },
          logicalLocations: [{ fullyQualifiedName: "shift" }],
        },
      ],
      relatedLocations: [
        {
          id: 0,
          message: { text: "the allocation was made here" },
          physicalLocation: { artifactLocation: { uri: "main.cu" }, region: { startLine: 12 } },
        },
        { id: 1, message: { text: "launched here" }, physicalLocation: { region: { startLine: 30 } } },
      ],
    });
  });
});

describe("annotations of GitHub Actions", () => {
  it("are commands of one line, with what is special escaped", () => {
    const [first, second, ...rest] = formatAnnotations([outside, { ...unlooked, title: "a: b, c" }], {
      pathOf,
      readable,
    }).split("\n");
    expect(first).toBe(
      "::error file=src/a b.cu,line=9,col=12,title=memcheck%3A out of bounds::read of 4 bytes, " +
        "by thread (63, 0, 0) of block (0, 0, 0), and 9999 more%0A0 bytes past the end, of " +
        "100%25%0Athe allocation was made here: ./main.cu:12:3%0Alaunch 1: k<<<(2, 1, 1), (64, " +
        "1, 1)>>>%0Ahelp: compare the index",
    );
    expect(second).toBe("::warning title=api%3A a%3A b%2C c::read of 4 bytes%0Ahelp: compare the index");
    expect(rest).toEqual([""]);
  });
});

describe("suppressions", () => {
  const takes = (entry: string, finding: Finding): boolean =>
    suppressionOf(finding, parseSuppressions(entry, "s.txt"), readable) !== null;

  it.each([
    ["memcheck out-of-bounds", true],
    ["memcheck *", true],
    ["* out-of-*", true],
    ["racecheck *", false],
    ["memcheck out", false],
    ["memcheck * in shift", true],
    ["memcheck * in sh*", true],
    ["memcheck * in other", false],
    ["memcheck * at src/*.cu", true],
    ["memcheck * at a b.cu:9", true],
    ["memcheck * at ./src/a b.cu:9", true],
    ["memcheck * at *.cu:10", false],
    ["memcheck * at b.cu", false],
    ["memcheck * in shift at src/*:9   # the caller pads", true],
    ["memcheck * in other at src/*:9", false],
  ])("%s: %s", (entry, expected) => expect(takes(entry, outside)).toBe(expected));

  it("see through code that was inlined, and names of templates", () => {
    for (const entry of [
      "memcheck * at lib/reduce.cuh:40",
      "memcheck * in reduce at *reduce.cuh",
      "memcheck * in reduce<float>",
      "memcheck * in helper",
    ])
      expect(takes(entry, inlined), entry).toBe(true);
    expect(takes("memcheck * in helper at lib/reduce.cuh:40", inlined)).toBe(false);
    expect(takes("api * in shift", unlooked)).toBe(false);
    expect(takes("api wrong-direction", unlooked)).toBe(true);
  });

  it("keep why they are there, and their line", () => {
    expect(parseSuppressions("# about\n\nmemcheck * # why # not\napi leak", "s.txt")).toMatchObject([
      { text: "memcheck *", why: "why # not", line: 3 },
      { text: "api leak", why: null, line: 4 },
    ]);
  });

  it("that say nothing are an error with a place", () => {
    expect(() => parseSuppressions("\nmemcheck", "s.txt")).toThrowError(
      expect.objectContaining({ code: "bad-arguments", location: { file: "s.txt", line: 2, column: 1 } }),
    );
  });
});
