import { afterAll, beforeAll, expect, test } from "vitest";
import type { Gpu } from "../library/gpu.ts";
import { nodeEnvironment } from "../library/environment-node.ts";
import { createHeddle } from "../library/heddle.ts";
import type { OperationUnit } from "./work.ts";
import { openLimits } from "./limits.ts";
import { physicalFloorMs, type FloorDevice } from "./physical-floor.ts";
import { stopwatch } from "./stopwatch.ts";

const heddle = createHeddle(nodeEnvironment());
let gpu: Gpu;
beforeAll(async () => {
  gpu = await heddle.openDevice({ device: "emulated", workers: 1, reuse: false });
});
afterAll(() => gpu.close());

/** What physicalFloorMs asks of a GPU; those of an H200 and an A100 as their drivers tell them. */
const card = (major: number, multiProcessorCount: number, clockMHz: number): FloorDevice =>
  ({
    raw: { kind: "cuda" },
    properties: {
      computeCapability: { major, minor: 0 },
      multiProcessorCount,
      clockRateKHz: clockMHz * 1000,
      memoryClockRateKHz: 3_201_000,
      memoryBusWidthBits: 6144,
    },
    cores: 1,
  }) as unknown as FloorDevice;
const floor = (which: FloorDevice, unit?: OperationUnit): number =>
  physicalFloorMs(
    which,
    { bytes: 1, inputBytes: 1, operations: 2 * 4096 ** 3, ...(unit === undefined ? {} : { unit }) },
    "hot",
  );

test("operations of bfloat16 have the floor of tensor cores, others that of the fp32 units", () => {
  const h200 = card(9, 132, 1980);
  expect(floor(h200)).toBeCloseTo(2.054, 2);
  expect(floor(h200, "fp32")).toBe(floor(h200));
  // 1071 TFLOP/s at the highest clock; NVIDIA's data sheet has 989 at the one it promises.
  expect(floor(h200, "bf16")).toBeCloseTo(0.1284, 3);
  expect(floor(card(8, 108, 1410), "bf16")).toBeCloseTo(0.4407, 3);
});

test("both ceilings can be measured, once each", async () => {
  const watch = stopwatch(gpu);
  let compiled = 0;
  const limits = await openLimits(gpu, watch, (source, options) => (compiled++, heddle.compile(source, options)));
  const ceiling = async (unit: OperationUnit): Promise<number> =>
    (await limits.ceilings({ bytes: 1, operations: 1, unit }, "hot")).operationsG;
  const [fp32, bf16] = [await ceiling("fp32"), await ceiling("bf16")];
  expect([fp32, bf16].every((value) => Number.isFinite(value) && value > 0.001)).toBe(true);
  expect(bf16).toBeGreaterThanOrEqual(fp32);
  expect([await ceiling("fp32"), await ceiling("bf16")]).toEqual([fp32, bf16]);
  expect(compiled).toBe(2);
});
