import { defineLadder, uniform, type Ladder, type LaunchStep, type VersionDeclaration } from "heddle/ladder";

interface Size extends Readonly<Record<string, number>> {
  readonly n: number;
  readonly batch: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const elements = ({ n, batch }: Size): number => 2 * n * batch;
const blockEach = ({ n, batch }: Size, block: number, sharedBytes = 0): LaunchStep[] => [
  { kernel: `fft<${n}>`, grid: batch, block, sharedBytes, args: ["x", "y", batch] },
];

/** @param isAhead elements wait in shared memory of their own, and registers suffice for the roots of three passes. */
const inRegisters = (isAhead: boolean): VersionDeclaration<Size> => ({
  parameters: { RADIX: [8, 16], BLOCK: [512, 256, 128, 64], BLOCKS: [264, 528, 1056, 2112] },
  // A transform in a block at least, 48 KiB of shared memory, and not more threads than a multiprocessor has; blocks
  // are multiples of an H100's multiprocessors.
  allow: ({ RADIX = 1, BLOCK = 0, BLOCKS = 0 }, { n }) =>
    n >= RADIX &&
    !(isAhead && n >= RADIX ** 4) &&
    BLOCK * RADIX >= n &&
    BLOCK * RADIX * 8.5 <= 48 * 1024 &&
    (BLOCKS / 132) * BLOCK <= 2048 &&
    (BLOCKS / 132) * BLOCK >= 256,
  launch: ({ n, batch }, { RADIX = 1, BLOCK = 0, BLOCKS = 0 }) => [
    {
      kernel: `fft<${n}>`,
      grid: Math.min(BLOCKS, divideUp(batch, (BLOCK * RADIX) / n)),
      block: BLOCK,
      sharedBytes: isAhead ? 8 * BLOCK * RADIX : 0,
      args: ["x", "y", batch],
    },
  ],
});

/** Of n complex numbers from `first`, in double precision: by halves (Cooley and Tukey). */
function transform(x: Float64Array, first: number, n: number): Float64Array {
  const bits = Math.log2(n);
  const y = new Float64Array(2 * n);
  for (let i = 0; i < n; i++) {
    let from = 0;
    for (let b = 0; b < bits; b++) from |= ((i >> b) & 1) << (bits - 1 - b);
    y[2 * i] = x[first + 2 * from] as number;
    y[2 * i + 1] = x[first + 2 * from + 1] as number;
  }
  for (let half = 1; half < n; half *= 2) {
    for (let i = 0; i < n / 2; i++) {
      const at = 2 * (Math.floor(i / half) * 2 * half + (i % half));
      const angle = (-Math.PI * (i % half)) / half;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const [ar, ai, br, bi] = [
        y[at] as number,
        y[at + 1] as number,
        y[at + 2 * half] as number,
        y[at + 2 * half + 1] as number,
      ];
      const [tr, ti] = [br * c - bi * s, br * s + bi * c];
      y[at] = ar + tr;
      y[at + 1] = ai + ti;
      y[at + 2 * half] = ar - tr;
      y[at + 2 * half + 1] = ai - ti;
    }
  }
  return y;
}

const ladder: Ladder = defineLadder({
  summary:
    "discrete Fourier transforms: batch transforms of n complex numbers, each two floats; n is a power " +
    "of 2 from 16 to 4096",
  inputs: { x: { dtype: "float32", length: elements, values: uniform(-1, 1), seed: 1 } },
  outputs: {
    y: {
      dtype: "float32",
      length: elements,
      tolerance: {
        absolute: ({ n }: Size) => 4 * Math.sqrt(n) * (Math.log2(n) + 1) * 2 ** -24,
        relative: 2 ** -22,
        reason:
          "each of log2(n) levels rounds at 2^-24 of values that grow to sqrt(n), with roots that are products of up " +
          "to four rounded ones",
      },
    },
  },
  reference: ({ x }, { n }: Size) => {
    let [last, result] = [-1, new Float64Array(0) as Float64Array];
    // Transforms are asked for one after the other.
    return {
      y: (index) => {
        const at = Math.floor(index / (2 * n));
        if (at !== last) [last, result] = [at, transform(x, at * 2 * n, n)];
        return result[index % (2 * n)] as number;
      },
    };
  },
  // Operations as fft programs are compared by (M. Frigo, S. G. Johnson, "The design and implementation of FFTW3",
  // 2005), halved: no algorithm needs fewer than about four fifths of them.
  work: (shape) => ({ bytes: 8 * elements(shape), operations: 2.5 * shape.n * Math.log2(shape.n) * shape.batch }),
  shapes: {
    check: [
      { n: 16, batch: 5 },
      { n: 64, batch: 3 },
      { n: 512, batch: 3 },
      { n: 2048, batch: 2 },
    ],
    time: {
      emulated: [{ n: 1024, batch: 32 }],
      cuda: [
        { n: 4096, batch: 8192 },
        { n: 1024, batch: 32768 },
        { n: 256, batch: 131072 },
      ],
    },
  },
  versions: {
    "1-radix-2": {
      parameters: { BLOCK: [256, 128, 512] },
      launch: ({ n, batch }, { BLOCK = 0 }) =>
        Array.from({ length: Math.log2(n) }, (_, level) => ({
          kernel: "combine",
          grid: divideUp((n / 2) * batch, BLOCK),
          block: BLOCK,
          args: ["x", "y", n, Math.log2(n), 2 ** level, (n / 2) * batch],
        })),
    },
    "2-shared": {
      parameters: { BLOCK: [128, 256, 512, 64] },
      launch: (shape, { BLOCK = 0 }) => blockEach(shape, BLOCK),
    },
    "3-stockham": {
      parameters: { BLOCK: [128, 256, 512, 64] },
      launch: (shape, { BLOCK = 0 }) => blockEach(shape, BLOCK, 16 * shape.n),
    },
    "4-registers": inRegisters(false),
    "5-ahead": inRegisters(true),
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "fft" },
  },
});
export default ladder;
