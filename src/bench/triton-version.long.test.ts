/** Ladders with Triton versions. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { heddle } from "../cli/heddle-process.test-helper.ts";

it("a Triton version is checked and timed beside a CUDA version, and a wrong one is found", () => {
  const { status, stdout } = heddle(["bench", "examples/row-sums", "--no-keep"]);
  expect(status).toBe(0);
  expect(stdout).toMatch(/1-block-a-row +BLOCK=/);
  expect(stdout).toMatch(/2-triton +TILE=\d+ WARPS=\d+ +[\d.]+ [µm]s/);

  const folder = mkdtempSync(join(tmpdir(), "heddle-ladder-"));
  try {
    cpSync("examples/row-sums", folder, { recursive: true });
    const file = join(folder, "2-triton.py");
    writeFileSync(file, readFileSync(file, "utf8").replace("column < columns", "column < columns - 1"));
    const wrong = heddle(["bench", folder, "--check", "--no-keep"]);
    expect(wrong.status).not.toBe(0);
    expect(wrong.stdout).toMatch(/2-triton/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
