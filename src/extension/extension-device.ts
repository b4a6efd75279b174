/** How kernels of extensions reach the tensors of a device. */
import { unsupported } from "../base/diagnostics.ts";
import type { Gpu } from "../library/gpu.ts";
import type { ExtensionDevice } from "./loaded-extension.ts";

export async function extensionDevice({ raw }: Gpu): Promise<ExtensionDevice> {
  if (raw.irPointerBits === 64) throw unsupported("an extension on a GPU");
  return { tensors: raw, kernels: raw, address: (tensor) => tensor.pointer };
}
