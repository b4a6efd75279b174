/**
 * A GPU's primary context. It is the primary one because the libraries (cuBLAS) use that, too.
 *
 * A fault in a kernel breaks the context for good. The driver decides whether the process may have another. The driver
 * of CUDA 13 refuses: "the process must be terminated and relaunched" (CUDA Driver API, CUDA_ERROR_ILLEGAL_ADDRESS;
 * observed with driver 580).
 */
import { HeddleError } from "../../base/diagnostics.ts";
import type { DeviceProperties } from "../device.ts";
import { DriverStatus, formatVersion, type Driver } from "./driver.ts";

/** The first major compute capability with clusters. */
export const CLUSTERS_FROM = 9;

/** CUdevice_attribute */
const Attribute: Readonly<Record<string, number>> = {
  maxThreadsPerBlock: 1,
  maxBlockX: 2,
  maxBlockY: 3,
  maxBlockZ: 4,
  maxGridX: 5,
  maxGridY: 6,
  maxGridZ: 7,
  sharedPerBlock: 8,
  constantMemory: 9,
  warpSize: 10,
  registersPerBlock: 12,
  clockKHz: 13,
  multiprocessors: 16,
  memoryClockKHz: 36,
  memoryBusBits: 37,
  l2Bytes: 38,
  threadsPerMultiprocessor: 39,
  major: 75,
  minor: 76,
  sharedPerMultiprocessor: 81,
  registersPerMultiprocessor: 82,
  sharedOptin: 97,
  blocksPerMultiprocessor: 106,
  reservedShared: 111,
};

/** The context that this thread's driver calls go to. */
let current = 0;

export class GpuContext {
  readonly driver: Driver;
  /** As the driver counts the GPUs that CUDA_VISIBLE_DEVICES leaves. */
  readonly ordinal: number;
  readonly device: number;
  #handle: number;

  /** @throws HeddleError "bad-arguments" when there are fewer GPUs, "driver-error". */
  constructor(driver: Driver, ordinal: number) {
    const count = driver.getInt("cuDeviceGetCount");
    if (ordinal >= count)
      throw new HeddleError(
        "bad-arguments",
        `this machine has ${count} GPU${count === 1 ? "" : "s"}, number ${ordinal} was asked for (they count from 0)`,
      );
    this.driver = driver;
    this.ordinal = ordinal;
    this.device = driver.getInt("cuDeviceGet", ordinal);
    this.#handle = driver.get("cuDevicePrimaryCtxRetain", this.device);
    this.makeCurrent();
  }

  get handle(): number {
    return this.#handle;
  }

  /** The driver keeps one context for each thread of the process; calls of several GPUs must not meet the wrong one. */
  makeCurrent(): void {
    if (current === this.#handle) return;
    this.driver.call("cuCtxSetCurrent", this.#handle);
    current = this.#handle;
  }

  /**
   * Ends everything in the context: modules, streams, memory. What was made in it must not be used any more.
   * @returns whether there is a fresh one.
   */
  renew(): boolean {
    this.driver.status("cuDevicePrimaryCtxReset_v2", this.device);
    const out = new BigUint64Array(1);
    if (this.driver.status("cuDevicePrimaryCtxRetain", out, this.device) !== DriverStatus.success) return false;
    this.#handle = Number(out[0]);
    this.driver.call("cuCtxSetCurrent", this.#handle);
    current = this.#handle;
    return true;
  }

  /** Thread block clusters exist from compute capability 9.0 on. */
  hasClusters(): boolean {
    return this.driver.getInt("cuDeviceGetAttribute", Attribute["major"] as number, this.device) >= CLUSTERS_FROM;
  }

  release(): void {
    if (current === this.#handle) current = 0;
    this.driver.status("cuDevicePrimaryCtxRelease_v2", this.device);
  }
}

/** The properties that the driver reports. No context is needed. */
export function gpuProperties(driver: Driver, device: number): DeviceProperties {
  const get = (name: string): number => driver.getInt("cuDeviceGetAttribute", Attribute[name] as number, device);
  return {
    name: driver.getText("cuDeviceGetName", 256, device),
    computeCapability: { major: get("major"), minor: get("minor") },
    totalGlobalMem: driver.get("cuDeviceTotalMem_v2", device),
    sharedMemPerBlock: get("sharedPerBlock"),
    sharedMemPerBlockOptin: get("sharedOptin"),
    sharedMemPerMultiprocessor: get("sharedPerMultiprocessor"),
    reservedSharedMemPerBlock: get("reservedShared"),
    regsPerBlock: get("registersPerBlock"),
    regsPerMultiprocessor: get("registersPerMultiprocessor"),
    warpSize: get("warpSize"),
    maxThreadsPerBlock: get("maxThreadsPerBlock"),
    maxThreadsPerMultiProcessor: get("threadsPerMultiprocessor"),
    maxBlocksPerMultiProcessor: get("blocksPerMultiprocessor"),
    maxThreadsDim: [get("maxBlockX"), get("maxBlockY"), get("maxBlockZ")],
    maxGridSize: [get("maxGridX"), get("maxGridY"), get("maxGridZ")],
    totalConstMem: get("constantMemory"),
    multiProcessorCount: get("multiprocessors"),
    clockRateKHz: get("clockKHz"),
    memoryClockRateKHz: get("memoryClockKHz"),
    memoryBusWidthBits: get("memoryBusBits"),
    l2CacheBytes: get("l2Bytes"),
    source: `the driver (CUDA ${formatVersion(driver.version)})`,
  };
}
