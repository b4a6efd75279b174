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
