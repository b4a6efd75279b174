// What TypeScript programs have beside kernels: cuBLAS, clusters, several GPUs.
import { openBlas, openDevice, compile } from "../../dist/index.js";
import { listGpus } from "../../dist/device/cuda/open-device.js";
import { blasContract } from "../../dist/library/blas.contract.js";
import * as framework from "./framework.mjs";

const { describe, it, expect, beforeAll, afterAll } = framework;

export async function run({ verbose }) {
  const gpus = listGpus().devices;
  blasContract({ name: "GPU", open: () => openDevice({ device: "cuda" }), openBlas }, framework);
  for (const [ordinal, { name, computeCapability }] of gpus.entries()) {
    describe(`TypeScript on GPU ${ordinal}, ${name}`, () => {
      let gpu;
      beforeAll(async () => {
        gpu = await openDevice({ device: "cuda", ordinal });
      });
      afterAll(() => gpu.close());
      it("runs a kernel", async () => {
        const program = await compile("__global__ void twice(float* x) { x[threadIdx.x] *= 2; }", { device: gpu });
        const x = gpu.array(new Float32Array([1, 2, 3]));
        await (await program.kernel("twice")).launch({ grid: 1, block: 3 }, x);
        expect([...(await x.read())]).toEqual([2, 4, 6]);
      });
      if (computeCapability.major >= 9) {
        it("launches clusters, whose blocks read one another's shared memory", async () => {
          const program = await compile(
            `__global__ void next(unsigned* out) {
            __shared__ unsigned mine;
            if (threadIdx.x == 0) mine = 10 * blockIdx.x;
            unsigned rank, count, at, value;
            asm volatile("barrier.cluster.arrive; barrier.cluster.wait; "
                         "mov.u32 %0, %%cluster_ctarank; mov.u32 %1, %%cluster_nctarank;"
                         : "=r"(rank), "=r"(count) :: "memory");
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                         : "=r"(at) : "r"((unsigned)__cvta_generic_to_shared(&mine)), "r"((rank + 1) % count));
            asm volatile("ld.shared::cluster.u32 %0, [%1]; barrier.cluster.arrive; barrier.cluster.wait;"
                         : "=r"(value) : "r"(at) : "memory");
            if (threadIdx.x == 0) out[blockIdx.x] = value;
          }`,
            { device: gpu },
          );
          const out = gpu.array(8, "uint32");
          await (await program.kernel("next")).launch({ grid: 8, block: 32, cluster: 4 }, out);
          expect([...(await out.read())]).toEqual([10, 20, 30, 0, 50, 60, 70, 40]);
        });
      }
    });
  }
  if (gpus.length > 1) {
    describe("two GPUs", () => {
      it("copies from one to the other", async () => {
        const [a, b] = [
          await openDevice({ device: "cuda", ordinal: 0 }),
          await openDevice({ device: "cuda", ordinal: 1 }),
        ];
        const from = a.array(Float32Array.from({ length: 1 << 20 }, (_, i) => i));
        const to = b.array(1 << 20, "float32");
        expect(b.raw.copyFromPeer(to.pointer, a.raw, from.pointer, from.byteLength)).toBe(true);
        expect(await to.read()).toEqual(await from.read());
        for (const gpu of [a, b]) gpu.close();
      });
    });
  }
  return framework.runCases({ verbose });
}
