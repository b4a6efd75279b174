/**
 * The deadlock proof for one thread that runs blocks: all of its tasks spin, come back to the states that they had
 * before, and no memory has changed in between. Such tasks repeat themselves for ever, unless another thread changes
 * memory (engine/deadlock-proof/all-threads.ts extends the proof to all threads). It is a proof, not a guess by time.
 *
 *   counting ── QUIET_ROUNDS rounds without change ──▶ comparing ── states equal ──▶ repeated
 *      ▲                                                 │
 *      └── progress, changed memory or a new block ──────┴── states differ: waits twice as long before it compares
 */
import type { Task } from "../schedule/task.ts";

/** Rounds in which nothing but spinning happened before the states of the spinning tasks are compared. */
const QUIET_ROUNDS = 16;

export class DeadlockProof {
  /** Rounds since the last progress. */
  #quietRounds = 0;
  /** The number of quiet rounds after which states are compared next. */
  #nextComparison = QUIET_ROUNDS;
  #states: readonly (Uint8Array | null)[] | null = null;
  #memoryVersion: number;

  /** `memoryVersion`: TaskSource.memoryVersion(). */
  constructor(memoryVersion: number) {
    this.#memoryVersion = memoryVersion;
  }

  get isQuiet(): boolean {
    return this.#quietRounds > 0;
  }

  /** Waiting tasks were released. */
  noteRelease(): void {
    this.#quietRounds = 0;
  }

  /** A further block was started. */
  noteNewBlock(): void {
    this.#quietRounds = 0;
    this.#states = null;
  }

  /** A round has ended in which tasks spin. Returns whether anything but spinning happened in it. */
  noteRound(progress: boolean, memoryVersion: number): boolean {
    const hasChanged = progress || memoryVersion !== this.#memoryVersion;
    this.#memoryVersion = memoryVersion;
    if (hasChanged) {
      this.#quietRounds = 0;
      this.#nextComparison = QUIET_ROUNDS;
      this.#states = null;
    } else this.#quietRounds++;
    return hasChanged;
  }

  get isComparisonDue(): boolean {
    return this.#quietRounds >= this.#nextComparison;
  }

  /** "repeated": every task is in the state of the last comparison. "unknown": this was the first comparison. */
  compare(spinning: readonly Task[]): "unknown" | "repeated" | "moved" {
    const current = spinning.map((task) => task.state());
    const last = this.#states;
    if (last !== null && !current.every((state, i) => sameBytes(state, last[i] ?? null))) {
      this.#states = null;
      this.#nextComparison = this.#quietRounds * 2;
      return "moved";
    }
    // Also if the states are equal: another thread may yet change memory, so the next round is compared, too.
    this.#states = current;
    this.#nextComparison = this.#quietRounds + 1;
    return last === null ? "unknown" : "repeated";
  }
}

function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  if (a === null || b === null || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
