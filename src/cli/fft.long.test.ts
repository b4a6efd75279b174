/** cuFFT: random descriptors beside sums in double precision, and the statuses that the documentation names. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import fc from "fast-check";
import { fftDescriptors, mixedRows, wholeRows } from "./fft-descriptors.test-helper.ts";
import { heddle, program } from "./heddle-process.test-helper.ts";

test("transforms of random descriptors", () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-fft-"));
  try {
    const cases = [...fc.sample(fftDescriptors, 60), ...wholeRows, ...mixedRows];
    const path = join(folder, "descriptors");
    writeFileSync(path, `${cases.join("\n")}\n`);
    const { stdout, stderr } = heddle(["run", program("fft-descriptors.cu"), path]);
    expect(stderr).toBe("");
    const lines = stdout.trim().split("\n");
    expect(lines.length).toBe(cases.length);
    const wrong = cases.flatMap((descriptor, i) => {
      const [made, ran, error] = (lines[i] ?? "").split(" ").map(Number);
      // Each pass rounds: 2^-24 or 2^-53, times the square root of the number of passes and what roots add.
      const allowed = /Z/.test(descriptor) ? 2e-15 : 1e-6;
      return made === 0 && ran === 0 && error !== undefined && error <= allowed ? [] : [`${descriptor}: ${lines[i]}`];
    });
    expect(wrong).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("statuses, work areas, streams and the extended API", () => {
  expect(heddle(["run", program("fft-statuses.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 });
});

test("data on two devices", () => {
  const { stdout, status } = heddle(["run", "--devices", "2", program("fft-spread.cu"), "-lcufft"]);
  expect({ stdout, status }).toEqual({ stdout: "PASSED\n", status: 0 });
});

test("callbacks", () => {
  expect(heddle(["run", program("fft-callbacks.cu"), "-lcufft"])).toMatchObject({ stdout: "PASSED\n", status: 0 });
});
