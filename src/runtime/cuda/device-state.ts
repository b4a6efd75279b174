/** A device as the runtime knows it: what the program has allocated, loaded and set on it. */
import type { Device, GpuModule } from "../../device/device.ts";

/** An allocation made through the API, on one device. */
export interface AllocationRecord {
  readonly bytes: number;
  readonly kind: "device" | "async" | "array";
}

export interface DeviceState {
  readonly ordinal: number;
  readonly device: Device;
  readonly modules: Map<number, GpuModule>;
  /** Parts of programs that are loaded in parts, by the part's name. */
  readonly parts: Map<string, GpuModule>;
  readonly allocations: Map<number, AllocationRecord>;
  readonly limits: Map<number, number>;
  readonly peers: Set<number>;
  flags: number;
  cacheConfig: number;
  sharedBankConfig: number;
  /** The CUDA error of the fault that poisoned the device. */
  fault: { readonly code: number } | null;
  /** Blocks on the device have been run: it is active. */
  active: boolean;
}
