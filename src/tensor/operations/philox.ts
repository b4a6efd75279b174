/**
 * Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011), with the counters
 * of PyTorch's CUDA kernels.
 */
import type { Values } from "../dtypes.ts";
import type { Draws } from "../kernels/random.ts";
import type { Place } from "../storage.ts";

const UNIT = 2 ** -32;

/** The upper 32 bits of a product of two words. All sums of parts fit in 32 bits. */
function high(a: number, b: number): number {
  const al = a & 0xffff;
  const ah = a >>> 16;
  const bl = b & 0xffff;
  const bh = b >>> 16;
  const middle = (Math.imul(ah, bl) + (Math.imul(al, bl) >>> 16)) | 0;
  const other = (Math.imul(al, bh) + (middle & 0xffff)) | 0;
  return (Math.imul(ah, bh) + (middle >>> 16) + (other >>> 16)) | 0;
}

/** Four random words of a counter; counters and streams are below 2^32. */
function philox(out: Uint32Array, counter: number, stream: number, seedLow: number, seedHigh: number): void {
  let c0 = counter | 0;
  let c1 = 0;
  let c2 = stream | 0;
  let c3 = 0;
  let k0 = seedLow | 0;
  let k1 = seedHigh | 0;
  for (let round = 0; round < 10; round++) {
    const h0 = high(0xd2511f53, c0);
    const l0 = Math.imul(0xd2511f53, c0);
    const h1 = high(0xcd9e8d57, c2);
    const l1 = Math.imul(0xcd9e8d57, c2);
    c0 = h1 ^ c1 ^ k0;
    c1 = l1;
    c2 = h0 ^ c3 ^ k1;
    c3 = l0;
    k0 = (k0 + 0x9e3779b9) | 0;
    k1 = (k1 + 0xbb67ae85) | 0;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

/** The threads of multiprocessors decide which thread fills which element: those of an A100, or of the device. */
const THREADS_OF_BLOCK = 256;
/** Numbers of a counter. */
export const UNROLLED = 4;

/** Threads that fill so many elements, and how often each takes four words. */
export function threadsOf(
  length: number,
  { properties }: NonNullable<Place>,
): { readonly threads: number; readonly rounds: number } {
  const { multiProcessorCount, maxThreadsPerMultiProcessor } = properties;
  const resident = multiProcessorCount * Math.floor(maxThreadsPerMultiProcessor / THREADS_OF_BLOCK);
  const threads = THREADS_OF_BLOCK * Math.min(resident, Math.ceil(length / THREADS_OF_BLOCK));
  return { threads, rounds: Math.ceil(length / (threads * UNROLLED)) };
}

/** Of four words, the numbers of four elements. */
export type Distribution = (words: Uint32Array, out: Float64Array) => void;

export const uniformWords: Distribution = (words, out) => {
  for (let i = 0; i < UNROLLED; i++) {
    const value = Math.fround(Math.fround(Math.fround(words[i] as number) * UNIT) + UNIT / 2);
    // (0, 1] becomes [0, 1).
    out[i] = value === 1 ? 0 : value;
  }
};

const TURN = Math.fround(UNIT * 2 * Math.PI);

export const normalWords: Distribution = (words, out) => {
  for (let i = 0; i < UNROLLED; i += 2) {
    const u = Math.fround(Math.fround(Math.fround(words[i] as number) * UNIT) + UNIT / 2);
    const v = Math.fround(Math.fround(Math.fround(words[i + 1] as number) * TURN) + TURN / 2);
    const s = Math.sqrt(-2 * Math.log(u));
    out[i] = s * Math.sin(v);
    out[i + 1] = s * Math.cos(v);
  }
};

/** As the threads of a CUDA kernel fill a tensor: each takes four words for four elements that lie far apart. */
export function numbersOfThreads(length: number, draws: Draws, distribution: Distribution): Values {
  const values = new Float32Array(length);
  const { threads, rounds, counter, seedLow, seedHigh } = draws;
  const words = new Uint32Array(UNROLLED);
  const numbers = new Float64Array(UNROLLED);
  for (let thread = 0; thread < threads; thread++)
    for (let round = 0; round < rounds; round++) {
      let at = thread + round * threads * UNROLLED;
      if (at >= length) break;
      philox(words, counter + round, thread, seedLow, seedHigh);
      distribution(words, numbers);
      for (let i = 0; i < UNROLLED && at < length; i++, at += threads) values[at] = numbers[i] as number;
    }
  return values;
}
