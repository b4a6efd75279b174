/**
 * The GPU's memory with its own 64-bit addresses: what TypeScript programs and 64-bit host programs use. All of the
 * card can be had. Memory that a host program has at the same addresses lies apart (low-memory.ts, shared-memory.ts).
 */
import { Arena } from "../common/arena.ts";
import { RangeTree } from "../common/range-tree.ts";
import { alignUp } from "../../base/align.ts";
import type { AllocateOptions } from "../device.ts";
import type { GpuContext } from "./context.ts";
import { DriverError, DriverStatus } from "./driver.ts";
import { GpuAddressSpace } from "./gpu-address-space.ts";
import { LowMemory, PINNED_RANGES } from "./low-memory.ts";
import { SharedMemory } from "./shared-memory.ts";
import {
  checkAllocation,
  outOfMemory,
  type AddressSpaceOwner,
  type GpuBlock,
  type GpuMemory,
  type MemoryPurpose,
} from "./gpu-memory.ts";
import { createMapped, destroyMapped, pageBytes, type MappedMemory } from "./mapped-memory.ts";

/** What cuMemAlloc aligns to. */
const DRIVER_ALIGNMENT = 256;
/** Smaller blocks share memory: the driver gives whole pages of 2 MiB, and takes its time. */
const SMALL_BYTES = 1024 * 1024;
const SLAB_BYTES = 32 * 1024 * 1024;

/** Memory that small blocks share. */
interface Slab {
  readonly mapped: MappedMemory;
  readonly arena: Arena<FlatBlock>;
}

interface FlatBlock extends GpuBlock {
  /** What cuMemAlloc gave; before `start` where more alignment was asked for than it gives. 0: not from there. */
  readonly allocation: number;
  readonly slab: Slab | null;
  /** Memory of its own. */
  readonly mapped: MappedMemory | null;
  /** At an address that the host program has, too. */
  readonly isLow?: boolean;
}

export class FlatMemory implements GpuMemory {
  readonly kind = "flat";
  readonly #context: GpuContext;
  #blocks = new RangeTree<FlatBlock>();
  #slabs: Slab[] = [];
  /** 0: the driver cannot map memory, and cuMemAlloc gives all of it. */
  #page: number | null = null;
  readonly #unmapping = new Set<(mapped: MappedMemory) => void>();
  /** null: no host program shares addresses with it. */
  #low: LowMemory | null;
  /** undefined: nobody asked for it. */
  #shared: SharedMemory | null | undefined;
  #addressSpace: GpuAddressSpace | null = null;

  /** @param host of a host program: which of how many devices of the program this is */
  constructor(context: GpuContext, host: { readonly part: number; readonly parts: number } | null = null) {
    this.#context = context;
    this.#low = host === null ? null : new LowMemory(context, host.part, host.parts);
    // The program has one range of addresses for it, and the first device takes it. All devices use what it shares.
    this.#shared = host === null || host.part > 0 ? null : undefined;
  }

  /** Host programs share addresses with this memory from now on. */
  shareAddresses(): void {
    this.#low ??= new LowMemory(this.#context, 0, 1);
  }

  allocate(bytes: number, options: AllocateOptions, purpose: MemoryPurpose): GpuBlock {
    const { align = DRIVER_ALIGNMENT, minAddress } = options;
    checkAllocation(bytes, align);
    if (this.#low !== null && minAddress !== undefined) {
      const low = this.#low.allocate(bytes, align, minAddress, purpose);
      if (low === null)
        throw outOfMemory(bytes, this.info().freeBytes, ["no addresses below 4 GiB are free on both sides"]);
      this.#blocks.insert({ ...low, allocation: 0, slab: null, mapped: null, isLow: true });
      return low;
    }
    const block =
      (bytes <= SMALL_BYTES ? this.#inSlab(bytes, align, purpose) : this.#mapped(bytes, align, purpose)) ??
      this.#plain(bytes, align, purpose);
    this.#blocks.insert(block);
    return block;
  }

  /** A part of a slab; null where memory cannot be mapped. */
  #inSlab(bytes: number, align: number, purpose: MemoryPurpose): FlatBlock | null {
    for (const slab of this.#slabs) {
      const start = slab.arena.place(bytes, align, 0);
      if (start !== null) return taken({ start, bytes, purpose, allocation: 0, slab, mapped: null });
    }
    const mapped = this.#create(SLAB_BYTES, align, bytes);
    if (mapped === null) return null;
    const { address } = mapped;
    const slab: Slab = { mapped, arena: new Arena(address, address + mapped.bytes, DRIVER_ALIGNMENT) };
    this.#slabs.push(slab);
    const start = slab.arena.place(bytes, align, 0) ?? address;
    return taken({ start, bytes, purpose, allocation: 0, slab, mapped: null });
  }

  #mapped(bytes: number, align: number, purpose: MemoryPurpose): FlatBlock | null {
    const mapped = this.#create(bytes, align, bytes);
    return mapped === null ? null : { start: mapped.address, bytes, purpose, allocation: 0, slab: null, mapped };
  }

  /** @param asked by the user, for the message */
  #create(bytes: number, align: number, asked: number): MappedMemory | null {
    this.#page ??= this.#findPage();
    if (this.#page === 0) return null;
    const made = createMapped(this.#context, bytes, this.#page, align);
    if (typeof made !== "number") return made;
    if (made === DriverStatus.outOfMemory) {
      // A slab may not fit where what was asked for does.
      if (bytes > asked) return null;
      throw outOfMemory(asked, this.info().freeBytes);
    }
    this.#page = 0;
    return null;
  }

  #findPage(): number {
    try {
      return pageBytes(this.#context);
    } catch {
      return 0;
    }
  }

  /** The mapped memory that holds an address, to be seen at further addresses; null: cuMemAlloc gave it. */
  mappedAt(address: number): MappedMemory | null {
    const block = this.find(address) as FlatBlock | null;
    return block?.slab?.mapped ?? block?.mapped ?? null;
  }

  /** Calls `forget` before memory is unmapped, and waits for the GPU first. @returns how to stop that */
  onUnmapping(forget: (mapped: MappedMemory) => void): () => void {
    this.#unmapping.add(forget);
    return () => void this.#unmapping.delete(forget);
  }

  #destroy(mapped: MappedMemory): void {
    // Other views of the same memory have work of their own on it.
    this.#context.driver.status("cuCtxSynchronize");
    for (const forget of this.#unmapping) forget(mapped);
    destroyMapped(this.#context, mapped);
  }

  #plain(bytes: number, align: number, purpose: MemoryPurpose): FlatBlock {
    const { driver } = this.#context;
    const size = Math.max(bytes, 1) + (align > DRIVER_ALIGNMENT ? align : 0);
    const out = new BigUint64Array(1);
    const status = driver.status("cuMemAlloc_v2", out, size);
    if (status === DriverStatus.outOfMemory) throw outOfMemory(bytes, this.info().freeBytes);
    if (status !== DriverStatus.success) throw driver.error("cuMemAlloc_v2", status);
    const allocation = Number(out[0]);
    return { start: alignUp(allocation, align), bytes, purpose, allocation, slab: null, mapped: null };
  }

  /** Makes memory known that something else allocated and will free: a module's variables, managed memory. */
  adopt(start: number, bytes: number, purpose: MemoryPurpose): void {
    this.#blocks.insert({ start, bytes, purpose, allocation: 0, slab: null, mapped: null });
  }

  free(pointer: number): GpuBlock | null {
    const block = this.#blocks.remove(pointer);
    if (block === null) return null;
    if (block.isLow === true) this.#low?.release(pointer);
    if (block.allocation !== 0) this.#context.driver.call("cuMemFree_v2", block.allocation);
    if (block.mapped !== null) this.#destroy(block.mapped);
    if (block.slab !== null) this.#release(block.slab, pointer);
    return block;
  }

  /** One empty slab stays for what comes next. */
  #release(slab: Slab, pointer: number): void {
    slab.arena.release(pointer);
    if (slab.arena.liveCount > 0) return;
    if (!this.#slabs.some((other) => other !== slab && other.arena.liveCount === 0)) return;
    this.#slabs.splice(this.#slabs.indexOf(slab), 1);
    this.#destroy(slab.mapped);
  }

  at(pointer: number): GpuBlock | null {
    const block = this.#blocks.floor(pointer);
    return block !== null && block.start === pointer ? block : (this.#shared?.at(pointer) ?? null);
  }

  find(address: number): GpuBlock | null {
    const block = this.#blocks.floor(address);
    if (block !== null && address < block.start + block.bytes) return block;
    return this.#shared?.find(address) ?? null;
  }

  nearest(address: number): GpuBlock | null {
    const below = this.#blocks.floor(address);
    const above = this.#blocks.ceiling(address);
    if (below === null || above === null) return below ?? above;
    return Math.max(0, address - (below.start + below.bytes - 1)) <= above.start - address ? below : above;
  }

  address(pointer: number): number {
    return pointer;
  }

  shared(): SharedMemory | null {
    if (this.#shared === undefined) this.#shared = SharedMemory.open(this.#context, 0, ...PINNED_RANGES);
    return this.#shared;
  }

  addressSpace(owner: AddressSpaceOwner): GpuAddressSpace | null {
    if (this.#addressSpace !== null) return this.#addressSpace;
    owner.enter();
    try {
      return (this.#addressSpace = new GpuAddressSpace(this.#context, this, owner));
    } catch (error) {
      if (!(error instanceof DriverError)) throw error;
      return null;
    }
  }

  info(): { freeBytes: number; totalBytes: number } {
    const [freeBytes, totalBytes] = this.#context.driver.getPair("cuMemGetInfo_v2");
    const inSlabs = this.#slabs.reduce((sum, { arena }) => sum + arena.freeBytes, 0);
    return { freeBytes: freeBytes + inSlabs, totalBytes };
  }

  blocks(): Iterable<GpuBlock> {
    return this.#blocks;
  }

  /** The physical memory is not part of the context: it is given back here. */
  reset(): void {
    const all = [...this.#slabs, ...this.#blocks].flatMap(({ mapped }) => mapped ?? []);
    for (const mapped of all) {
      for (const forget of this.#unmapping) forget(mapped);
      destroyMapped(this.#context, mapped);
    }
    this.#slabs = [];
    this.#blocks = new RangeTree();
    this.#low?.reset();
    this.#shared?.reset();
    this.#addressSpace?.reset();
  }

  close(): void {
    for (const block of this.#blocks)
      if (block.allocation !== 0) this.#context.driver.status("cuMemFree_v2", block.allocation);
    this.reset();
    this.#low?.close();
    this.#shared?.close();
  }
}

function taken(block: FlatBlock): FlatBlock {
  block.slab?.arena.take(block);
  return block;
}
