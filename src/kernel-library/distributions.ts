/**
 * Input values from a seed: the same on every machine. The generator is xoshiro128** (D. Blackman, S. Vigna, "Scrambled
 * linear pseudorandom number generators", 2018), its state filled by splitmix32.
 */
import { HeddleError } from "../base/diagnostics.ts";

/** Uniform numbers in [0, 1) of 32 bits. */
export type Generator = () => number;

/**
 * A function that makes an array's values from a generator. It gets the shape, because indices into another array
 * depend on that array's length.
 */
export type Distribution = (random: Generator, shape: Readonly<Record<string, number>>) => () => number;

export function generator(seed: number): Generator {
  let mixed = seed | 0;
  const next = (): number => {
    mixed = (mixed + 0x9e3779b9) | 0;
    let z = mixed;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return z ^ (z >>> 16);
  };
  // In an array, since variables of a closure that need all 32 bits are objects of their own: twice as fast.
  const state = Int32Array.of(next(), next(), next(), next());
  return () => {
    const b = state[1] as number;
    const c = (state[2] as number) ^ (state[0] as number);
    const d = (state[3] as number) ^ b;
    const r = Math.imul(b, 5);
    state[1] = b ^ c;
    state[0] = (state[0] as number) ^ d;
    state[2] = c ^ (b << 9);
    state[3] = (d << 11) | (d >>> 21);
    return (Math.imul((r << 7) | (r >>> 25), 9) >>> 0) / 2 ** 32;
  };
}

/** Numbers in [low, high), each equally probable. */
export function uniform(low: number, high: number): Distribution {
  return (random) => () => low + (high - low) * random();
}

/** Normally distributed numbers. G. Box, M. Muller, "A note on the generation of random normal deviates", 1958. */
export function normal(mean = 0, deviation = 1): Distribution {
  return (random) => {
    const pair = new Float64Array(2);
    let isSecond = false;
    return () => {
      isSecond = !isSecond;
      if (!isSecond) return pair[1] as number;
      const radius = deviation * Math.sqrt(-2 * Math.log(1 - random()));
      const angle = 2 * Math.PI * random();
      pair[1] = mean + radius * Math.sin(angle);
      return mean + radius * Math.cos(angle);
    };
  };
}

/** Whole numbers from `low` to `high`, both included. */
export function integers(low: number, high: number): Distribution {
  return (random) => () => low + Math.floor((high - low + 1) * random());
}

/** Indices into an array whose length is the shape's size `of`: `indices("vocabulary")`. */
export function indices(of: string): Distribution {
  return (random, shape) => {
    const size = shape[of];
    if (size === undefined)
      throw new HeddleError(
        "bad-arguments",
        `a distribution of indices into "${of}", which is no size of the shape: ${Object.keys(shape).join(", ")}`,
      );
    return integers(0, size - 1)(random, shape);
  };
}
