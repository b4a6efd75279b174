import { randomFloats } from "../../inputs.mjs";

/** How often each of 256 values occurs, counted with atomics in shared and in global memory. */
export const histogram = {
  cuda: "histogram/histogram.cu",
  opencl: "histogram/histogram.cl",
  loop: "histogram/histogram.c",
  unit: "Mitems/s",
  full: { n: 2 ** 22, blocks: 256 },
  tiny: { n: 5000, blocks: 4 },
  make({ n, blocks }) {
    // Values near the middle are frequent, as in a photograph.
    const pixels = Uint8Array.from(randomFloats(n, { low: -0.99, high: 0.99 }), (value) => 128 + 128 * value ** 3);
    return {
      buffers: { pixels: { values: pixels }, bins: { values: new Uint32Array(256), restored: true } },
      launches: [{ kernel: "histogram", grid: [blocks], block: [256], args: [{ int: n }, "pixels", "bins"] }],
      work: n,
      expected: () => {
        const bins = new Uint32Array(256);
        for (const pixel of pixels) bins[pixel]++;
        return { bins: { values: bins } };
      },
    };
  },
};
