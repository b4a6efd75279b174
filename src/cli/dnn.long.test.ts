/** cuDNN: random descriptors against sums in double precision, statuses, recurrent networks and dropout. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import fc from "fast-check";
import { boundOf, dnnCases, expectedOf, lineOf } from "./dnn-descriptors.test-helper.ts";
import { heddle, program } from "./heddle-process.test-helper.ts";

test.each([
  ["statuses, getters, dropout and inference by recurrent networks", "dnn-statuses.cu"],
  ["algorithms, and calls that are undefined with NVIDIA's library", "dnn-own.cu"],
  ["gradients of recurrent networks, and CTC losses", "dnn-training.cu"],
  ["attention, transforms, spatial transformers and norms", "dnn-layers.cu"],
  ["operations and operation graphs", "dnn-graph.cu"],
])("%s", (_, file) => {
  expect(heddle(["run", "-std=c++17", program(file), "-lcudnn"])).toMatchObject({ stdout: "PASSED\n", status: 0 });
});

test("random descriptors", () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-dnn-"));
  try {
    const cases = fc.sample(dnnCases, 300);
    const path = join(folder, "descriptors");
    writeFileSync(path, `${cases.map(lineOf).join("\n")}\n`);
    const { stdout, stderr } = heddle(["run", "-std=c++17", program("dnn-descriptors.cu"), "-lcudnn", "--", path]);
    expect(stderr).toBe("");
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBe(cases.length);
    const wrong = cases.flatMap((c, i) => {
      const [status, ...values] = (lines[i] ?? "").split(" ").map(Number);
      const expected = expectedOf(c);
      if (expected === null) return status === 0 ? [`${lineOf(c)}: status 0`] : [];
      const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 1);
      const error = expected.reduce((most, value, j) => {
        if (Object.is(values[j], value)) return most;
        const distance = Math.abs((values[j] ?? Number.NaN) - value);
        return Number.isNaN(distance) ? Infinity : Math.max(most, distance);
      }, 0);
      const isRight = status === 0 && values.length === expected.length && error <= boundOf(c) * largest;
      return isRight ? [] : [`${lineOf(c)}: status ${status}, ${error} of ${largest}`];
    });
    expect(wrong).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
