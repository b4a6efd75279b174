/** What is underlined, from the texts that people read elsewhere. */
import { describe, expect, it } from "vitest";
import type { Finding } from "../../check/finding.ts";
import { compilerProblems, faultProblems, findingProblem } from "./problems.ts";

describe("the compiler's report", () => {
  const REPORT = `./a.cu:3:12: error: use of undeclared identifier 'y'
    3 | int main() { y = 1; }
      |              ^
In file included from a.cu:1:
a.h:2:7: warning: 'f' is deprecated
a.h:1:1: note: declared here
./a.cu:3:12: error: use of undeclared identifier 'y'
1 error generated when compiling for sm_80.
`;

  it("has a problem for each error and warning, once, with its notes", () => {
    expect(compilerProblems(REPORT)).toEqual([
      {
        severity: "error",
        source: "compiler",
        place: { file: "a.cu", line: 3, column: 12 },
        title: "use of undeclared identifier 'y'",
        details: ["In file included from a.cu:1:"],
        related: [],
      },
      {
        severity: "warning",
        source: "compiler",
        place: { file: "a.h", line: 2, column: 7 },
        title: "'f' is deprecated",
        details: [],
        related: [{ text: "declared here", place: { file: "a.h", line: 1, column: 1 } }],
      },
    ]);
  });

  it("without places has none", () => {
    expect(compilerProblems("wasm-ld: error: undefined symbol: f\n")).toEqual([]);
  });
});

it("a race has both accesses", () => {
  const finding: Finding = {
    checker: "racecheck",
    kind: "read-after-write",
    title: "race: read after write",
    message: "read of 4 bytes",
    location: { file: "./sum.cu", line: 24, column: 30 },
    function: "_Z3sumPf",
    count: 3,
    example: { block: { x: 0, y: 0, z: 0 }, thread: { x: 32, y: 0, z: 0 } },
    notes: [
      { text: "races with the write", location: { file: "./sum.cu", line: 24, column: 27 } },
      { text: "no order" },
    ],
    help: "put __syncthreads() between",
    launch: null,
    details: {},
  };
  expect(findingProblem(finding)).toEqual({
    severity: "error",
    source: "racecheck",
    place: { file: "sum.cu", line: 24, column: 30 },
    title: "race: read after write: read of 4 bytes",
    details: [
      expect.stringContaining("A race: two threads"),
      "by thread (32, 0, 0) of block (0, 0, 0), and 2 more",
      "races with the write",
      "no order",
      "To fix it: put __syncthreads() between",
    ],
    related: [{ text: "races with the write", place: { file: "sum.cu", line: 24, column: 27 } }],
  });
  // Between two streams: the details name the other launch by a text.
  const launch = { kernel: "_Z3sumPf", ordinal: 2, grid: { x: 1, y: 1, z: 1 }, block: { x: 32, y: 1, z: 1 } };
  const details = { address: 256, between: "streams", other: "launch 1 of sum" };
  const problem = findingProblem({ ...finding, launch: launch as unknown as Finding["launch"], details });
  expect(problem.race).toBe(undefined);
  expect(problem.details).toContain("in launch 2 of sum");
});

it("a kernel's fault has its line, and the lines where threads wait", () => {
  const stderr = `before
heddle: kernel lopsided failed: 64 threads wait and none of them can ever go on
  at ./deadlock.cu:8:3, in lopsided
  by thread (32, 0, 0) of block (0, 0, 0)
  32 threads, such as (0, 0, 0), wait for a value in memory that no one writes at ./deadlock.cu:6:12
after
`;
  expect(faultProblems(stderr)).toEqual([
    {
      severity: "error",
      source: "kernel",
      place: { file: "deadlock.cu", line: 8, column: 3 },
      title: "kernel lopsided failed: 64 threads wait and none of them can ever go on",
      details: [
        "by thread (32, 0, 0) of block (0, 0, 0)",
        "32 threads, such as (0, 0, 0), wait for a value in memory that no one writes at ./deadlock.cu:6:12",
      ],
      related: [
        {
          text: "32 threads, such as (0, 0, 0), wait for a value in memory that no one writes",
          place: { file: "deadlock.cu", line: 6, column: 12 },
        },
      ],
    },
  ]);
  expect(faultProblems("all is well\n")).toEqual([]);
});
