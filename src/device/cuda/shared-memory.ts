/**
 * The part of a GPU's window of addresses (window-memory.ts) whose memory is the host program's: a kernel reads and
 * writes it over the bus while the host program does, as CUDA promises of mapped memory ("Mapped Memory" in the CUDA
 * C++ Programming Guide).
 */
import { Arena } from "../common/arena.ts";
import { alignUp } from "../../base/align.ts";
import type { SharedHostMemory } from "../device.ts";
import type { GpuContext } from "./context.ts";
import { DriverStatus } from "./driver.ts";
import { addressOf, bytesAt } from "./foreign-library.ts";
import type { GpuBlock } from "./gpu-memory.ts";
import { HOST_PAGE_BYTES, HostPages } from "./host-pages.ts";

/** CU_MEMHOSTREGISTER_PORTABLE and _DEVICEMAP. */
const REGISTER_FLAGS = 3;

export class SharedMemory implements SharedHostMemory {
  readonly #context: GpuContext;
  readonly #base: number;
  readonly #pages: HostPages;
  readonly #range: readonly [start: number, end: number];
  #arena: Arena<GpuBlock>;
  readonly #registered = new Set<number>();

  private constructor(context: GpuContext, base: number, range: readonly [number, number], pages: HostPages) {
    this.#context = context;
    this.#base = base;
    this.#range = range;
    this.#pages = pages;
    this.#arena = new Arena(...range, HOST_PAGE_BYTES);
  }

  /**
   * Takes the first of the ranges at whose addresses this process has nothing.
   * @param base the window's address. null where the system does not allow it.
   */
  static open(
    context: GpuContext,
    base: number,
    ...ranges: readonly (readonly [start: number, end: number])[]
  ): SharedMemory | null {
    for (const range of ranges) {
      const pages = HostPages.reserve(base + range[0], range[1] - range[0]);
      if (pages !== null) return new SharedMemory(context, base, range, pages);
    }
    return null;
  }

  place(bytes: number, minAddress: number): number | null {
    const start = this.#arena.place(bytes, HOST_PAGE_BYTES, minAddress);
    if (start !== null) this.#arena.take({ start, bytes, purpose: "user" });
    return start;
  }

  share(pointer: number, host: Uint8Array): boolean {
    const at = this.#base + pointer;
    const bytes = alignUp(host.length, HOST_PAGE_BYTES);
    if (!this.#pages.share(at, bytes, addressOf(host)) || !isSame(host, at)) return false;
    const { driver } = this.#context;
    this.#context.makeCurrent();
    if (driver.status("cuMemHostRegister_v2", at, bytes, REGISTER_FLAGS) !== DriverStatus.success) return false;
    const seen = new BigUint64Array(1);
    const status = driver.status("cuMemHostGetDevicePointer_v2", seen, at, 0);
    if (status === DriverStatus.success && Number(seen[0]) === at) {
      this.#registered.add(pointer);
      return true;
    }
    driver.status("cuMemHostUnregister", at);
    return false;
  }

  /** After all kernels that use it. */
  release(pointer: number): void {
    const block = this.#arena.release(pointer);
    if (block === null) return;
    if (this.#registered.delete(pointer)) this.#context.driver.call("cuMemHostUnregister", this.#base + pointer);
    this.#pages.empty(this.#base + pointer, block.bytes);
  }

  at(pointer: number): GpuBlock | null {
    return this.#arena.at(pointer);
  }

  find(address: number): GpuBlock | null {
    return this.#arena.find(address);
  }

  /** The context is a fresh one: nothing is registered there. */
  reset(): void {
    this.#registered.clear();
    this.#arena = new Arena(...this.#range, HOST_PAGE_BYTES);
  }

  close(): void {
    for (const pointer of this.#registered) this.#context.driver.status("cuMemHostUnregister", this.#base + pointer);
    this.#registered.clear();
    this.#pages.close();
  }
}

/** Whether both are the same memory: WebAssembly memory could have moved, or the system could have lied. */
function isSame(host: Uint8Array, at: number): boolean {
  const twin = bytesAt(at, host.length);
  for (const value of [0xa5, 0x5a]) {
    host[0] = value;
    host[host.length - 1] = value;
    if (twin[0] !== value || twin[host.length - 1] !== value) return false;
  }
  host[0] = 0;
  host[host.length - 1] = 0;
  return true;
}
