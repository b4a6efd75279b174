// What is measured, and what issue 3 asks of it: our speed over PoCL's, one thread each.
import { bfs } from "./kernels/bfs/bfs.mjs";
import { conv1d } from "./kernels/conv1d/conv1d.mjs";
import { conv2d } from "./kernels/conv2d/conv2d.mjs";
import { hash } from "./kernels/hash/hash.mjs";
import { histogram } from "./kernels/histogram/histogram.mjs";
import { layernorm } from "./kernels/layernorm/layernorm.mjs";
import { mandelbrot } from "./kernels/mandelbrot/mandelbrot.mjs";
import { matmulNaive, matmulTiled } from "./kernels/matmul/matmul.mjs";
import { reduce } from "./kernels/reduce/reduce.mjs";
import { saxpy } from "./kernels/saxpy/saxpy.mjs";
import { softmax } from "./kernels/softmax/softmax.mjs";
import { transpose } from "./kernels/transpose/transpose.mjs";

/** `size` replaces parts of the kernel's full size; `computeBound`: two threads are expected to be worth nearly two. */
export const ROWS = [
  { name: "saxpy", title: "saxpy, 2²² floats", kernel: saxpy, target: 0.9 },
  {
    name: "matmul-16x16",
    title: "naive matmul 512³, blocks of 16×16",
    kernel: matmulNaive,
    size: { block: [16, 16] },
    target: 25,
    computeBound: true,
  },
  {
    name: "matmul-32x8",
    title: "naive matmul 512³, blocks of 32×8",
    kernel: matmulNaive,
    size: { block: [32, 8] },
    target: 25,
    computeBound: true,
  },
  {
    name: "tiled-16",
    title: "tiled matmul 512³, tiles of 16×16",
    kernel: matmulTiled,
    size: { tile: 16 },
    target: 12,
    computeBound: true,
  },
  {
    name: "tiled-32",
    title: "tiled matmul 512³, tiles of 32×32",
    kernel: matmulTiled,
    size: { tile: 32 },
    target: 12,
    computeBound: true,
  },
  { name: "softmax", title: "row softmax 4096×1024", kernel: softmax, target: 7, computeBound: true },
  { name: "transpose", title: "transpose 2048², shared memory", kernel: transpose, target: 1 },
  { name: "layernorm", title: "layernorm 4096×1024", kernel: layernorm, target: 1 },
  { name: "histogram", title: "histogram of 2²² bytes, atomics", kernel: histogram, target: 1 },
  { name: "reduce", title: "block reduction of 2²² floats", kernel: reduce, target: 1 },
  { name: "conv1d", title: "1-D convolution, 17 taps, 2²² floats", kernel: conv1d, target: 1, computeBound: true },
  { name: "conv2d", title: "2-D convolution, 5×5 taps, 1024²", kernel: conv2d, target: 1, computeBound: true },
  { name: "mandelbrot", title: "Mandelbrot 1024², 256 iterations", kernel: mandelbrot, target: 1, computeBound: true },
  { name: "bfs", title: "breadth-first search, 2²¹ edges", kernel: bfs, target: 1 },
  { name: "hash", title: "MurmurHash3 of 2²⁰ keys", kernel: hash, target: 1, computeBound: true },
];

/** The geometric mean of all rows over PoCL. */
export const MEAN_TARGET = 4;
/** Kernels of 64-bit programs over those of 32-bit ones: in the geometric mean, and each. */
export const WIDE_MEAN_TARGET = 0.98;
export const WIDE_TARGET = 0.92;
/** Two worker threads over one, where the processor is the limit. */
export const WORKERS_TARGET = 1.7;
/** A kernel's time in a browser over that in Node.js. */
export const BROWSER_TARGET = 1.3;
/** A grid 64 times as large costs 64 times as much, within this. */
export const GROWTH_TARGET = 0.1;

/** About the same work for every block, so that only their number grows: 64-fold in all. */
export const GROWTH = [
  {
    name: "softmax",
    title: "row softmax, rows of 1024",
    kernel: softmax,
    sizes: [64, 512, 4096].map((rows) => ({ rows })),
  },
  {
    name: "conv2d",
    title: "2-D convolution, rows of 1024",
    kernel: conv2d,
    sizes: [32, 256, 2048].map((height) => ({ height })),
  },
  {
    name: "mandelbrot",
    title: "Mandelbrot, the same region finer",
    kernel: mandelbrot,
    sizes: [128, 512, 1024].map((size) => ({ size })),
  },
];

/** The case of a row, or of one size of a growth row. */
export function makeCase({ kernel, size = {} }) {
  return kernel.make({ ...kernel.full, ...size });
}

/** All blocks of all launches. */
export function blockCount({ launches }) {
  return launches.reduce((sum, { grid }) => sum + grid.reduce((a, b) => a * b, 1), 0);
}
