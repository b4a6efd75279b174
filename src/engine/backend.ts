/**
 * A compiled tier as the device sees it.
 *
 * Compiling happens once, on the thread that launches. Running happens on every thread that runs blocks, the launching
 * one and the workers: what crosses over is plain data (WebAssembly bytes and JSON), copied through shared memory.
 *
 *   KernelBackend.compile  →  CompiledKernel  →  BlockRunnerFactory (once per thread)  →  BlockRunner.run (per launch)
 */
import type { Dim3 } from "../base/dim3.ts";
import type { DeviceFault } from "../machine/faults.ts";
import type { ExecutorHost, LaunchDescriptor, LoadedKernel, LoadedProgram } from "./executor.ts";

export interface CompiledKernel {
  /** Which BlockRunnerFactory runs it: the key in BLOCK_RUNNERS. */
  readonly backend: string;
  readonly wasm: Uint8Array;
  /** Whatever the runner needs besides: survives JSON. */
  readonly metadata: unknown;
}

export interface KernelBackend {
  readonly name: string;
  /**
   * null when this tier cannot run the kernel in blocks of this shape. The result holds for every launch of that shape.
   */
  compile(program: LoadedProgram, kernel: LoadedKernel, block: Dim3): CompiledKernel | null;
  /** Why `compile` gives null, for a message; null if it does not. Absent: this tier runs every kernel. */
  whyNot?(program: LoadedProgram, kernel: LoadedKernel, block: Dim3): string | null;
}

/** What a runner asks of the thread that it runs on, during one launch. */
export interface BlockRunnerHost extends ExecutorHost {
  /** Address of the word that holds the mark of the loop in which the thread is (emit/loop-marks.ts). */
  readonly loopWord?: number;
  /**
   * The linear index of the next block of the grid to run (x fastest), or -1 when all are handed out. Indices ascend. A
   * runner calls this when it has room, and when none of the blocks it holds can go on: the one that they wait for may
   * not have begun. A cooperative launch hands all its blocks to one runner.
   */
  nextBlock(): number;
  /**
   * Up to `limit` blocks that follow the one last handed out, all at once; returns how many (0 says nothing of what is
   * left).
   */
  furtherBlocks(limit: number): number;
  /** The launch must end now (a fault elsewhere, a timeout): asked now and then, the runner returns null soon after. */
  stopped(): boolean;
  /** Output of a device printf, and the linear index of the block that made it. */
  print(text: string, block?: number): void;
  /**
   * No other thread runs blocks of this launch, now or later. Only then may a runner whose blocks all wait for memory
   * that none of them writes call it a deadlock; otherwise it asks `stalled`, if there is that, or keeps polling until
   * `stopped()`.
   */
  alone(): boolean;
  /**
   * To be called after every round in which all of the runner's blocks only spun, came back to the state they were in
   * before the round, and changed no memory. True when the same is proven of all threads: nothing will ever go on.
   */
  stalled?(): boolean;
  /** To be called after every other round. */
  progressed?(): void;
}

export interface BlockRunner {
  /** Takes blocks until there are none. Returns the first fault. Memory it allocated is freed before it returns. */
  run(launch: LaunchDescriptor, host: BlockRunnerHost): DeviceFault | null;
}

/** Called once on each thread. `module` is compiled from `compiled.wasm`. */
export type BlockRunnerFactory = (
  compiled: CompiledKernel,
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
) => BlockRunner;

/** For projects whose TypeScript has no DOM library: the names that declarations of ours mention. */
declare global {
  namespace WebAssembly {
    interface Memory {}
    interface Module {}
    interface Instance {}
  }
}
