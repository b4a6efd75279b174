/**
 * The addresses that a program uses on a GPU, and the driver's addresses behind them.
 *
 * A module's __constant__ variables have program addresses of their own. Constant memory lies outside of the window
 * that 32-bit pointers reach.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import type { GpuContext } from "./context.ts";
import type { CudaModule } from "./cuda-module.ts";
import type { GpuMemory } from "./gpu-memory.ts";
import type { DriverCall } from "./kernel-services.ts";
import { WindowMemory } from "./window-memory.ts";

interface ConstantBlock {
  readonly start: number;
  readonly bytes: number;
  readonly address: number;
  readonly module: CudaModule;
}

export class ProgramAddresses {
  readonly #context: GpuContext;
  readonly #memory: GpuMemory;
  readonly #modules: ReadonlySet<CudaModule>;
  readonly #call: DriverCall;
  /** Where all of them lie; null where they have no program addresses of their own. */
  readonly #constants: { readonly start: number; readonly end: number } | null;
  /** True once some module's __constant__ variables exist twice (`exposeConstant`). */
  #hasConstantsCopies = false;

  constructor(context: GpuContext, memory: GpuMemory, modules: ReadonlySet<CudaModule>, call: DriverCall) {
    this.#context = context;
    this.#memory = memory;
    this.#modules = modules;
    this.#call = call;
    this.#constants = memory instanceof WindowMemory ? memory.constants : null;
  }

  native(pointer: number): number {
    const constant = this.constantBlock(pointer);
    return constant === null ? this.#memory.address(pointer) : constant.address + (pointer - constant.start);
  }

  /** The driver's address of a range. @throws HeddleError "bad-arguments" if the range is not inside one allocation. */
  ofRange(pointer: number, bytes: number, verb: string): number {
    const block = this.#memory.find(pointer);
    if (block !== null && pointer + bytes <= block.start + block.bytes) return this.#memory.address(pointer);
    const constant = this.constantBlock(pointer);
    if (constant !== null && pointer + bytes <= constant.start + constant.bytes)
      return constant.address + (pointer - constant.start);
    if (bytes === 0) return 0;
    const nearest = this.#memory.nearest(pointer);
    throw new HeddleError(
      "bad-arguments",
      `cannot ${verb} ${bytes} bytes at device address 0x${pointer.toString(16)}: they are not inside one allocation`,
      {
        notes:
          nearest === null
            ? ["the device has no allocations"]
            : [`the nearest allocation is at 0x${nearest.start.toString(16)} and has ${nearest.bytes} bytes`],
      },
    );
  }

  /**
   * Makes a module's __constant__ variables readable through pointers of the program. A kernel's pointers reach the
   * window only, so the window gets a copy of the variables. The copy follows every write of the host (`written`);
   * kernels cannot write to constant memory.
   */
  exposeConstant(pointer: number): void {
    const constants = this.constantBlock(pointer);
    if (constants === null || constants.module.hasConstantsCopy || !(this.#memory instanceof WindowMemory)) return;
    this.#context.makeCurrent();
    this.#memory.backConstants(constants.start, constants.bytes);
    constants.module.hasConstantsCopy = this.#hasConstantsCopies = true;
    this.written(constants.start, constants.bytes, 0);
  }

  /** Updates the copy of __constant__ variables, after the host has put a write to them on the stream. */
  written(pointer: number, bytes: number, stream: number): void {
    const constants = this.#hasConstantsCopies ? this.constantBlock(pointer) : null;
    if (constants?.module.hasConstantsCopy === true)
      this.#call(
        "cuMemcpyDtoDAsync_v2",
        this.#memory.address(pointer),
        constants.address + (pointer - constants.start),
        bytes,
        stream,
      );
  }

  /** The __constant__ variables that the pointer points into; null if it points elsewhere. */
  constantBlock(pointer: number): ConstantBlock | null {
    const range = this.#constants;
    if (range === null || pointer < range.start || pointer >= range.end) return null;
    for (const module of this.#modules) {
      if (module.constants === null) continue;
      const { base, bytes, address } = module.constants;
      if (pointer >= base && pointer < base + bytes) return { start: base, bytes, address, module };
    }
    return null;
  }

  /** Called after the context was renewed. */
  forget(): void {
    this.#hasConstantsCopies = false;
  }
}
