/** What kernels use besides their arguments: a heap for malloc, and the buffer of printf. */
import type { GpuContext } from "./context.ts";
import type { CudaKernel } from "./cuda-kernel.ts";
import type { RegionVariables } from "./cuda-module.ts";
import type { GpuMemory } from "./gpu-memory.ts";
import { PrintfBuffer } from "./printf-buffer.ts";

/** Calls the driver in the device's context. Throws for any status but success. */
export type DriverCall = (name: `cu${string}`, ...values: (number | ArrayBufferView)[]) => void;

interface Region {
  readonly pointer: number;
  readonly bytes: number;
}

/** The allocator's own data needs this much, however small the limit is. */
const MIN_HEAP_BYTES = 64 * 1024;

export class KernelServices {
  readonly #memory: GpuMemory;
  readonly #call: DriverCall;
  readonly #printf: PrintfBuffer;
  #heap: Region | null = null;

  constructor(context: GpuContext, memory: GpuMemory, call: DriverCall) {
    this.#memory = memory;
    this.#call = call;
    this.#printf = new PrintfBuffer(context, memory);
  }

  /** Before the first launch of a module's kernel that needs them: tells the module where heap and buffer lie. */
  prepare(kernel: CudaKernel, heapBytes: number): void {
    const { module } = kernel;
    if (module.isServed || !(kernel.usesHeap || kernel.usesPrintf || module.isWithoutServices)) return;
    module.isServed = true;
    const { heap, printf } = module.services;
    if (heap !== null) this.#announce(heap, this.#heapRegion(heapBytes));
    if (printf !== null) this.#announce(printf, this.#printf.region);
  }

  drainPrintf(): string {
    return this.#printf.drain();
  }

  /** Called after the context was renewed. */
  forget(): void {
    this.#printf.forget();
    this.#heap = null;
  }

  #announce({ base, bytes, width }: RegionVariables, region: Region): void {
    const words = (value: number): ArrayBufferView =>
      width === 8 ? BigUint64Array.of(BigInt(value)) : Uint32Array.of(value);
    this.#call("cuMemcpyHtoD_v2", base, words(region.pointer), width);
    this.#call("cuMemcpyHtoD_v2", bytes, words(region.bytes), width);
  }

  /** All modules of a device share one heap: one kernel may free what another has allocated. */
  #heapRegion(heapBytes: number): Region {
    if (this.#heap === null) {
      const bytes = Math.max(heapBytes, MIN_HEAP_BYTES);
      this.#heap = { pointer: this.#memory.allocate(bytes, { align: 4096 }, "module").start, bytes };
      this.#call("cuMemsetD8Async", this.#memory.address(this.#heap.pointer), 0, bytes, 0);
    }
    return this.#heap;
  }
}
