/** What the worker pool is made of. */
import type { KernelBackend } from "../../engine/backend.ts";
import type { Executor } from "../../engine/executor.ts";
import type { BlockRunners } from "./block-worker.ts";
import type { KeptCode } from "./kept-code.ts";
import type { DeviceMemory } from "./memory.ts";
import type { PoolWorkerData } from "./pool-worker.ts";

/**
 * Starts a thread that calls runPoolWorker. `onDeath` is called, at once or later, when it ends without having been
 * asked to.
 */
export type WorkerSpawner = (data: PoolWorkerData, onDeath: (reason: string) => void) => { terminate(): void };

export interface WorkerPoolOptions {
  readonly memory: DeviceMemory;
  /** In order of preference; the first that can run a kernel does. */
  readonly backends: readonly KernelBackend[];
  /** Compiled kernels of earlier runs; default: none are kept. */
  readonly keptCode?: KeptCode | null;
  /** The same table that workers have. */
  readonly runners: BlockRunners;
  /** Runs what no backend can, on the calling thread; null: such a kernel is an error. */
  readonly fallback: Executor | null;
  /** Threads that run blocks, the coordinator included. */
  readonly workers: number;
  /** null: everything runs on the calling thread. */
  readonly spawn: WorkerSpawner | null;
  /**
   * A launch that takes longer ends with the fault "timeout". Milliseconds; default: no limit. With several threads,
   * code that never ends is killed; on one thread a launch can only be stopped between blocks and where threads spin.
   */
  readonly timeoutMs?: number;
  /** All blocks of a launch run on one thread; default false. */
  readonly serial?: boolean;
  /** A thread that ignores a stop for so long is killed. Default: 2 seconds. */
  readonly stopGraceMs?: number;
}
