/** How kernels of extensions reach the tensors of a device, on Node.js. */
import { createHash } from "node:crypto";
import type { DataModel } from "../base/data-model.ts";
import type { CudaDevice } from "../device/cuda/cuda-device.ts";
import { deviceLibraryText } from "../frontend/clang/device-library.ts";
import { nodeClangResources } from "../frontend/clang/clang-loader-node.ts";
import type { Compiler } from "../frontend/clang/compiler.ts";
import { presentModel } from "../frontend/clang/lp64/library-place-node.ts";
import { openNodeStore } from "../frontend/clang/prebuilt-node.ts";
import type { Gpu } from "../library/gpu.ts";
import { syncNodeStore } from "../store/disk-store-node.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { ExtensionDevice } from "./loaded-extension.ts";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** The data model of extensions: on a GPU, whose pointers have 64 bits anyway, that of host programs. */
export async function extensionModel({ raw, model }: Gpu): Promise<DataModel["name"]> {
  return raw.kind === "cuda"
    ? presentModel(await nodeClangResources(null, syncNodeStore()).libraryPlace())
    : model.name;
}

/**
 * An emulated device runs the kernels itself. On a GPU an extension with 64-bit pointers has the addresses of the
 * caller's tensors, and one with 32-bit pointers sees the GPU's memory through a window.
 */
export async function extensionDevice(
  { raw }: Gpu,
  compiler: Compiler,
  model: DataModel["name"],
): Promise<ExtensionDevice> {
  const address = (tensor: Tensor): number => tensor.pointer;
  if (raw.kind !== "cuda") return { tensors: raw, kernels: raw, address };
  const [{ openWideBeside, openWindowBeside }, library] = await Promise.all([
    import("../device/cuda/open-device.ts"),
    deviceLibraryText(compiler, openNodeStore(), sha256, model),
  ]);
  const options = { library, store: syncNodeStore() };
  if (model === "lp64") return { tensors: raw, kernels: openWideBeside(raw as CudaDevice, options), address };
  const { device, pointer } = openWindowBeside(raw as CudaDevice, options);
  return {
    tensors: raw,
    kernels: device,
    address: (tensor, call) => (tensor.length === 0 ? 0 : pointer(tensor.pointer, call)),
  };
}
