/** cuSPARSE: random descriptors beside plain sums, and the statuses that the documentation names. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import fc from "fast-check";
import { heddle, program } from "./heddle-process.test-helper.ts";
import { blocksCases, lineOf as blocksLine } from "./blocks-descriptors.test-helper.ts";
import { faultOf as blocksFault } from "./blocks-expected.test-helper.ts";
import { faultOf, lineOf, type SparseCase, sparseCases } from "./sparse-descriptors.test-helper.ts";

/** Matrices of blocked ELL without a block, times one column: their arrays have no elements. */
const WITHOUT_ENTRIES: readonly SparseCase[] = [1, 2, 3, 4, 5, 6].map((seed) => ({
  op: "spmm",
  format: 5,
  type: 0,
  is64: 0,
  base: 0,
  opA: 0,
  opB: 0,
  orderB: 1,
  orderC: 1,
  rows: 1,
  cols: 1,
  n: 1,
  density: 5,
  seed,
  block: 1,
  fill: 0,
  unit: 0,
}));

/** A line of the program for each case. */
function checkLines<Case>(
  name: string,
  cases: readonly Case[],
  line: (c: Case) => string,
  fault: (c: Case, found: string) => string | null,
): void {
  const folder = mkdtempSync(join(tmpdir(), "heddle-sparse-"));
  try {
    const path = join(folder, "descriptors");
    writeFileSync(path, `${cases.map(line).join("\n")}\n`);
    const { stdout, stderr } = heddle(["run", program(name), path]);
    expect(stderr).toBe("");
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBe(cases.length);
    const wrong = cases.flatMap((c, i) => {
      const found = fault(c, lines[i] ?? "");
      return found === null ? [] : [`${line(c)}: ${found}`];
    });
    expect(wrong).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("operations of random descriptors", () => {
  const cases = [...fc.sample(sparseCases, { numRuns: 400, seed: 1 }), ...WITHOUT_ENTRIES];
  checkLines("sparse-descriptors.cu", cases, lineOf, faultOf);
});

test("functions for blocks of random descriptors", () => {
  const cases = fc.sample(blocksCases, { numRuns: 800, seed: 20 });
  checkLines("blocks-descriptors.cu", cases, blocksLine, blocksFault);
});

test("statuses of functions for blocks", () => {
  const { stdout, status } = heddle(["run", program("blocks-statuses.cu")]);
  expect({ stdout, status }).toEqual({ stdout: "PASSED\n", status: 0 });
});

test("products with operations of the program's own", () => {
  const { stdout, status } = heddle(["run", program("sparse-operators.cu")]);
  expect({ stdout, status }).toEqual({ stdout: "PASSED\n", status: 0 });
});
