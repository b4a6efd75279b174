/** cuSPARSE: random descriptors beside plain sums, and the statuses that the documentation names. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import fc from "fast-check";
import { heddle, program } from "./heddle-process.test-helper.ts";
import { type BlocksCase, blocksCases, lineOf as blocksLine } from "./blocks-descriptors.test-helper.ts";
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

/** SpMV, SpMM and SDDMM: what NVIDIA's library refuses, and cases beside it. */
const REFUSED: readonly SparseCase[] = [
  { op: "spmv", format: 6, density: 100 },
  { op: "spmv", format: 6, density: 100, block: 2, rows: 2, cols: 2 },
  { op: "spmm", format: 1, type: 2, opB: 2 },
  { op: "spmm", format: 1, type: 2, opB: 2, n: 2 },
  { op: "sddmm", format: 6, n: 4 },
  { op: "sddmm", format: 6, n: 6, block: 3, rows: 3, cols: 3 },
  { op: "sddmm", format: 6, n: 6, block: 4, rows: 4, cols: 4 },
  { op: "sddmm", format: 6, n: 8, block: 4, rows: 4, cols: 4 },
].map((c) => ({ ...(WITHOUT_ENTRIES[0] as SparseCase), density: 100, ...(c as Partial<SparseCase>) }));

const BLOCKS: BlocksCase = {
  op: "",
  type: 0,
  base: 1,
  baseC: 1,
  dir: 0,
  trans: 0,
  transXY: 0,
  mb: 3,
  nb: 3,
  n: 2,
  height: 2,
  width: 2,
  heightC: 3,
  widthC: 3,
  density: 0,
  seed: 1,
  fill: 0,
  unit: 0,
  device: 0,
  percent: 50,
  zero: 0,
  boost: 0,
};
/** Matrices without a block, systems without a block on a unit diagonal, colours that count from 1. */
const WITHOUT_BLOCKS: readonly BlocksCase[] = [
  ...["gebsr2gebsc", "gebsr2csr", "Xgebsr2csr", "gebsr2gebsr", "csru", "prunec%", "prunec", "compress"].map((op) => ({
    op,
  })),
  ...["bsrsv2", "bsrsm2", "bsrilu02", "bsric02"].map((op) => ({ op, mb: 1, nb: 1, zero: 1 })),
  ...["bsrsv2", "bsrsm2"].flatMap((op) => [1, 2].map((seed) => ({ op, seed, unit: 1, zero: 1 }))),
  { op: "color", mb: 30, density: 10, unit: 1 },
].map((c) => ({ ...BLOCKS, ...c }));

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
  const cases = [...fc.sample(sparseCases, { numRuns: 400, seed: 1 }), ...WITHOUT_ENTRIES, ...REFUSED];
  checkLines("sparse-descriptors.cu", cases, lineOf, faultOf);
});

test("functions for blocks of random descriptors", () => {
  const cases = [...fc.sample(blocksCases, { numRuns: 800, seed: 20 }), ...WITHOUT_BLOCKS];
  checkLines("blocks-descriptors.cu", cases, blocksLine, blocksFault);
});

test("statuses of functions for blocks", () => {
  const { stdout, status } = heddle(["run", program("blocks-statuses.cu"), "--", "misuse"]);
  expect({ stdout, status }).toEqual({ stdout: "PASSED\n", status: 0 });
});

test("products with operations of the program's own", () => {
  const { stdout, status } = heddle(["run", program("sparse-operators.cu")]);
  expect({ stdout, status }).toEqual({ stdout: "PASSED\n", status: 0 });
});
