/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Tensors in a page: what `heddle/tensor` has in Node.js, on an emulated device.
 *
 *     import { openTensors } from "heddle/browser/tensor";
 *
 *     const torch = await openTensors();
 *     const x = torch.tensor([1, 2, 3], { requiresGrad: true });
 *     x.square().sum().backward();
 *     x.grad; // [2, 4, 6]
 *
 * Operations are over when they return, as in Node.js: they keep the thread busy that calls them. What takes longer
 * than a frame of the display belongs into a dedicated worker. Where the page is cross-origin isolated, kernels run on
 * all cores, elsewhere on one. docs/browser.md has examples.
 */
import { checkOptions } from "../base/options.ts";
import { browserExtensions } from "../extension/environment-browser.ts";
import type { Extensions } from "../extension/extensions.ts";
import type { BrowserLocations } from "../frontend/clang/clang-loader-browser.ts";
import { browserEnvironment, type BrowserEnvironment } from "../library/environment-browser.ts";
import type { DeviceOptions } from "../library/environment.ts";
import { Gpu } from "../library/gpu.ts";
import { checkTensorsDevice, printToConsole, tensorsOn } from "../tensor/api/open-tensors.ts";
import type { Tensors } from "../tensor/api/tensors.ts";
import { installedLocations } from "./locations.ts";

/** Options of `openTensors` in a page. */
export interface BrowserTensorsOptions {
  /** An open device, or the kind of one to open; default: an emulated device. */
  readonly device?: Gpu | DeviceOptions["device"];
  /** URL of dist/ of this package; default: where this module was loaded from. */
  readonly heddle?: string;
  /**
   * URL of the directory gen/ of the package @yowasp/clang; default: where npm puts it. Only `loadInline` fetches the
   * compiler.
   */
  readonly clang?: string;
}

const environments = new Map<string, BrowserEnvironment>();
/** Of the last call that said where the packages are. */
let locations: BrowserLocations | null = null;

function environment(): BrowserEnvironment {
  locations ??= installedLocations({});
  const key = JSON.stringify(locations);
  let known = environments.get(key);
  if (known === undefined) environments.set(key, (known = browserEnvironment(locations, true)));
  return known;
}

async function open(from: BrowserEnvironment, device: DeviceOptions["device"]): Promise<Gpu> {
  return new Gpu(await from.openDevice(device === undefined ? {} : { device }), printToConsole);
}

/**
 * Opens a device for tensors. What it returns makes tensors, as PyTorch's module `torch` does.
 * @throws HeddleError "no-device", "bad-arguments"; "file-not-found" where the packages are elsewhere
 */
export async function openTensors(options: BrowserTensorsOptions = {}): Promise<Tensors> {
  checkOptions<BrowserTensorsOptions>("openTensors", options, { device: true, heddle: true, clang: true });
  const { device, ...given } = options;
  checkTensorsDevice(device);
  if (locations === null || Object.keys(given).length > 0) locations = installedLocations(given);
  const own = environment();
  const gpu = device instanceof Gpu ? device : await open(own, device);
  return tensorsOn(gpu, await own.cache());
}

const extensions: Extensions = browserExtensions({ environment, openDevice: () => open(environment(), "emulated") });

/**
 * Loads a PyTorch extension from strings, as `torch.utils.cpp_extension.load_inline` takes them.
 *
 *     const { square } = await loadInline({ name: "square", cppSources, cudaSources, functions: ["square"], device });
 *     square(x); // takes and gives tensors
 *
 * @throws HeddleError "compile-error" with the compiler's report
 */
export const loadInline: Extensions["loadInline"] = extensions.loadInline;
/** Not in a page, which has no folders. @throws HeddleError "unsupported" */
export const loadExtension: Extensions["loadExtension"] = extensions.loadExtension;

export type { Extension, LoadExtensionOptions } from "../extension/extensions.ts";
export type { LoadInlineOptions } from "../extension/load-inline.ts";
export * from "../tensor/index.ts";
export { load, loadSafetensors, save, saveSafetensors, workers } from "../tensor/data/files-browser.ts";
