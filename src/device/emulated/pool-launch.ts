/** A launch of the worker pool while it runs, and its end: errors of workers, and the fault of a timeout. */
import { HeddleError, type ErrorCode, type SourceLocation } from "../../base/diagnostics.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import type { StoredKernel } from "./code-store.ts";
import { CONTROL, STOP_REASONS } from "./control-words.ts";
import { stopLaunch } from "./block-worker.ts";
import { runningLoop } from "./loop-words.ts";
import type { GridLaunch, GridResult } from "./grid-runner.ts";
import type { WorkerMessage } from "./worker-messages.ts";

/** While the coordinator waits, it checks the workers' health and the time limit this often. */
export const WATCH_MS = 50;

export interface PoolLaunch {
  readonly words: Int32Array;
  readonly blockCount: number;
  readonly kernel: StoredKernel;
  /** The coordinator runs blocks, too. */
  readonly inside: boolean;
  /** When the first thread began. */
  started: number;
  readonly timeoutMs: number;
  readonly messages: WorkerMessage[];
  /** Workers were called. */
  shared: boolean;
  /** Workers that were called, where the coordinator stays out. */
  helpers: number;
  recordAddress: number | null;
  /** When a stop was first seen. */
  stoppedAt: number | null;
  /** The loop in which the time ended. */
  timedOutIn: SourceLocation | null;
}

/** A thread that stops a launch sends its fault or error afterwards. */
export function hasReason(run: PoolLaunch): boolean {
  const stop = STOP_REASONS[Atomics.load(run.words, CONTROL.stop)];
  return (
    (stop !== "fault" && stop !== "error") ||
    run.messages.some((message) => message.fault !== null || message.error !== null)
  );
}

/** Resolves when the signal word is no longer `seen`, or after a while. Keeps the event loop alive. */
export async function signalChange(words: Int32Array, seen: number): Promise<void> {
  // A pending waitAsync alone does not keep Node.js running, and on a busy machine it may answer late.
  const alarm = setInterval(() => {}, WATCH_MS * 2);
  try {
    if (typeof Atomics.waitAsync === "function") {
      const wait = Atomics.waitAsync(words, CONTROL.signal, seen, WATCH_MS);
      if (wait.async) await wait.value;
    } else if (Atomics.load(words, CONTROL.signal) === seen) await new Promise((resolve) => setTimeout(resolve, 2));
  } finally {
    clearInterval(alarm);
  }
}

/** What a launch leaves: the first error of a thread, or the output and the first fault. */
export function resultOf(run: PoolLaunch, launch: GridLaunch): GridResult {
  const stop = STOP_REASONS[Atomics.load(run.words, CONTROL.stop)] ?? "no";
  const error = run.messages.find((message) => message.error !== null)?.error;
  if (error) throw revive(error);
  // Blocks in ascending order, each block's text in its own: the same text in every run.
  const output = run.messages
    .flatMap((message) => [...message.output])
    .sort((a, b) => a[0] - b[0])
    .map(([, text]) => text)
    .join("");
  const faults = run.messages.flatMap((message) => (message.fault === null ? [] : [message.fault as DeviceFault]));
  const fault = faults[0] ?? (stop === "timeout" ? timeoutFault(launch, run) : null);
  if (stop === "closed") throw new HeddleError("bad-arguments", "the device was closed while a launch was in flight");
  return { fault, output };
}

/** Stops a launch that takes too long. */
export function timeOut(run: PoolLaunch, memory: WebAssembly.Memory): void {
  // Before threads stop, and leave their loops.
  run.timedOutIn ??= runningLoop(memory);
  stopLaunch(run.words, "timeout");
}

function timeoutFault(launch: GridLaunch, { timeoutMs, timedOutIn }: PoolLaunch): DeviceFault {
  return {
    kind: "timeout",
    kernel: launch.kernel.name,
    block: null,
    thread: null,
    location: timedOutIn,
    message: `the kernel did not end within ${timeoutMs} ms`,
  };
}

/** An error of a worker, as an object of this thread. */
function revive(error: NonNullable<WorkerMessage["error"]>): Error {
  if (error.code !== null) return new HeddleError(error.code as ErrorCode, error.message, { notes: error.notes });
  const revived = new Error(error.message);
  revived.name = error.name;
  if (error.stack !== "") revived.stack = error.stack;
  return revived;
}
