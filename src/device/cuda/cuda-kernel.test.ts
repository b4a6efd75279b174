import { expect, test } from "vitest";
import type { GpuContext } from "./context.ts";
import { CudaKernel, type KernelFacts } from "./cuda-kernel.ts";
import type { CudaModule } from "./cuda-module.ts";

const FACTS: KernelFacts = {
  params: [],
  paramBytes: 0,
  usesGridSync: false,
  usesPrintf: false,
  usesHeap: false,
  usesClusters: true,
  clusterBlocks: 2,
  regions: null,
};
const DIM = { x: 2, y: 1, z: 1 };

/** A kernel of a GPU of this major compute capability, whose driver takes every launch. */
function kernelOn(major: number, facts: KernelFacts): CudaKernel {
  const driver = { getInt: () => 0, function: () => () => 0 };
  const context = { driver, device: 0, hasClusters: () => major >= 9 } as unknown as GpuContext;
  return new CudaKernel({ context } as CudaModule, "pair", 0, facts);
}

test("a GPU below 9.0 refuses __cluster_dims__ by name instead of running each block alone", () => {
  const launch = { grid: DIM, block: DIM, sharedBytes: 0 };
  expect(() => kernelOn(8, FACTS).enqueue(launch, 0)).toThrow(
    "the kernel pair with clusters of 2 blocks on a GPU below 9.0 is not supported yet",
  );
  expect(kernelOn(9, FACTS).enqueue(launch, 0)).toBe(0);
  expect(kernelOn(8, { ...FACTS, clusterBlocks: 1 }).enqueue(launch, 0), "clusters of one block are none").toBe(0);
});
