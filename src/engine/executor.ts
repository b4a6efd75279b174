/**
 * How a kernel is run: the contract that the interpreter and the compiled tiers share.
 *
 * A LoadedProgram is IR that has been placed: every global has an address, every function whose address is taken an
 * index. An executor turns (program, kernel, block shape) into something that runs blocks; the device hands out the
 * blocks.
 */
import type { Dim3 } from "../base/dim3.ts";
import type { DeviceFault } from "../machine/faults.ts";
import type { LoadedKernel, PlacedProgram } from "../machine/placed-program.ts";
import type { ProgramContent } from "../program/device-program.ts";

export type { LoadedKernel } from "../machine/placed-program.ts";

export interface LoadedProgram extends PlacedProgram {
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
  /** Blocks of a cluster, of which the grid has a whole number; null: one. One runner gets a cluster's, in order. */
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
  /**
   * Runs to their end the grids that the launch has queued so far, for a thread of this block that waits for them.
   * Absent where the host cannot. Returns the fault that ended one of them.
   */
  runChildGrids?(block: number): DeviceFault | null;
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
