/** ldmatrix and stmatrix are instructions of a warp: all lanes have read, or written, before one goes on. */
import { expect, test } from "vitest";
import { compile, openDevice } from "../../../index.ts";

const SOURCE = `
__global__ void read(unsigned *out) {
  __shared__ __align__(16) unsigned tile[128];
  const int t = threadIdx.x;
  for (int i = t; i < 128; i += 32) tile[i] = i + 1;
  __syncwarp();
  const unsigned row = (unsigned)__cvta_generic_to_shared(tile + 4 * t);
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row) : "memory");
  if (t == 0) for (int i = 0; i < 128; i++) tile[i] = 0;
  for (int i = 0; i < 4; i++) out[32 * i + t] = r[i];
}
__global__ void write(unsigned *out) {
  __shared__ __align__(16) unsigned tile[128];
  const int t = threadIdx.x;
  for (int i = t; i < 128; i += 32) tile[i] = 0;
  __syncwarp();
  const unsigned row = (unsigned)__cvta_generic_to_shared(tile + 4 * t);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
               ::"r"(row), "r"(t + 1), "r"(t + 33), "r"(t + 65), "r"(t + 97) : "memory");
  if (t == 0) for (int i = 0; i < 128; i++) out[i] = tile[i];
}`;

test.each(["interpreter", "thread", "warp"] as const)("%s", async (engine) => {
  const device = await openDevice({ engine, workers: 1 });
  try {
    const program = await compile(SOURCE, { device, path: "matrices.cu" });
    for (const name of ["read", "write"]) {
      const out = device.array(new Uint32Array(128));
      await (await program.kernel(name)).launch({ grid: 1, block: 32 }, out);
      expect([...(await out.read())], name).toEqual(Array.from({ length: 128 }, (_, i) => i + 1));
    }
  } finally {
    await device.close();
  }
});
