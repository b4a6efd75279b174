/** Makes an emulated device out of its parts. Node.js: see open-device-node.ts, which fills in what this asks for. */
import { HeddleError, unsupported } from "../../base/diagnostics.ts";
import { needsWideMemory } from "../common/wide-memory.ts";
import { EmulatedDevice } from "./emulated-device.ts";
import { BLOCK_RUNNERS } from "../../engine/block-runners.ts";
import { engineTiers, type EngineChoice } from "./engines.ts";
import type { DeviceObserver } from "../../machine/observer.ts";
import type { ContentCache } from "../../store/store.ts";
import { KeptCode } from "./kept-code.ts";
import { DeviceMemory } from "./memory.ts";
import { createProgramPipeline } from "../../program/program-pipeline.ts";
import { WorkerPool } from "./worker-pool.ts";
import type { WorkerSpawner } from "./worker-pool-options.ts";

export interface EmulatedDeviceOptions {
  /** The real GPU whose limits and properties the device follows, one of GPU_NAMES (gpus.ts); default DEFAULT_GPU. */
  readonly gpu?: string;
  /** Default "auto". */
  readonly engine?: EngineChoice;
  /** Threads that run blocks, the launching one included; default 1. */
  readonly workers?: number;
  /** Skip launches whose result is already in memory; default true. */
  readonly reuse?: boolean;
  /** A launch that takes longer ends with the fault "timeout". Milliseconds; default: no limit. */
  readonly timeoutMs?: number;
  /** IR text of the device library; null: kernels that call it do not load. */
  readonly library: string | null;
  /** The same with pointers of 32 bits, where that of `library` have 64. */
  readonly nearLibrary?: string | null;
  /**
   * What programs may allocate. If that is more than a memory of 4 GiB has, the memory and its pointers have 64 bits,
   * and `library` must have, too. Default: about 3.6 GiB.
   */
  readonly memoryBytes?: number;
  /** A tool that watches; default none. */
  readonly observer?: DeviceObserver;
  /** Keeps compiled kernels from run to run; default: nothing is kept. */
  readonly codeCache?: ContentCache | null;
  /** A thread for blocks starts at once, not at the first launch; default false. */
  readonly startsEarly?: boolean;
  /** How worker threads are started; null: there are none. */
  readonly spawn: WorkerSpawner | null;
}

export interface OpenedDevice {
  readonly device: EmulatedDevice;
  /**
   * Starts the worker threads and waits for them. Needed in browsers before a thread blocks in a launch; elsewhere
   * optional.
   */
  warmUp(): Promise<void>;
}

/** null: the memory of 4 GiB will do. */
export function wideHeapBytes(memoryBytes: number | undefined): number | null {
  if (memoryBytes === undefined) return null;
  if (!Number.isSafeInteger(memoryBytes) || memoryBytes < 1)
    throw new HeddleError("bad-arguments", `memoryBytes must be a whole number of bytes, not ${memoryBytes}`);
  return needsWideMemory(memoryBytes) ? memoryBytes : null;
}

/**
 * @throws HeddleError "bad-arguments" for an unknown GPU, "out-of-memory" when 4 GiB of address space cannot be had.
 */
export function openEmulatedDevice(options: EmulatedDeviceOptions): OpenedDevice {
  const canShare = typeof SharedArrayBuffer === "function" && (globalThis.crossOriginIsolated ?? true);
  const workers = options.spawn !== null && canShare ? Math.max(1, Math.floor(options.workers ?? 1)) : 1;
  const observer = options.observer ?? null;
  const codeObserver = observer?.needs === "code" ? observer : null;
  const wideBytes = wideHeapBytes(options.memoryBytes);
  if (wideBytes !== null && codeObserver !== null)
    throw unsupported(`a tool (${codeObserver.name}) that watches a device with more than 4 GiB of memory`);
  const mostBytes = wideBytes === null ? (options.memoryBytes ?? null) : null;
  const memory = new DeviceMemory(workers, codeObserver, canShare, wideBytes, mostBytes);
  const engine = options.engine ?? "auto";
  const keptCode =
    options.codeCache == null || observer !== null
      ? null
      : new KeptCode(options.codeCache, [engine, canShare, memory.isWide], options.library);
  const pool = new WorkerPool({
    memory,
    ...engineTiers(engine, { sharedMemory: canShare, wideMemory: memory.isWide }),
    keptCode,
    runners: BLOCK_RUNNERS,
    workers,
    serial: observer?.serial ?? false,
    spawn: workers > 1 ? options.spawn : null,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  });
  if (options.startsEarly ?? false) pool.startEarly();
  const device = new EmulatedDevice(
    {
      memory,
      runner: pool,
      prepare: createProgramPipeline(options.library, codeObserver, undefined, memory.isWide ? 64 : 32),
      prepareNear: memory.isWide ? createProgramPipeline(options.nearLibrary ?? null) : null,
      observer,
      reuse: options.reuse ?? true,
      keptCode,
    },
    options.gpu,
  );
  return { device, warmUp: () => pool.warmUp() };
}
