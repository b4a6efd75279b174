import { randomFloats } from "../../inputs.mjs";

/** A matrix product with floats, for any way of cutting it into blocks. */
const product = {
  loop: "matmul/matmul.c",
  blas: "matmul/sgemm.c",
  unit: "GFLOP/s",
};

function makeProduct(n, launch) {
  const a = randomFloats(n * n, { seed: 1 });
  const b = randomFloats(n * n, { seed: 2 });
  return {
    buffers: { a: { values: a }, b: { values: b }, c: { values: new Float32Array(n * n) } },
    launches: [{ ...launch, args: [{ int: n }, "a", "b", "c"] }],
    work: 2 * n ** 3,
    expected: () => ({ c: { values: multiply(n, a, b), absolute: 1e-4, relative: 1e-5 } }),
  };
}

/** In double precision. */
function multiply(n, a, b) {
  const c = new Float64Array(n * n);
  for (let row = 0; row < n; row++) {
    for (let k = 0; k < n; k++) {
      const factor = a[row * n + k];
      for (let column = 0; column < n; column++) c[row * n + column] += factor * b[k * n + column];
    }
  }
  return c;
}

/** One thread an output, every operand from global memory. */
export const matmulNaive = {
  ...product,
  cuda: "matmul/naive.cu",
  opencl: "matmul/naive.cl",
  full: { n: 512, block: [16, 16] },
  tiny: { n: 40, block: [16, 16] },
  make: ({ n, block }) =>
    makeProduct(n, { kernel: "matmul", grid: block.map((threads) => Math.ceil(n / threads)), block }),
};

/** Tiles of both operands in shared memory. */
export const matmulTiled = {
  ...product,
  cuda: "matmul/tiled.cu",
  opencl: "matmul/tiled.cl",
  full: { n: 512, tile: 16 },
  tiny: { n: 32, tile: 16 },
  make: ({ n, tile }) => ({
    ...makeProduct(n, { kernel: `matmul_tiled<${tile}>`, grid: [n / tile, n / tile], block: [tile, tile] }),
    openclOptions: `-DTILE=${tile}`,
  }),
};
