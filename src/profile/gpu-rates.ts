/**
 * What a GPU does in a clock cycle at most.
 *
 * Source: CUDA C++ programming guide, "Throughput of Native Arithmetic Instructions" (results a cycle and
 * multiprocessor, by compute capability); NVIDIA's tuning guides (widths of the caches' data paths).
 */
import type { DeviceProperties } from "../device/device.ts";

/** Results a cycle and multiprocessor. */
export interface UnitRates {
  readonly fp64: number;
  readonly fp32: number;
  readonly fp16: number;
  readonly integer: number;
  readonly conversion: number;
  readonly special: number;
  /** Products of halves in mma.sync: what the tensor cores reach, on an H200 as measured (625 TFLOP/s). */
  readonly tensor: number;
  /**
   * The same in wgmma, where the GPU has it. An H200 reached 778 TFLOP/s in bfloat16 and 1512 in e4m3, which are two
   * products for one of halves (docs/hopper.md, docs/kernels.md): 1490 and 1450 at 1980 MHz. The tensor cores could do
   * 2048 (NVIDIA, "H100 Tensor Core GPU Architecture": 512 each, dense); power does not allow that for long.
   */
  readonly warpgroup: number | null;
}

const RATES: Readonly<Record<string, UnitRates>> = {
  "7.0": { fp64: 32, fp32: 64, fp16: 128, integer: 64, conversion: 16, special: 16, tensor: 512, warpgroup: null },
  "7.5": { fp64: 2, fp32: 64, fp16: 128, integer: 64, conversion: 16, special: 16, tensor: 512, warpgroup: null },
  "8.0": { fp64: 32, fp32: 64, fp16: 256, integer: 64, conversion: 16, special: 16, tensor: 1024, warpgroup: null },
  "8.6": { fp64: 2, fp32: 128, fp16: 128, integer: 64, conversion: 64, special: 16, tensor: 512, warpgroup: null },
  "8.9": { fp64: 2, fp32: 128, fp16: 128, integer: 64, conversion: 64, special: 16, tensor: 512, warpgroup: null },
  "9.0": { fp64: 64, fp32: 128, fp16: 256, integer: 64, conversion: 64, special: 16, tensor: 1200, warpgroup: 1490 },
};
const NEWEST = "9.0";

/** Four schedulers of a multiprocessor, each with one warp instruction a cycle. */
export const WARP_INSTRUCTIONS_A_CYCLE = 4;
/** Bytes a cycle from the L1 cache or shared memory of a multiprocessor: all 32 banks of 4 bytes. */
export const L1_BYTES_A_CYCLE = 128;
/** Bytes a cycle from a multiprocessor to the L2 cache: a sector of which any bytes are written. */
export const L2_WRITE_BYTES_A_CYCLE = 32;

export function unitRates({ computeCapability: { major, minor } }: DeviceProperties): UnitRates {
  return RATES[`${major}.${minor}`] ?? (RATES[NEWEST] as UnitRates);
}

/** The most that the whole GPU reaches. */
export interface GpuPeaks {
  /** Single precision, a fused multiply-add counts as two. */
  readonly fp32FlopsPerSecond: number;
  readonly fp64FlopsPerSecond: number;
  readonly dramBytesPerSecond: number;
  readonly clockHz: number;
}

export function gpuPeaks(gpu: DeviceProperties): GpuPeaks {
  const clockHz = gpu.clockRateKHz * 1e3;
  const { fp32, fp64 } = unitRates(gpu);
  const perSecond = clockHz * gpu.multiProcessorCount;
  return {
    fp32FlopsPerSecond: 2 * fp32 * perSecond,
    fp64FlopsPerSecond: 2 * fp64 * perSecond,
    // Two transfers a cycle.
    dramBytesPerSecond: (2 * gpu.memoryClockRateKHz * 1e3 * gpu.memoryBusWidthBits) / 8,
    clockHz,
  };
}
