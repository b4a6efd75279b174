/**
 * How far apart the warps of a block arrive at a barrier: what `llvm.nvvm.heddle.count.{begin,clock,arrive}` keep, for
 * every engine.
 *
 * Each warp has a clock of the instructions that it has executed since it left the last barrier, or since the kernel
 * began. The *skew* of a barrier is the largest clock of the warps that arrive, less the smallest. Only barriers of all
 * threads of a block are counted (barrier 0).
 *
 * A warp arrives at each barrier once. So what arrives belongs to the next barrier if its warp has arrived at this one
 * already; lanes of a warp that come one after the other are parts of one arrival.
 */
import type { Counters } from "./warp-counts.ts";

/** Of the record of a barrier. worst: no sum, but the most of all blocks. */
export const BARRIER_COUNTERS = { times: 0, skew: 1, worst: 2 } as const;

/**
 * Distances of words of a kernel's record of clocks, in the warp tier: there each thread has such a record for the
 * block that it runs. begun, arrived: a bit for each warp of the block. least, most: of the clocks of those that have
 * arrived. clocks: a word for each warp. The record is none that counts.
 */
export const CLOCKS_AT = { begun: 0, arrived: 4, least: 8, most: 12, clocks: 128 } as const;
export const MOST_WARPS = 32;
export const CLOCKS_BYTES: number = CLOCKS_AT.clocks + 4 * MOST_WARPS;

/** The clocks of the warps of one block, in engines that run several blocks at a time. */
export class BlockClocks {
  readonly #clocks = new Float64Array(MOST_WARPS);
  /** Lanes of each warp that have arrived at the barrier, and the clock with which they did. */
  readonly #arrived = new Int32Array(MOST_WARPS);
  readonly #times = new Float64Array(MOST_WARPS);
  #skew = 0;
  #isNew = true;

  executed(warp: number, instructions: number): void {
    this.#clocks[warp] = (this.#clocks[warp] as number) + instructions;
  }

  /** @param lanes mask; record: of the barrier */
  arrive(warp: number, lanes: number, record: number, counters: Counters): void {
    if (((this.#arrived[warp] as number) & lanes) !== 0) {
      this.#arrived.fill(0);
      this.#isNew = true;
    }
    const before = this.#arrived[warp] === 0 ? 0 : (this.#times[warp] as number);
    this.#times[warp] = before + (this.#clocks[warp] as number);
    this.#clocks[warp] = 0;
    this.#arrived[warp] = (this.#arrived[warp] as number) | lanes;
    if (this.#isNew) {
      counters.add(record, BARRIER_COUNTERS.times, 1);
      [this.#isNew, this.#skew] = [false, 0];
    }
    const times = [...this.#times].filter((_, other) => this.#arrived[other] !== 0);
    const skew = Math.max(...times) - Math.min(...times);
    counters.add(record, BARRIER_COUNTERS.skew, skew - this.#skew);
    counters.raise(record, BARRIER_COUNTERS.worst, skew);
    this.#skew = skew;
  }
}

/** Raises a counter that several threads write. */
export function raiseCounter(words: BigInt64Array, index: number, value: number): void {
  for (let known = Atomics.load(words, index); known < BigInt(value);)
    known = Atomics.compareExchange(words, index, known, BigInt(value));
}
