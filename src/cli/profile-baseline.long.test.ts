/** `heddle profile --baseline` of a program that has been repaired. Needs dist/ (npm test builds it first). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { ProfileComparison } from "../profile/compare/compare-profiles.ts";
import { heddle } from "./heddle-process.test-helper.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-baseline-"));
afterAll(() => rmSync(folder, { recursive: true }));

const FLAWED = "y[threadIdx.x * 32] = x[threadIdx.x];";
const source = (body: string): string => `#include <cstdio>
__global__ void move(float* y, const float* x) { // moves
  ${body}
}
__global__ void other(float* y) { y[threadIdx.x] = 1; }
int main() {
  float *x, *y;
  cudaMalloc(&x, 4096);
  cudaMalloc(&y, 4096);
  cudaMemset(x, 0, 4096);
  move<<<1, 32>>>(y, x);
  other<<<1, 32>>>(y);
  printf("%d\\n", (int)cudaDeviceSynchronize());
}
`;

test("what got better, by kernel and line, as text and as JSON", () => {
  const run = (...args: string[]): ReturnType<typeof heddle> => heddle(["profile", ...args], { cwd: folder });
  writeFileSync(join(folder, "move.cu"), source(FLAWED));
  expect(run("--json=old.json", "move.cu")).toMatchObject({ status: 0, stderr: "" });
  writeFileSync(join(folder, "move.cu"), source(`// neighbours\n  ${FLAWED.replace(" * 32", "")}`));
  const { status, stderr } = run("--baseline", "old.json", "move.cu");
  expect(status).toBe(0);
  expect(stderr).toMatch(/compared with old\.json:\n {2}better: move\n {2}the same: other\n/);
  expect(stderr).toMatch(/better +−88 % +32 → 4 +l1tex__t_sectors_pipe_lsu_mem_global_op_st\.sum/);
  // The file is read before it is written.
  expect(run("--baseline=old.json", "--json=old.json", "move.cu")).toMatchObject({ status: 0, stderr: "" });
  const { comparison } = JSON.parse(readFileSync(join(folder, "old.json"), "utf8")) as {
    comparison: ProfileComparison & { baseline: string };
  };
  expect(comparison).toMatchObject({ baseline: "old.json", onlyBefore: [], onlyAfter: [] });
  expect(comparison.kernels.map(({ name, verdict }) => [name, verdict])).toEqual([
    ["move", "better"],
    ["other", "same"],
  ]);
  expect(run("--baseline", "old.json", "move.cu").stderr).toMatch(/the same: move, other\n$/m);
});

test("a baseline that is none is said before the program runs", () => {
  for (const [file, text, status] of [
    ["missing.json", null, 66],
    ["trace.json", '{"traceEvents": []}', 64],
  ] as const) {
    if (text !== null) writeFileSync(join(folder, file), text);
    expect(heddle(["profile", "--baseline", join(folder, file), "examples/transpose.cu"])).toMatchObject({
      status,
      stdout: "",
      stderr: expect.stringContaining(`${file} (--baseline)`),
    });
  }
  expect(heddle(["run", "--baseline", "x", "examples/transpose.cu"])).toMatchObject({
    status: 64,
    stderr: expect.stringContaining("--baseline is an option of heddle profile"),
  });
});
