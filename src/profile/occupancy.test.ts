/** Occupancy as NVIDIA's occupancy calculator and cudaOccupancyMaxActiveBlocksPerMultiprocessor give it. */
import { expect, test } from "vitest";
import { gpuProperties } from "../device/emulated/gpus.ts";
import { occupancyOf, wavesOf } from "./occupancy.ts";

const H100 = gpuProperties("h100");
const block = (x: number): { x: number; y: number; z: number } => ({ x, y: 1, z: 1 });

test.each([
  // threads, registers, shared bytes, blocks, limit: by hand, from the rules that the guide gives
  [256, 32, 0, 8, "warps"],
  [256, 40, 0, 6, "registers"],
  [1024, 64, 0, 1, "registers"],
  [64, 16, 0, 32, "blocks"],
  [128, 32, 48 * 1024, 4, "shared memory"],
  [96, 168, 0, 4, "registers"],
] as const)("%i threads, %i registers, %i bytes: %i blocks", (threads, registers, shared, blocks, limit) => {
  const found = occupancyOf(
    block(threads),
    { registersPerThread: registers, staticSharedBytes: shared, dynamicSharedBytes: 0 },
    H100,
  );
  expect(found.blocks).toBe(blocks);
  expect(found.limit).toBe(limit);
  expect(found.part).toBeCloseTo((blocks * Math.ceil(threads / 32)) / 64);
});

test("waves: the grid over the blocks that the whole GPU holds", () => {
  const occupancy = occupancyOf(
    block(256),
    { registersPerThread: 32, staticSharedBytes: 0, dynamicSharedBytes: 0 },
    H100,
  );
  expect(wavesOf(block(132 * 8 * 3), occupancy, H100)).toBe(3);
});
