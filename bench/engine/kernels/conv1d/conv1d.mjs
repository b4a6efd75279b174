import { randomFloats } from "../../inputs.mjs";

const RADIUS = 8;
const TAPS = 2 * RADIUS + 1;

/** A filter of 17 taps along an array, through shared memory with a halo. */
export const conv1d = {
  cuda: "conv1d/conv1d.cu",
  opencl: "conv1d/conv1d.cl",
  loop: "conv1d/conv1d.c",
  unit: "GFLOP/s",
  full: { n: 2 ** 22 },
  tiny: { n: 1000 },
  make({ n }) {
    const taps = randomFloats(TAPS, { seed: 1 });
    const input = randomFloats(n, { seed: 2 });
    return {
      buffers: { taps: { values: taps }, in: { values: input }, out: { values: new Float32Array(n) } },
      launches: [
        { kernel: "conv1d", grid: [Math.ceil(n / 256)], block: [256], args: [{ int: n }, "taps", "in", "out"] },
      ],
      work: 2 * TAPS * n,
      expected: () => ({ out: { values: filtered(n, taps, input), absolute: 1e-5, relative: 1e-5 } }),
    };
  },
};

/** In double precision. */
function filtered(n, taps, input) {
  const output = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < TAPS; k++) {
      const j = i + k - RADIUS;
      if (j >= 0 && j < n) output[i] += taps[k] * input[j];
    }
  }
  return output;
}
