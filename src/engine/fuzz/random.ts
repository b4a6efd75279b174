/** A deterministic source of choices: the same seed, the same program, on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds must not give neighbouring sequences (Murmur3's finaliser).
    let h = (seed ^ 0x9e3779b9) >>> 0;
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    this.#state = (h ^ (h >>> 16)) >>> 0 || 1;
  }

  /** An unsigned 32-bit number (xorshift32). */
  next(): number {
    let s = this.#state;
    s ^= s << 13;
    s ^= s >>> 17;
    s ^= s << 5;
    this.#state = s >>> 0;
    return this.#state;
  }

  /** From 0 to limit − 1. */
  below(limit: number): number {
    return Math.floor((this.next() / 4294967296) * limit);
  }

  /** True one time in `n`. */
  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  /** A choice by weight; the weights need not add up to anything. */
  weighted<T>(choices: readonly (readonly [number, T])[]): T {
    const total = choices.reduce((sum, [weight]) => sum + weight, 0);
    let rest = (this.next() / 4294967296) * total;
    for (const [weight, choice] of choices) {
      rest -= weight;
      if (rest < 0) return choice;
    }
    return (choices.at(-1) as readonly [number, T])[1];
  }
}
