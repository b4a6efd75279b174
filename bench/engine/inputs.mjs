// Inputs that are the same in every run: numbers from a generator with a fixed seed (xorshift, Marsaglia 2003).

/** Numbers in [0, 2^32), the same sequence for the same seed. */
function generator(seed) {
  let state = (seed * 2654435761 + 1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>>= 0);
  };
}

/** Floats, evenly spread over [low, high). */
export function randomFloats(length, { seed = 1, low = -1, high = 1 } = {}) {
  const next = generator(seed);
  return Float32Array.from({ length }, () => low + (high - low) * (next() / 2 ** 32));
}

/** 32-bit words, evenly spread. */
export function randomWords(length, { seed = 1 } = {}) {
  const next = generator(seed);
  return Uint32Array.from({ length }, next);
}
