import { defineLadder, uniform, type Ladder, type LaunchArgument, type VersionDeclaration } from "heddle/ladder";

interface Size extends Readonly<Record<string, number>> {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const args = ({ m, n, k }: Size): LaunchArgument[] => ["a", "b", "c", m, n, k];
/** Multiply-adds that a reference may take as a whole; beyond it, it is asked element by element. */
const WHOLE = 2 ** 27;
/** Of the versions with 8 x 8 elements a thread, whose loads are the same for all threads. */
const tiled: VersionDeclaration<Size> = {
  parameters: { TILE: [128, 64], DEPTH: [8, 16] },
  launch: (shape, { TILE = 0 }) => [
    {
      kernel: "matmul",
      grid: [divideUp(shape.n, TILE), divideUp(shape.m, TILE)],
      block: (TILE / 8) ** 2,
      args: args(shape),
    },
  ],
};

const ladder: Ladder = defineLadder({
  summary: "matrix product C = A B: A is m x k, B is k x n, floats by rows",
  inputs: {
    a: { dtype: "float32", length: ({ m, k }: Size) => m * k, values: uniform(-1, 1), seed: 1 },
    b: { dtype: "float32", length: ({ n, k }: Size) => n * k, values: uniform(-1, 1), seed: 2 },
  },
  outputs: {
    c: {
      dtype: "float32",
      length: ({ m, n }: Size) => m * n,
      tolerance: {
        absolute: ({ k }) => (4 * k + 4) * 2 ** -24,
        relative: 2 ** -23,
        reason:
          "k sums one after the other, each rounded by up to 2^-24 of a partial sum that is sqrt(k) / 3 as a rule " +
          "and several times that in the worst of a million elements: at k = 256 6e-5, where products of halves or " +
          "tf32 are off by 1e-3",
      },
    },
  },
  reference: ({ a, b }, { m, n, k }: Size) => {
    const element = (index: number): number => {
      const [row, column] = [Math.floor(index / n), index % n];
      let sum = 0;
      for (let i = 0; i < k; i++) sum += (a[row * k + i] as number) * (b[i * n + column] as number);
      return sum;
    };
    return { c: m * n * k <= WHOLE ? Float64Array.from({ length: m * n }, (_, index) => element(index)) : element };
  },
  work: ({ m, n, k }) => ({ bytes: 4 * (m * k + k * n + m * n), operations: 2 * m * n * k }),
  shapes: {
    check: [
      { m: 1, n: 1, k: 1 },
      { m: 7, n: 33, k: 5 },
      { m: 64, n: 64, k: 64 },
      { m: 65, n: 31, k: 100 },
      { m: 130, n: 132, k: 28 },
    ],
    time: { emulated: [{ m: 256, n: 256, k: 256 }], cuda: [{ m: 4096, n: 4096, k: 4096 }] },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [32, 16] },
      launch: (shape, { BLOCK = 0 }) => [
        {
          kernel: "matmul",
          grid: [divideUp(shape.m, BLOCK), divideUp(shape.n, 8)],
          block: [BLOCK, 8],
          args: args(shape),
        },
      ],
    },
    "2-coalesced": {
      parameters: { BLOCK: [32, 64] },
      launch: (shape, { BLOCK = 0 }) => [
        {
          kernel: "matmul",
          grid: [divideUp(shape.n, BLOCK), divideUp(shape.m, 8)],
          block: [BLOCK, 8],
          args: args(shape),
        },
      ],
    },
    "3-tiled": {
      parameters: { TILE: [16, 32] },
      launch: (shape, { TILE = 0 }) => [
        {
          kernel: "matmul",
          grid: [divideUp(shape.n, TILE), divideUp(shape.m, TILE)],
          block: [TILE, TILE],
          args: args(shape),
        },
      ],
    },
    "4-register-blocked": {
      parameters: { TILE: [64, 32, 128], MICRO: [4, 8], DEPTH: [16, 8] },
      // Shared memory without opt-in, and whole warps.
      allow: ({ TILE = 0, MICRO = 0, DEPTH = 0 }) =>
        (TILE / MICRO) ** 2 >= 64 && (TILE / MICRO) ** 2 <= 256 && 4 * DEPTH * (2 * TILE + 1) <= 48 * 1024,
      launch: (shape, { TILE = 0, MICRO = 0 }) => [
        {
          kernel: "matmul",
          grid: [divideUp(shape.n, TILE), divideUp(shape.m, TILE)],
          block: (TILE / MICRO) ** 2,
          args: args(shape),
        },
      ],
    },
    "5-vectorized": tiled,
    "6-warp-tiled": tiled,
    "7-double-buffered": tiled,
    "8-triton": {
      parameters: { TILE: [64, 32, 128], DEPTH: [32, 16], WARPS: [8, 4] },
      launch: (shape, { TILE = 0, WARPS = 0 }) => [
        {
          kernel: "matmul",
          grid: [divideUp(shape.n, TILE), divideUp(shape.m, TILE)],
          block: 32 * WARPS,
          args: args(shape),
        },
      ],
    },
  },
  rivals: {
    openBlas: { matmul: ({ m, n, k }) => ({ m, n, k, a: "a", b: "b", c: "c" }) },
    C: { source: "native.c", function: "matmul", args },
    cublasLt: { library: "cublasLt", matmul: ({ m, n, k }) => ({ m, n, k, a: "a", b: "b", c: "c" }) },
    PyTorch: { python: "rivals.py", function: "matmul" },
    "torch.compile": { python: "rivals.py", function: "matmul", compile: true },
    Triton: { python: "rivals_triton.py", function: "matmul" },
  },
});
export default ladder;
