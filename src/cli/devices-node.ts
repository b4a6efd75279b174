/** The emulated devices that a command asked for. */
import { enableWasmFeatures } from "../engine/emit/v8-flags-node.ts";
import type { Device } from "../device/device.ts";
import type { DeviceObserver } from "../machine/observer.ts";
import type { DeviceOptions } from "./run-options.ts";

/** The engine's code, which takes longer to load than anything else of ours. */
export function loadDevices(): Promise<typeof import("../device/emulated/open-device-node.ts")> {
  enableWasmFeatures();
  return import("../device/emulated/open-device-node.ts");
}

/** @param library IR text of the device library, or null when nothing will be launched. */
export async function createDevices(options: DeviceOptions, library: string | null, observer: DeviceObserver | null = null): Promise<Device[]> {
  const { openNodeDevice } = await loadDevices();
  const first = openNodeDevice({
    library,
    engine: options.engine,
    ...(options.gpu === null ? {} : { gpu: options.gpu }),
    ...(options.workers === null ? {} : { workers: options.workers }),
    ...(options.reuse ? {} : { reuse: false }),
    ...(observer === null ? {} : { observer }),
  });
  const gpu = options.gpu ?? process.env["HEDDLE_GPU"];
  return [first, ...Array.from({ length: options.devices - 1 }, () => first.sibling(gpu))];
}
