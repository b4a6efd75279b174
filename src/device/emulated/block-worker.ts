/** One thread's part in launches: what the coordinator and every worker do to run blocks. */
import { HeddleError } from "../../base/diagnostics.ts";
import { dim3Volume } from "../../base/dim3.ts";
import type { BlockRunner, BlockRunnerFactory, BlockRunnerHost, CompiledKernel } from "../../engine/backend.ts";
import type { LaunchDescriptor } from "../../engine/executor.ts";
import { clusterExtents } from "../../machine/clusters.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import {
  CONTROL,
  GATE_DONE,
  STOP_REASONS,
  controlWords,
  controlWords64,
  runningThreads,
  type StopReason,
  stallWords,
} from "./control-words.ts";
import { CONTROL_BASE } from "./memory-regions.ts";
import { nowNs, type GridLaunch } from "./grid-runner.ts";
import type { WorkerMessage } from "./worker-messages.ts";
import { ScratchSpace } from "./scratch.ts";
import { StallWatch } from "../../engine/deadlock-proof/all-threads.ts";

/** Runners cached per thread. The least recently used is dropped first. */
const KEPT_RUNNERS = 256;
/**
 * A thread takes blocks from the common counter in pieces: so many at first, twice as many when a piece takes less than
 * PIECE_MS, and no more than a share of what is left, where there are others.
 */
const FIRST_PIECE = 32;
/**
 * How long a piece should take. Taking one costs a thousandth of a millisecond. A thread that stops a launch, or joins
 * it, waits for a few pieces at most.
 */
const PIECE_MS = 0.1;

export type BlockRunners = Readonly<Record<string, BlockRunnerFactory>>;

export class BlockWorker {
  readonly scratch: ScratchSpace;
  readonly #memory: WebAssembly.Memory;
  readonly #factories: BlockRunners;
  readonly #loopWord: number;
  readonly #runners = new Map<number, BlockRunner>();

  /** @param loopWord the control word for the marks of loops. */
  constructor(memory: WebAssembly.Memory, factories: BlockRunners, loopWord: number) {
    this.#loopWord = loopWord;
    this.#memory = memory;
    this.#factories = factories;
    this.scratch = new ScratchSpace(memory);
  }

  /** `code` is asked for when this thread meets the kernel for the first time. */
  runner(kernelId: number, code: () => CompiledKernel): BlockRunner {
    let runner = this.#runners.get(kernelId);
    this.#runners.delete(kernelId);
    if (runner === undefined) {
      const compiled = code();
      const factory = this.#factories[compiled.backend];
      if (factory === undefined) throw new Error(`BUG: no block runner is called ${compiled.backend}`);
      runner = factory(compiled, new WebAssembly.Module(compiled.wasm as BufferSource), this.#memory);
    }
    this.#runners.set(kernelId, runner);
    if (this.#runners.size > KEPT_RUNNERS) this.#runners.delete(this.#runners.keys().next().value as number);
    return runner;
  }

  forget(kernelId: number): void {
    this.#runners.delete(kernelId);
  }

  /**
   * Runs blocks until none are left, or the launch is stopped, and marks the thread as done; it must be inside the
   * gate. Never throws: what goes wrong is in the message.
   * @param mayGoOn called before a block is handed out; the coordinator wakes workers and looks at the clock here. When
   * it says no, what is left is for others.
   */
  run(
    runner: () => BlockRunner,
    launch: LaunchDescriptor,
    threads: number,
    mayGoOn: () => boolean = () => true,
    runChildGrids: GridLaunch["runChildGrids"] = undefined,
  ): WorkerMessage {
    // The memory does not grow while blocks run, so that views of it last for a run.
    const words = controlWords(this.#memory);
    const words64 = controlWords64(this.#memory);
    const blockCount = Number(Atomics.load(words64, CONTROL.blockCount64));
    const taken = (): number => Number(Atomics.load(words64, CONTROL.blocksTaken64));
    const isStopped = (): boolean => Atomics.load(words, CONTROL.stop) !== 0;
    const output: [number, string][] = [];
    let [current, next, end] = [0, 0, 0];
    let [piece, pieceTaken] = [FIRST_PIECE, -Infinity];
    const clusterBlocks = dim3Volume(clusterExtents(launch.cluster));
    const stall = new StallWatch(stallWords(words));
    Atomics.store(words, this.#loopWord, 0);
    const host: BlockRunnerHost = {
      loopWord: CONTROL_BASE + 4 * this.#loopWord,
      print: (text, block = current) => output.push([block, text]),
      ...(runChildGrids && {
        runChildGrids: (block: number) => {
          const children = runChildGrids();
          if (children.output !== "") output.push([block, children.output]);
          return children.fault;
        },
      }),
      nowNs,
      allocate: (bytes, align, kind) => this.scratch.allocate(bytes, align, kind),
      free: (address) => this.scratch.free(address),
      nextBlock: () => {
        if (next === end) {
          if (isStopped() || !mayGoOn()) return -1;
          const left = blockCount - taken();
          if (left <= 0) return -1;
          const now = performance.now();
          if (now - pieceTaken < PIECE_MS) piece *= 2;
          else if (now - pieceTaken > 2 * PIECE_MS) piece = Math.max(FIRST_PIECE, piece / 2);
          pieceTaken = now;
          const share = threads === 1 ? left : Math.floor(left / (threads * 8));
          // In the end pieces become small, so that all threads end together; not so small that taking them is what
          // takes the time.
          const least = piece > FIRST_PIECE ? Math.floor(piece / 8) : 1;
          // Pieces are whole clusters.
          const clusters = Math.ceil(Math.max(least, Math.min(piece, share)) / clusterBlocks);
          const chunk = clusters * clusterBlocks;
          next = Number(Atomics.add(words64, CONTROL.blocksTaken64, BigInt(chunk)));
          end = Math.max(next, Math.min(next + chunk, blockCount));
          if (next === end) return -1;
        }
        current = next++;
        return current;
      },
      furtherBlocks: (limit) => {
        const count = Math.min(limit, end - next);
        next += count;
        current = next - 1;
        return count;
      },
      stopped: () => {
        mayGoOn();
        return isStopped();
      },
      stalled: () => next === end && taken() >= blockCount && stall.stalled(),
      progressed: () => stall.progressed(),
      alone: () => next === end && taken() >= blockCount && runningThreads(Atomics.load(words, CONTROL.gate)) <= 1,
    };
    try {
      const fault: DeviceFault | null = runner().run(launch, host);
      // A thread that leaves is not one of the stalled.
      stall.progressed();
      if (fault !== null) stopLaunch(words, "fault");
      return { output, fault, error: null };
    } catch (error) {
      stopLaunch(words, "error");
      this.scratch.releaseAll();
      return { output, fault: null, error: describeError(error) };
    } finally {
      Atomics.store(words, this.#loopWord, 0);
      // Its message may wait for a coordinator that waits for a deadlock to be proven: it must not count as a thread
      // that may get on.
      Atomics.add(words, CONTROL.gate, GATE_DONE);
    }
  }
}

/** Takes back what entering and `run` counted. */
export function leaveGate(words: Int32Array): void {
  Atomics.sub(words, CONTROL.gate, 1 + GATE_DONE);
}

/** The first reason stays. */
export function stopLaunch(words: Int32Array, reason: StopReason): void {
  Atomics.compareExchange(words, CONTROL.stop, 0, STOP_REASONS.indexOf(reason));
}

function describeError(error: unknown): WorkerMessage["error"] {
  const e = error instanceof Error ? error : new Error(String(error));
  return {
    name: e.name,
    message: e instanceof HeddleError ? e.summary : e.message,
    stack: e.stack ?? "",
    code: e instanceof HeddleError ? e.code : null,
    notes: e instanceof HeddleError ? e.notes : [],
  };
}
