import { randomFloats } from "../../inputs.mjs";

/** y = a * x + y: three floats moved for each multiplication and addition. */
export const saxpy = {
  cuda: "saxpy/saxpy.cu",
  opencl: "saxpy/saxpy.cl",
  loop: "saxpy/saxpy.c",
  unit: "GB/s",
  full: { n: 2 ** 22 },
  tiny: { n: 1000 },
  make({ n }) {
    const a = 0.5;
    const x = randomFloats(n, { seed: 1 });
    const y = randomFloats(n, { seed: 2 });
    return {
      buffers: { x: { values: x }, y: { values: y } },
      launches: [
        { kernel: "saxpy", grid: [Math.ceil(n / 256)], block: [256], args: [{ int: n }, { float: a }, "x", "y"] },
      ],
      work: 3 * 4 * n,
      expected: () => ({
        y: { values: Float64Array.from(x, (value, i) => a * value + y[i]), absolute: 1e-7, relative: 1e-6 },
      }),
    };
  },
};
