/** What kernels are for a GPU: wide accesses, loads ahead, tensor cores, and 64-bit pointers. */
import type { DeviceProperties } from "../device/device.ts";
import type { LoweringOptions } from "../frontend/triton/lower/assign-layouts.ts";
import type { IrModule } from "../ir/model/ir.ts";
import { printModule } from "../ir/text/print.ts";

/** The text says the width of pointers in its head alone. */
export function wideIr(module: IrModule): string {
  return printModule({
    ...module,
    triple: "nvptx64-nvidia-cuda",
    dataLayout: "e-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64",
  });
}

/**
 * On the emulated device sums of products are faster than emulated tensor cores, and accesses of neighbours in
 * neighbouring lanes faster than wide ones.
 */
export function loweringFor(
  isForGpu: boolean,
  { computeCapability: { major }, sharedMemPerBlockOptin }: DeviceProperties,
  stages: number,
): LoweringOptions {
  if (!isForGpu) return {};
  return {
    hasTensorCores: major >= 8,
    hasWideAccesses: true,
    loadsAhead: true,
    // Asynchronous copies came with compute capability 8.0, too.
    stages: major >= 8 ? stages : 1,
    maxSharedBytes: sharedMemPerBlockOptin,
    approximates: true,
  };
}
