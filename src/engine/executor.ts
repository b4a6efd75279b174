/**
 * How a kernel is run: the contract that the interpreter and the compiled tiers share.
 *
 * A LoadedProgram is IR that has been placed: every global has an address, every function whose address is taken an
 * index. An executor turns (program, kernel, block shape) into something that runs blocks; the device hands out the
 * blocks.
 */
import type { Dim3 } from "../base/dim3.ts";
import type { IrFunction, IrModule } from "../ir/model/ir.ts";
import type { DeviceFault } from "../machine/faults.ts";
import type { KernelParam } from "../machine/launch.ts";
import type { ProgramContent } from "../program/device-program.ts";

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

export interface LoadedProgram {
  readonly module: IrModule;
  /** Absolute address of every global that is not in address space 3. */
  readonly globalAddresses: ReadonlyMap<string, number>;
  /** Value of a pointer to a function: a small non-zero number; the function's index in `functionTable`. */
  readonly functionAddresses: ReadonlyMap<string, number>;
  readonly functionTable: readonly (IrFunction | null)[];
  readonly kernels: ReadonlyMap<string, LoadedKernel>;
  readonly fmad: boolean;
  /** The same for programs of the same IR at the same addresses, up to the lines of places; absent: not known. */
  readonly content?: ProgramContent;
}

/** One launch as an executor sees it. All addresses are absolute in the device's linear memory. */
export interface LaunchDescriptor {
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly dynamicSharedBytes: number;
  readonly params: Uint8Array;
  readonly cooperative: boolean;
  /** Blocks of a cluster, of which the grid has a whole number; null: one. One runner gets all of them, in order. */
  readonly cluster: Dim3 | null;
  /** Legal accesses are in [USER_BASE, memoryTop). */
  readonly memoryTop: number;
}

/** What a running kernel asks of its surroundings. */
export interface ExecutorHost {
  /** Text of a device printf, formatted. */
  print(text: string): void;
  /** Monotonic, in nanoseconds. */
  nowNs(): bigint;
  /** Memory for windows and contexts. `kind` user: shared and local windows (kernels may access it); engine: ours. */
  allocate(bytes: number, align: number, kind: "user" | "engine"): number;
  free(address: number): void;
}

/**
 * Runs all blocks of a launch on this thread, in order, with independent thread scheduling where needed. Returns the
 * first fault.
 */
export interface Executor {
  readonly name: string;
  run(
    program: LoadedProgram,
    kernel: LoadedKernel,
    launch: LaunchDescriptor,
    memory: WebAssembly.Memory,
    host: ExecutorHost,
  ): DeviceFault | null;
}
