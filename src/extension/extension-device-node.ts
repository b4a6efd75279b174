/** How kernels of extensions reach the tensors of a device, on Node.js. */
import { createHash } from "node:crypto";
import type { CudaDevice } from "../device/cuda/cuda-device.ts";
import { cachedDeviceLibrary } from "../frontend/clang/device-library.ts";
import type { Compiler } from "../frontend/clang/compiler.ts";
import { openNodeStore } from "../frontend/clang/prebuilt-node.ts";
import type { Gpu } from "../library/gpu.ts";
import { syncNodeStore } from "../store/disk-store-node.ts";
import type { ExtensionDevice } from "./loaded-extension.ts";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/**
 * An emulated device runs the kernels itself. A GPU of TypeScript's has 64-bit pointers, and extensions have those of
 * host programs (base/data-model.ts): their kernels see its memory through a window.
 */
export async function extensionDevice({ raw }: Gpu, compiler: Compiler): Promise<ExtensionDevice> {
  if (raw.irPointerBits === 32) return { tensors: raw, kernels: raw, address: (tensor) => tensor.pointer };
  const [{ openWindowBeside }, library] = await Promise.all([
    import("../device/cuda/open-device.ts"),
    cachedDeviceLibrary(compiler, openNodeStore(), sha256),
  ]);
  const { device, pointer } = openWindowBeside(raw as CudaDevice, { library, store: syncNodeStore() });
  return {
    tensors: raw,
    kernels: device,
    address: (tensor, call) => (tensor.length === 0 ? 0 : pointer(tensor.pointer, call)),
  };
}
