/** `heddle profile -o trace.json` of a whole program. Needs dist/ (npm test builds it first). */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { ChromeTrace, TraceEvent } from "../profile/timeline/chrome-trace.ts";
import { traceProblems } from "../profile/timeline/trace-check.test-helper.ts";
import { heddle, program } from "./heddle-process.test-helper.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-trace-"));
afterAll(() => rmSync(folder, { recursive: true }));

function trace(...args: string[]): ChromeTrace {
  const file = join(folder, "trace.json");
  expect(heddle(["profile", "-o", file, ...args])).toMatchObject({
    status: 0,
    stderr: expect.stringContaining(`${file} has the trace`),
  });
  return JSON.parse(readFileSync(file, "utf8")) as ChromeTrace;
}

const rowName = ({ traceEvents }: ChromeTrace, { pid, tid }: TraceEvent): unknown =>
  traceEvents.find((one) => one.name === "thread_name" && one.pid === pid && one.tid === tid)?.args?.["name"];

const STEP = "step µ / step";
const OUTPUT = "level 0\n7 pop -2\n";

test("every launch, copy, fill and range of a program is there, by stream and domain", () => {
  const made = trace("-lnvToolsExt", program("phases.cu"));
  expect(traceProblems(made)).toEqual([]);
  expect(made.otherData["times"]).toMatch(/emulated device.*nothing of a GPU/);
  const work = made.traceEvents.filter(({ ph, pid }) => ph === "X" && pid > 1);
  expect(work.map((event) => [event.name, rowName(made, event), event.args?.["bytes"], event.args?.["scope"]])).toEqual(
    [
      ["copy, host to device", "default stream", 65536, "setup / upload"],
      ["fill", "default stream", 65536, "setup"],
      ...[0, 1, 2].flatMap(() => [
        ["scale", "stream 1", undefined, STEP],
        ["add", "adder", undefined, STEP],
      ]),
      ["copy, device to host", "stream 1", 65536, "download"],
    ],
  );
  expect(work.find(({ name }) => name === "add")?.args).toMatchObject({
    grid: "64 × 1 × 1",
    block: "256 × 1 × 1",
    threads: 16384,
    engine: "warp",
    memory_l2_theoretical_sectors_global: 6144,
    launch__waves_per_multiprocessor: 64 / (8 * 108),
  });
  const ranges = made.traceEvents.filter(({ cat }) => cat === "nvtx");
  expect(ranges.map((event) => [event.ph, event.name, rowName(made, event)])).toEqual([
    ["X", "setup", "NVTX"],
    ["X", "upload", "NVTX, io"],
    ["b", "all steps", "NVTX"],
    ...[0, 1, 2].flatMap(() => [
      ["X", "step µ", "NVTX"],
      ["X", "step", "NVTX"],
      ["i", "step done", "NVTX"],
    ]),
    ["e", "all steps", "NVTX"],
    ["X", "download", "NVTX"],
    ["X", "never ended", "NVTX"],
  ]);
  expect(ranges.find(({ name }) => name === "upload")?.args).toEqual({ color: "#ffff0000", payload: "16384" });
  expect(ranges.find(({ name }) => name === "download")?.args).toEqual({ category: "bulk" });
  const calls = made.traceEvents.filter((event) => rowName(made, event) === "CUDA API" && event.ph === "X");
  const callNames = new Set(calls.map(({ name }) => name));
  for (const name of ["cudaMalloc", "cudaLaunchKernel", "cudaMemcpy", "cudaMemcpyAsync", "cudaDeviceSynchronize"])
    expect(callNames).toContain(name);
  // What a call on the emulated device asks for is done within it.
  for (const { ts = 0, dur = 0 } of work)
    expect(calls.some((call) => (call.ts ?? 0) <= ts && ts + dur <= (call.ts ?? 0) + (call.dur ?? 0) + 0.01)).toBe(
      true,
    );
});

test("heddle run: ranges have no effect, and check takes the program, too", () => {
  expect(heddle(["run", "-lnvToolsExt", program("phases.cu")])).toMatchObject({
    status: 0,
    stdout: OUTPUT,
    stderr: "",
  });
  expect(heddle(["check", program("phases.cu")])).toMatchObject({ stdout: OUTPUT });
});

test("an example: as many kernels in the trace as launches in the profile", () => {
  const json = join(folder, "profile.json");
  const made = trace(`--json=${json}`, "examples/softmax.cu");
  expect(traceProblems(made)).toEqual([]);
  const { launches } = JSON.parse(readFileSync(json, "utf8")) as {
    launches: { name: string; metrics: Record<string, number> }[];
  };
  const kernels = made.traceEvents.filter(({ cat, ph }) => cat === "kernel" && ph === "X");
  expect(kernels.map(({ name, args }) => [name, args?.["smsp__inst_executed.sum"]])).toEqual(
    launches.map(({ name, metrics }) => [name, metrics["smsp__inst_executed.sum"]]),
  );
});

test("a GPU has no counters: options that show them are refused before anything runs", () => {
  for (const option of [["--lines"], ["-o", join(folder, "page.html")]])
    expect(heddle(["profile", "--device", "cuda", ...option, program("phases.cu")])).toMatchObject({
      status: 64,
      stdout: "",
      stderr: expect.stringMatching(/shows counters, and a GPU \(--device cuda\) counts nothing/),
    });
});

test("launches of the profile have their scopes", () => {
  const json = join(folder, "scopes.json");
  heddle(["profile", `--json=${json}`, program("phases.cu")]);
  const { launches } = JSON.parse(readFileSync(json, "utf8")) as { launches: { name: string; scope: string[] }[] };
  expect(launches.map(({ scope }) => scope)).toEqual(Array.from({ length: 6 }, () => STEP.split(" / ")));
});
