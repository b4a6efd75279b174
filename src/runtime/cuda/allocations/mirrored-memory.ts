/**
 * Memory that host and device both use: managed memory and variables, and pinned or registered host memory that is
 * passed to kernels.
 *
 * The host program's memory and the device's are two linear memories, so such memory exists twice. Between launches the
 * host's copy is valid. Before a launch its changes are copied to the device, and after the launch the device's copy is
 * copied back: of the allocations that the kernel may read or write, as far as that follows from its code and its
 * arguments (access-summary.ts). Other launches pay nothing. Where a GPU can use the host's memory as it is, mapped
 * memory exists once, and nothing is copied.
 *
 * - Managed and mapped memory has one address in both: the device chooses it above the host's heap, and the host memory
 *   grows over it.
 * - Other pinned or registered memory and __managed__ variables have a device address of their own, made when a kernel
 *   first needs it; pointers among a kernel's parameters are translated. Pointers to them stored in device memory are
 *   not.
 */
import { HeddleError } from "../../../base/diagnostics.ts";
import type { RegionRoot } from "../../../analysis/pointers/access-summary.ts";
import type { GpuKernel } from "../../../device/device.ts";
import type { KernelParam } from "../../../machine/launch.ts";
import type { HostMemory } from "../../host/host-memory.ts";
import { pointerArgument, pointerAt, setPointerArgument } from "./pointer-arguments.ts";
import type { AddressRange, HostProgram } from "../context.ts";
import type { DeviceState } from "../device-state.ts";

export interface MirroredAllocation {
  readonly kind: "managed" | "pinned" | "registered" | "variable";
  readonly hostAddress: number;
  readonly bytes: number;
  /** Flags it was allocated or registered with. */
  readonly flags: number;
  /** The device whose memory holds the second copy. */
  readonly owner: DeviceState;
  /** 0: no kernel has needed it yet. */
  deviceAddress: number;
  /** The block of the host program's malloc that holds the memory; 0 if there is none. */
  readonly hostBlock: number;
  /** The device uses the host's memory: there is no second copy. */
  readonly isShared?: boolean;
}

/** A second copy that a launch may touch. */
export interface MirrorUse {
  readonly allocation: MirroredAllocation;
  readonly isWritten: boolean;
}

const NO_USES: readonly MirrorUse[] = [];
const NOTHING: readonly MirroredAllocation[] = [];

const WINDOW_BYTES = 16 * 1024 * 1024;
const COMPARE_BYTES = 64 * 1024;
const PAGE = 65536;
const HOST_PAGE = 4096;

/** What mirrored memory needs of the runtime around it. */
export interface MirrorSurroundings {
  readonly memory: HostMemory;
  readonly current: DeviceState;
  readonly devices: readonly DeviceState[];
  readonly host: Pick<HostProgram, "free" | "gap">;
}

export class MirroredMemory {
  readonly #cuda: MirrorSurroundings;
  readonly #byHost: Map<number, MirroredAllocation> = new Map();
  /** Of the host's memory, which malloc does not have: allocations with one address in both memories live there. */
  readonly #windows: AddressRange[] = [];
  readonly #scratch: Uint8Array = new Uint8Array(COMPARE_BYTES);

  constructor(cuda: MirrorSurroundings) {
    this.#cuda = cuda;
  }

  get size(): number {
    return this.#byHost.size;
  }

  /** Whether kernels may use any of it. */
  get isMapped(): boolean {
    for (const allocation of this.#byHost.values()) if (isCopied(allocation)) return true;
    return false;
  }

  /** Memory with one address on both sides, or null when no address is free in both. */
  allocate(bytes: number, kind: "managed" | "pinned", flags: number): MirroredAllocation | null {
    const size = Math.max(bytes, 1);
    const owner = this.#cuda.current;
    const shared = kind === "pinned" ? this.#share(size) : null;
    if (shared !== null) return this.#addShared(shared, { kind, bytes: size, flags });
    const pointer = this.#place(size, {
      take: (minAddress) => this.#tryAllocate(owner, size, minAddress),
      free: (address) => owner.device.free(address),
    });
    if (pointer !== null)
      return this.#add({ kind, hostAddress: pointer, bytes: size, flags, owner, deviceAddress: pointer, hostBlock: 0 });
    const instead = kind === "managed" ? this.#share(size) : null;
    return instead === null ? null : this.#addShared(instead, { kind, bytes: size, flags });
  }

  #addShared(
    { pointer, owner }: { readonly pointer: number; readonly owner: DeviceState },
    about: Pick<MirroredAllocation, "kind" | "bytes" | "flags">,
  ): MirroredAllocation {
    const address = { hostAddress: pointer, deviceAddress: pointer };
    return this.#add({ ...about, ...address, owner, hostBlock: 0, isShared: true });
  }

  /** Host memory that is there already. `hostBlock` is freed with it unless 0. */
  adopt(
    kind: "pinned" | "registered",
    hostAddress: number,
    bytes: number,
    flags: number,
    hostBlock: number,
  ): MirroredAllocation {
    return this.#add({ kind, hostAddress, bytes, flags, owner: this.#cuda.current, deviceAddress: 0, hostBlock });
  }

  /** A __managed__ variable and its twin on the host. */
  adoptVariable(hostAddress: number, deviceAddress: number, bytes: number): void {
    const variable = this.#add({
      kind: "variable",
      hostAddress,
      bytes,
      flags: 0,
      owner: this.#cuda.current,
      deviceAddress,
      hostBlock: 0,
    });
    this.#pull(variable);
  }

  #add(allocation: MirroredAllocation): MirroredAllocation {
    this.#byHost.set(allocation.hostAddress, allocation);
    return allocation;
  }

  #tryAllocate(state: DeviceState, bytes: number, minAddress: number): number | null {
    try {
      // Large ones are pinned, which is done by pages.
      const align = bytes >= PAGE ? HOST_PAGE : 256;
      return state.device.allocate(bytes, { align, minAddress, isHostCopied: true });
    } catch (error) {
      if (error instanceof HeddleError && error.code === "out-of-memory") return null;
      throw error;
    }
  }

  /**
   * Memory of the host that devices use as it is, or null where they cannot. It is portable: what one device shares,
   * all of the program use. Only one of them may have the addresses for it, and that need not be the current one.
   */
  #share(bytes: number): { readonly pointer: number; readonly owner: DeviceState } | null {
    const { current, devices } = this.#cuda;
    for (const owner of [current, ...devices.filter((other) => other !== current && other.fault === null)]) {
      const pointer = this.#shareBy(owner, bytes);
      if (pointer !== null) return { pointer, owner };
    }
    return null;
  }

  #shareBy({ device }: DeviceState, bytes: number): number | null {
    const sharing = device.sharedHostMemory ?? null;
    if (sharing === null) return null;
    const pointer = this.#place(bytes, {
      take: (minAddress) => sharing.place(bytes, minAddress),
      free: (address) => sharing.release(address),
    });
    if (pointer === null || sharing.share(pointer, this.#cuda.memory.slice(pointer, bytes))) return pointer;
    sharing.release(pointer);
    return null;
  }

  #useGap(): void {
    const gap = this.#cuda.host.gap();
    if (gap !== null && !this.#windows.some(({ start }) => start === gap.start)) this.#windows.unshift(gap);
  }

  /** An address inside a window, or in a new window above the host's heap. */
  #place(
    bytes: number,
    { take, free }: { take(minAddress: number): number | null; free(pointer: number): void },
  ): number | null {
    this.#useGap();
    for (const window of this.#windows) {
      if (window.end - window.start < bytes) continue;
      const pointer = take(window.start);
      if (pointer === null) break;
      if (this.#windows.some((w) => pointer >= w.start && pointer + bytes <= w.end)) return pointer;
      free(pointer);
    }
    const heapEnd = this.#cuda.memory.size;
    const pointer = take(heapEnd);
    if (pointer === null) return null;
    // The new window takes in the pages of the allocation and room for further small ones behind it.
    const wanted = Math.ceil((pointer + Math.max(bytes, WINDOW_BYTES)) / PAGE) * PAGE;
    const needed = Math.ceil((pointer + bytes) / PAGE) * PAGE;
    if (!this.#cuda.memory.growTo(wanted) && !this.#cuda.memory.growTo(needed)) {
      free(pointer);
      return null;
    }
    this.#windows.push({ start: heapEnd, end: this.#cuda.memory.size });
    return pointer;
  }

  /** False when `hostAddress` is not the start of such an allocation. */
  release(hostAddress: number): boolean {
    const allocation = this.#byHost.get(hostAddress);
    if (allocation === undefined) return false;
    this.#byHost.delete(hostAddress);
    if (allocation.isShared === true) allocation.owner.device.sharedHostMemory?.release(hostAddress);
    else if (allocation.deviceAddress !== 0 && allocation.kind !== "variable")
      allocation.owner.device.free(allocation.deviceAddress);
    if (allocation.hostBlock !== 0) this.#cuda.host.free(allocation.hostBlock);
    return true;
  }

  values(): IterableIterator<MirroredAllocation> {
    return this.#byHost.values();
  }

  at(hostAddress: number): MirroredAllocation | undefined {
    return this.#byHost.get(hostAddress);
  }

  /** The allocation that holds the host address. */
  find(address: number): MirroredAllocation | null {
    const exact = this.#byHost.get(address);
    if (exact !== undefined) return exact;
    for (const allocation of this.#byHost.values()) {
      if (address >= allocation.hostAddress && address < allocation.hostAddress + allocation.bytes) return allocation;
    }
    return null;
  }

  /** The allocation that holds the device address. */
  findDevice(address: number): MirroredAllocation | null {
    for (const allocation of this.#byHost.values()) {
      if (
        allocation.deviceAddress !== 0 &&
        address >= allocation.deviceAddress &&
        address < allocation.deviceAddress + allocation.bytes
      )
        return allocation;
    }
    return null;
  }

  /** The address by which kernels reach the allocation. Throws out-of-memory. */
  mapToDevice(allocation: MirroredAllocation): number {
    if (allocation.deviceAddress === 0)
      allocation.deviceAddress = allocation.owner.device.allocate(allocation.bytes, { isHostCopied: true });
    return allocation.deviceAddress;
  }

  /** Pointers to host memory that kernels may use become its device addresses. Changes `params`. */
  translateParameters(layout: readonly KernelParam[], params: Uint8Array): void {
    if (this.#byHost.size === 0) return;
    for (const param of layout) {
      if (param.kind !== "pointer") continue;
      const value = pointerArgument(params, param);
      const found = this.find(value);
      if (found !== null) setPointerArgument(params, param, this.mapToDevice(found) + (value - found.hostAddress));
    }
  }

  /** The copies that a launch on `state` may touch. @param params with the device's pointers */
  usedBy(state: DeviceState, kernel: GpuKernel, params: Uint8Array): readonly MirrorUse[] {
    if (!this.isMapped) return NO_USES;
    const { regions = null } = kernel;
    if (regions === null) return this.#all();
    let uses: Map<MirroredAllocation, MirrorUse> | null = null;
    for (const { root, write } of regions) {
      const touched = this.#touched(state, kernel, params, root);
      if (touched === null) return this.#all();
      for (const allocation of touched) {
        const isWritten = write || uses?.get(allocation)?.isWritten === true;
        (uses ??= new Map()).set(allocation, { allocation, isWritten });
      }
    }
    return uses === null ? NO_USES : [...uses.values()];
  }

  #all(): readonly MirrorUse[] {
    return this.#copies().map((allocation) => ({ allocation, isWritten: true }));
  }

  /** The allocations of a region; null where the region's pointer points to nothing that is known. */
  #touched(
    { device }: DeviceState,
    kernel: GpuKernel,
    params: Uint8Array,
    root: RegionRoot,
  ): readonly MirroredAllocation[] | null {
    if (root.kind === "global") return this.#copies().filter(({ kind }) => kind === "variable");
    const param = kernel.params[root.index];
    if (param === undefined) return null;
    const [offset, size] = [param.offset + root.offset, device.irPointerBits / 8];
    if (offset + size > params.length) return null;
    const address = pointerAt(params, offset, size);
    const found = this.findDevice(address);
    if (found !== null) return isCopied(found) ? [found] : NOTHING;
    // A null pointer is not accessed by a launch that completes.
    return address === 0 || device.findAllocation(address) !== null ? NOTHING : null;
  }

  /** Allocations that exist twice. */
  #copies(): MirroredAllocation[] {
    return [...this.#byHost.values()].filter(isCopied);
  }

  /** Before a launch: what the host has changed goes to the device. */
  toDevice(uses: readonly MirrorUse[]): void {
    for (const { allocation } of uses) {
      const { device } = allocation.owner;
      if (device.queue !== null) {
        // To find out what has changed would take longer than the bus does.
        device.write(allocation.deviceAddress, this.#cuda.memory.slice(allocation.hostAddress, allocation.bytes));
        continue;
      }
      for (let done = 0; done < allocation.bytes; done += COMPARE_BYTES) {
        const count = Math.min(COMPARE_BYTES, allocation.bytes - done);
        const there = this.#scratch.subarray(0, count);
        device.read(allocation.deviceAddress + done, there);
        const here = this.#cuda.memory.slice(allocation.hostAddress + done, count);
        if (!sameBytes(here, there)) device.write(allocation.deviceAddress + done, here);
      }
    }
  }

  /** After a launch: the device's copy becomes the host's. */
  toHost(uses: readonly MirrorUse[]): void {
    for (const { allocation, isWritten } of uses) if (isWritten) this.#pull(allocation);
  }

  /** After a launch of which nothing is known. */
  allToHost(): void {
    for (const allocation of this.#copies()) this.#pull(allocation);
  }

  #pull(allocation: MirroredAllocation): void {
    allocation.owner.device.read(
      allocation.deviceAddress,
      this.#cuda.memory.slice(allocation.hostAddress, allocation.bytes),
    );
  }

  /** A device was reset: memory of the device is gone, host memory stays. */
  forget(state: DeviceState): void {
    for (const [address, allocation] of this.#byHost) {
      if (allocation.owner !== state) continue;
      if (allocation.kind === "managed" || allocation.kind === "variable") this.#byHost.delete(address);
      else if (allocation.hostAddress === allocation.deviceAddress) this.#byHost.delete(address);
      else allocation.deviceAddress = 0;
    }
  }
}

function isCopied({ deviceAddress, isShared }: MirroredAllocation): boolean {
  return deviceAddress !== 0 && isShared !== true;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  // Node.js compares many times faster than a loop; pages have no Buffer.
  if (typeof Buffer !== "undefined") return Buffer.compare(a, b) === 0;
  const words = (a.byteOffset | b.byteOffset) % 4 === 0 ? a.length >> 2 : 0;
  if (words > 0) {
    const left = new Int32Array(a.buffer, a.byteOffset, words);
    const right = new Int32Array(b.buffer, b.byteOffset, words);
    for (let i = 0; i < words; i++) if (left[i] !== right[i]) return false;
  }
  for (let i = words * 4; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
