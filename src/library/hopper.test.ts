/**
 * Hopper's own instructions on the emulated device, on both engines, against references that follow the PTX ISA by
 * themselves: where a swizzle puts a byte, what a descriptor names, what a tensor map leaves out.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compile, openDevice, type Gpu, type GpuProgram } from "../index.ts";
import { numberToBfloat } from "../base/bfloat.ts";

const SOURCE = String.raw`
#include <cuda.h>
#include <cuda_bf16.h>
#include <stdint.h>
__device__ uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void begin(uint32_t bar, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void expect(uint32_t bar, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ void wait(uint32_t bar, uint32_t parity) {
  uint32_t done;
  do
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done) : "r"(bar), "r"(parity) : "memory");
  while (!done);
}
// Loads a box, gives it back as it lies in shared memory, adds it to another tensor.
__global__ void boxes(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, int x, int y,
                      int z, int bytes, unsigned *dump) {
  __shared__ __align__(1024) unsigned box[1024];
  __shared__ __align__(8) unsigned long long barrier;
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) box[i] = 0xcdcdcdcd;
  if (threadIdx.x == 0) begin(at(&barrier), 1);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(at(&barrier), bytes);
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5}], [%2];"
                 ::"r"(at(box)), "l"(&from), "r"(at(&barrier)), "r"(x), "r"(y), "r"(z) : "memory");
  }
  wait(at(&barrier), 0);
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) dump[i] = box[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group [%0, {%2, %3, %4}], [%1];"
                 ::"l"(&to), "r"(at(box)), "r"(x), "r"(y), "r"(z) : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
}
// D = A B + 1, with what the descriptors name: 64 x 16 of A, 16 x 16 of B.
__global__ void product(const uint16_t *in, float *out, unsigned long long a, unsigned long long b) {
  extern __shared__ __align__(1024) uint16_t memory[];
  for (int i = threadIdx.x; i < 8192; i += 128) memory[i] = in[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  unsigned long long own = (at(memory) & 0x3ffff) >> 4;
  float d[8];
  for (int i = 0; i < 8; i++) d[i] = 1;
  asm volatile("wgmma.fence.sync.aligned;\n"
               "{\n.reg .pred keep;\nsetp.ne.b32 keep, 1, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, "
               "%9, keep, 1, 1, %10, %11;\n}\n"
               "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
               : "l"(a + own), "l"(b + own), "n"(TA), "n"(TB) : "memory");
  for (int i = 0; i < 8; i++) {
    int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8;
    int column = i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
    out[row * 16 + column] = d[i];
  }
}
// The first block of a cluster loads for all; each then reads what the next one has.
__global__ void __cluster_dims__(4, 1, 1) cluster(const __grid_constant__ CUtensorMap map, int *out) {
  __shared__ __align__(128) int box[32];
  __shared__ __align__(8) unsigned long long barrier;
  unsigned rank, other;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    begin(at(&barrier), 1);
    expect(at(&barrier), 128);
  }
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
  if (rank == 0 && threadIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%3}], [%2], %4;"
                 ::"r"(at(box)), "l"(&map), "r"(at(&barrier)), "r"((int)blockIdx.x / 4 * 32), "h"((uint16_t)0b1011)
                 : "memory");
  if (rank != 2) wait(at(&barrier), 0);
  else box[threadIdx.x] = -1;
  box[threadIdx.x] += rank * 1000;
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(at(box + threadIdx.x)), "r"((rank + 1) % 4));
  int value;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(other) : "memory");
  out[blockIdx.x * 32 + threadIdx.x] = value;
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}
// A multicast to two blocks, in a block that is alone.
__global__ void stray(const int *from) {
  __shared__ __align__(128) int box[32];
  __shared__ __align__(8) unsigned long long barrier;
  if (threadIdx.x != 0) return;
  begin(at(&barrier), 1);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
               "[%0], [%1], 128, [%2], %3;"
               ::"r"(at(box)), "l"(from), "r"(at(&barrier)), "h"((uint16_t)0b11) : "memory");
}
#include <cuda/ptx>
// The same by cuda::ptx: a tile comes, is doubled, and goes.
__global__ void doubled(const __grid_constant__ CUtensorMap map, int x, int y) {
  namespace ptx = cuda::ptx;
  __shared__ __align__(128) float box[8][8];
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof box);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &map, {x, y}, &barrier);
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {}
  box[threadIdx.x / 8][threadIdx.x % 8] *= 2;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, {x, y}, box);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}
`;

/** PTX ISA, "Swizzling Modes": chunks of 16 bytes, by the row of 128 bytes that they are in. */
const swizzled = (address: number, span: number): number =>
  span < 32 ? address : address ^ (((address >> 7) & (span / 16 - 1)) << 4);

let seed = 1;
const random = (below: number): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};

describe.each(["auto", "thread", "interpreter"] as const)("on the engine %s", (engine) => {
  let device: Gpu;
  let program: GpuProgram;
  beforeAll(async () => {
    device = await openDevice({ engine, gpu: "h100" });
    program = await compile(SOURCE, { device, arch: "sm_90a", defines: ["TA=0", "TB=0"] });
  });
  afterAll(() => device.close());

  test.each([0, 32, 64, 128] as const)("a box of a tensor, swizzle of %i bytes", async (swizzle) => {
    const kernel = await program.kernel("boxes");
    for (let i = 0; i < (engine === "auto" ? 8 : 2); i++) {
      const shape = [3 + random(3), 4 + random(5), 8 * (1 + random(5))];
      const [, rows = 1, columns = 1] = shape;
      // Every other row is shorter than the pattern's, which it takes all the same.
      const width = (swizzle === 0 ? 64 : swizzle) / (i % 2 === 0 ? 4 : 8);
      const pitch = swizzle === 0 ? 4 * width : swizzle;
      const box = [2, 3, width];
      const steps = [1 + random(2), 1, 1];
      const values = Int32Array.from({ length: shape.reduce((a, b) => a * b) }, () => random(1 << 30));
      const [z = 0, y = 0, x = 0] = [random(4), random(6), 4 * random(3)];
      const from = device.array(values);
      const to = device.array(new Int32Array(values.length));
      const dump = device.array(1024, "uint32");
      const options = { shape, box: [box[0]! * steps[0]!, box[1]!, width], steps, swizzle };
      const maps = [device.tensorMap(from, options), device.tensorMap(to, options)] as const;
      await kernel.launch({ grid: 1, block: 64 }, ...maps, x, y, z, 6 * width * 4, dump);

      const expectedDump = new Uint32Array(1024).fill(0xcdcdcdcd);
      const expectedTo = new Int32Array(values.length);
      for (let row = 0; row < 6; row++)
        for (let column = 0; column < width; column++) {
          const place = [z + Math.floor(row / 3) * steps[0]!, y + (row % 3), x + column] as const;
          const isInside = place.every((at, axis) => at >= 0 && at < shape[axis]!);
          const index = (place[0] * rows + place[1]) * columns + place[2];
          expectedDump[swizzled(row * pitch + column * 4, swizzle) / 4] = isInside ? values[index]! : 0;
          if (isInside) expectedTo[index] = values[index]!;
        }
      expect(await dump.read()).toEqual(expectedDump);
      expect(await to.read()).toEqual(expectedTo);
      for (const array of [from, to, dump]) array.free();
    }
  });

  test("outside of a tensor is the NaN of an H200, whose 16 bits repeat", async () => {
    const kernel = await program.kernel("boxes");
    for (const dtype of ["float32", "float64", "float16"] as const) {
      const bytes = { float32: 4, float64: 8, float16: 2 }[dtype];
      const array = device.array(64, dtype);
      const dump = device.array(1024, "uint32");
      const map = device.tensorMap(array, { shape: [1, 1, 64], box: [1, 1, 32 / bytes], fill: "nan" });
      await kernel.launch({ grid: 1, block: 64 }, map, map, 64 - 16 / bytes, 0, 0, 32, dump);
      expect((await dump.read()).slice(4, 8)).toEqual(new Uint32Array(4).fill(0x7ff77ff7));
      for (const each of [array, dump]) each.free();
    }
  });

  test("what an H200 takes for an illegal instruction ends the launch", async () => {
    const own = await openDevice({ engine, gpu: "h200" });
    const kernel = await (
      await compile(SOURCE, { device: own, arch: "sm_90a", defines: ["TA=0", "TB=0"] })
    ).kernel("boxes");
    const array = own.array(new Int32Array(512));
    const map = own.tensorMap(array, { shape: [8, 8, 8], box: [2, 3, 8] });
    // A row that begins between multiples of 16 bytes.
    await expect(
      kernel.launch({ grid: 1, block: 64 }, map, map, 2, 0, 0, 192, own.array(1024, "uint32")),
    ).rejects.toThrow(/trap/);
    own.close();
  });

  test("a multicast to a block that the cluster does not have ends the launch", async () => {
    const own = await openDevice({ engine, gpu: "h200" });
    const options = { device: own, arch: "sm_90a", defines: ["TA=0", "TB=0"] };
    const kernel = await (await compile(SOURCE, options)).kernel("stray");
    await expect(kernel.launch({ grid: 2, block: 32 }, own.array(32, "int32"))).rejects.toThrow(/trap/);
    own.close();
  });

  test("products, with every swizzle and both orders of B", async () => {
    const programs = [program, await compile(SOURCE, { device, arch: "sm_90a", defines: ["TA=0", "TB=1"] })];
    for (const [transposed, own] of programs.entries()) {
      const kernel = await own.kernel("product");
      for (const mode of engine === "auto" ? [0, 1, 2, 3] : [1]) {
        const values = Float32Array.from({ length: 8192 }, () => random(9) - 4);
        const span = mode === 0 ? 16 : 256 >> mode;
        const a = { start: 0, leading: 128, stride: 8 * span + (mode === 0 ? 128 : 0) };
        const b = { start: 9216, leading: 2048, stride: mode === 0 ? 256 : 8 * span };
        const out = device.array(64 * 16, "float32");
        const bytes = device.array(Uint16Array.from(values, numberToBfloat));
        const describe = ({ start, leading, stride }: typeof a): bigint =>
          BigInt(start >> 4) | (BigInt(leading >> 4) << 16n) | (BigInt(stride >> 4) << 32n) | (BigInt(mode) << 62n);
        await kernel.launch({ grid: 1, block: 128, sharedBytes: 16384 }, bytes, out, describe(a), describe(b));

        // "Matrix descriptor" and the canonical layouts: K along a row of the pattern, or the columns of B along it.
        const alongK = (m: typeof a, index: number, k: number): number => {
          const row = m.start + (index % 8) * span + Math.floor(index / 8) * m.stride;
          const byte = 2 * k;
          return swizzled(row + (mode === 0 ? (byte >> 4) * m.leading + (byte & 15) : byte), span);
        };
        const alongN = (m: typeof a, index: number, k: number): number => {
          const [groups, eights] = mode === 0 ? [m.stride, m.leading] : [m.leading, m.stride];
          const [group, within] = [Math.floor((2 * index) / span), (2 * index) % span];
          return swizzled(m.start + group * groups + (k % 8) * span + Math.floor(k / 8) * eights + within, span);
        };
        const expected = Float32Array.from({ length: 64 * 16 }, (_, i) => {
          const [row, column] = [Math.floor(i / 16), i % 16];
          let sum = 1;
          for (let k = 0; k < 16; k++)
            sum += values[alongK(a, row, k) / 2]! * values[(transposed ? alongN : alongK)(b, column, k) / 2]!;
          return sum;
        });
        expect(await out.read()).toEqual(expected);
        out.free();
        bytes.free();
      }
    }
  });

  test("cuda::ptx; a launch runs again when the tensor behind a map has changed", async () => {
    const array = device.array(Float32Array.from({ length: 160 }, (_, i) => i));
    const map = device.tensorMap(array, { shape: [10, 16], box: [8, 8] });
    const kernel = await program.kernel("doubled");
    for (let i = 0; i < 2; i++) await kernel.launch({ grid: 1, block: 64 }, map, 12, 4);
    expect(await array.read()).toEqual(
      Float32Array.from({ length: 160 }, (_, i) => (i % 16 >= 12 && i >= 64 ? 4 * i : i)),
    );
    array.free();
  });

  test("a cluster: multicast, and the other blocks' shared memory", async () => {
    const values = Int32Array.from({ length: 64 }, (_, i) => 7 * i);
    const map = device.tensorMap(device.array(values), { box: [32] });
    const out = device.array(8 * 32, "int32");
    await (await program.kernel("cluster")).launch({ grid: 8, block: 32 }, map, out);
    const expected = Int32Array.from({ length: 8 * 32 }, (_, i) => {
      const [block, lane] = [Math.floor(i / 32), i % 32];
      const next = (block + 1) % 4;
      return next * 1000 + (next === 2 ? -1 : values[Math.floor(block / 4) * 32 + lane]!);
    });
    expect(await out.read()).toEqual(expected);
  });
});

test("what CUDA refuses of a tensor map is refused, with the reason", async () => {
  const device = await openDevice({ gpu: "h100" });
  const array = device.array(64 * 64, "bfloat16");
  const shape = [64, 64];
  expect(() => device.tensorMap(array, { shape, box: [64, 128] })).not.toThrow();
  expect(() => device.tensorMap(array, { shape, box: [64, 128], swizzle: 128 })).toThrow(/256 bytes.*swizzle's 128/);
  expect(() => device.tensorMap(array, { shape, box: [64, 4] })).toThrow(/multiple of 16 bytes, not 8/);
  expect(() => device.tensorMap(array, { shape: [64, 65], box: [64, 64] })).toThrow(/needs 4160 elements/);
  expect(() => device.tensorMap(array, { shape: [63, 63], box: [8, 8] })).toThrow(/multiple of 16 bytes below/);
  device.close();
});
