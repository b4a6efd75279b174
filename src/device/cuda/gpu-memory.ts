/**
 * What the two ways of addressing a GPU's memory have in common: the program's pointers, and the addresses that the
 * driver is given for them.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import type { ArenaBlock } from "../common/arena.ts";
import type { AllocateOptions, DeviceAddressSpace, SharedHostMemory } from "../device.ts";

/** "mapped": addresses that the program reserved, with memory that it mapped there. */
export type MemoryPurpose = "user" | "module" | "mapped";

export interface GpuBlock extends ArenaBlock {
  readonly purpose: MemoryPurpose;
}

/** The device that the memory is on. */
export interface AddressSpaceOwner {
  /** Makes the context current. @throws HeddleError "device-fault" */
  enter(): void;
  hasFault(): boolean;
}

export interface GpuMemory {
  /** Pointers are the GPU's own addresses of 64 bits ("flat"), or 32-bit offsets into a window of them. */
  readonly kind: "flat" | "window";
  /** @throws HeddleError "out-of-memory" with the size asked for and the size free. */
  allocate(bytes: number, options: AllocateOptions, purpose: MemoryPurpose): GpuBlock;
  /** null when no block starts there. */
  free(pointer: number): GpuBlock | null;
  at(pointer: number): GpuBlock | null;
  find(address: number): GpuBlock | null;
  nearest(address: number): GpuBlock | null;
  /** The driver's address of what the program knows as `pointer`. */
  address(pointer: number): number;
  /** The part that is the host program's memory; null where there is none. */
  shared(): SharedHostMemory | null;
  /** null: pointers are offsets into a window, or the driver cannot map memory. */
  addressSpace(owner: AddressSpaceOwner): DeviceAddressSpace | null;
  info(): { freeBytes: number; totalBytes: number };
  /** Blocks that are allocated. */
  blocks(): Iterable<GpuBlock>;
  /** The context is about to be renewed, or was: forget what was in it. */
  reset(): void;
  close(): void;
}

/** @throws HeddleError "bad-arguments" */
export function checkAllocation(bytes: number, align: number): void {
  if (!Number.isSafeInteger(bytes) || bytes < 0)
    throw new HeddleError("bad-arguments", `an allocation's size must be a whole number of bytes, not ${bytes}`);
  if (!Number.isSafeInteger(align) || align <= 0 || 2 ** Math.round(Math.log2(align)) !== align)
    throw new HeddleError("bad-arguments", `an allocation's alignment must be a power of two, not ${align}`);
}

export function outOfMemory(bytes: number, freeBytes: number, notes: readonly string[] = []): HeddleError {
  return new HeddleError("out-of-memory", `out of device memory: ${bytes} bytes asked for, ${freeBytes} free`, {
    notes,
  });
}
