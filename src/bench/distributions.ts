/**
 * Input values from a seed: the same on every machine. The generator is xoshiro128** (D. Blackman, S. Vigna, "Scrambled linear
 * pseudorandom number generators", 2018), its state filled by splitmix32.
 */

/** Uniform numbers in [0, 1) of 32 bits. */
export type Generator = () => number;

/** Makes values from a generator. */
export type Distribution = (random: Generator) => () => number;

export function generator(seed: number): Generator {
  let mixed = seed | 0;
  const next = (): number => {
    mixed = (mixed + 0x9e3779b9) | 0;
    let z = mixed;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return z ^ (z >>> 16);
  };
  let [a, b, c, d] = [next(), next(), next(), next()];
  return () => {
    const r = Math.imul(b, 5);
    const result = Math.imul((r << 7) | (r >>> 25), 9) >>> 0;
    const t = b << 9;
    c ^= a; d ^= b; b ^= c; a ^= d; c ^= t;
    d = (d << 11) | (d >>> 21);
    return result / 2 ** 32;
  };
}

/** Every number in [low, high) alike. */
export function uniform(low: number, high: number): Distribution {
  return (random) => () => low + (high - low) * random();
}

/** G. Box, M. Muller, "A note on the generation of random normal deviates", 1958. */
export function normal(mean = 0, deviation = 1): Distribution {
  return (random) => () => mean + deviation * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Whole numbers from `low` to `high`, both among them. */
export function integers(low: number, high: number): Distribution {
  return (random) => () => low + Math.floor((high - low + 1) * random());
}
