/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Tensors with PyTorch's operations and gradients, on an emulated device or a GPU.
 *
 *     import { openTensors } from "heddle/tensor";
 *
 *     const torch = await openTensors();
 *     const x = torch.tensor([1, 2, 3], { requiresGrad: true });
 *     x.square().sum().backward();
 *     x.grad; // [2, 4, 6]
 *
 * docs/tensors.md says what there is.
 */
import { checkOptions } from "./base/options.ts";
import { nodeContentCache } from "./frontend/clang/content-cache-node.ts";
import type { DeviceOptions } from "./library/environment.ts";
import { nodeEnvironment } from "./library/environment-node.ts";
import { Gpu } from "./library/gpu.ts";
import { checkTensorsDevice, printToConsole, tensorsOn } from "./tensor/api/open-tensors.ts";
import type { Tensors } from "./tensor/api/tensors.ts";
import { useGarbageCollector } from "./tensor/device-memory.ts";
import { collectGarbage } from "./tensor/garbage-node.ts";
import { nodeExtensions } from "./extension/environment-node.ts";
import type { Extensions } from "./extension/extensions.ts";

/** Options of `openTensors`. */
export interface TensorsOptions {
  /** An open device, or the kind of one to open; default: HEDDLE_DEVICE, or an emulated device. */
  readonly device?: Gpu | DeviceOptions["device"];
}

const environment = nodeEnvironment();
useGarbageCollector(collectGarbage);

/**
 * Opens a device for tensors. What it returns makes tensors, as PyTorch's module `torch` does.
 * @throws HeddleError "no-device", "bad-arguments"
 */
export async function openTensors(options: TensorsOptions = {}): Promise<Tensors> {
  checkOptions<TensorsOptions>(
    "openTensors",
    options,
    { device: true },
    { example: 'openTensors({ device: "cuda" })' },
  );
  const { device } = options;
  checkTensorsDevice(device);
  const gpu =
    device instanceof Gpu
      ? device
      : new Gpu(await environment.openDevice(device === undefined ? {} : { device }), printToConsole);
  return tensorsOn(gpu, nodeContentCache());
}

const extensions: Extensions = nodeExtensions(environment);

/**
 * Loads a PyTorch extension from strings, as `torch.utils.cpp_extension.load_inline` takes them.
 *
 *     const { square } = await loadInline({ name: "square", cppSources, cudaSources, functions: ["square"], device });
 *     square(x); // takes and gives tensors
 *
 * @throws HeddleError "compile-error" with the compiler's report
 */
export const loadInline: Extensions["loadInline"] = extensions.loadInline;
/**
 * Loads the extension of a folder: what `CUDAExtension` or `CppExtension` in its setup.py says.
 * @throws HeddleError "file-not-found", "compile-error"
 */
export const loadExtension: Extensions["loadExtension"] = extensions.loadExtension;

export type { Extension, LoadExtensionOptions } from "./extension/extensions.ts";
export type { LoadInlineOptions } from "./extension/load-inline.ts";
export * from "./tensor/index.ts";
export { workers, type WorkersOptions } from "./tensor/data/workers-node.ts";
export { load, loadSafetensors, save, saveSafetensors } from "./tensor/data/files-node.ts";
