/**
 * Proves that a launch can never go on although its threads spin: a deadlock over blocks that run on several worker
 * threads.
 *
 * A thread is stalled after a round in which all of its blocks only spun, returned to the state they had before, and
 * changed no memory. That all threads are stalled does not suffice: one may not have seen yet what another wrote just
 * before it stalled. So, once all have declared themselves, each goes through one more such round and confirms; any
 * thread that moves takes its declaration back, which starts a new epoch and voids confirmations. When all have
 * confirmed the same epoch, each has come back to its state in memory that nobody changed meanwhile: the first to
 * change memory afterwards would have to be a thread whose view did not change before. (Compare Dijkstra, Feijen and
 * van Gasteren, "Derivation of a termination detection algorithm for distributed computations", 1983: there, too, one
 * round of silence must be followed by a second.)
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

  /**
   * The round just ended was stalled. True when that is proven of all threads that run blocks. All blocks must be
   * handed out.
   */
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
    // Also when no other thread is left: the last one may have written, and gone, after this one's round had looked.
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
 * The word holds an epoch and how many confirmed it. An epoch that is over is not confirmed any more: the others may be
 * confirming the next one already, each once, and a count of theirs that is lost would never be made good.
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
