/**
 * Random numbers, the same as PyTorch's for the same seed: Philox 4x32-10 with the counters of its CUDA kernels for
 * tensors on a device, the Mersenne twister for tensors on the host.
 */
import { eagerKernelsFor, tracerOf } from "../tracing.ts";
import { newValues, type TensorDtype, type Values } from "../dtypes.ts";
import type { Place } from "../storage.ts";
import { launchRandom, type Distribution as RandomName, type Draws } from "../kernels/random.ts";
import { elementCount, empty, failShape, fromValues, type Shape, type Tensor } from "../tensor.ts";

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

/** The multiprocessors' threads decide which thread fills which element: those of an A100, or of the device. */
const THREADS_OF_BLOCK = 256;
const UNROLLED = 4;

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
type Distribution = (words: Uint32Array, out: Float64Array) => void;

const uniformWords: Distribution = (words, out) => {
  for (let i = 0; i < UNROLLED; i++) {
    const value = Math.fround(Math.fround(Math.fround(words[i] as number) * UNIT) + UNIT / 2);
    // (0, 1] becomes [0, 1).
    out[i] = value === 1 ? 0 : value;
  }
};

const TURN = Math.fround(UNIT * 2 * Math.PI);

const normalWords: Distribution = (words, out) => {
  for (let i = 0; i < UNROLLED; i += 2) {
    const u = Math.fround(Math.fround(Math.fround(words[i] as number) * UNIT) + UNIT / 2);
    const v = Math.fround(Math.fround(Math.fround(words[i + 1] as number) * TURN) + TURN / 2);
    const s = Math.sqrt(-2 * Math.log(u));
    out[i] = s * Math.sin(v);
    out[i + 1] = s * Math.cos(v);
  }
};

/** The Mersenne twister MT19937. */
class Twister {
  readonly #state = new Uint32Array(624);
  #at = 624;
  /** The second number of a pair that Box and Muller's method gives. */
  #spare: number | null = null;

  constructor(seed: bigint) {
    this.#state[0] = Number(seed & 0xffffffffn);
    for (let i = 1; i < 624; i++) {
      const before = this.#state[i - 1] as number;
      this.#state[i] = Math.imul(1812433253, before ^ (before >>> 30)) + i;
    }
  }

  /** One that goes on with the same numbers. */
  copy(): Twister {
    const copy = new Twister(0n);
    copy.#state.set(this.#state);
    copy.#at = this.#at;
    copy.#spare = this.#spare;
    return copy;
  }

  next(): number {
    if (this.#at === 624) this.#refill();
    let y = this.#state[this.#at++] as number;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  #refill(): void {
    const state = this.#state;
    for (let i = 0; i < 624; i++) {
      const y = ((state[i] as number) & 0x80000000) | ((state[(i + 1) % 624] as number) & 0x7fffffff);
      state[i] = (state[(i + 397) % 624] as number) ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
    }
    this.#at = 0;
  }

  /** In [0, 1), of 24 bits. */
  float(): number {
    return (this.next() & 0xffffff) * 2 ** -24;
  }

  /** In [0, 1), of 53 bits. */
  double(): number {
    const top = this.next();
    return ((top & 0x1fffff) * 2 ** 32 + this.next()) * 2 ** -53;
  }

  normal(): number {
    if (this.#spare !== null) {
      const spare = this.#spare;
      this.#spare = null;
      return spare;
    }
    const angle = 2 * Math.PI * this.double();
    const radius = Math.sqrt(-2 * Math.log1p(-this.double()));
    this.#spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }
}

const PAIRS = 8;

function pairsToNormal(values: Float64Array, begin: number): void {
  for (let i = begin; i < begin + PAIRS; i++) {
    const radius = Math.sqrt(-2 * Math.log(1 - (values[i] as number)));
    const angle = 2 * Math.PI * (values[i + PAIRS] as number);
    values[i] = radius * Math.cos(angle);
    values[i + PAIRS] = radius * Math.sin(angle);
  }
}

/** Where random numbers go on. */
export interface RandomState {
  readonly seed: bigint;
  readonly counter: number;
  readonly twister: unknown;
}

/** The generators of a program: one for the host, one for devices, both from one seed. */
export class Generators {
  #seed = 0n;
  #counter = 0;
  #twister: Twister;

  constructor(seed: bigint) {
    this.#twister = new Twister(0n);
    this.seed(seed);
  }

  get initialSeed(): bigint {
    return this.#seed;
  }

  seed(seed: bigint): void {
    this.#seed = BigInt.asUintN(64, seed);
    this.#counter = 0;
    this.#twister = new Twister(this.#seed);
  }

  /** Runs `work` with the random numbers that came when `state` was taken; those of now go on behind it. */
  from<T>(state: RandomState, work: () => T): T {
    const before = this.snapshot();
    this.#set(state);
    try {
      return work();
    } finally {
      this.#set(before);
    }
  }

  /** Where random numbers go on from here. */
  snapshot(): RandomState {
    return { seed: this.#seed, counter: this.#counter, twister: this.#twister.copy() };
  }

  #set({ seed, counter, twister }: RandomState): void {
    this.#seed = seed;
    this.#counter = counter;
    this.#twister = (twister as Twister).copy();
  }

  /** Uniform in [0, 1). */
  rand(shape: Shape, dtype: TensorDtype, place: Place): Tensor {
    const tracer = elementCount(shape) > 0 ? tracerOf(place) : null;
    if (tracer !== null && place !== null) {
      const output = empty(shape, dtype, place);
      tracer.uniform(output, threadsOf(output.length, place).rounds);
      return output;
    }
    return this.#filled("uniform", shape, dtype, place, uniformWords, (length) =>
      Float64Array.from({ length }, () => (dtype === "float64" ? this.#twister.double() : this.#twister.float())),
    );
  }

  /** Uniform in [low, high), on the host. */
  uniform(shape: Shape, low: number, high: number, dtype: "float32" | "float64"): Tensor {
    const length = elementCount(shape);
    const values = newValues(dtype, length);
    const round = dtype === "float32" ? Math.fround : (value: number): number => value;
    const [range, least] = [round(high - low), round(low)];
    for (let i = 0; i < length; i++)
      values[i] = (dtype === "float64" ? this.#twister.double() : this.#twister.float()) * range + least;
    return fromValues(values, shape, dtype, null);
  }

  /** Where the numbers of a device stand: for kernels that compute them. */
  get state(): { readonly seed: bigint; readonly counter: number } {
    return { seed: this.#seed, counter: this.#counter };
  }

  /** A kernel has taken numbers. */
  advance(counters: number): void {
    this.#counter += counters;
  }

  /** 63 random bits of the host's generator: the seed of another one. */
  randomSeed(): bigint {
    const top = this.#twister.next() & 0x7fffffff;
    return (BigInt(top) << 32n) | BigInt(this.#twister.next());
  }

  /** Normal, with mean 0 and standard deviation 1. */
  randn(shape: Shape, dtype: TensorDtype, place: Place): Tensor {
    return this.#filled("normal", shape, dtype, place, normalWords, (length) => this.#hostNormal(length));
  }

  /** Whole numbers from `low` up to `high`, without `high`. */
  randint(low: number, high: number, shape: Shape, dtype: TensorDtype, place: Place): Tensor {
    const range = high - low;
    if (!(range > 0)) failShape(`random_ expects 'from' to be less than 'to', but got from=${low} >= to=${high}`);
    const words: Distribution = (from, out) => {
      for (let i = 0; i < UNROLLED; i++) out[i] = low + ((from[i] as number) % range);
    };
    return this.#filled(
      "integer",
      shape,
      dtype,
      place,
      words,
      (length) => Float64Array.from({ length }, () => low + (this.#twister.next() % range)),
      [low, range],
    );
  }

  /** The numbers from 0 to n-1 in a random order. */
  randperm(n: number, dtype: TensorDtype, place: Place): Tensor {
    const values = newValues(dtype, n);
    for (let i = 0; i < n; i++) values[i] = i;
    for (let i = 0; i < n - 1; i++) {
      const other = i + (this.#twister.next() % (n - i));
      [values[i], values[other]] = [values[other] as number, values[i] as number];
    }
    return fromValues(values, [n], dtype, place);
  }

  #filled(
    name: RandomName,
    shape: Shape,
    dtype: TensorDtype,
    place: Place,
    distribution: Distribution,
    onHost: (length: number) => Values,
    bounds?: readonly [least: number, count: number],
  ): Tensor {
    const length = elementCount(shape);
    if (place === null) return fromValues(onHost(length), shape, dtype, place);
    const draws = this.#draws(length, place);
    const device = eagerKernelsFor(place, length);
    if (device === null || dtype.startsWith("float8"))
      return fromValues(this.#onDevice(length, draws, distribution), shape, dtype, place);
    const result = empty(shape, dtype, place);
    launchRandom(device, name, result, draws, bounds);
    return result;
  }

  /** How the threads of a CUDA kernel draw for so many elements; the next ones draw other numbers. */
  #draws(length: number, place: NonNullable<Place>): Draws {
    const { threads, rounds } = length === 0 ? { threads: 0, rounds: 0 } : threadsOf(length, place);
    const counter = this.#counter;
    this.#counter += rounds;
    const [seedLow, seedHigh] = [Number(this.#seed & 0xffffffffn), Number(this.#seed >> 32n)];
    return { seedLow, seedHigh, counter, threads, rounds };
  }

  /** As the threads of a CUDA kernel fill a tensor: each takes four words for four elements that lie far apart. */
  #onDevice(length: number, draws: Draws, distribution: Distribution): Values {
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

  #hostNormal(length: number): Float64Array<ArrayBuffer> {
    const twister = this.#twister;
    if (length < 2 * PAIRS) return Float64Array.from({ length }, () => twister.normal());
    const values = Float64Array.from({ length }, () => twister.float());
    for (let i = 0; i + 2 * PAIRS <= length; i += 2 * PAIRS) pairsToNormal(values, i);
    if (length % (2 * PAIRS) !== 0) {
      const begin = length - 2 * PAIRS;
      for (let i = begin; i < length; i++) values[i] = twister.float();
      pairsToNormal(values, begin);
    }
    return values;
  }
}

const byPlace = new WeakMap<NonNullable<Place>, Generators>();
let ofHost: Generators | null = null;

/** Random numbers of operations on this device, and on the host, come from these. */
export function useGenerators(place: Place, generators: Generators): void {
  if (place !== null) byPlace.set(place, generators);
  ofHost = generators;
}

/** The generators that operations without one of their own take. */
export function generatorsFor(place: Place): Generators {
  const known = place === null ? ofHost : byPlace.get(place);
  if (known != null) return known;
  const made = new Generators(0n);
  useGenerators(place, made);
  return made;
}
