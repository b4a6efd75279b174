/** Thread block clusters of a GPU: the driver answers. */
import type { DeviceClusters, DeviceProperties } from "../device.ts";
import { cudaKernel } from "./cuda-kernel.ts";

const FIRST_MAJOR = 9;

export function gpuClusters({ computeCapability }: DeviceProperties, requireUsable: () => void): DeviceClusters | null {
  if (computeCapability.major < FIRST_MAJOR) return null;
  return {
    maxBlocks: (kernel, config) => {
      requireUsable();
      return cudaKernel(kernel).maxClusterBlocks(config);
    },
    maxActive: (kernel, config) => {
      requireUsable();
      return cudaKernel(kernel).maxActiveClusters(config);
    },
  };
}
