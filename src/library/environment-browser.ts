/** The compiler and the device of one browser thread, from the files of the two packages. */
import { bug, HeddleError } from "../base/diagnostics.ts";
import { once } from "../base/once.ts";
import type { EmulatedDevice } from "../device/emulated/emulated-device.ts";
import { cachedDeviceLibrary } from "../frontend/clang/device-library.ts";
import { openEmulatedDevice } from "../device/emulated/open-device.ts";
import { browserWorkerSpawner } from "../device/emulated/spawn-worker-browser.ts";
import {
  browserClangResources,
  browserFingerprint,
  browserPrebuilt,
  type BrowserLocations,
} from "../frontend/clang/clang-loader-browser.ts";
import { openPageStore } from "../store/page-store-browser.ts";
import { memoryStore, type ContentCache } from "../store/store.ts";
import { createCompiler } from "../frontend/clang/compile.ts";
import { type Compiler } from "../frontend/clang/compiler.ts";
import { storeOver } from "../frontend/clang/prebuilt.ts";
import { sha256 } from "../store/sha256.ts";
import type { DeviceObserver } from "../machine/observer.ts";
import type { DeviceOptions } from "./environment.ts";

export interface BrowserEnvironment {
  /** Keeps compiled kernels from visit to visit; null: nothing is kept. */
  cache(): Promise<ContentCache | null>;
  /** Made at the first call. */
  compiler(): Promise<Compiler>;
  /** IR text of the device library; made at the first call. */
  deviceLibrary(): Promise<string>;
  /** The text of a file of the package: include/…, hostlib/…, libdevice/… or libraries/…. */
  ownFile(path: string): Promise<string>;
  openDevice(options: DeviceOptions, observer?: DeviceObserver): Promise<EmulatedDevice>;
  /** Opens a device that the next call of `openDevice` with the same options, and no observer, returns. */
  prepareDevice(options: DeviceOptions): Promise<EmulatedDevice>;
}

/** @param keepsKernels from visit to visit of the page */
export function browserEnvironment(locations: BrowserLocations, keepsKernels = false): BrowserEnvironment {
  const store = storeOver(browserPrebuilt(locations), memoryStore());
  const resources = browserClangResources(locations);
  const compiler = once((): Promise<Compiler> => createCompiler({ resources, store }));
  const deviceLibrary = async (): Promise<string> => cachedDeviceLibrary(await compiler(), store, sha256);
  const kept = once((): Promise<ContentCache> => openCache(locations));
  const cache = async (): Promise<ContentCache | null> => (keepsKernels ? kept() : null);
  const open = async (
    { onPrint: _onPrint, model: _model, device: kind = "emulated", ...options }: DeviceOptions,
    observer?: DeviceObserver,
  ): Promise<EmulatedDevice> => {
    if (kind === "cuda")
      throw new HeddleError("no-device", "a browser has no way to the NVIDIA driver: there are only emulated devices");
    const [library, codeCache] = await Promise.all([deviceLibrary(), cache()]);
    const { device, warmUp } = openEmulatedDevice({
      ...options,
      ...(observer === undefined ? {} : { observer }),
      workers: options.workers ?? navigator.hardwareConcurrency,
      library,
      codeCache,
      spawn: browserWorkerSpawner(),
    });
    // A worker's thread cannot start another thread while it blocks: all must be there before the first launch.
    await warmUp();
    return device;
  };
  let prepared: { readonly key: string; readonly device: Promise<EmulatedDevice> } | null = null;
  const keyOf = ({ onPrint: _onPrint, ...options }: DeviceOptions): string => JSON.stringify(options);
  return {
    cache,
    compiler,
    deviceLibrary,
    async ownFile(path) {
      const bytes = (await resources.ownFiles()).get(path) ?? bug(`the package has no file ${path}`);
      return new TextDecoder().decode(bytes);
    },
    async openDevice(options, observer) {
      if (observer !== undefined || prepared?.key !== keyOf(options)) return open(options, observer);
      const { device } = prepared;
      prepared = null;
      return device;
    },
    prepareDevice(options) {
      const key = keyOf(options);
      if (prepared !== null && prepared.key !== key)
        void prepared.device.then(
          (device) => device.close(),
          () => undefined,
        );
      if (prepared?.key !== key) prepared = { key, device: open(options) };
      return prepared.device;
    },
  };
}

async function openCache(locations: BrowserLocations): Promise<ContentCache> {
  const version = await browserFingerprint(locations);
  return { store: await openPageStore(version), hash: sha256, version };
}
