/**
 * The deadlock proof for a launch whose blocks run on several worker threads: its CUDA threads spin, and none of them
 * can ever go on.
 *
 * A worker is stalled after a round in which its blocks only spun, came back to the states they had before, and changed
 * no memory (engine/deadlock-proof/one-thread.ts). It does not suffice that all workers are stalled: one may not have
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
/** Where the threads of a launch keep what they know of one another's standstill. All numbers are indices of words. */
export interface StallWords {
  readonly words: Int32Array;
  /** Threads that have declared a standstill. */
  readonly stalled: number;
  /** Grows with every declaration and every withdrawal. */
  readonly epoch: number;
  /** The epoch and the number of its confirmations. */
  readonly confirmed: number;
  /** How many threads run blocks now. */
  running(): number;
}

const COUNT_BITS = 10;
const EPOCH_MASK = 0xfffff;

export function resetStall({ words, stalled, epoch, confirmed }: StallWords): void {
  for (const word of [stalled, epoch, confirmed]) Atomics.store(words, word, 0);
}

/** One thread's part, for one launch. */
export class StallWatch {
  readonly #shared: StallWords;
  #declared = false;
  /** The epoch in which this thread first saw all declared, and the one that it confirmed. */
  #seen = -1;
  #confirmed = -1;

  constructor(shared: StallWords) {
    this.#shared = shared;
  }

  /** The last round was stalled. True if all workers that run blocks are proven stalled. All blocks must be taken. */
  stalled(): boolean {
    const { words } = this.#shared;
    if (!this.#declared) {
      this.#declared = true;
      Atomics.add(words, this.#shared.stalled, 1);
      Atomics.add(words, this.#shared.epoch, 1);
    }
    const epoch = Atomics.load(words, this.#shared.epoch);
    const running = this.#shared.running();
    if (Atomics.load(words, this.#shared.stalled) !== running) return false;
    // Also if no other worker is left: the last one may have written memory, and left, after this one's round.
    if (this.#seen !== epoch) {
      this.#seen = epoch;
      return false;
    }
    if (this.#confirmed !== epoch) {
      this.#confirmed = epoch;
      confirm(this.#shared, epoch);
    }
    return Atomics.load(words, this.#shared.confirmed) === (((epoch & EPOCH_MASK) << COUNT_BITS) | running);
  }

  progressed(): void {
    if (!this.#declared) return;
    this.#declared = false;
    const { words, stalled, epoch } = this.#shared;
    Atomics.sub(words, stalled, 1);
    Atomics.add(words, epoch, 1);
  }
}

/**
 * The word holds an epoch and the number of its confirmations. A worker must not confirm an epoch that is over: the
 * others may already confirm the next one, each once, and a lost confirmation would never be repeated.
 */
function confirm(shared: StallWords, epoch: number): void {
  const { words, confirmed } = shared;
  const key = epoch & EPOCH_MASK;
  for (;;) {
    const old = Atomics.load(words, confirmed);
    if (Atomics.load(words, shared.epoch) !== epoch) return;
    const next = old >>> COUNT_BITS === key ? old + 1 : (key << COUNT_BITS) | 1;
    if (Atomics.compareExchange(words, confirmed, old, next) === old) return;
  }
}
