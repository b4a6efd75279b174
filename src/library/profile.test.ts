/** Profiles from TypeScript. The suite of flawed kernels: profile-suite.long.test.ts. */
import { expect, test } from "vitest";
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

test("asynchronous copies are loads and stores, those with a number of bytes to read, too", async () => {
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
      "smsp__inst_executed_op_shared_st.sum": 2,
      "dram__bytes_read.sum": 1024,
      "dram__bytes_write.sum": 1024,
    });
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
