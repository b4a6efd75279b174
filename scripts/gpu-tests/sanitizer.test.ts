/**
 * The comparison with compute-sanitizer, with stand-ins for nvcc and the tool: it says of a kernel what the stand-in
 * was told to.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseOutput, programOf, readSuites, runSanitizer, type SanitizerResults, type Suite } from "./sanitizer.mjs";
import { differences, tableOf, withTable } from "./sanitizer-table.mjs";

const folder = mkdtempSync(join(tmpdir(), "heddle-sanitizer-test-"));
const suite = async (name: string, count: number): Promise<Suite> => {
  const found = (await readSuites()).find((candidate) => candidate.name === name) as Suite;
  return { ...found, pairs: found.pairs.slice(0, count) };
};

beforeAll(() => {
  const write = (name: string, text: string): void => {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  };
  // Writes what it is given to compile beside the program.
  write("nvcc", `#!/bin/sh\nfor last; do :; done\nwhile [ "$1" != -o ]; do shift; done\ncp "$last" "$2"\n`);
  // Accuses wrong kernels at the line in WRONG, hangs at "one_too_many_wrong", is silent of "before_start_wrong",
  // accuses "no_guard_right".
  write(
    "compute-sanitizer",
    `#!/bin/sh
if [ "$1" = --version ]; then echo "NVIDIA (R) Compute Sanitizer"; echo "Version 2025.1.0"; exit; fi
for kernel; do :; done
echo "========= COMPUTE-SANITIZER"
case $kernel in
  one_too_many_wrong) sleep 60;;
  before_start_wrong) errors=0;;
  no_guard_right) errors=1;;
  *_wrong) errors=2
    echo "========= Invalid __global__ write of size 4 bytes"
    echo "=========     at $kernel+0x90 in memory.cu:$WRONG";;
  *) errors=0;;
esac
echo "@@ $kernel launch: cudaSuccess, end: cudaSuccess"
echo "========= ERROR SUMMARY: $errors errors"
`,
  );
  process.env["HEDDLE_NVCC"] = join(folder, "nvcc");
  process.env["HEDDLE_SANITIZER"] = join(folder, "compute-sanitizer");
});
afterAll(() => {
  delete process.env["HEDDLE_NVCC"];
  delete process.env["HEDDLE_SANITIZER"];
  rmSync(folder, { recursive: true });
});

describe("compute-sanitizer over the suite", () => {
  it("judges each kernel, stops one that hangs, and runs the right ones under the other tools too", async () => {
    const memory = await suite("memory.cu", 4);
    process.env["WRONG"] = String(memory.pairs[0]?.line);
    const { kernels, sanitizer } = await runSanitizer({ suites: [memory], jobs: 4, timeoutS: 1 });
    const status = Object.fromEntries(
      kernels.map(({ kernel, tool, status: text, rightLine }) => [
        `${tool} ${kernel}`,
        rightLine ? `${text}, line` : text,
      ]),
    );
    expect(status).toEqual({
      "memcheck no_guard_wrong": "found, line",
      "memcheck no_guard_right": "false",
      "memcheck one_too_many_wrong": "missed",
      "memcheck one_too_many_right": "silent",
      "memcheck before_start_wrong": "missed",
      "memcheck before_start_right": "silent",
      "memcheck stencil_wrong": "found",
      "memcheck stencil_right": "silent",
      "racecheck all right ones": "silent",
      "synccheck all right ones": "silent",
      "initcheck all right ones": "silent",
    });
    expect(sanitizer).toBe("2025.1.0");
  });

  it("says what it had no time for, and what does not compile", async () => {
    const memory = await suite("memory.cu", 1);
    expect((await runSanitizer({ suites: [memory], limitS: -1 })).kernels.map(({ status }) => status)).toEqual([
      "not run",
      "not run",
      "not run",
      "not run",
      "not run",
    ]);
    process.env["HEDDLE_NVCC"] = "/bin/false";
    expect(new Set((await runSanitizer({ suites: [memory] })).kernels.map(({ status }) => status))).toEqual(
      new Set(["does not compile"]),
    );
    process.env["HEDDLE_NVCC"] = "/nowhere/nvcc";
    await expect(runSanitizer({ suites: [memory] })).rejects.toThrow("nvcc is not here");
    process.env["HEDDLE_NVCC"] = join(folder, "nvcc");
  });

  it("the program launches every kernel of its suite, as its comment says", async () => {
    const memory = (await readSuites()).find(({ name }) => name === "memory.cu") as Suite;
    const program = programOf({ path: "/suite/memory.cu", pairs: memory.pairs });
    for (const { name } of memory.pairs)
      for (const side of ["wrong", "right"]) expect(program).toContain(`(const void *)${name}_${side}, dim3(`);
    expect(program).toContain(
      '{"no_guard_wrong", (const void *)no_guard_wrong, dim3(4, 1, 1), dim3(32, 1, 1), 0, 100, false, false, false},',
    );
  });
});

it("the forms of compute-sanitizer's reports", () => {
  expect(
    parseOutput(
      "========= Invalid __shared__ read of size 4 bytes\n=========     at k+0x10 in /x/memory.cu:12:k\n" +
        "========= ERROR SUMMARY: 3 errors\n",
      "memory.cu",
    ),
  ).toMatchObject({ errors: 3, lines: [12], told: ["Invalid __shared__ read of size 4 bytes"] });
  expect(
    parseOutput(
      "========= Error: Race reported between Write access at k+0x1 in race.cu:7\n" +
        "=========     and Read access at k+0x2 in race.cu:9\n" +
        "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n",
      "race.cu",
    ),
  ).toMatchObject({ errors: 1, lines: [7, 9] });
  expect(parseOutput("========= ERROR SUMMARY: 0 errors\n", "x.cu")).toMatchObject({ errors: 0, lines: [], told: [] });
  expect(parseOutput("segmentation fault", "x.cu").errors).toBeNull();
});

it("the table stands between its marks, with what only one of the two finds", () => {
  const row = {
    file: "memory.cu",
    kernel: "a_wrong",
    side: "wrong" as const,
    tool: "memcheck",
    expected: "out-of-bounds write",
    line: 5,
    errors: 0,
    rightLine: false,
    told: [],
    seconds: 1.5,
  };
  const theirs: SanitizerResults = {
    seconds: 3,
    kernels: [
      { ...row, status: "missed" },
      { ...row, kernel: "b_wrong", status: "found", rightLine: true },
    ],
  };
  const ours: SanitizerResults = {
    seconds: 1,
    kernels: [
      { ...row, status: "found", rightLine: true },
      { ...row, kernel: "b_wrong", status: "found" },
    ],
  };
  expect(tableOf(theirs, ours)).toContain(
    "| memcheck | 2 | 1 (1 by line) | 1 | 0 | 3.0 | 2 (1 by line) | 0 | 0 | 3.0 |",
  );
  expect(differences(theirs, ours)).toBe(
    "- `a_wrong` (memory.cu:5, out-of-bounds write): heddle check finds it, compute-sanitizer does not",
  );
  expect(() => withTable("no marks", theirs, ours)).toThrow("the text has no");
  const page = withTable(
    "before\n<!-- compute-sanitizer: begin -->\nold\n<!-- compute-sanitizer: end -->\nafter\n",
    theirs,
    ours,
  );
  expect(page).toMatch(/^before\n[\s\S]*\nafter\n$/);
  expect(page).not.toContain("old");
  const lab = new URL("../../docs/lab/2026-11-22-compute-sanitizer.md", import.meta.url);
  expect(readFileSync(lab, "utf8")).toContain("<!-- compute-sanitizer: begin -->");
});
