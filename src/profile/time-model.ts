/**
 * How long a launch should take, and what limits it. A model: it is right about orders of magnitude and, mostly, about
 * which of two versions is faster. Each unit has the time that it alone would need; the slowest is the limiter.
 *
 * It follows the roofline model (Williams, Waterman, Patterson, 2009) with more than two roofs, and Little's law for
 * what few warps can keep under way (Volkov, "Understanding Latency Hiding on GPUs", 2016).
 */
import type { DeviceProperties } from "../device/device.ts";
import { SECTOR_BYTES } from "../machine/warp-counts.ts";
import {
  L1_BYTES_A_CYCLE,
  L2_WRITE_BYTES_A_CYCLE,
  WARP_INSTRUCTIONS_A_CYCLE,
  gpuPeaks,
  unitRates,
} from "./gpu-rates.ts";
import type { LaunchFacts } from "./launch-facts.ts";
import { SHARED_WAVEFRONTS } from "./access-metrics.ts";
import type { AccessOperation } from "./counted-accesses.ts";
import type { LaunchProfile } from "./launch-profile.ts";
import { laneStride } from "./hints/lane-strides.ts";
import type { AccessProfile, Metrics } from "./line-profile.ts";
import { transfersIn } from "./transfers.ts";
import { tensorCycles } from "./warpgroup-products.ts";

/** What a launch can wait for. */
export type TimeUnit =
  | "issue slots"
  | "fp32"
  | "fp64"
  | "fp16"
  | "integer"
  | "special functions"
  | "tensor cores"
  | "L1 and shared memory"
  | "L2"
  | "DRAM"
  | "block launches"
  | "latency";

export interface UnitTime {
  readonly unit: TimeUnit;
  readonly microseconds: number;
  /** Of the predicted time, from 0 to 1. */
  readonly share: number;
}

export interface PredictedTime {
  readonly microseconds: number;
  readonly limiter: TimeUnit;
  /** The longest first. */
  readonly units: readonly UnitTime[];
}

/** From the start of a kernel to its first instruction, and from its last to its end. */
const LAUNCH_MICROSECONDS = 2;
/** Cycles from an instruction to one that needs its result. */
const ARITHMETIC_LATENCY = 6;
const SHARED_LATENCY = 30;
const L2_LATENCY = 270;
const DRAM_LATENCY = 600;
/** Loads that a warp has under way at once. */
const LOADS_UNDER_WAY = 3;
/** Blocks that the whole GPU starts in a cycle: kernels of many small blocks on an H200. */
const BLOCKS_A_CYCLE = 0.9;
/**
 * Cycles of a multiprocessor for each sector beyond the ideal, of a load and of a store: transposes and kernels with a
 * thread a row on an H200.
 */
const EXCESS_LOAD_CYCLES = 1.7;
const EXCESS_STORE_CYCLES = 4;
/** What DRAM reaches of its peak. */
const DRAM_EFFICIENCY = 0.92;

const operation = (name: string): string => `smsp__sass_thread_inst_executed_op_${name}_pred_on.sum`;

/** @param lines where sectors beyond the ideal are counted by operation. */
export function predictTime(
  { metrics, lines }: Pick<LaunchProfile, "metrics" | "lines">,
  facts: LaunchFacts,
  gpu: DeviceProperties,
): PredictedTime {
  const of = (...names: readonly string[]): number => names.reduce((sum, name) => sum + (metrics[name] ?? 0), 0);
  const threads = (...names: readonly string[]): number => of(...names.map(operation));
  const multiprocessors = gpu.multiProcessorCount;
  const rates = unitRates(gpu);
  const { clockHz, dramBytesPerSecond } = gpuPeaks(gpu);
  const blocks = metrics["launch__grid_size"] ?? 1;
  // The multiprocessor with the most blocks has more to do than the average.
  const uneven = (Math.ceil(blocks / multiprocessors) * multiprocessors) / Math.max(1, blocks);
  const cycles = (work: number, aCycle: number): number => ((work / aCycle) * uneven) / multiprocessors;
  const sectors = (...operations: readonly string[]): number =>
    of(...operations.map((one) => `l1tex__t_sectors_pipe_lsu_mem_global_op_${one}.sum`)) +
    of(...operations.map((one) => `l1tex__t_sectors_pipe_lsu_mem_local_op_${one}.sum`));
  const wavefronts = of(...SHARED_WAVEFRONTS);
  const tiles = transfersIn(metrics);
  const tileSectors = tiles.reduce((sum, tile) => sum + tile.sectors, 0);
  const l1Bytes = SECTOR_BYTES * (sectors("ld", "st") + tileSectors) + L1_BYTES_A_CYCLE * wavefronts;
  const dramBytes = of("dram__bytes_read.sum", "dram__bytes_write.sum");
  const byUnit: Record<TimeUnit, number> = {
    "issue slots": cycles(of("smsp__inst_executed.sum"), WARP_INSTRUCTIONS_A_CYCLE),
    fp32: cycles(threads("fadd", "fmul", "ffma"), rates.fp32),
    fp64: cycles(threads("dadd", "dmul", "dfma"), rates.fp64),
    fp16: cycles(threads("hadd", "hmul", "hfma"), rates.fp16),
    integer: cycles(threads("integer"), rates.integer),
    "special functions": cycles(32 * of("smsp__inst_executed_pipe_xu.sum"), rates.special),
    "tensor cores": cycles(tensorCycles(metrics, rates), 1),
    "L1 and shared memory":
      cycles(l1Bytes, L1_BYTES_A_CYCLE) + cycles(excessSectors(lines, "load") * EXCESS_LOAD_CYCLES, 1),
    L2:
      cycles(excessSectors(lines, "store") * EXCESS_STORE_CYCLES, 1) +
      cycles(SECTOR_BYTES * sectors("st", "atom", "red"), L2_WRITE_BYTES_A_CYCLE),
    DRAM: (dramBytes / dramBytesPerSecond / DRAM_EFFICIENCY) * clockHz,
    "block launches": blocks / BLOCKS_A_CYCLE,
    latency: latencyCycles(metrics, facts, { dramBytes, wavefronts }),
  };
  const most = Math.max(...Object.values(byUnit));
  const toMicroseconds = (value: number): number => (1e6 * value) / clockHz;
  const microseconds = LAUNCH_MICROSECONDS + toMicroseconds(most);
  const units = (Object.entries(byUnit) as [TimeUnit, number][])
    .filter(([, value]) => value > 0)
    .map(([unit, value]) => ({
      unit,
      microseconds: toMicroseconds(value),
      share: toMicroseconds(value) / microseconds,
    }))
    .sort((a, b) => b.microseconds - a.microseconds);
  return { microseconds, limiter: units[0]?.unit ?? "latency", units };
}

/** Cycles that sectors beyond the ideal take of the multiprocessors, of all together. */
export function excessCycles(lines: LaunchProfile["lines"]): number {
  return excessSectors(lines, "load") * EXCESS_LOAD_CYCLES + excessSectors(lines, "store") * EXCESS_STORE_CYCLES;
}

/**
 * Sectors of global memory that lanes side by side would not need. Sectors of which half is used are not among them:
 * kernels that store 8 of every 16 bytes at once reach the speed of a copy on an H200.
 */
function excessSectors(lines: LaunchProfile["lines"], operation: AccessOperation): number {
  let excess = 0;
  for (const access of lines.flatMap(({ accesses }) => accesses))
    if (access.space === "global" && access.operation === operation)
      excess += Math.max(0, access.transactions - 2 * access.ideal) * (isDense(access) ? DENSE_PART : 1);
  return excess;
}

/**
 * Stores whose lanes lie a few sectors apart: what one leaves out the next ones write, while L2 still has the lines. A
 * kernel that stores every eighth float of rows of floats in turn takes no longer on an H200 than one that stores them
 * side by side.
 */
function isDense({ operation, sample }: AccessProfile): boolean {
  if (operation !== "store" || sample === null) return false;
  const { bytes } = laneStride(sample);
  return bytes !== null && Math.abs(bytes) <= DENSE_BYTES;
}

const DENSE_BYTES = 64;
const DENSE_PART = 0.05;

/** The chain of one warp, as often as blocks follow one another on a multiprocessor. */
function latencyCycles(
  metrics: Metrics,
  { waves }: LaunchFacts,
  { dramBytes, wavefronts }: { readonly dramBytes: number; readonly wavefronts: number },
): number {
  const warps = metrics["smsp__warps_launched.sum"] ?? 0;
  if (warps === 0) return 0;
  const loads = metrics["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] ?? 0;
  const sectors = metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] ?? 0;
  const first = Math.min(1, dramBytes / Math.max(1, SECTOR_BYTES * sectors));
  const memory = (loads * (first * DRAM_LATENCY + (1 - first) * L2_LATENCY)) / LOADS_UNDER_WAY;
  const shared = (wavefronts * SHARED_LATENCY) / LOADS_UNDER_WAY;
  const arithmetic = (metrics["smsp__inst_executed.sum"] ?? 0) * ARITHMETIC_LATENCY;
  return ((memory + shared + arithmetic) / warps) * Math.max(1, waves);
}
