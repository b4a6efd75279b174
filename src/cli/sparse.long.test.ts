/** cuSPARSE: random descriptors beside plain sums, and the statuses that the documentation names. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import fc from "fast-check";
import { heddle, program } from "./heddle-process.test-helper.ts";
import { faultOf, lineOf, sparseCases } from "./sparse-descriptors.test-helper.ts";

test("operations of random descriptors", () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-sparse-"));
  try {
    const cases = fc.sample(sparseCases, 400);
    const path = join(folder, "descriptors");
    writeFileSync(path, `${cases.map(lineOf).join("\n")}\n`);
    const { stdout, stderr } = heddle(["run", program("sparse-descriptors.cu"), path]);
    expect(stderr).toBe("");
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBe(cases.length);
    const wrong = cases.flatMap((c, i) => {
      const fault = faultOf(c, lines[i] ?? "");
      return fault === null ? [] : [`${lineOf(c)}: ${fault}`];
    });
    expect(wrong).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
