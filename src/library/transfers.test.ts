/** What the profiler counts of the tensor memory accelerator and of products of warpgroups, by hand. */
import { expect, test } from "vitest";
import { compile } from "../index.ts";
import { profile } from "../profile.ts";

const SOURCE = String.raw`
#include <cuda.h>
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void waitFor(unsigned barrier) {
  unsigned done;
  do
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(barrier) : "memory");
  while (!done);
}
__global__ void tiles(const __grid_constant__ CUtensorMap map, int x, int y) {
  __shared__ __align__(128) float box[32];
  __shared__ __align__(8) unsigned long long barrier;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&barrier)) : "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(at(&barrier)) : "memory");
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
               ::"r"(at(box)), "l"(&map), "r"(at(&barrier)), "r"(x), "r"(y) : "memory");
  waitFor(at(&barrier));
}
__global__ void pixels(const __grid_constant__ CUtensorMap map) {
  __shared__ __align__(128) float box[72];
  __shared__ __align__(8) unsigned long long barrier;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&barrier)) : "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 288;" ::"r"(at(&barrier)) : "memory");
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4, %4, %3}], [%2], {%5, %5};"
               ::"r"(at(box)), "l"(&map), "r"(at(&barrier)), "r"(0), "r"(-1), "h"((short)0) : "memory");
  waitFor(at(&barrier));
}
__global__ void __cluster_dims__(2) shared(const int* in) {
  __shared__ __align__(128) int row[32];
  __shared__ __align__(8) unsigned long long barrier;
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&barrier)) : "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(at(&barrier)) : "memory");
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (rank == 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1], 128, [%2], %3;"
                 ::"r"(at(row)), "l"(in), "r"(at(&barrier)), "h"((short)3) : "memory");
  waitFor(at(&barrier));
}
__global__ void bytes(int* out) {
  __shared__ __align__(128) int row[32];
  row[0] = 1;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(out), "r"(at(row)) : "memory");
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 64;"
               ::"l"(out + 64), "r"(at(row)) : "memory");
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}
__global__ void product(float* out) {
  __shared__ __align__(1024) int tile[1024];
  float d[4] = {};
  unsigned long long a = (at(tile) & 0x3ffff) >> 4 | 1ull << 16 | 32ull << 32;
  asm volatile("wgmma.fence.sync.aligned;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;\n"
               "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a) : "memory");
  out[threadIdx.x] = d[0];
}`;

test("tiles inside of a tensor and at its edge, plain bytes, sums, products", async () => {
  const { launches, text } = await profile(
    async (device) => {
      const program = await compile(SOURCE, { device, arch: "sm_90a" });
      const [matrix, out] = [device.array(256, "float32"), device.array(256, "int32")];
      const map = device.tensorMap(matrix, { shape: [16, 16], box: [4, 8] });
      const tiles = await program.kernel("tiles");
      // Rows of 32 bytes that begin at 0, at 16 bytes, and with the last two below the tensor.
      for (const [x, y] of [
        [0, 0],
        [4, 0],
        [8, 14],
      ])
        await tiles.launch({ grid: 1, block: 1 }, map, x as number, y as number);
      await (await program.kernel("bytes")).launch({ grid: 1, block: 1 }, out);
      await (await program.kernel("shared")).launch({ grid: 2, block: 1, cluster: 2 }, out);
      await (await program.kernel("product")).launch({ grid: 1, block: 128 }, device.array(128, "float32"));
      // 3 × 3 pixels of 32 bytes around the first one of an image of 4 × 4: four are inside.
      const im2col = { lower: [-1, -1], upper: [-2, -2], pixels: 9, channels: 8 };
      const images = device.tensorMap(matrix, { shape: [2, 4, 4, 8], im2col });
      await (await program.kernel("pixels")).launch({ grid: 1, block: 1 }, images);
    },
    { gpu: "h100" },
  );
  const of = (launch: number, name: string): number | undefined => launches[launch]?.metrics[name];
  const loaded = "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum";
  expect([0, 1, 2].map((launch) => of(launch, loaded))).toEqual([4, 8, 2]);
  expect([0, 1, 2].map((launch) => of(launch, "dram__bytes_read.sum"))).toEqual([4 * 32, 8 * 32, 2 * 32]);
  expect(of(0, "smsp__sass_inst_executed_op_tma_ld.sum")).toBe(1);
  expect(of(3, "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum")).toBe(4);
  expect(of(3, "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_red.sum")).toBe(2);
  expect(of(3, "dram__bytes_write.sum")).toBe(6 * 32);
  // Both blocks receive what L2 sends once.
  expect([loaded, "heddle__l2_sectors_sent_op_tma_ld.sum"].map((name) => of(4, name))).toEqual([8, 4]);
  const products = [
    "smsp__inst_executed_pipe_tensor",
    "smsp__inst_executed_pipe_tensor_op_gmma",
    "heddle__gmma_m16n8k16",
  ];
  expect(products.map((name) => of(5, `${name}.sum`))).toEqual([4, 4, 4]);
  expect(of(5, "sm__sass_data_bytes_mem_shared_op_gmma.sum")).toBe((64 + 8) * 32);
  expect(of(6, loaded)).toBe(4);
  expect(text).toMatch(/TMA loads {2,}1 instruction, 4 sectors: 4 each/);
  expect(text).toMatch(/wgmma {2,}4 warp instructions read 2304 B of shared memory/);
});
