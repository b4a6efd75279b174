/** Iterations of z² + c for every pixel of an image: threads of a warp leave the loop at different times. */
export const mandelbrot = {
  cuda: "mandelbrot/mandelbrot.cu",
  opencl: "mandelbrot/mandelbrot.cl",
  loop: "mandelbrot/mandelbrot.c",
  unit: "Mitems/s",
  full: { size: 1024, limit: 256 },
  tiny: { size: 40, limit: 256 },
  make({ size, limit }) {
    const left = -2;
    const top = 1.25;
    const step = 2 ** Math.floor(Math.log2(2.5 / size)); // exact in float
    return {
      buffers: { out: { values: new Int32Array(size * size) } },
      launches: [
        {
          kernel: "mandelbrot",
          grid: [Math.ceil(size / 16), Math.ceil(size / 16)],
          block: [16, 16],
          args: [{ int: size }, { int: limit }, { float: left }, { float: top }, { float: step }, "out"],
        },
      ],
      work: size * size,
      // At the edge of the set the last bit decides when a point escapes, and a*b+c may be rounded once or twice.
      expected: () => ({ out: { values: iterations(size, limit, left, top, step), differing: 0.005 } }),
    };
  },
};

/** In double precision. */
function iterations(size, limit, left, top, step) {
  return Int32Array.from({ length: size * size }, (_, pixel) => {
    const cx = left + step * (pixel % size);
    const cy = top - step * Math.floor(pixel / size);
    let [x, y, i] = [0, 0, 0];
    for (; i < limit && x * x + y * y <= 4; i++) [x, y] = [x * x - y * y + cx, 2 * x * y + cy];
    return i;
  });
}
