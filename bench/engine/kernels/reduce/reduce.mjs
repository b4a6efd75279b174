import { randomFloats } from "../../inputs.mjs";

/** A partial sum for each block, the first of two steps that sum an array. */
export const reduce = {
  cuda: "reduce/reduce.cu",
  opencl: "reduce/reduce.cl",
  loop: "reduce/reduce.c",
  unit: "GB/s",
  full: { n: 2 ** 22, blocks: 512 },
  tiny: { n: 5000, blocks: 3 },
  make({ n, blocks }) {
    const threads = 256;
    const input = randomFloats(n);
    return {
      buffers: { in: { values: input }, out: { values: new Float32Array(blocks) } },
      launches: [{ kernel: "reduce", grid: [blocks], block: [threads], args: [{ int: n }, "in", "out"] }],
      loopArgs: [{ int: blocks }, { int: threads }, { int: n }, "in", "out"],
      work: 4 * n,
      expected: () => {
        const sums = new Float64Array(blocks);
        for (let i = 0; i < n; i++) sums[Math.floor(i / threads) % blocks] += input[i];
        return { out: { values: sums, absolute: 1e-3, relative: 1e-5 } };
      },
    };
  },
};
