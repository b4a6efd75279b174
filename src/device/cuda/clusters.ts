/** Thread block clusters of a GPU: the driver answers. */
import type { DeviceClusters, DeviceProperties } from "../device.ts";
import { CLUSTERS_FROM } from "./context.ts";
import { cudaKernel } from "./cuda-kernel.ts";

export function gpuClusters({ computeCapability }: DeviceProperties, requireUsable: () => void): DeviceClusters | null {
  if (computeCapability.major < CLUSTERS_FROM) return null;
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
