/** Thread block clusters of an emulated device: from the compute capability on that has them. */
import { dim3Volume } from "../../base/dim3.ts";
import type { Device, DeviceClusters } from "../device.ts";

/** "Thread Block Clusters" in the CUDA C++ Programming Guide: the compute capability, and an H100's limit. */
const FIRST_MAJOR = 9;
const MAX_BLOCKS = 16;

export function emulatedClusters(device: Device): DeviceClusters | null {
  const { computeCapability, multiProcessorCount } = device.properties;
  if (computeCapability.major < FIRST_MAJOR) return null;
  return {
    maxBlocks: () => MAX_BLOCKS,
    maxActive: (kernel, { block, sharedBytes, cluster }) => {
      const blocks = device.residentBlocks(kernel, dim3Volume(block), sharedBytes) * multiProcessorCount;
      return Math.floor(blocks / (cluster === undefined ? 1 : dim3Volume(cluster)));
    },
  };
}
