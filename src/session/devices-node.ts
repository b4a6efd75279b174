/** The devices that a command asked for. */
import { HeddleError } from "../base/diagnostics.ts";
import { needsWideMemory } from "../device/common/wide-memory.ts";
import { parseDeviceKind, type DeviceKind } from "../device/common/device-kind.ts";
import { nodeContentCache } from "../frontend/clang/content-cache-node.ts";
import { enableWasmFeatures } from "../engine/emit/v8-flags-node.ts";
import type { Device } from "../device/device.ts";
import type { DeviceObserver } from "../machine/observer.ts";
import type { DeviceLibraryTexts } from "./perform-program.ts";
import type { DeviceRequest } from "./request.ts";

export interface ChosenDevices {
  readonly devices: Device[];
  /** A line for the user: which device it is, where that is not what was asked for. */
  readonly note: string | null;
}

export function chosenKind(options: Pick<DeviceRequest, "device">): DeviceKind {
  return options.device ?? parseDeviceKind(process.env["HEDDLE_DEVICE"]);
}

/** Loads what the devices are made of: the engine's code takes longer than anything else of ours. */
export async function loadDevices(kind: DeviceKind): Promise<void> {
  if (kind !== "emulated") await loadGpus();
  if (kind !== "cuda") await loadEmulated();
}

function loadEmulated(): Promise<typeof import("../device/emulated/open-device-node.ts")> {
  enableWasmFeatures();
  return import("../device/emulated/open-device-node.ts");
}

function loadGpus(): Promise<typeof import("../device/cuda/open-device.ts")> {
  return import("../device/cuda/open-device.ts");
}

/** @param library null when nothing will be launched */
export async function createDevices(
  options: DeviceRequest,
  library: DeviceLibraryTexts | null,
  observer: DeviceObserver | null = null,
): Promise<ChosenDevices> {
  const kind = chosenKind(options);
  if (observer !== null && options.device === "cuda")
    throw new HeddleError(
      "bad-arguments",
      `a tool (${observer.name}) watches the emulated device: a GPU does not report its accesses`,
      { notes: ["leave out --device cuda"] },
    );
  const narrow = library?.narrow ?? null;
  if (kind === "emulated" || observer !== null)
    return {
      devices: await createEmulated(options, library, observer),
      note:
        kind === "emulated" || observer === null
          ? null
          : `the device is emulated: a tool watches it (${observer.name})`,
    };
  if (kind === "cuda" && (options.gpu !== null || options.engine !== "auto")) {
    throw new HeddleError("bad-arguments", `${options.gpu === null ? "--engine" : "--gpu"} is for emulated devices`, {
      notes: ["--device cuda takes this machine's GPUs; CUDA_VISIBLE_DEVICES chooses among them"],
    });
  }
  try {
    const [{ openWindowDevices, openWideDevices }, { syncNodeStore }] = await Promise.all([
      loadGpus(),
      import("../store/disk-store-node.ts"),
    ]);
    const wide = library?.wide ?? null;
    const devices = (wide === null ? openWindowDevices : openWideDevices)(options.devices, {
      library: wide ?? narrow ?? "",
      store: syncNodeStore(),
      ...(options.trace ? { trace: true } : {}),
    });
    return { devices, note: kind === "cuda" ? null : `device: ${devices[0]?.properties.name} (--device auto)` };
  } catch (error) {
    if (kind === "cuda" || !(error instanceof HeddleError && error.code === "no-device")) throw error;
    const devices = await createEmulated(options, library, observer);
    return { devices, note: `device: an emulated ${devices[0]?.properties.name} (--device auto; ${error.summary})` };
  }
}

async function createEmulated(
  options: DeviceRequest,
  library: DeviceLibraryTexts | null,
  observer: DeviceObserver | null,
): Promise<Device[]> {
  const { openNodeDevice } = await loadEmulated();
  const memoryBytes = options.deviceMemory ?? null;
  const isWide = needsWideMemory(memoryBytes);
  if (isWide && library !== null && library.wide === null)
    throw new HeddleError("bad-arguments", "--device-memory is for 64-bit programs: pointers of 32 bits reach 4 GiB", {
      notes: ["`heddle setup` builds the library of 64-bit programs"],
    });
  const first = openNodeDevice({
    library: (isWide ? library?.wide : library?.narrow) ?? null,
    ...(isWide ? { nearLibrary: library?.narrow ?? null } : {}),
    ...(memoryBytes === null ? {} : { memoryBytes }),
    codeCache: options.keepsCode === true ? nodeContentCache() : null,
    engine: options.engine,
    ...(options.gpu === null ? {} : { gpu: options.gpu }),
    ...(options.workers === null ? {} : { workers: options.workers }),
    ...(options.reuse ? {} : { reuse: false }),
    ...(observer === null ? {} : { observer }),
  });
  const gpu = options.gpu ?? process.env["HEDDLE_GPU"];
  return [first, ...Array.from({ length: options.devices - 1 }, () => first.sibling(gpu))];
}
