/** The Mersenne twister MT19937 (Matsumoto, Nishimura, 1998), and how PyTorch makes numbers of its words. */

const PAIRS = 8;

function pairsToNormal(values: Float64Array, begin: number): void {
  for (let i = begin; i < begin + PAIRS; i++) {
    const radius = Math.sqrt(-2 * Math.log(1 - (values[i] as number)));
    const angle = 2 * Math.PI * (values[i + PAIRS] as number);
    values[i] = radius * Math.cos(angle);
    values[i + PAIRS] = radius * Math.sin(angle);
  }
}

export class Twister {
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

  /** As PyTorch fills a tensor: sixteen at a time, and the last sixteen once more where some are left. */
  normals(length: number): Float64Array<ArrayBuffer> {
    if (length < 2 * PAIRS) return Float64Array.from({ length }, () => this.normal());
    const values = Float64Array.from({ length }, () => this.float());
    for (let i = 0; i + 2 * PAIRS <= length; i += 2 * PAIRS) pairsToNormal(values, i);
    if (length % (2 * PAIRS) !== 0) {
      const begin = length - 2 * PAIRS;
      for (let i = begin; i < length; i++) values[i] = this.float();
      pairsToNormal(values, begin);
    }
    return values;
  }
}
