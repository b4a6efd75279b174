/** What a program has of memory by handles (virtual-memory.ts): handles, mappings, reservations, descriptors. */
import { unsigned } from "../../../base/unsigned.ts";
import type { DeviceAddressSpace } from "../../../device/device.ts";
import type { CudaContext } from "../context.ts";
import type { DeviceState } from "../device-state.ts";
import { CudaErrorCode, fail, hex } from "../errors.ts";

export interface Physical {
  readonly state: DeviceState;
  readonly bytes: number;
  /** CUmemAllocationProp, as the program gave it. */
  readonly properties: Uint8Array;
  readonly handleTypes: number;
  readonly isCompressible: boolean;
  /** How often the program holds the handle. */
  holders: number;
  mapping: Mapping | null;
  /**
   * What it holds while it has no addresses; of memory that is mapped in part, also what lies behind that part. null:
   * nothing was written yet, or all of it is at the addresses.
   */
  contents: Uint8Array | null;
}

export interface Mapping {
  readonly start: number;
  readonly bytes: number;
  readonly physical: Physical;
  readonly reservation: Reservation;
  /** CUmemAccess_flags, by device. */
  readonly access: Map<number, number>;
}

export interface Reservation {
  readonly start: number;
  readonly bytes: number;
  readonly state: DeviceState;
}

export interface VirtualMemory {
  readonly handles: Map<number, Physical>;
  readonly mappings: Map<number, Mapping>;
  readonly reservations: Map<number, Reservation>;
  /** By the number that stands for a file descriptor. */
  readonly exported: Map<number, Physical>;
  nextHandle: number;
}

/** A CUdeviceptr and a handle have 64 bits in both data models. */
export type Wide = number | bigint;
export const numberOf = (value: Wide): number =>
  typeof value === "bigint" ? Number(BigInt.asUintN(64, value)) : unsigned(value);

const FIRST_HANDLE = 0x6a00_0001;

export function memoryOf(cuda: CudaContext): VirtualMemory {
  return cuda.extension<VirtualMemory>("memory by handles", () => ({
    handles: new Map(),
    mappings: new Map(),
    reservations: new Map(),
    exported: new Map(),
    nextHandle: FIRST_HANDLE,
  }));
}

export function spaceOf({ device }: DeviceState): DeviceAddressSpace {
  return (
    device.addressSpace ??
    fail(CudaErrorCode.notSupported, "memory by handles is not there with 32-bit pointers on a GPU: use cuMemAlloc")
  );
}

export function physicalOf(cuda: CudaContext, handle: Wide): Physical {
  return (
    memoryOf(cuda).handles.get(numberOf(handle)) ??
    fail(CudaErrorCode.invalidValue, `${hex(numberOf(handle))} is no handle of memory, or is released`)
  );
}

/** Whether a handle or a descriptor leads to the memory. */
export const isHeld = (cuda: CudaContext, physical: Physical): boolean =>
  physical.holders > 0 || [...memoryOf(cuda).exported.values()].includes(physical);
