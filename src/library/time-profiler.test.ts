/** Times by kernel and scope, and the trace of a TypeScript program. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compile, openDevice } from "../index.ts";
import { profiler } from "../profile.ts";
import type { ChromeTrace } from "../profile/timeline/chrome-trace.ts";
import { traceProblems } from "../profile/timeline/trace-check.test-helper.ts";
import type { GpuProgram } from "./gpu-program.ts";
import type { Gpu } from "./gpu.ts";

const SOURCE = `
__global__ void twice(float* x) { x[threadIdx.x] *= 2; }
template <int N> __global__ void plus(float* x) { x[threadIdx.x] += N; }
template __global__ void plus<3>(float*);`;
const LAUNCH = { grid: 1, block: 64 };

async function opened(): Promise<{ device: Gpu; program: GpuProgram }> {
  const device = await openDevice({ reuse: false });
  return { device, program: await compile(SOURCE, { device }) };
}

test("a table by operation and by scope, and the trace", async () => {
  const { device, program } = await opened();
  const [twice, plus] = [await program.kernel("twice"), await program.kernel("plus<3>")];
  const before = device.array(64, "float32");
  await twice.launch(LAUNCH, before); // before start: not recorded
  profiler.start();
  const x = device.array(new Float32Array(64));
  const returned = await profiler.scope("forward", async () => {
    for (let i = 0; i < 3; i++) await twice.launch(LAUNCH, x);
    await profiler.scope("inner", async () => void (await plus.launch(LAUNCH, x)));
    return "result";
  });
  expect(profiler.scope("sync", () => 5)).toBe(5);
  const step = plus.configure(LAUNCH);
  for (let i = 0; i < 2; i++) step(x);
  await x.fill(1);
  await x.read();
  const recorded = await profiler.stop();
  await twice.launch(LAUNCH, x); // after stop
  expect(returned).toBe("result");
  const rows = recorded.operations({ sortBy: "name" });
  expect(rows.map(({ name, kind, calls }) => [name, kind, calls])).toEqual([
    ["copy, device to host", "copy", 1],
    ["copy, host to device", "copy", 1],
    ["fill", "fill", 1],
    ["plus<3>", "kernel", 3],
    ["twice", "kernel", 3],
  ]);
  for (const { totalMs, meanMs, minMs, maxMs, calls } of rows) {
    expect(meanMs).toBeCloseTo(totalMs / calls, 9);
    expect(minMs).toBeLessThanOrEqual(meanMs);
    expect(maxMs).toBeGreaterThanOrEqual(meanMs);
  }
  expect(rows.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
  const scopes = recorded.operations({ by: "scope", sortBy: "name" });
  const scope = (name: string): unknown => scopes.find((row) => row.kind === "scope" && row.name === name);
  expect(scopes.filter(({ kind }) => kind === "scope").map(({ name, calls }) => [name, calls])).toEqual([
    ["(no scope)", 1],
    ["forward", 1],
    ["forward / inner", 1],
    ["sync", 1],
  ]);
  const inner = scope("forward / inner") as { totalMs: number };
  const twiceMs = rows.find(({ name }) => name === "twice")?.totalMs ?? 0;
  expect(scope("forward")).toMatchObject({ totalMs: expect.closeTo(twiceMs + inner.totalMs, 9) as number });
  const table = recorded.table({ sortBy: "calls", limit: 2 }).split("\n");
  expect(table[1]).toMatch(/^Name +Device % +Device total +Device avg .*# of Calls$/);
  expect(table.slice(3, 5).map((line) => line.split(/\s/)[0])).toEqual(["plus<3>", "twice"]);
  expect(table.at(-2)).toMatch(/^Device time total: .*emulated device/);
  expect(recorded.table({ by: "scope" })).toMatch(/\n {2}twice /);
  const folder = mkdtempSync(join(tmpdir(), "heddle-times-"));
  try {
    await recorded.exportTrace(join(folder, "trace.json"));
    const trace = JSON.parse(readFileSync(join(folder, "trace.json"), "utf8")) as ChromeTrace;
    expect(traceProblems(trace)).toEqual([]);
    expect(trace.traceEvents.filter(({ cat }) => cat === "kernel")).toHaveLength(6);
    await expect(recorded.exportTrace(join(folder, "none", "trace.json"))).rejects.toMatchObject({ code: "io-error" });
  } finally {
    rmSync(folder, { recursive: true });
  }
  device.close();
});

test("what is used wrongly is said", async () => {
  await expect(profiler.stop()).rejects.toThrow(/does not run/);
  expect(profiler.scope("none", () => 1)).toBe(1);
  profiler.start();
  expect(() => profiler.start()).toThrow(/runs already/);
  expect(() =>
    profiler.scope("fails", () => {
      throw new Error("own");
    }),
  ).toThrow("own");
  const { timeline, table, operations } = await profiler.stop();
  expect(timeline.ranges).toMatchObject([{ name: "fails", isOpen: false }]);
  expect(operations()).toEqual([]);
  expect(table()).toMatch(/Device time total: 0/);
  expect(() => table({ sort: "total" } as never)).toThrow(/sort/);
});

test("a launch that fails: the recording goes on", async () => {
  const { device, program } = await opened();
  profiler.start();
  const twice = await program.kernel("twice");
  await expect(twice.launch({ grid: 1, block: 64 }, null)).rejects.toMatchObject({ code: "device-fault" });
  const { operations } = await profiler.stop();
  expect(operations()).toMatchObject([{ name: "twice", calls: 1 }]);
  device.close();
});
