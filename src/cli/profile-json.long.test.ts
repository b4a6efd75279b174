/** What `heddle profile --json` writes is what docs/profile.schema.json says, and hit rates are there on request. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Ajv from "ajv";
import { afterAll, expect, it } from "vitest";
import { L1_HIT_RATE, L2_HIT_RATE } from "../profile/caches/hit-rates.ts";
import type { LineProfile } from "../profile/line-profile.ts";
import { heddle } from "./heddle-process.test-helper.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-profile-json-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Written {
  readonly launches: readonly {
    readonly name: string;
    readonly source: { readonly file: string; readonly line: number };
    readonly metrics: Readonly<Record<string, number>>;
    readonly engine: string;
    readonly lines: readonly LineProfile[];
  }[];
}

function profiled(...args: readonly string[]): Written {
  const file = join(folder, "profile.json");
  expect(heddle(["profile", `--json=${file}`, ...args])).toMatchObject({ status: 0 });
  return JSON.parse(readFileSync(file, "utf8")) as Written;
}

const validate = new Ajv().compile(JSON.parse(readFileSync("docs/profile.schema.json", "utf8")) as object);

it.each([
  [["examples/transpose.cu"]],
  [["--caches", "--gpu", "h200", "examples/sum.cu"]],
  [["examples/vector-add.cu"]],
  [["scripts/gpu-rounds/programs/cp-async.cu"]],
])("%s", (args) => {
  const written = profiled(...args);
  validate(written);
  expect(validate.errors).toBeNull();
  const [{ source } = { source: null }] = written.launches;
  const line = readFileSync(source?.file ?? "", "utf8").split("\n")[(source?.line ?? 0) - 1];
  expect(line).toMatch(/__global__|KERNEL/);
});

it("the schema refuses what the JSON does not have", () => {
  const written = profiled("examples/transpose.cu");
  validate({ ...written, launches: written.launches.map((launch) => ({ ...launch, more: 1 })) });
  expect(validate.errors).not.toBeNull();
});

it("--caches gives hit rates, near what an H200 has", () => {
  const { launches } = profiled("--caches", "--gpu", "h200", "examples/transpose.cu");
  const rates = launches.map(({ metrics }) => [metrics[L1_HIT_RATE], metrics[L2_HIT_RATE]] as [number, number]);
  // Nsight Compute: 68.9 and 89.0 %, 0 and 55.4 %.
  expect(rates[0]?.[0]).toBeGreaterThan(60);
  expect(Math.abs((rates[0]?.[1] ?? 0) - 89)).toBeLessThan(5);
  expect(rates[1]?.[0]).toBe(0);
  expect(Math.abs((rates[1]?.[1] ?? 0) - 55.4)).toBeLessThan(5);
  expect(launches.map(({ engine }) => engine)).toEqual(["warp", "warp"]);
  const { status, stderr } = heddle(["profile", "--caches", "examples/transpose.cu"]);
  expect(status).toBe(0);
  expect(stderr).toMatch(
    /caches \(model\) +L1 has [\d.]+ % of the sectors, L2 [\d.]+ % of what it is asked for; DRAM:/,
  );
});

it("a line that is inlined in several places is told apart by its calls", () => {
  const source = join(folder, "calls.cu");
  writeFileSync(
    source,
    `template <class T>
__device__ T scaled(T x) {
  return x * T(3) + T(1);
}
__device__ float twice(float x) { return scaled(x) + 1; }
__global__ void k(float *a, double *b) {
  a[threadIdx.x] = twice(a[threadIdx.x]) + scaled(a[threadIdx.x] * 2);
  b[threadIdx.x] = scaled(b[threadIdx.x]);
}
int main() {
  float *a;
  double *b;
  cudaMalloc(&a, 256);
  cudaMalloc(&b, 512);
  cudaMemset(a, 0, 256);
  cudaMemset(b, 0, 512);
  k<<<1, 64>>>(a, b);
  return cudaDeviceSynchronize();
}
`,
  );
  const { launches } = profiled(source);
  const line = launches[0]?.lines.find((one) => one.line === 3);
  expect(line?.calls.map(({ from }) => from.map((place) => place.line))).toEqual([[5, 7], [7], [8]]);
  expect(line?.calls.map(({ metrics }) => metrics["smsp__inst_executed.sum"])).toEqual([2, 2, 2]);
  expect(launches[0]?.lines.find((one) => one.line === 7)?.calls).toEqual([]);
  expect(heddle(["profile", "--lines", source]).stderr).toMatch(/scaled<float>, called at .*calls\.cu:5, from .*:7/);
});
