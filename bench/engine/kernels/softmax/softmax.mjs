import { randomFloats } from "../../inputs.mjs";

/** Softmax of every row of a matrix, a block a row. */
export const softmax = {
  cuda: "softmax/softmax.cu",
  opencl: "softmax/softmax.cl",
  loop: "softmax/softmax.c",
  unit: "GB/s",
  full: { rows: 4096, columns: 1024 },
  tiny: { rows: 3, columns: 300 },
  make({ rows, columns }) {
    const input = randomFloats(rows * columns, { low: -4, high: 4 });
    return {
      buffers: { in: { values: input }, out: { values: new Float32Array(rows * columns) } },
      launches: [{ kernel: "softmax", grid: [rows], block: [256], args: [{ int: columns }, "in", "out"] }],
      loopArgs: [{ int: rows }, { int: columns }, "in", "out"],
      work: 2 * 4 * rows * columns,
      expected: () => ({ out: { values: softmaxOf(rows, columns, input), absolute: 1e-9, relative: 1e-5 } }),
    };
  },
};

/** In double precision. */
function softmaxOf(rows, columns, input) {
  const output = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    const x = input.subarray(row * columns, (row + 1) * columns);
    const y = output.subarray(row * columns, (row + 1) * columns);
    const largest = x.reduce((a, b) => Math.max(a, b), -Infinity);
    let sum = 0;
    for (let i = 0; i < columns; i++) sum += y[i] = Math.exp(x[i] - largest);
    for (let i = 0; i < columns; i++) y[i] /= sum;
  }
  return output;
}
