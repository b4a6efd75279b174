/**
 * The time that no launch can be below, from the hardware's own numbers. A bench refuses a time below it: some of the
 * work cannot have been done.
 */
import type { Device, DeviceProperties } from "../device/device.ts";
import type { CacheState } from "./stopwatch.ts";
import type { OperationUnit, Work } from "./work.ts";

/** Fastest clock of any processor sold, with some room. */
const FASTEST_CORE_HZ = 6.5e9;
/** An x86 or ARM core loads or stores at most 2 × 64 + 64 bytes a cycle. */
const CORE_BYTES_PER_CYCLE = 192;
/** WebAssembly has vectors of 4 floats; at most four of them begin a cycle, and a fused one counts twice. */
const CORE_OPERATIONS_PER_CYCLE = 32;
/**
 * What an SM's L1 and shared memory deliver in a cycle (Hopper tuning guide); every byte that a kernel uses comes by
 * there.
 */
const SM_BYTES_PER_CYCLE = 128;
/**
 * FP32 units of a multiprocessor, the most of any architecture (CUDA C++ Programming Guide, "Arithmetic Instructions").
 */
const SM_FP32_UNITS = 128;
/**
 * Operations of bfloat16 matrices of a multiprocessor in a cycle, without sparsity: peak rates of the architectures'
 * white papers by clock and multiprocessors. From 10.0 on with room for what is to come.
 */
function smMatrixOperations(major: number, minor: number): number {
  if (major === 8 && minor === 0) return 2048;
  if (major <= 8) return 1024;
  return major === 9 ? 4096 : 16_384;
}

function smOperationsOf(unit: OperationUnit, major: number, minor: number): number {
  if (unit === "fp32") return SM_FP32_UNITS * 2;
  return smMatrixOperations(major, minor) * (unit === "fp8" ? 2 : 1);
}

/** What the floor depends on. */
export interface FloorDevice {
  readonly raw: Pick<Device, "kind">;
  readonly properties: DeviceProperties;
  /** Of the machine that an emulated device runs on. */
  readonly cores: number;
}

/**
 * The time that no launch can be below, in milliseconds. Cold: `inputBytes` come from DRAM, whose bus gives no more
 * (outputs may stay in L2). Hot: everything goes through the SMs at least. Operations: as many as there are units and
 * cycles.
 */
export function physicalFloorMs(
  { properties, raw, cores }: FloorDevice,
  work: Work & { readonly inputBytes: number },
  cache: CacheState,
): number {
  if (raw.kind === "emulated") {
    const cycles = cores * FASTEST_CORE_HZ;
    return (
      Math.max(work.bytes / (cycles * CORE_BYTES_PER_CYCLE), work.operations / (cycles * CORE_OPERATIONS_PER_CYCLE)) *
      1000
    );
  }
  const cycles = properties.multiProcessorCount * properties.clockRateKHz * 1000;
  const { major, minor } = properties.computeCapability;
  const smOperations = smOperationsOf(work.unit ?? "fp32", major, minor);
  const busBytes = (2 * properties.memoryClockRateKHz * 1000 * properties.memoryBusWidthBits) / 8;
  const floors = [work.bytes / (cycles * SM_BYTES_PER_CYCLE), work.operations / (cycles * smOperations)];
  if (cache === "cold" && busBytes > 0) floors.push(Math.min(work.bytes, work.inputBytes) / busBytes);
  return Math.max(...floors) * 1000;
}
