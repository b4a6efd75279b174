/** Profiles from TypeScript. The suite of flawed kernels: profile-suite.long.test.ts. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { compile } from "../index.ts";
import { profile } from "../profile.ts";

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

test("asynchronous copies are loads and no stores, those with a number of bytes to read, too", async () => {
  const kernel = (name: string, bytes: string): string => `
__global__ void ${name}(float4* out, const float4* in) {
  __shared__ float4 part[64];
  unsigned to = (unsigned)__cvta_generic_to_shared(part + threadIdx.x);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16${bytes};" ::"r"(to), "l"(in + threadIdx.x));
  asm volatile("cp.async.wait_all;");
  out[threadIdx.x] = part[threadIdx.x];
}`;
  const { launches } = await profile(async (device) => {
    const program = await compile(kernel("whole", "") + kernel("filled", ", 16"), { device });
    const [x, y] = [device.array(256, "float32"), device.array(256, "float32")];
    for (const name of ["whole", "filled"]) await (await program.kernel(name)).launch({ grid: 1, block: 64 }, y, x);
  });
  for (const { metrics } of launches)
    expect(metrics).toMatchObject({
      "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 2,
      "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 32,
      "smsp__inst_executed_op_ldgsts.sum": 2,
      "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum": 8,
      "smsp__sass_data_bytes_mem_global_op_ldgsts.sum": 1024,
      "smsp__sass_data_bytes_mem_shared_op_ldgsts.sum": 1024,
      "dram__bytes_read.sum": 1024,
      "dram__bytes_write.sum": 1024,
    });
  for (const { metrics } of launches) expect(metrics).not.toHaveProperty(["smsp__inst_executed_op_shared_st.sum"]);
  // Each of the two warps waits for them once: at the wait, not at the copies.
  for (const { waits } of launches) expect(waits.loads).toBe(2);
});

test("a barrier that only the last iteration of a loop does not need is no hint", async () => {
  const source = (end: string): string => `
__global__ void rotate(float* x) {
  __shared__ float part[64];
#pragma unroll
  for (int i = 0; i < 2; i++) {
    part[threadIdx.x] = x[64 * i + threadIdx.x];
    __syncthreads();
    x[64 * i + threadIdx.x] = part[(threadIdx.x + 1) % 64];
    __syncthreads();
  }
  ${end}
}`;
  const hinted = async (end: string): Promise<number[]> => {
    const { launches } = await profile(async (device) => {
      const program = await compile(source(end), { device });
      await (await program.kernel("rotate")).launch({ grid: 1, block: 64 }, device.array(128, "float32"));
    });
    const hints = launches[0]?.hints.filter(({ kind }) => kind === "needless-barrier") ?? [];
    return hints.map(({ place }) => place?.line ?? 0);
  };
  expect(await hinted("")).toEqual([]);
  expect(await hinted("__syncthreads();")).toEqual([11]);
});

test("how far apart warps arrive at barriers: by line, on average and at worst", async () => {
  const { launches, text } = await profile(async (device) => {
    const program = await compile(
      `__global__ void skewed(float* out, int n) {
  __shared__ float part[256];
  float x = threadIdx.x;
  for (int i = 0; i < threadIdx.x / 32 * n; i++) x = x * 1.5f + 1;
  part[threadIdx.x] = x;
  __syncthreads();
  out[256 * blockIdx.x + threadIdx.x] = part[threadIdx.x ^ 1];
  __syncthreads();
  if (blockIdx.x % 2 == 0 && threadIdx.x < 32) out[threadIdx.x] += 1;
  __syncthreads();
}`,
      { device },
    );
    const skewed = await program.kernel("skewed");
    const out = device.array(256 * 10, "float32");
    for (const n of [10, 20]) await skewed.launch({ grid: 10, block: 256 }, out, n);
  });
  const figuresAt = (launch: number, line: number): (number | undefined)[] => {
    const { metrics = {} } = launches[launch]?.lines.find((one) => one.line === line) ?? {};
    return ["block_barriers.sum", "barrier_skew_inst.avg", "barrier_skew_inst.max"].map(
      (name) => metrics[`heddle__${name}`],
    );
  };
  // The seven warps behind the first of 10 blocks execute 7 + 6 + … + 1 times 10 iterations more, the last one 70.
  const executed = launches.map(({ metrics }) => metrics["smsp__inst_executed.sum"] ?? 0) as [number, number];
  const ofIteration = (executed[1] - executed[0]) / (28 * 10 * 10);
  const [first = [], second = []] = [0, 1].map((launch) => figuresAt(launch, 6));
  expect(first).toEqual([10, first[2], first[2]]);
  expect((second[2] ?? 0) - (first[2] ?? 0)).toBe(70 * ofIteration);
  expect(figuresAt(0, 8)).toEqual([10, 0, 0]);
  // Half of the blocks have more to do for their first warp.
  const [times, mean = 0, worst = 0] = figuresAt(0, 10);
  expect(times).toBe(10);
  expect(worst).toBeGreaterThan(0);
  expect(mean).toBe(worst / 2);
  expect(text).toMatch(/barriers +30 in all blocks; the warps of a block arrive [\d.]+ warp instructions apart on/);
});

test("registers come from ptxas where the machine has it, and occupancy follows", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-profile-ptxas-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
    vi.unstubAllEnvs();
  });
  const file = join(folder, "ptxas");
  writeFileSync(
    file,
    `#!${process.execPath}
if (process.argv[2] === "--version") console.log("release 13.0, V13.0.88");
else {
  const [, name] = /\\.entry (\\w+)/.exec(require("node:fs").readFileSync(process.argv.at(-1), "utf8"));
  console.error("Compiling entry function '" + name + "' for 'sm_80'\\n0 bytes stack frame, 8 bytes spill stores, " +
    "8 bytes spill loads\\nUsed 128 registers");
}
`,
  );
  chmodSync(file, 0o755);
  const factsWith = async (ptxas: string) => {
    vi.stubEnv("HEDDLE_PTXAS", ptxas);
    const { launches, text } = await profile(async (device) => {
      const program = await compile(`__global__ void zero(float* x) { x[threadIdx.x] = 0; }`, { device });
      await (await program.kernel("zero")).launch({ grid: 1, block: 256 }, device.array(256, "float32"));
    });
    const { facts, metrics } = launches[0] ?? {};
    return [facts?.registersFrom, facts?.occupancy.limit, metrics?.["launch__registers_per_thread"], text] as const;
  };
  const [from, limit, registers, text] = await factsWith(file);
  expect([from, limit, registers]).toEqual(["ptxas", "registers", 128]);
  expect(text).toContain("128 registers a thread (ptxas), 16 bytes a thread spilled, no shared memory a block");
  expect((await factsWith("none")).slice(0, 3)).toEqual(["estimate", "warps", 16]);
});

test("numbers of two bytes that are loaded several at once are counted where they become floats", async () => {
  const { launches } = await profile(async (device) => {
    const program = await compile(
      `#include <cuda_fp16.h>
__global__ void widen(float* out, const uint4* bfloats, const __half* halves) {
  uint4 quad = bfloats[threadIdx.x];
  float low = __uint_as_float(quad.x << 16), high = __uint_as_float(quad.x & 0xffff0000u);
  out[threadIdx.x] = low * high + __half2float(halves[threadIdx.x]) + __uint_as_float(quad.y);
}`,
      { device },
    );
    const [out, x, halves] = [device.array(64, "float32"), device.array(256, "uint32"), device.array(64, "float16")];
    await (await program.kernel("widen")).launch({ grid: 1, block: 64 }, out, x, halves);
  });
  expect(launches[0]?.widenedHalves).toBe(3 * 64);
});

test("the arguments of printf are in local memory, which is no hint", async () => {
  const { launches } = await profile(
    async (device) => {
      const program = await compile(
        `#include <cstdio>
__global__ void tell(const int* x) { printf("%d: %d\\n", threadIdx.x, x[threadIdx.x]); }`,
        { device },
      );
      await (await program.kernel("tell")).launch({ grid: 1, block: 32 }, device.array(32, "int32"));
    },
    { onPrint: () => {} },
  );
  expect(launches[0]?.metrics["l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"]).toBeGreaterThan(0);
  expect(launches[0]?.hints.map(({ kind }) => kind)).toEqual(["small-grid"]);
});
