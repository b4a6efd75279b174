/** cuSOLVER for dense matrices: random descriptors, judged by what the factors, vectors and solutions must satisfy. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import fc from "fast-check";
import { heddle, program } from "./heddle-process.test-helper.ts";
import { solverDescriptors } from "./solver-descriptors.test-helper.ts";

test("statuses of both libraries", () => {
  expect(heddle(["run", program("matrix-statuses.cu"), "-lcusolver", "-lcusparse"])).toMatchObject({
    stdout: "PASSED\n",
    status: 0,
  });
});

test("matrices over two devices, sparse systems", () => {
  const options = ["run", "--devices", "2", program("solver-spread.cu"), "-lcusolverMg", "-lcusolver", "-lcusparse"];
  expect(heddle(options)).toMatchObject({ stdout: "PASSED\n", status: 0 });
});

test("eigenvalues of matrices that are not symmetric", () => {
  const { stdout, status } = heddle(["run", program("solver-geev.cu"), "-lcusolver"]);
  expect({ stdout, status }).toEqual({ stdout: "PASSED\n", status: 0 });
});

test("factors, eigenvalues and singular values of random matrices", () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-solver-"));
  try {
    const cases = fc.sample(solverDescriptors, 150);
    const path = join(folder, "descriptors");
    writeFileSync(path, `${cases.join("\n")}\n`);
    const { stdout, stderr } = heddle([
      "run",
      "-std=c++17",
      program("solver-descriptors.cu"),
      "-lcusolver",
      "--",
      path,
    ]);
    expect(stderr).toBe("");
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBe(cases.length);
    // in units of n eps |A|: backward stable methods stay at a few
    const wrong = cases.flatMap((c, i) => {
      const [status, info, error] = (lines[i] ?? "").split(" ").map(Number);
      return status === 0 && info === 0 && error !== undefined && error <= 10 ? [] : [`${c}: ${lines[i]}`];
    });
    expect(wrong).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
