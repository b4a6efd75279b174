/**
 * The control words at CONTROL_BASE, through which the launching thread (the coordinator) and the workers communicate.
 *
 * A launch:
 *   coordinator  writes the launch record, sets blocksTaken and blockCount, opens the gate, raises `generation`, and
 *                wakes workers
 *   worker       enters through the open gate (its count goes up), takes blocks, marks itself done, sends its message,
 *                leaves (its count goes down), and raises `signal`
 *   coordinator  runs blocks, too, if it may block; otherwise it waits. When all blocks are taken it closes the gate
 *                and waits for the count to reach 0
 * A worker that wakes late finds the gate closed, or open for the next launch: then it reads that launch's record.
 */
import type { StallWords } from "../../engine/deadlock-proof/all-threads.ts";
import { CONTROL_BASE, CONTROL_BYTES } from "./memory-regions.ts";

/** Indices of 32-bit words. */
export const CONTROL = {
  /** Bytes taken of the two scratch stretches. */
  engineScratchUsed: 0,
  windowScratchUsed: 1,
  /** Where the windows begin and end: set once, with the memory. */
  windowsStart: 20,
  windowsEnd: 16,
  /**
   * For the deadlock proof (engine/deadlock-proof/all-threads.ts): stalled workers, the epoch, and its confirmations.
   */
  stalled: 17,
  stallEpoch: 18,
  stallConfirmed: 19,
  /** Counts launches given to workers. Workers sleep on it. */
  generation: 2,
  /**
   * GATE_OPEN, and below it two counts: the threads inside (GATE_INSIDE), and those of them that run no blocks any more
   * (in units of GATE_DONE).
   */
  gate: 3,
  /** A StopReason. */
  stop: 4,
  /** Raised when a worker has a message. The coordinator sleeps on it. */
  signal: 5,
  /** Where the launch record is. */
  launchAddress: 6,
  launchBytes: 7,
  /** Workers with this index or a higher one stay out of this launch. */
  workerLimit: 8,
  /** Not 0: workers shall end. */
  close: 9,
  /** Blocks handed out, and blocks of the grid: 64-bit words 6 and 7. */
  blocksTaken64: 6,
  blockCount64: 7,
  /** The loops of the kernel that runs, as JSON: address and bytes (loop-words.ts). */
  loopTable: 21,
  loopTableBytes: 22,
  /** The coordinator's loop mark, alone in its cache line. */
  loop: 32,
  /** Words of worker i begin at workers + i * WORKER_WORDS. */
  workers: 64,
} as const;

/** The words that belong to the launch that runs, as 32-bit words. */
export const OF_A_LAUNCH: readonly number[] = [
  CONTROL.gate,
  CONTROL.stop,
  CONTROL.launchAddress,
  CONTROL.launchBytes,
  CONTROL.workerLimit,
  ...[CONTROL.blocksTaken64, CONTROL.blockCount64].flatMap((word) => [2 * word, 2 * word + 1]),
  CONTROL.stalled,
  CONTROL.stallEpoch,
  CONTROL.stallConfirmed,
  CONTROL.loopTable,
  CONTROL.loopTableBytes,
  CONTROL.loop,
];

export const GATE_OPEN: number = 1 << 30;
export const GATE_DONE: number = 1 << 10;
export const GATE_INSIDE: number = GATE_DONE - 1;

/** How many threads run blocks, by the gate's word: those that only wait to be heard do not count. */
export function runningThreads(gate: number): number {
  return (gate & GATE_INSIDE) - (((gate & ~GATE_OPEN) / GATE_DONE) | 0);
}

/** What the deadlock proof over all threads needs of the control words. */
export function stallWords(words: Int32Array): StallWords {
  return {
    words,
    stalled: CONTROL.stalled,
    epoch: CONTROL.stallEpoch,
    confirmed: CONTROL.stallConfirmed,
    running: () => runningThreads(Atomics.load(words, CONTROL.gate)),
  };
}

export const STOP_REASONS = ["no", "fault", "timeout", "error", "closed"] as const;
export type StopReason = (typeof STOP_REASONS)[number];

export const WORKER_WORDS = 16; // a cache line: marks of loops are written often
/** Word offsets in a worker's part. */
export const WORKER = {
  /** A WORKER_STATES index. */
  state: 0,
  /** The worker's mailbox: a ring of bytes; see worker-messages.ts. */
  mailboxAddress: 1,
  mailboxRead: 2,
  mailboxWritten: 3,
  /** The mark of the loop in which the worker is, or 0. */
  loop: 4,
} as const;

export const WORKER_STATES = ["starting", "ready", "running", "dead"] as const;
export const MAX_WORKERS: number = (CONTROL_BYTES / 4 - CONTROL.workers) / WORKER_WORDS;

export function controlWords(memory: WebAssembly.Memory): Int32Array {
  return new Int32Array(memory.buffer, CONTROL_BASE, CONTROL_BYTES / 4);
}

export function controlWords64(memory: WebAssembly.Memory): BigInt64Array {
  return new BigInt64Array(memory.buffer, CONTROL_BASE, CONTROL_BYTES / 8);
}

export function workerWord(worker: number, word: number): number {
  return CONTROL.workers + worker * WORKER_WORDS + word;
}
