import { randomFloats } from "../../inputs.mjs";

/** Every row of a matrix normalised, then scaled and shifted; a block a row. */
export const layernorm = {
  cuda: "layernorm/layernorm.cu",
  opencl: "layernorm/layernorm.cl",
  loop: "layernorm/layernorm.c",
  unit: "GB/s",
  full: { rows: 4096, columns: 1024 },
  tiny: { rows: 3, columns: 300 },
  make({ rows, columns }) {
    const input = randomFloats(rows * columns, { seed: 1, low: -2, high: 3 });
    const weight = randomFloats(columns, { seed: 2 });
    const bias = randomFloats(columns, { seed: 3 });
    return {
      buffers: {
        in: { values: input },
        weight: { values: weight },
        bias: { values: bias },
        out: { values: new Float32Array(rows * columns) },
      },
      launches: [
        { kernel: "layernorm", grid: [rows], block: [256], args: [{ int: columns }, "in", "weight", "bias", "out"] },
      ],
      loopArgs: [{ int: rows }, { int: columns }, "in", "weight", "bias", "out"],
      work: 2 * 4 * rows * columns,
      expected: () => ({
        out: { values: normalised(rows, columns, input, weight, bias), absolute: 1e-5, relative: 1e-5 },
      }),
    };
  },
};

/** In double precision. */
function normalised(rows, columns, input, weight, bias) {
  const output = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    const x = input.subarray(row * columns, (row + 1) * columns);
    let sum = 0;
    let squares = 0;
    for (const value of x) sum += value;
    const mean = sum / columns;
    for (const value of x) squares += (value - mean) ** 2;
    const scale = 1 / Math.sqrt(squares / columns + 1e-5);
    for (let i = 0; i < columns; i++) output[row * columns + i] = (x[i] - mean) * scale * weight[i] + bias[i];
  }
  return output;
}
