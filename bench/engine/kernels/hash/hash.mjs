import { randomWords } from "../../inputs.mjs";

const WORDS = 4;

/** MurmurHash3 of keys of 16 bytes: multiplications, rotations and exclusive ors of integers. */
export const hash = {
  cuda: "hash/hash.cu",
  opencl: "hash/hash.cl",
  loop: "hash/hash.c",
  unit: "Mitems/s",
  full: { n: 2 ** 20 },
  tiny: { n: 1000 },
  make({ n }) {
    const keys = randomWords(n * WORDS);
    return {
      buffers: { keys: { values: keys }, out: { values: new Uint32Array(n) } },
      launches: [{ kernel: "hash", grid: [Math.ceil(n / 256)], block: [256], args: [{ int: n }, "keys", "out"] }],
      work: n,
      expected: () => ({
        out: {
          values: Uint32Array.from({ length: n }, (_, i) =>
            murmur(Array.from({ length: WORDS }, (__, word) => keys[word * n + i])),
          ),
        },
      }),
    };
  },
};

function murmur(words) {
  let h = 0;
  for (const word of words) {
    h ^= Math.imul(rotateLeft(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593);
    h = Math.imul(rotateLeft(h, 13), 5) + 0xe6546b64;
  }
  h ^= 4 * words.length;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function rotateLeft(x, bits) {
  return (x << bits) | (x >>> (32 - bits));
}
