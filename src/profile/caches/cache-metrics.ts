/** What the model of the caches says of a launch, under NVIDIA's metric names. */
import type { DeviceProperties } from "../../device/device.ts";
import { SECTOR_BYTES } from "../../machine/warp-counts.ts";
import { launchFacts, type KernelFacts } from "../launch-facts.ts";
import type { LaunchProfile } from "../launch-profile.ts";
import type { Metrics } from "../line-profile.ts";
import { modelCaches, type CacheCounts } from "./cache-model.ts";
import { cacheSizes, type CacheSizes } from "./cache-sizes.ts";
import { L1_HIT_RATE, L2_HIT_RATE, LOCAL_HIT_RATES } from "./hit-rates.ts";
import type { LineTrace } from "./line-trace.ts";

const DRAM_READ = "dram__bytes_read.sum";
const DRAM_WRITE = "dram__bytes_write.sum";

/** Measured on an H200: of L2, what may wait to be written to DRAM when a launch has ended. */
const L2_DIRTY = 0.3;
/** Measured on an H200: lookups of L2 that are neither reads nor writes of the kernel, and always hit. */
const L2_OTHER = { ofLaunch: 1700, ofDramRead: 0.2 } as const;

/** @param launch with the exact numbers of bytes that are read and written at least. */
export function cacheMetrics(
  launch: Pick<LaunchProfile, "grid" | "block" | "dynamicSharedBytes" | "metrics">,
  trace: LineTrace,
  kernel: KernelFacts,
  gpu: DeviceProperties,
): Metrics {
  if (trace.records === 0) return {};
  const facts = launchFacts(launch, kernel, gpu);
  const sizes = cacheSizes(facts, launch.dynamicSharedBytes, gpu);
  const multiprocessors = gpu.multiProcessorCount;
  const counts = modelCaches(trace, { multiprocessors, residentBlocks: Math.max(1, facts.occupancy.blocks), sizes });
  // The sample says how often a sector is moved again; how many there are is known exactly.
  const sampled = Array.from({ length: multiprocessors }, (_, n) => n).filter((n) => trace.hasMultiprocessor(n)).length;
  const scale = multiprocessors / sampled / trace.lineShare;
  const { local } = counts;
  const localBytes = (sectors: number): number => SECTOR_BYTES * scale * sectors;
  const globalRead = (launch.metrics[DRAM_READ] ?? 0) * ratio(counts.dramReads, counts.firstReads);
  const dramRead = globalRead + localBytes(local.dramReads);
  const written = (launch.metrics[DRAM_WRITE] ?? 0) + localBytes(local.written);
  const dramWritten = Math.max(0, written - L2_DIRTY * sizes.l2Bytes);
  return {
    [L1_HIT_RATE]: 100 * ratio(counts.l1Hits, counts.l1Lookups),
    ...(local.loads === 0 ? {} : { [LOCAL_HIT_RATES.load]: 100 * ratio(local.loadHits, local.loads) }),
    ...(local.stores === 0 ? {} : { [LOCAL_HIT_RATES.store]: 100 * ratio(local.storeHits, local.stores) }),
    [L2_HIT_RATE]: 100 * l2HitRate(counts, scale, dramRead / SECTOR_BYTES, sizes),
    [DRAM_READ]: Math.round(dramRead),
    [DRAM_WRITE]: Math.round(dramWritten),
  };
}

/**
 * With two partitions, half of what is read from DRAM and of what is written goes through the partition that it does
 * not belong to, and is looked up there, too. A sector that was read once has a copy there.
 */
function l2HitRate(
  { reads, writes }: CacheCounts,
  scale: number,
  dramReads: number,
  { l2Partitions }: CacheSizes,
): number {
  const through = l2Partitions === 2 ? 1.5 : 1;
  const other = L2_OTHER.ofLaunch + L2_OTHER.ofDramRead * dramReads;
  const misses = through * dramReads;
  const lookups = Math.max(misses, scale * reads + (through - 1) * dramReads) + through * scale * writes + other;
  return 1 - misses / lookups;
}

function ratio(some: number, all: number): number {
  return all === 0 ? 0 : some / all;
}
