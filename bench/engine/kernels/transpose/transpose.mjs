import { randomFloats } from "../../inputs.mjs";

/** A square matrix transposed through shared memory. */
export const transpose = {
  cuda: "transpose/transpose.cu",
  opencl: "transpose/transpose.cl",
  loop: "transpose/transpose.c",
  unit: "GB/s",
  full: { n: 2048 },
  tiny: { n: 64 },
  make({ n }) {
    const input = randomFloats(n * n);
    return {
      buffers: { in: { values: input }, out: { values: new Float32Array(n * n) } },
      launches: [{ kernel: "transpose", grid: [n / 32, n / 32], block: [32, 8], args: [{ int: n }, "in", "out"] }],
      work: 2 * 4 * n * n,
      expected: () => ({
        out: {
          values: Float64Array.from(input, (_, i) => input[(i % n) * n + Math.floor(i / n)]),
          absolute: 0,
          relative: 0,
        },
      }),
    };
  },
};
