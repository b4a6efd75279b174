/**
 * Addresses apart from the memory behind them, for the host program (CUDA Driver API, "Virtual Memory Management"): a
 * reservation is the driver's, and a part of it gets memory of the driver's when it is opened.
 */
import { bug } from "../../base/diagnostics.ts";
import type { AddressRange } from "../common/range-tree.ts";
import type { DeviceAddressSpace } from "../device.ts";
import type { GpuContext } from "./context.ts";
import { DriverStatus } from "./driver.ts";
import { outOfMemory, type AddressSpaceOwner, type GpuMemory, type MemoryPurpose } from "./gpu-memory.ts";
import { mapAt, pageBytes, pinnedOn } from "./mapped-memory.ts";

/** CUmemAllocationProp.allocFlags.compressionType, the first byte of its word. */
const COMPRESSION_WORD = 6;
const COMPRESSION_GENERIC = 1;
/** CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED */
const COMPRESSION_ATTRIBUTE = 107;

/** What copies may reach. */
export interface KnownBlocks extends Pick<GpuMemory, "at" | "find" | "free" | "info"> {
  adopt(start: number, bytes: number, purpose: MemoryPurpose): void;
}

export class GpuAddressSpace implements DeviceAddressSpace {
  readonly granularity: number;
  readonly canCompress: boolean;
  readonly #context: GpuContext;
  readonly #memory: KnownBlocks;
  readonly #owner: AddressSpaceOwner;
  /** Parts with memory, by their addresses. */
  readonly #open = new Map<number, { readonly bytes: number; readonly handle: bigint }>();
  readonly #reserved = new Map<number, number>();

  /** Throws DriverError where the driver cannot map memory. */
  constructor(context: GpuContext, memory: KnownBlocks, owner: AddressSpaceOwner) {
    this.granularity = pageBytes(context);
    this.canCompress = context.driver.getInt("cuDeviceGetAttribute", COMPRESSION_ATTRIBUTE, context.device) === 1;
    this.#context = context;
    this.#memory = memory;
    this.#owner = owner;
  }

  reserve(bytes: number, align: number): number {
    this.#owner.enter();
    const { driver } = this.#context;
    const out = new BigUint64Array(1);
    const status = driver.status("cuMemAddressReserve", out, bytes, Math.max(align, this.granularity), 0, 0);
    if (status === DriverStatus.outOfMemory) throw outOfMemory(bytes, this.#memory.info().freeBytes);
    if (status !== DriverStatus.success) throw driver.error("cuMemAddressReserve", status);
    const start = Number(out[0]);
    this.#reserved.set(start, bytes);
    return start;
  }

  /** After a fault the driver refuses all calls: `reset`, or the end of the process, gives everything back. */
  release({ start, bytes }: AddressRange): void {
    if (this.#owner.hasFault()) return;
    this.#owner.enter();
    this.#reserved.delete(start);
    this.#context.driver.call("cuMemAddressFree", start, bytes);
  }

  open({ start, bytes }: AddressRange, within: AddressRange, isCompressible: boolean): void {
    this.#owner.enter();
    const { driver } = this.#context;
    const out = new BigUint64Array(1);
    const properties = pinnedOn(this.#context);
    if (isCompressible) properties[COMPRESSION_WORD] = COMPRESSION_GENERIC;
    const status = driver.status("cuMemCreate", out, bytes, properties, 0);
    if (status === DriverStatus.outOfMemory) throw outOfMemory(bytes, this.#memory.info().freeBytes);
    if (status !== DriverStatus.success) throw driver.error("cuMemCreate", status);
    const handle = out[0] as bigint;
    try {
      mapAt(this.#context, start, bytes, handle);
    } catch (error) {
      driver.status("cuMemRelease", handle);
      throw error;
    }
    this.#open.set(start, { bytes, handle });
    this.#know({ start, bytes }, within);
  }

  /** After a fault, see `release`. */
  close(part: AddressRange): void {
    const known = this.#open.get(part.start) ?? bug(`no memory at ${part.start}`);
    this.#forgetPart(part);
    if (this.#owner.hasFault()) return;
    this.#owner.enter();
    this.#unmap(part.start, known);
  }

  /** Of a context that is about to be renewed, or was: mappings are not part of it. */
  reset(): void {
    for (const [start, known] of this.#open) this.#unmap(start, known);
    for (const [start, bytes] of this.#reserved) this.#context.driver.status("cuMemAddressFree", start, bytes);
    this.#reserved.clear();
  }

  #unmap(start: number, { bytes, handle }: { readonly bytes: number; readonly handle: bigint }): void {
    const { driver } = this.#context;
    driver.status("cuCtxSynchronize");
    driver.status("cuMemUnmap", start, bytes);
    driver.status("cuMemRelease", handle);
    this.#open.delete(start);
  }

  /** One block with its neighbours in the same reservation: a copy may reach over both. */
  #know({ start, bytes }: AddressRange, within: AddressRange): void {
    let [from, to] = [start, start + bytes];
    const before = start > within.start ? this.#memory.find(start - 1) : null;
    if (before?.purpose === "mapped") from = (this.#memory.free(before.start) as AddressRange).start;
    const after = to < within.start + within.bytes ? this.#memory.at(to) : null;
    if (after?.purpose === "mapped") {
      to = after.start + after.bytes;
      this.#memory.free(after.start);
    }
    this.#memory.adopt(from, to - from, "mapped");
  }

  #forgetPart({ start, bytes }: AddressRange): void {
    const block = this.#memory.find(start);
    if (block?.purpose !== "mapped") return bug(`no mapped memory at ${start}`);
    this.#memory.free(block.start);
    if (start > block.start) this.#memory.adopt(block.start, start - block.start, "mapped");
    const behind = block.start + block.bytes - (start + bytes);
    if (behind > 0) this.#memory.adopt(start + bytes, behind, "mapped");
  }
}
