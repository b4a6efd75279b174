/**
 * Profiles of kernels with one flaw each, and of the same kernels without it (src/profile/suite): the flaw is the first
 * hint, at its line, and the repaired kernel gets none.
 */
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compile, load } from "../index.ts";
import { hintsFor, profile, type ProfiledLaunch } from "../profile.ts";

const suite = new URL("../profile/suite/", import.meta.url);
const N = 1024;

interface SuiteLaunch {
  readonly kernel: "flawed" | "repaired";
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly hint: string | null;
  /** What the hinted line contains; "": the hint is about the launch. */
  readonly at: string;
}

/** `// @KERNEL GRID BLOCK [HINT [text of the line]]` */
function launchesOf(source: string): SuiteLaunch[] {
  return [...source.matchAll(/^\/\/ @(flawed|repaired) (\S+) (\S+)(?: (\S+)(?: (.+))?)?$/gm)].map(
    ([, kernel, grid = "1", block = "1", hint = null, at = ""]) => ({
      kernel: kernel as "flawed" | "repaired",
      grid: grid.split("x").map(Number),
      block: block.split("x").map(Number),
      hint,
      at,
    }),
  );
}

async function profiled(file: string, { kernel, grid, block }: SuiteLaunch): Promise<ProfiledLaunch> {
  const { launches } = await profile(async (device) => {
    const program = await load(new URL(file, suite).pathname, { device });
    const [out, input] = [device.array(N * N, "float32"), device.array(N * N, "float32")];
    const entry = await program.kernel(kernel);
    await entry.launch({ grid: grid as [number], block: block as [number] }, out, input, N);
  });
  expect(launches).toHaveLength(1);
  return launches[0] as ProfiledLaunch;
}

describe.each(readdirSync(suite))("%s", (file) => {
  const source = readFileSync(new URL(file, suite), "utf8");
  const launches = launchesOf(source);

  test("names a flawed and a repaired launch", () => {
    expect(launches.map(({ kernel }) => kernel)).toEqual(["flawed", "repaired"]);
  });

  test.each(launches.map((launch) => [launch.kernel, launch] as const))("%s", async (_, launch) => {
    const counted = await profiled(file, launch);
    const hints = hintsFor(counted, 108);
    expect(hints.map(({ kind }) => kind)).toEqual(launch.hint === null ? [] : [launch.hint]);
    const line = hints[0]?.place?.line ?? null;
    expect(launch.at === "" ? line : source.split("\n")[(line ?? 0) - 1]?.includes(launch.at)).toBe(
      launch.at === "" ? null : true,
    );
  });
});

test("counters by hand: a copy of 2^16 floats, and one that starts 4 bytes late", async () => {
  const { launches, text } = await profile(async (device) => {
    const program = await compile(
      `__global__ void copy(float* out, const float* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}`,
      { device },
    );
    const copy = await program.kernel("copy");
    const [x, y] = [device.array(1 << 17, "float32"), device.array(1 << 17, "float32")];
    await copy.launch({ grid: 256, block: 256 }, y, x);
    await copy.launch({ grid: 256, block: 256 }, y, x.subarray(1));
  });
  const sectors = launches.map(({ metrics }) => metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]);
  expect(sectors).toEqual([(1 << 16) / 8, ((1 << 16) / 32) * 5]);
  expect(launches[0]?.metrics["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"]).toBe((1 << 16) / 32);
  expect(text).toContain("copy  grid 256, block 256");
});
