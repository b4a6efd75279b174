/**
 * The deadlock proof for a launch whose blocks run on several worker threads: its CUDA threads spin, and none of them
 * can ever go on.
 *
 * A worker is stalled after a round in which its blocks only spun, came back to the states they had before, and changed
 * no memory (engine/schedule/deadlock-proof.ts). It does not suffice that all workers are stalled: one may not have
 * seen yet what another wrote just before it stalled. So there are two steps:
 *
 *   running ── stalled round ──▶ declared ── all are declared, and one more stalled round ──▶ confirmed
 *      ▲                            │                                                            │
 *      └──── progress: the declaration is withdrawn, and a new epoch voids all confirmations ────┘
 *
 * When all have confirmed the same epoch, each has come back to its state while nobody changed memory. The first to
 * change memory afterwards would be a worker that saw no change before, which is impossible. (Compare Dijkstra, Feijen
 * and van Gasteren, "Derivation of a termination detection algorithm for distributed computations", 1983: there, too,
 * one round of silence must be followed by a second.)
 */
import { CONTROL, runningThreads } from "./control-words.ts";

const COUNT_BITS = 10;
const EPOCH_MASK = 0xfffff;

export function resetStall(words: Int32Array): void {
  for (const word of [CONTROL.stalled, CONTROL.stallEpoch, CONTROL.stallConfirmed]) Atomics.store(words, word, 0);
}

/** One thread's part, for one launch. */
export class StallWatch {
  readonly #words: Int32Array;
  #declared = false;
  /** The epoch in which this thread first saw all declared, and the one that it confirmed. */
  #seen = -1;
  #confirmed = -1;

  constructor(words: Int32Array) {
    this.#words = words;
  }

  /** The last round was stalled. True if all workers that run blocks are proven stalled. All blocks must be taken. */
  stalled(): boolean {
    const words = this.#words;
    if (!this.#declared) {
      this.#declared = true;
      Atomics.add(words, CONTROL.stalled, 1);
      Atomics.add(words, CONTROL.stallEpoch, 1);
    }
    const epoch = Atomics.load(words, CONTROL.stallEpoch);
    const running = runningThreads(Atomics.load(words, CONTROL.gate));
    if (Atomics.load(words, CONTROL.stalled) !== running) return false;
    // Also if no other worker is left: the last one may have written memory, and left, after this one's round.
    if (this.#seen !== epoch) {
      this.#seen = epoch;
      return false;
    }
    if (this.#confirmed !== epoch) {
      this.#confirmed = epoch;
      confirm(words, epoch);
    }
    return Atomics.load(words, CONTROL.stallConfirmed) === (((epoch & EPOCH_MASK) << COUNT_BITS) | running);
  }

  progressed(): void {
    if (!this.#declared) return;
    this.#declared = false;
    Atomics.sub(this.#words, CONTROL.stalled, 1);
    Atomics.add(this.#words, CONTROL.stallEpoch, 1);
  }
}

/**
 * The word holds an epoch and the number of its confirmations. A worker must not confirm an epoch that is over: the
 * others may already confirm the next one, each once, and a lost confirmation would never be repeated.
 */
function confirm(words: Int32Array, epoch: number): void {
  const key = epoch & EPOCH_MASK;
  for (;;) {
    const old = Atomics.load(words, CONTROL.stallConfirmed);
    if (Atomics.load(words, CONTROL.stallEpoch) !== epoch) return;
    const next = old >>> COUNT_BITS === key ? old + 1 : (key << COUNT_BITS) | 1;
    if (Atomics.compareExchange(words, CONTROL.stallConfirmed, old, next) === old) return;
  }
}
