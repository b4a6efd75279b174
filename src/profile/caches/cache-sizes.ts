/**
 * The caches of NVIDIA's GPUs. Sources: the tuning guides of Volta, Turing, Ampere, Ada, Hopper and Blackwell (unified
 * data cache, sizes of shared memory that a kernel can get), Nsight Compute's documentation.
 */
import type { DeviceProperties } from "../../device/device.ts";
import type { LaunchFacts } from "../launch-facts.ts";

export interface CacheSizes {
  /** Of one multiprocessor, less what is shared memory. */
  readonly l1Bytes: number;
  /** Of all partitions together. */
  readonly l2Bytes: number;
  /** Halves of L2: a sector belongs to one, and the other keeps a copy of what its multiprocessors read. */
  readonly l2Partitions: 1 | 2;
}

const KIB = 1024;

/** By compute capability: L1 and shared memory together, and the sizes that shared memory can have, in KiB. */
const UNIFIED: Readonly<Record<string, { readonly total: number; readonly shared: readonly number[] }>> = {
  "7.0": { total: 128, shared: [0, 8, 16, 32, 64, 96] },
  "7.2": { total: 128, shared: [0, 8, 16, 32, 64, 96] },
  "7.5": { total: 96, shared: [32, 64] },
  "8.0": { total: 192, shared: [0, 8, 16, 32, 64, 100, 132, 164] },
  "8.6": { total: 128, shared: [0, 8, 16, 32, 64, 100] },
  "8.7": { total: 192, shared: [0, 8, 16, 32, 64, 100, 132, 164] },
  "8.9": { total: 128, shared: [0, 8, 16, 32, 64, 100] },
  "9.0": { total: 256, shared: [0, 8, 16, 32, 64, 100, 132, 164, 196, 228] },
  "10.0": { total: 256, shared: [0, 8, 16, 32, 64, 100, 132, 164, 196, 228] },
  "12.0": { total: 128, shared: [0, 8, 16, 32, 64, 100] },
};
/** Chips with two partitions of L2: A100, H100 and what came after them for data centres. */
const TWO_PARTITIONS = new Set(["8.0", "9.0", "10.0", "10.3"]);

export function cacheSizes(facts: LaunchFacts, dynamicSharedBytes: number, gpu: DeviceProperties): CacheSizes {
  const { major, minor } = gpu.computeCapability;
  const capability = `${major}.${minor}`;
  const { total, shared } = UNIFIED[capability] ?? UNIFIED[`${major}.0`] ?? { total: 128, shared: [0, 32, 64, 100] };
  const ofBlock = facts.staticSharedBytes + dynamicSharedBytes + gpu.reservedSharedMemPerBlock;
  const usesShared = facts.staticSharedBytes + dynamicSharedBytes > 0;
  const needed = usesShared ? facts.occupancy.blocks * ofBlock : 0;
  const carveOut = shared.find((size) => size * KIB >= needed) ?? (shared.at(-1) as number);
  return {
    l1Bytes: (total - carveOut) * KIB,
    l2Bytes: gpu.l2CacheBytes,
    l2Partitions: TWO_PARTITIONS.has(capability) ? 2 : 1,
  };
}
