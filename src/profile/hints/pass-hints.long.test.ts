/** A hint about what another kernel wrote; of matrix instructions what is counted. Compiles, which takes seconds. */
import { expect, test } from "vitest";
import { compile } from "../../index.ts";
import { profile } from "../../profile.ts";

const N = 1 << 21;

test("a kernel that reads what the one before it wrote", async () => {
  const source = `
__global__ void square(float4* y, const float4* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = x[i];
  y[i] = make_float4(v.x * v.x, v.y * v.y, v.z * v.z, v.w * v.w);
}
__global__ void sum(float* s, const float4* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = y[i];
  if (v.x + v.y + v.z + v.w < 0) s[0] = 1;
}`;
  const { launches } = await profile(async (device) => {
    const program = await compile(source, { device });
    const [x, y, s] = [device.array(N, "float32"), device.array(N, "float32"), device.array(1, "float32")];
    const config = { grid: N / 4 / 256, block: 256 };
    await (await program.kernel("square")).launch(config, y, x);
    await (await program.kernel("sum")).launch(config, s, y);
  });
  expect(launches.map(({ touched }) => touched.fromLaunchBefore)).toEqual([0, 4 * N]);
  expect(launches[0]?.hints).toEqual([]);
  expect(launches[1]?.hints[0]).toMatchObject({
    kind: "separate-kernels",
    what: "100 % of what this kernel reads was written by the launch before it",
  });
});

test("ldmatrix is a load of shared memory, and mma an instruction of a tensor core", async () => {
  const source = `
__global__ void product(float* out) {
  __shared__ __align__(128) unsigned char tile[512];
  for (int i = threadIdx.x; i < 128; i += 32) ((unsigned*)tile)[i] = 0;
  __syncwarp();
  unsigned a[4], at = (unsigned)__cvta_generic_to_shared(tile + 16 * threadIdx.x);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(at) : "memory");
  float c[4] = {};
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[0]), "r"(a[1]));
  out[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}`;
  const { launches } = await profile(async (device) => {
    const program = await compile(source, { device });
    await (await program.kernel("product")).launch({ grid: 1, block: 32 }, device.array(32, "float32"));
  });
  const { metrics } = launches[0]!;
  expect(metrics["smsp__inst_executed_pipe_tensor.sum"]).toBe(1);
  expect(metrics["smsp__inst_executed_op_shared_ld.sum"]).toBe(1);
  expect(metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"]).toBe(4);
  expect(metrics["l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"] ?? 0).toBe(0);
});
