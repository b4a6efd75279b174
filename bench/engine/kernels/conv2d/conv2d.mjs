import { randomFloats } from "../../inputs.mjs";

const RADIUS = 2;
const SIDE = 2 * RADIUS + 1;

/** A filter of 5 by 5 taps over an image, straight from global memory, with tests at the edges. */
export const conv2d = {
  cuda: "conv2d/conv2d.cu",
  opencl: "conv2d/conv2d.cl",
  loop: "conv2d/conv2d.c",
  unit: "GFLOP/s",
  full: { width: 1024, height: 1024 },
  tiny: { width: 50, height: 21 },
  make({ width, height }) {
    const taps = randomFloats(SIDE * SIDE, { seed: 1 });
    const input = randomFloats(width * height, { seed: 2 });
    return {
      buffers: { taps: { values: taps }, in: { values: input }, out: { values: new Float32Array(width * height) } },
      launches: [
        {
          kernel: "conv2d",
          grid: [Math.ceil(width / 16), Math.ceil(height / 16)],
          block: [16, 16],
          args: [{ int: width }, { int: height }, "taps", "in", "out"],
        },
      ],
      work: 2 * SIDE * SIDE * width * height,
      expected: () => ({ out: { values: filtered(width, height, taps, input), absolute: 1e-5, relative: 1e-5 } }),
    };
  },
};

/** In double precision. */
function filtered(width, height, taps, input) {
  const output = new Float64Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let tap = 0; tap < SIDE * SIDE; tap++) {
        const column = x + (tap % SIDE) - RADIUS;
        const row = y + Math.floor(tap / SIDE) - RADIUS;
        if (column >= 0 && column < width && row >= 0 && row < height)
          output[y * width + x] += taps[tap] * input[row * width + column];
      }
    }
  }
  return output;
}
