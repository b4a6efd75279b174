/** What runs all blocks of a launch: the plug between the device and the engine's tiers. */
import type { Executor, ExecutorHost, LaunchDescriptor, LoadedKernel, LoadedProgram } from "../../engine/executor.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import type { LaunchEngine } from "../../machine/observer.ts";
import type { DeviceMemory } from "./memory.ts";
import { ScratchSpace } from "./scratch.ts";

export interface GridLaunch {
  readonly program: LoadedProgram;
  readonly kernel: LoadedKernel;
  readonly descriptor: LaunchDescriptor;
  /** Of this launch; undefined: the limit of the device. */
  readonly timeoutMs?: number | undefined;
  /** Runs what the launch has queued, for a thread that waits for it. Such a launch runs on the launching thread. */
  readonly runChildGrids?: (() => GridResult) | undefined;
}

export interface GridResult {
  readonly fault: DeviceFault | null;
  /** What the kernel printed. */
  readonly output: string;
}

export interface GridRunner {
  /** Runs the launch to its end on, or blocking, the calling thread. */
  runBlocking(launch: GridLaunch): GridResult;
  /** Never blocks an event loop, where worker threads can be had; see the implementation. */
  run(launch: GridLaunch): Promise<GridResult>;
  /** What runs this launch, or has run it. */
  engineOf(launch: GridLaunch): LaunchEngine;
  /** Drops what is cached for a program that was unloaded. */
  forget(program: LoadedProgram): void;
  close(): void;
}

/** Nanoseconds since 1970, the same on all threads. */
export function nowNs(): bigint {
  return BigInt(Math.round(performance.timeOrigin * 1e3)) * 1000n + BigInt(Math.round(performance.now() * 1e6));
}

/**
 * Runs every launch through one executor (the interpreter) on the calling thread, whose event loop is blocked
 * meanwhile.
 */
export class InlineRunner implements GridRunner {
  readonly #executor: Executor;
  readonly #memory: DeviceMemory;
  readonly #scratch: ScratchSpace;

  constructor(executor: Executor, memory: DeviceMemory, scratch: ScratchSpace = new ScratchSpace(memory.wasm)) {
    this.#executor = executor;
    this.#memory = memory;
    this.#scratch = scratch;
  }

  runBlocking({ program, kernel, descriptor, runChildGrids }: GridLaunch): GridResult {
    const output: string[] = [];
    const host: ExecutorHost = {
      ...(runChildGrids && {
        runChildGrids: () => {
          const children = runChildGrids();
          output.push(children.output);
          return children.fault;
        },
      }),
      print: (text) => output.push(text),
      nowNs,
      allocate: (bytes, align, kind) => this.#scratch.allocate(bytes, align, kind),
      free: (address) => this.#scratch.free(address),
    };
    const fault = this.#executor.run(program, kernel, descriptor, this.#memory.wasm, host);
    return { fault, output: output.join("") };
  }

  async run(launch: GridLaunch): Promise<GridResult> {
    return this.runBlocking(launch);
  }

  engineOf(): LaunchEngine {
    return "interpreter";
  }

  forget(): void {}

  close(): void {}
}
