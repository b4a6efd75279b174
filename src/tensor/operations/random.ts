/**
 * Random numbers, the same as PyTorch's for the same seed: Philox 4x32-10 with the counters of its CUDA kernels for
 * tensors on a device (philox.ts), the Mersenne twister for tensors on the host (twister.ts).
 */
import { eagerKernelsFor, tracerOf } from "../tracing.ts";
import { newValues, type TensorDtype, type Values } from "../dtypes.ts";
import type { Place } from "../storage.ts";
import { launchRandom, type Distribution as RandomName, type Draws } from "../kernels/random.ts";
import { normalWords, numbersOfThreads, threadsOf, uniformWords, UNROLLED, type Distribution } from "./philox.ts";
import { Twister } from "./twister.ts";
import { elementCount, empty, failShape, fromValues, type Shape, type Tensor } from "../tensor.ts";

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
    return this.#filled("normal", shape, dtype, place, normalWords, (length) => this.#twister.normals(length));
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
      return fromValues(numbersOfThreads(length, draws, distribution), shape, dtype, place);
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
