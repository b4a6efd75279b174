/** Opens the GPUs of this machine. Nothing of the driver is touched before. */
import { createHash } from "node:crypto";
import type { SyncStore } from "../../store/disk-store-node.ts";
import { HeddleError } from "../../base/diagnostics.ts";
import { requireLaunchEventsOnly, type DeviceObserver } from "../../machine/observer.ts";
import type { LibraryText } from "../../program/library-text.ts";
import type { DeviceProperties } from "../device.ts";
import { GpuContext, gpuProperties } from "./context.ts";
import type { CudaDeviceParts } from "./cuda-device-parts.ts";
import { CudaDevice } from "./cuda-device.ts";
import { formatVersion, openDriver, type Driver } from "./driver.ts";
import { FlatMemory } from "./flat-memory.ts";
import { NativeProgramLoader } from "./native-program.ts";
import { PtxProgramLoader } from "./ptx-program.ts";
import { emitPtxModule } from "../../ptx/emit-module.ts";
import { createPtxPipeline } from "../../ptx/link-program.ts";
import { SourceProgramLoader } from "./source-program.ts";
import { AddressWindow, WindowMemory } from "./window-memory.ts";

/** Code with less has no counterpart of what the code generator and our headers use. */
const LOWEST_CAPABILITY = 7;

export interface CudaDeviceOptions {
  /** A launch that takes longer ends with the fault "timeout". Milliseconds; null: no limit. */
  readonly timeoutMs?: number | null;
  /** Wait for every launch, so that a fault names its launch. Default: whether HEDDLE_TRACE is 1. */
  readonly trace?: boolean;
  /** A tool that needs launch events only: kernels run on a GPU as they are. */
  readonly observer?: DeviceObserver | null;
  /** The cache of machine code; null: no cache. */
  readonly store: SyncStore | null;
}

export interface WindowDeviceOptions extends CudaDeviceOptions {
  /** IR of the device library. */
  readonly library: string | LibraryText;
  readonly lineInfo?: boolean;
}

/**
 * The first `count` GPUs for programs with 32-bit pointers: one window of addresses, each with a part of it.
 * @throws HeddleError "no-device", "bad-arguments" when there are fewer, "out-of-memory", "driver-error"
 */
export function openWindowDevices(count: number, options: WindowDeviceOptions): CudaDevice[] {
  const parts = common(options);
  const driver = openDriver();
  const contexts = Array.from({ length: count }, (_, ordinal) => openContext(driver, ordinal));
  contexts[0]?.makeCurrent();
  const window = new AddressWindow(driver);
  const prepare = createPtxPipeline(options.library);
  const code = codeParts(options);
  return contexts.map((context, part) => {
    context.makeCurrent();
    const properties = checkedProperties(context);
    const memory = new WindowMemory(context, window, part, count);
    const modules = new PtxProgramLoader({
      context,
      memory,
      properties,
      prepare,
      ...code,
    });
    return new CudaDevice({ context, memory, properties, modules, sources: null, ...parts });
  });
}

/**
 * The GPU of a device with 64-bit pointers as programs with 32-bit pointers see it: its memory is theirs, by other
 * addresses.
 */
export interface BesideDevice {
  readonly device: CudaDevice;
  /** The pointer for a flat address. @param call see WindowViews.pointer. @throws HeddleError "out-of-memory" */
  pointer(address: number, call: number): number;
}

/** @throws HeddleError "unsupported" where the driver cannot map memory twice */
export function openWindowBeside(flat: CudaDevice, options: WindowDeviceOptions): BesideDevice {
  const { context, memory: own } = flat;
  if (!(own instanceof FlatMemory)) throw new HeddleError("unsupported", "this device has a window already");
  context.makeCurrent();
  const window = new AddressWindow(context.driver);
  const memory = new WindowMemory(context, window, 0, 1, true);
  const modules = new PtxProgramLoader({
    context,
    memory,
    properties: flat.properties,
    prepare: createPtxPipeline(options.library),
    ...codeParts(options),
  });
  own.onUnmapping((mapped) => memory.views?.forget(mapped));
  const { properties } = flat;
  const device = new CudaDevice({ context, memory, properties, modules, sources: null, ...common(options) });
  return {
    device,
    pointer: (address, call) => {
      const mapped = own.mappedAt(address);
      if (mapped === null || memory.views === null)
        throw new HeddleError("unsupported", "this GPU's driver cannot show memory at a second address", {
          notes: ["extensions with 32-bit pointers need that; heddle setup builds the library of 64-bit ones"],
        });
      return memory.views.pointer(mapped, address, call);
    },
  };
}

/**
 * The GPU of a device with 64-bit pointers as host programs with 64-bit pointers see it: its memory is theirs, by the
 * same addresses.
 * @param options its library is compiled for 64-bit pointers
 */
export function openWideBeside(flat: CudaDevice, options: WindowDeviceOptions): CudaDevice {
  const { context, memory, properties } = flat;
  if (!(memory instanceof FlatMemory)) throw new HeddleError("unsupported", "this device has pointers of 32 bits");
  memory.shareAddresses();
  const prepare = createPtxPipeline(options.library, 64);
  const modules = new NativeProgramLoader({ context, memory, properties, prepare, ...codeParts(options) });
  return new CudaDevice({ context, memory, properties, modules, sources: null, ...common(options) });
}

/**
 * The first `count` GPUs for host programs with 64-bit pointers: their pointers are the GPU's own.
 * @param options its library is compiled for 64-bit pointers. @throws as openWindowDevices
 */
export function openWideDevices(count: number, options: WindowDeviceOptions): CudaDevice[] {
  const parts = common(options);
  const driver = openDriver();
  const contexts = Array.from({ length: count }, (_, ordinal) => openContext(driver, ordinal));
  const prepare = createPtxPipeline(options.library, 64);
  const code = codeParts(options);
  return contexts.map((context, part) => {
    context.makeCurrent();
    const properties = checkedProperties(context);
    const memory = new FlatMemory(context, { part, parts: count });
    const modules = new NativeProgramLoader({
      context,
      memory,
      properties,
      prepare,
      ...code,
    });
    return new CudaDevice({ context, memory, properties, modules, sources: null, ...parts });
  });
}

export interface FlatDeviceOptions extends CudaDeviceOptions {
  /** IR of the device library, for programs that come as IR and call functions of it. */
  readonly library?: string | LibraryText;
  readonly lineInfo?: boolean;
}

/**
 * GPU `ordinal` with its own 64-bit pointers, for CUDA source and for IR with 64-bit pointers. @throws as
 * openWindowDevices
 */
export function openFlatDevice(ordinal: number, options: FlatDeviceOptions): CudaDevice {
  const parts = common(options);
  const context = openContext(openDriver(), ordinal);
  const properties = checkedProperties(context);
  const memory = new FlatMemory(context);
  const sources = new SourceProgramLoader({ context, memory, properties, store: options.store });
  const library = options.library ?? null;
  const modules = new NativeProgramLoader({
    context,
    memory,
    properties,
    prepare: createPtxPipeline(library, 64),
    ...codeParts({ ...options, library: library ?? "" }),
  });
  return new CudaDevice({ context, memory, properties, modules, sources, ...parts });
}

/** What `heddle devices` shows. @throws HeddleError "no-device" */
export function listGpus(): {
  readonly devices: readonly DeviceProperties[];
  readonly version: string;
  readonly path: string;
} {
  const driver = openDriver();
  const devices = Array.from({ length: driver.getInt("cuDeviceGetCount") }, (_, ordinal) =>
    gpuProperties(driver, driver.getInt("cuDeviceGet", ordinal)),
  );
  return { devices, version: formatVersion(driver.version), path: driver.path };
}

/** How programs become machine code. */
function codeParts({ library, store, lineInfo = false }: WindowDeviceOptions): {
  readonly emit: typeof emitPtxModule;
  readonly generator: string;
  readonly store: SyncStore | null;
  readonly lineInfo: boolean;
} {
  return { emit: emitPtxModule, generator: fingerprint(library), store, lineInfo };
}

/** Of the device library; the code generator's own changes are in FORMAT of the loaders. */
function fingerprint(library: string | LibraryText): string {
  return typeof library === "string" ? createHash("sha256").update(library).digest("hex") : library.key;
}

function openContext(driver: Driver, ordinal: number): GpuContext {
  return new GpuContext(driver, ordinal);
}

/** @throws HeddleError "bad-arguments" for a tool that needs more than launch events */
function common({
  timeoutMs = null,
  trace = process.env["HEDDLE_TRACE"] === "1",
  observer = null,
}: CudaDeviceOptions): Pick<CudaDeviceParts, "timeoutMs" | "trace" | "observer"> {
  if (observer !== null) requireLaunchEventsOnly(observer, "a GPU");
  return { timeoutMs, trace, observer };
}

function checkedProperties(context: GpuContext): DeviceProperties {
  const properties = gpuProperties(context.driver, context.device);
  const { major, minor } = properties.computeCapability;
  if (major < LOWEST_CAPABILITY)
    throw new HeddleError(
      "unsupported",
      `${properties.name} has compute capability ${major}.${minor}; GPUs from ${LOWEST_CAPABILITY}.0 on are supported`,
      { notes: [`${context.driver.path}, CUDA ${formatVersion(context.driver.version)}`] },
    );
  return properties;
}
