/**
 * Physical memory of a GPU behind addresses that are reserved apart (CUDA Driver API, "Virtual Memory Management"). The
 * same memory can lie at several addresses: a program's own, and those of a window (window-memory.ts).
 */
import { alignUp } from "../../base/align.ts";
import type { GpuContext } from "./context.ts";
import { DriverStatus } from "./driver.ts";

const LOCATION_DEVICE = 1;
const ALLOCATION_PINNED = 1;
const ACCESS_READ_WRITE = 3;
const GRANULARITY_RECOMMENDED = 1;

/** CUmemAllocationProp: type, handle types, location (type, id), Windows' metadata (8 bytes), flags (8 bytes). */
export function pinnedOn({ device }: GpuContext): Int32Array {
  return Int32Array.of(ALLOCATION_PINNED, 0, LOCATION_DEVICE, device, 0, 0, 0, 0);
}

/** Sizes of mappings are multiples of it. */
export function pageBytes(context: GpuContext): number {
  return context.driver.get("cuMemGetAllocationGranularity", pinnedOn(context), GRANULARITY_RECOMMENDED);
}

/** Puts memory behind reserved addresses, for kernels to read and write. Throws DriverError. */
export function mapAt({ driver, device }: GpuContext, address: number, bytes: number, handle: bigint): void {
  driver.call("cuMemMap", address, bytes, 0, handle, 0);
  const status = driver.status(
    "cuMemSetAccess",
    address,
    bytes,
    Int32Array.of(LOCATION_DEVICE, device, ACCESS_READ_WRITE),
    1,
  );
  if (status === DriverStatus.success) return;
  driver.status("cuMemUnmap", address, bytes);
  throw driver.error("cuMemSetAccess", status);
}

/** Memory with addresses of its own. */
export interface MappedMemory {
  readonly address: number;
  /** A multiple of the page size. */
  readonly bytes: number;
  readonly handle: bigint;
}

/**
 * @param align of the address, at least `page`
 * @returns a CUresult where the driver has none, or cannot do it
 */
export function createMapped(
  context: GpuContext,
  bytes: number,
  page: number,
  align: number = page,
): MappedMemory | number {
  const { driver } = context;
  const size = alignUp(Math.max(bytes, 1), page);
  const out = new BigUint64Array(1);
  const created = driver.status("cuMemCreate", out, size, pinnedOn(context), 0);
  if (created !== DriverStatus.success) return created;
  const handle = out[0] as bigint;
  const reserved = driver.status("cuMemAddressReserve", out, size, Math.max(page, align), 0, 0);
  if (reserved !== DriverStatus.success) {
    driver.status("cuMemRelease", handle);
    return reserved;
  }
  const address = Number(out[0]);
  try {
    mapAt(context, address, size, handle);
  } catch (error) {
    driver.status("cuMemAddressFree", address, size);
    driver.status("cuMemRelease", handle);
    throw error;
  }
  return { address, bytes: size, handle };
}

export function destroyMapped({ driver }: GpuContext, { address, bytes, handle }: MappedMemory): void {
  driver.status("cuMemUnmap", address, bytes);
  driver.status("cuMemAddressFree", address, bytes);
  driver.status("cuMemRelease", handle);
}
