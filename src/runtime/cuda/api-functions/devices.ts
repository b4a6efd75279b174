/**
 * Devices, their limits and flags, peers, versions, the profiler, memory pools (runtime API reference, "Device
 * Management" and following).
 */
import { unsigned } from "../../../base/unsigned.ts";
import { isFaultError } from "../../../base/diagnostics.ts";
import type { ApiGroup } from "./api-table.ts";
import { addressSpaceAttribute, forgetVirtualMemory } from "./virtual-memory.ts";
import type { CudaContext } from "../context.ts";
import type { DeviceState } from "../device-state.ts";
import { forgetRecordingStream } from "../graph/device-graph.ts";
import { CudaErrorCode, fail } from "../errors.ts";
import { deviceAttribute, devicePropertyValues } from "./device-attributes.ts";
import type { DevicePropertyValues } from "./device-attributes.ts";
import { largestSize } from "../../../base/data-model.ts";
import { HandleTable } from "../handles.ts";
import { requireNoCaptureOn } from "../work/capture-rules.ts";
import { waitForDevice } from "../work/waiting.ts";

/** CUDA 12.4, as CUDART_VERSION in our headers. */
const CUDA_VERSION = 12040;
/**
 * cudaLimit: stack, printf FIFO, malloc heap, sync depth, pending launches, L2 granularity, persisting L2; defaults of
 * a GPU.
 */
const DEFAULT_LIMITS: Readonly<Record<number, number>> = {
  0: 1024,
  1: 1048576,
  2: 8388608,
  3: 2,
  4: 2048,
  5: 64,
  6: 0,
};
const LIMIT_MALLOC_HEAP = 2;
const LIMIT_SYNC_DEPTH = 3;
const LIMIT_PENDING_LAUNCHES = 4;
const DEVICE_FLAGS = 0x9f;

export function propertyValues(cuda: CudaContext, state: DeviceState): DevicePropertyValues {
  return devicePropertyValues(state.device.properties, {
    ordinal: state.ordinal,
    deviceCount: cuda.devices.length,
    allocatableBytes: Math.min(state.device.memoryInfo().totalBytes, largestSize(cuda.memory.model)),
    hasClusters: state.device.clusters !== null,
  });
}

function resetDevice(cuda: CudaContext): void {
  const state = cuda.current;
  cuda.mirrored.forget(state);
  for (const stream of cuda.streams.values())
    if (stream.device === state.ordinal && stream.queueStream !== 0) cuda.streams.delete(stream.handle);
  for (const event of cuda.events.values()) if (event.device === state.ordinal) event.queueEvent = null;
  forgetRecordingStream(state);
  cuda.tracer?.reset(state);
  forgetVirtualMemory(cuda, state);
  try {
    state.device.reset();
  } catch (error) {
    // A GPU's driver may let no process go on after a fault.
    if (isFaultError(error) && state.fault !== null) fail(state.fault.code, error.summary);
    throw error;
  }
  state.fault = null;
  state.active = false;
  state.limits.clear();
  state.device.heapBytes = DEFAULT_LIMITS[LIMIT_MALLOC_HEAP] ?? 0;
  state.peers.clear();
  cuda.registry.forget(state);
}

function setLimit(cuda: CudaContext, limit: number, value: number): void {
  cuda.current.limits.set(limit, value);
  const { device } = cuda.current;
  if (limit === LIMIT_MALLOC_HEAP) device.heapBytes = value;
  if (limit === LIMIT_SYNC_DEPTH) device.limitDeviceRuntime?.({ syncDepth: value });
  if (limit === LIMIT_PENDING_LAUNCHES) device.limitDeviceRuntime?.({ pendingLaunches: value });
}

function peerOf(cuda: CudaContext, ordinal: number): DeviceState {
  const peer = cuda.deviceAt(ordinal);
  if (peer === cuda.current) fail(CudaErrorCode.invalidDevice);
  return peer;
}

function busId(ordinal: number): string {
  return `0000:${(ordinal + 1).toString(16).padStart(2, "0").toUpperCase()}:00.0`;
}

interface Pool {
  readonly device: number;
  readonly attributes: Map<number, bigint>;
}

function pools(cuda: CudaContext): HandleTable<Pool> {
  return cuda.extension("pools", () => new HandleTable<Pool>(0x4000_0010, 0x10));
}

function defaultPool(cuda: CudaContext, ordinal: number): number {
  return cuda.extension(`default pool ${cuda.deviceAt(ordinal).ordinal}`, () =>
    pools(cuda).add({ device: ordinal, attributes: new Map() }),
  );
}

function pool(cuda: CudaContext, handle: number): Pool {
  return pools(cuda).get(handle) ?? fail(CudaErrorCode.invalidValue, "the memory pool does not exist");
}

const nothing = (): void => undefined;

export const deviceApi: ApiGroup = {
  name: "Devices",
  checked: {
    cudaGetDeviceCount(cuda, out: number) {
      cuda.memory.setI32(out, cuda.devices.length);
      if (cuda.devices.length === 0) fail(CudaErrorCode.noDevice);
    },
    cudaGetDevice: (cuda, out: number) => cuda.memory.setI32(out, cuda.current.ordinal),
    cudaSetDevice: (cuda, ordinal: number) => cuda.setCurrent(ordinal),
    cudaInitDevice: (cuda, ordinal: number) => void cuda.deviceAt(ordinal),
    cudaSetValidDevices: nothing,
    cudaChooseDevice: (cuda, out: number) => cuda.memory.setI32(out, cuda.current.ordinal),
    __heddle_device_properties(cuda, ordinal: number, name: number, values: number) {
      const state = cuda.deviceAt(ordinal);
      cuda.memory.setCString(name, state.device.properties.name, 256);
      propertyValues(cuda, state)
        .flatMap(([, ...numbers]) => numbers)
        .forEach((value, index) => cuda.memory.setF64(values + 8 * index, value));
    },
    cudaDeviceGetAttribute(cuda, out: number, attribute: number, ordinal: number) {
      const state = cuda.deviceAt(ordinal);
      const value =
        addressSpaceAttribute(state.device, attribute) ?? deviceAttribute(attribute, propertyValues(cuda, state));
      cuda.memory.setI32(out, value ?? fail(CudaErrorCode.invalidValue, `there is no device attribute ${attribute}`));
    },
    cudaDeviceGetPCIBusId: (cuda, out: number, length: number, ordinal: number) =>
      cuda.memory.setCString(out, busId(cuda.deviceAt(ordinal).ordinal), length),
    cudaDeviceGetByPCIBusId(cuda, out: number, text: number) {
      const wanted = cuda.memory.cString(text).toUpperCase();
      const found =
        cuda.devices.find((state) => busId(state.ordinal).toUpperCase() === wanted) ??
        fail(CudaErrorCode.invalidDevice);
      cuda.memory.setI32(out, found.ordinal);
    },
    cudaDeviceSynchronize: (cuda) => {
      requireNoCaptureOn(cuda, cuda.current);
      waitForDevice(cuda, cuda.current);
    },
    cudaThreadSynchronize: (cuda) => {
      requireNoCaptureOn(cuda, cuda.current);
      waitForDevice(cuda, cuda.current);
    },
    cudaDeviceReset: resetDevice,
    cudaThreadExit: resetDevice,
    cudaDeviceSetLimit(cuda, limit: number, value: number) {
      if (!(limit in DEFAULT_LIMITS)) fail(CudaErrorCode.unsupportedLimit);
      setLimit(cuda, limit, unsigned(value));
    },
    cudaDeviceGetLimit(cuda, out: number, limit: number) {
      const standard = DEFAULT_LIMITS[limit] ?? fail(CudaErrorCode.unsupportedLimit);
      cuda.memory.setPointer(out, cuda.current.limits.get(limit) ?? standard);
    },
    cudaThreadSetLimit(cuda, limit: number, value: number) {
      setLimit(cuda, limit, unsigned(value));
    },
    cudaThreadGetLimit(cuda, out: number, limit: number) {
      cuda.memory.setPointer(
        out,
        cuda.current.limits.get(limit) ?? DEFAULT_LIMITS[limit] ?? fail(CudaErrorCode.unsupportedLimit),
      );
    },
    cudaDeviceSetCacheConfig(cuda, config: number) {
      cuda.current.cacheConfig = config;
    },
    cudaThreadSetCacheConfig(cuda, config: number) {
      cuda.current.cacheConfig = config;
    },
    cudaDeviceGetCacheConfig: (cuda, out: number) => cuda.memory.setU32(out, cuda.current.cacheConfig),
    cudaThreadGetCacheConfig: (cuda, out: number) => cuda.memory.setU32(out, cuda.current.cacheConfig),
    cudaDeviceSetSharedMemConfig(cuda, config: number) {
      cuda.current.sharedBankConfig = config;
    },
    cudaDeviceGetSharedMemConfig: (cuda, out: number) => cuda.memory.setU32(out, cuda.current.sharedBankConfig),
    cudaSetDeviceFlags(cuda, flags: number) {
      if ((flags & ~DEVICE_FLAGS) !== 0) fail(CudaErrorCode.invalidValue);
      cuda.current.flags = flags;
    },
    cudaGetDeviceFlags: (cuda, out: number) => cuda.memory.setU32(out, cuda.current.flags),
    cudaDeviceCanAccessPeer(cuda, out: number, ordinal: number, peer: number) {
      cuda.memory.setI32(out, cuda.deviceAt(ordinal) === cuda.deviceAt(peer) ? 0 : 1);
    },
    cudaDeviceEnablePeerAccess(cuda, ordinal: number, flags: number) {
      if (flags !== 0) fail(CudaErrorCode.invalidValue);
      if (cuda.current.peers.has(peerOf(cuda, ordinal).ordinal)) fail(CudaErrorCode.peerAccessAlreadyEnabled);
      cuda.current.peers.add(ordinal);
    },
    cudaDeviceDisablePeerAccess(cuda, ordinal: number) {
      if (!cuda.current.peers.delete(peerOf(cuda, ordinal).ordinal)) fail(CudaErrorCode.peerAccessNotEnabled);
    },
    cudaDeviceGetP2PAttribute(cuda, out: number, attribute: number, from: number, to: number) {
      if (cuda.deviceAt(from) === cuda.deviceAt(to)) fail(CudaErrorCode.invalidDevice);
      cuda.memory.setI32(out, attribute === 1 ? 0 : 1);
    },
    cudaDriverGetVersion: (cuda, out: number) => cuda.memory.setI32(out, CUDA_VERSION),
    cudaRuntimeGetVersion: (cuda, out: number) => cuda.memory.setI32(out, CUDA_VERSION),
    cudaProfilerStart: nothing,
    cudaProfilerStop: nothing,
    cudaProfilerInitialize: nothing,
    cudaDeviceFlushGPUDirectRDMAWrites: nothing,

    cudaDeviceGetDefaultMemPool: (cuda, out: number, ordinal: number) =>
      cuda.memory.setPointer(out, defaultPool(cuda, ordinal)),
    cudaDeviceGetMemPool: (cuda, out: number, ordinal: number) =>
      cuda.memory.setPointer(
        out,
        cuda.extension("current pools", () => new Map<number, number>()).get(ordinal) ?? defaultPool(cuda, ordinal),
      ),
    cudaDeviceSetMemPool(cuda, ordinal: number, handle: number) {
      pool(cuda, handle);
      cuda.extension("current pools", () => new Map<number, number>()).set(cuda.deviceAt(ordinal).ordinal, handle);
    },
    cudaMemPoolCreate: (cuda, out: number) =>
      cuda.memory.setPointer(out, pools(cuda).add({ device: cuda.current.ordinal, attributes: new Map() })),
    cudaMemPoolDestroy(cuda, handle: number) {
      if (!pools(cuda).delete(handle)) fail(CudaErrorCode.invalidValue);
    },
    /** Attributes 1 to 3 are int, the rest 64 bits wide. */
    cudaMemPoolSetAttribute(cuda, handle: number, attribute: number, value: number) {
      pool(cuda, handle).attributes.set(
        attribute,
        attribute <= 3 ? BigInt(cuda.memory.u32(value)) : cuda.memory.u64(value),
      );
    },
    cudaMemPoolGetAttribute(cuda, handle: number, attribute: number, out: number) {
      const value = pool(cuda, handle).attributes.get(attribute) ?? (attribute <= 3 ? 1n : 0n);
      if (attribute <= 3) cuda.memory.setU32(out, Number(value));
      else cuda.memory.setU64(out, value);
    },
    cudaMemPoolTrimTo: (cuda, handle: number) => void pool(cuda, handle),
    cudaMemPoolSetAccess: (cuda, handle: number) => void pool(cuda, handle),
    cudaMemPoolGetAccess(cuda, out: number, handle: number) {
      pool(cuda, handle);
      cuda.memory.setU32(out, 3);
    },
    ...Object.fromEntries(
      [
        "cudaIpcGetMemHandle",
        "cudaIpcOpenMemHandle",
        "cudaIpcCloseMemHandle",
        "cudaIpcGetEventHandle",
        "cudaIpcOpenEventHandle",
      ].map((name) => [
        name,
        (): never => fail(CudaErrorCode.notSupported, "memory is not shared between processes here"),
      ]),
    ),
  },
  notes: {
    cudaDeviceSetLimit: "stored and returned; the malloc heap has that size, the stack grows as needed",
    cudaDeviceSetCacheConfig: "no effect",
    cudaDeviceSetSharedMemConfig: "no effect",
    cudaProfilerStart: "no effect",
    cudaProfilerStop: "no effect",
    cudaDeviceEnablePeerAccess: "emulated devices share one memory: access is always possible",
    cudaMemPoolCreate: "pools keep attributes; all memory comes from the device's one heap",
    cudaIpcGetMemHandle: "always cudaErrorNotSupported",
    cudaIpcOpenMemHandle: "always cudaErrorNotSupported",
    cudaIpcCloseMemHandle: "always cudaErrorNotSupported",
    cudaIpcGetEventHandle: "always cudaErrorNotSupported",
    cudaIpcOpenEventHandle: "always cudaErrorNotSupported",
    __heddle_device_properties: "behind cudaGetDeviceProperties",
  },
};
