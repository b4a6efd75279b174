/**
 * Copies of im2col mode from TypeScript, on both engines: the operand of a convolution, pixel by pixel. Random
 * descriptors: src/cli/test-programs/im2col.cu.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compile, openDevice, type DeviceArray, type Gpu, type GpuProgram } from "../index.ts";

const SOURCE = String.raw`
#include <cuda.h>
#include <stdint.h>
__device__ uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
// The pixels that one filter element meets: 4 channels of each.
__global__ void pixels(const __grid_constant__ CUtensorMap map, int w, int h, int n, int s, int r, int count,
                       int *out) {
  __shared__ __align__(128) int memory[1024];
  __shared__ __align__(8) unsigned long long barrier;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;\n"
                 "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 ::"r"(at(&barrier)), "r"(16 * count) : "memory");
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};"
                 ::"r"(at(memory)), "l"(&map), "r"(at(&barrier)), "r"(0), "r"(w), "r"(h), "r"(n), "h"((uint16_t)s),
                 "h"((uint16_t)r) : "memory");
  }
  __syncthreads();
  uint32_t done = 0;
  while (!done)
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done) : "r"(at(&barrier)) : "memory");
  for (int i = threadIdx.x; i < 4 * count; i += blockDim.x) out[i] = memory[i];
}
// A copy of tiles with whatever map comes.
__global__ void tile(const __grid_constant__ CUtensorMap map) {
  __shared__ __align__(128) int memory[1024];
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%2, %2, %2, %2}], [%1];"
               ::"l"(&map), "r"(at(memory)), "r"(0) : "memory");
}
`;

const [N, H, W, C] = [3, 5, 7, 4] as const;
const SHAPE = [N, H, W, C];

describe.each(["auto", "interpreter"] as const)("on the engine %s", (engine) => {
  let device: Gpu;
  let program: GpuProgram;
  let images: DeviceArray;
  const values = Int32Array.from({ length: N * H * W * C }, (_, i) => i + 1);
  beforeAll(async () => {
    device = await openDevice({ engine, gpu: "h200" });
    program = await compile(SOURCE, { device, arch: "sm_90a" });
    images = device.array(values);
  });
  afterAll(() => device.close());

  test.each([
    // Of a filter of 3 × 3: padding, stride.
    [1, 1],
    [0, 1],
    [1, 2],
    [0, 2],
  ])("a convolution with padding %i and stride %i", async (padding, stride) => {
    const corners = { lower: [-padding, -padding], upper: [padding - 2, padding - 2] };
    const size = (extent: number): number => Math.floor((extent + 2 * padding - 3) / stride) + 1;
    const [outH, outW] = [size(H), size(W)];
    const count = outH * outW + 2;
    const map = device.tensorMap(images, {
      shape: SHAPE,
      steps: [1, stride, stride, 1],
      im2col: { ...corners, pixels: count, channels: C },
    });
    const out = device.array(4 * count, "int32");
    const kernel = await program.kernel("pixels");
    // From the second pixel of the second image on: two pixels of the next image come at the end.
    for (const [r, s] of [
      [0, 0],
      [1, 2],
      [2, 1],
    ] as const) {
      await kernel.launch({ grid: 1, block: 32 }, map, stride - padding, -padding, 1, s, r, count, out);
      const expected = Array.from({ length: count }, (_, i) => {
        const [n, q] = [1 + Math.floor((i + 1) / (outH * outW)), (i + 1) % (outH * outW)];
        const [h, w] = [Math.floor(q / outW) * stride - padding + r, (q % outW) * stride - padding + s];
        const isInside = h >= 0 && h < H && w >= 0 && w < W && n < N;
        return Array.from({ length: C }, (_e, c) => (isInside ? values[((n * H + h) * W + w) * C + c]! : 0));
      });
      expect([...(await out.read())]).toEqual(expected.flat());
    }
    out.free();
  });

  test("a map of the other mode ends the launch", async () => {
    const own = await openDevice({ engine, gpu: "h200" });
    const array = own.array(values);
    const kernels = await compile(SOURCE, { device: own, arch: "sm_90a" });
    const map = own.tensorMap(array, {
      shape: SHAPE,
      im2col: { lower: [0, 0], upper: [0, 0], pixels: 4, channels: 4 },
    });
    await expect((await kernels.kernel("tile")).launch({ grid: 1, block: 1 }, map)).rejects.toThrow(/trap/);
    own.close();
  });
});

test("what CUDA refuses of a map of pixels is refused, with the reason", async () => {
  const device = await openDevice({ gpu: "h200" });
  const array = device.array(N * H * W * C, "int32");
  const good = { lower: [0, 0], upper: [0, 0], pixels: 8, channels: 4 };
  const map = (im2col: Partial<typeof good>, shape: number[] = SHAPE): Uint8Array =>
    device.tensorMap(array, { shape, im2col: { ...good, ...im2col } });
  expect(map({})).toHaveLength(128);
  expect(() => map({ lower: [-129, 0] })).toThrow(/corner.*-128 to 127 in a tensor of 4 dimensions/);
  expect(() => map({ lower: [0, 7] })).toThrow(/box between the corners is empty/);
  expect(() => map({ upper: [-5, 0] })).toThrow(/box between the corners is empty/);
  expect(() => map({ pixels: 1025 })).toThrow(/1 to 1024 pixels/);
  expect(() => map({ channels: 257 })).toThrow(/1 to 256 channels/);
  expect(() => map({ channels: 3 })).toThrow(/multiple of 16 bytes, not 12/);
  expect(() => map({ pixels: 1.5 })).toThrow(/im2col.pixels .*a whole number/);
  expect(() => map({ lower: [0] })).toThrow(/im2col.lower .*2 whole numbers/);
  expect(() => map({ lower: [], upper: [] }, [60, 7])).toThrow(/3 to 5 dimensions, not 2/);
  const box = [1, 1, 1, 4];
  expect(() => device.tensorMap(array, { shape: SHAPE, box, im2col: good })).toThrow(/a box, or pixels/);
  expect(() => device.tensorMap(array, { shape: SHAPE })).toThrow(/a box, or pixels/);
  device.close();
});
