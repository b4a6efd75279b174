/**
 * Of each access to memory one request is kept as an example: the one with the most transactions, of several the one of
 * the block with the lowest number. So that two runs keep the same one, however blocks are handed to threads.
 *
 * A sample lies behind the counters of its access (machine/warp-counts.ts), in 32-bit words.
 */
import { WARP_LANES } from "./memory-map.ts";

/** Distances from the beginning of the access's record. lock: 1 while somebody writes the sample. */
export const SAMPLE_AT = { lock: 64, transactions: 68, lanes: 72, block: 76, addresses: 80 } as const;
export const SAMPLE_END: number = SAMPLE_AT.addresses + 4 * WARP_LANES;

export interface LaneSample {
  /** Sectors of global memory, wavefronts of shared memory. */
  readonly transactions: number;
  /** Bit mask of the lanes that took part. */
  readonly lanes: number;
  /** The block's number in its grid. */
  readonly block: number;
  /** By lane. Shared memory: from its beginning on. */
  readonly addresses: ArrayLike<number>;
}

/** Keeps a sample if it is a better example than the one that the record has. Several threads may offer at once. */
export function offerSample(memory: ArrayBufferLike, record: number, sample: LaneSample): void {
  const words = new Int32Array(memory, record, SAMPLE_END / 4);
  const at = (field: keyof typeof SAMPLE_AT): number => SAMPLE_AT[field] / 4;
  while (Atomics.compareExchange(words, at("lock"), 0, 1) !== 0);
  const most = words[at("transactions")] as number;
  const isBetter =
    sample.transactions > most || (sample.transactions === most && sample.block < (words[at("block")] as number));
  if (isBetter) {
    words[at("transactions")] = sample.transactions;
    words[at("lanes")] = sample.lanes;
    words[at("block")] = sample.block;
    for (let lane = 0; lane < WARP_LANES; lane++) words[at("addresses") + lane] = sample.addresses[lane] as number;
  }
  Atomics.store(words, at("lock"), 0);
}

/** null: the access was never executed, or is of a space that has no samples. */
export function readSample(memory: ArrayBufferLike, record: number): LaneSample | null {
  const words = new Uint32Array(memory, record, SAMPLE_END / 4);
  const transactions = words[SAMPLE_AT.transactions / 4] as number;
  if (transactions === 0) return null;
  const first = SAMPLE_AT.addresses / 4;
  return {
    transactions,
    lanes: words[SAMPLE_AT.lanes / 4] as number,
    block: words[SAMPLE_AT.block / 4] as number,
    addresses: Array.from(words.subarray(first, first + WARP_LANES)),
  };
}

/** Moves a sample out of counters that one thread had for itself. */
export function moveSample(memory: ArrayBufferLike, from: number, to: number): void {
  const sample = readSample(memory, from);
  if (sample !== null) offerSample(memory, to, sample);
  new Uint8Array(memory, from + SAMPLE_AT.lock, SAMPLE_END - SAMPLE_AT.lock).fill(0);
}
