/**
 * IR that has been placed in the memory of an emulated device: every global has an address, every function whose
 * address is taken an index.
 */
import type { IrFunction, IrModule } from "../ir/model/ir.ts";
import type { KernelParam } from "./launch.ts";

export interface LoadedKernel {
  readonly name: string;
  readonly function: IrFunction;
  readonly params: readonly KernelParam[];
  readonly paramBytes: number;
  /**
   * Offsets of static __shared__ variables in the block's shared window; dynamic shared memory starts at
   * `staticSharedBytes`.
   */
  readonly sharedOffsets: ReadonlyMap<string, number>;
  readonly staticSharedBytes: number;
  /** How much of that is a tool's (machine/observer.ts): it counts against no limit. */
  readonly toolSharedBytes: number;
}

export interface PlacedProgram {
  readonly module: IrModule;
  /** Absolute address of every global that is not in address space 3. */
  readonly globalAddresses: ReadonlyMap<string, number>;
  /** Value of a pointer to a function: a small non-zero number; the function's index in `functionTable`. */
  readonly functionAddresses: ReadonlyMap<string, number>;
  readonly functionTable: readonly (IrFunction | null)[];
  readonly kernels: ReadonlyMap<string, LoadedKernel>;
  readonly fmad: boolean;
}
