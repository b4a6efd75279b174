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
function kernelOn(major: number, facts: KernelFacts, seen: number[][] = []): CudaKernel {
  const launch = (...values: number[]): number => {
    seen.push(values);
    return 0;
  };
  const driver = { getInt: () => 0, function: () => launch };
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

test("a parameter that needs more than 16 bytes of alignment is handed over by itself", () => {
  const launch = { grid: DIM, block: DIM, sharedBytes: 0 };
  const number = { name: "n", offset: 0, size: 4, align: 4, kind: "i32" } as const;
  const map = { name: "map", offset: 64, size: 128, align: 64, kind: "struct" } as const;
  const lastTwo = (params: KernelFacts["params"], paramBytes: number): boolean[] => {
    const seen: number[][] = [];
    kernelOn(9, { ...FACTS, clusterBlocks: 1, params, paramBytes }, seen).enqueue(launch, 0);
    // cuLaunchKernel's kernelParams and extra.
    return seen[0]?.slice(-2).map((address) => address !== 0) ?? [];
  };
  expect(lastTwo([], 0)).toEqual([false, false]);
  expect(lastTwo([number], 4)).toEqual([false, true]);
  expect(lastTwo([number, map], 192)).toEqual([true, false]);
});
