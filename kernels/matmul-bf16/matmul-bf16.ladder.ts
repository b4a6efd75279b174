import {
  defineLadder,
  uniform,
  type Configuration,
  type Ladder,
  type LaunchArgument,
  type LaunchStep,
  type VersionDeclaration,
} from "heddle/ladder";
import { divideUp, HOPPER_BYTES, persistentBytes, swizzled, tileBytes, WHOLE } from "../common/hopper.ts";

interface Size extends Readonly<Record<string, number>> {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}
const args = ({ m, n, k }: Size): LaunchArgument[] => ["a", "b", "c", m, n, k];
/** What a block of an H100 and of an A100 has. */
const SHARED_BYTES = 160 * 1024;
const sharedBytes = ({ TILE_M = 0, TILE_N = 0, DEPTH = 0, STAGES = 1 }: Configuration): number =>
  STAGES * DEPTH * (TILE_M + TILE_N) * 2;
const threads = ({ TILE_M = 0, TILE_N = 0, WARP_N = 1 }: Configuration): number =>
  32 * (TILE_M / 64) * (TILE_N / WARP_N);
/** Parameters of the versions with tiles in shared memory. */
const tiled = (
  parameters: Readonly<Record<string, readonly number[]>>,
  isGrouped = false,
): VersionDeclaration<Size> => ({
  parameters,
  // Steps of 64 with four warps need more registers than there are.
  allow: (configuration) =>
    sharedBytes(configuration) <= SHARED_BYTES &&
    (configuration["DEPTH"] === 32 ? [128, 256] : [256]).includes(threads(configuration)),
  launch: (shape, configuration) => {
    const { TILE_M = 1, TILE_N = 1 } = configuration;
    const [across, down] = [divideUp(shape.n, TILE_N), divideUp(shape.m, TILE_M)];
    return [
      {
        kernel: "matmul",
        grid: isGrouped ? across * down : [across, down],
        block: threads(configuration),
        sharedBytes: sharedBytes(configuration),
        args: args(shape),
      },
    ];
  },
});

/** Hopper's own instructions: steps of 64, a product of 64 x TILE_N for each warpgroup. */
const hopper = (
  parameters: Readonly<Record<string, readonly number[]>>,
  launch: (shape: Size, configuration: Configuration) => Pick<LaunchStep, "grid" | "block" | "args" | "sharedBytes">,
): VersionDeclaration<Size> => ({
  parameters,
  allow: (configuration) => tileBytes(configuration) <= HOPPER_BYTES,
  launch: (shape, configuration) => [{ kernel: "matmul", ...launch(shape, configuration) }],
});
/** Versions 8 to 10: two warpgroups that multiply, with ROWS rows each, of one tile or of a tile for each. */
const persistent = (parameters: Readonly<Record<string, readonly number[]>>, groups = 2): VersionDeclaration<Size> => {
  return {
    parameters: { ...parameters, GROUP: [8, 16], BLOCKS: [132] },
    // Registers have room for 192 sums of a thread.
    allow: (configuration) => {
      const { TILE_N = 0, ROWS = 0, OUT_N = 1 } = configuration;
      return (
        persistentBytes(configuration, groups) <= HOPPER_BYTES && ROWS * TILE_N <= 192 * 128 && TILE_N % OUT_N === 0
      );
    },
    launch: ({ m, n, k }, configuration) => {
      const { TILE_N = 1, ROWS = 1, CLUSTER = 1, BLOCKS = 1 } = configuration;
      const tiles = divideUp(m, groups * ROWS * CLUSTER) * divideUp(n, TILE_N);
      return [
        {
          kernel: "matmul",
          grid: Math.min(BLOCKS, tiles * CLUSTER),
          block: 3 * 128,
          sharedBytes: persistentBytes(configuration, groups),
          args: [
            swizzled("a", [m, k], [groups * ROWS, 64]),
            swizzled("b", [k, n], [64 / CLUSTER, 64]),
            swizzled("c", [m, n], [64, 64]),
            m,
            n,
            k,
          ],
        },
      ];
    },
  };
};

const ladder: Ladder = defineLadder({
  summary:
    "matrix product C = A B: A is m x k, B is k x n, bfloat16 by rows, sums in fp32; n and k are " + "multiples of 8",
  inputs: {
    a: { dtype: "bfloat16", length: ({ m, k }: Size) => m * k, values: uniform(-1, 1), seed: 1 },
    b: { dtype: "bfloat16", length: ({ n, k }: Size) => n * k, values: uniform(-1, 1), seed: 2 },
  },
  outputs: {
    c: {
      dtype: "bfloat16",
      length: ({ m, n }: Size) => m * n,
      tolerance: {
        absolute: ({ k }) => (8 * k + 8) * 2 ** -24,
        relative: 2 ** -8,
        reason:
          "the result is rounded to 8 bits, which is off by up to 2^-8 of it; sums are of exact products, each " +
          "rounded (by tensor cores: cut off) at 2^-23 of a partial sum that is sqrt(k) / 3 as a rule",
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
  work: ({ m, n, k }) => ({ bytes: 2 * (m * k + k * n + m * n), operations: 2 * m * n * k, unit: "bf16" }),
  shapes: {
    check: [
      { m: 1, n: 8, k: 8 },
      { m: 7, n: 40, k: 24 },
      { m: 130, n: 264, k: 136 },
    ],
    time: {
      emulated: [{ m: 256, n: 256, k: 256 }],
      // The last ones: queries, keys and values of GPT-2, the second half of its MLP, and a layer of Llama 3 8B.
      cuda: [
        { m: 4096, n: 4096, k: 4096 },
        { m: 8192, n: 2304, k: 768 },
        { m: 8192, n: 768, k: 3072 },
        { m: 4096, n: 14336, k: 4096 },
      ],
    },
  },
  versions: {
    "1-naive": {
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
    "2-wmma": {
      parameters: { WARPS: [4, 2, 8] },
      launch: (shape, { WARPS = 0 }) => [
        {
          kernel: "matmul",
          grid: [divideUp(shape.n, 32), divideUp(shape.m, 32 * WARPS)],
          block: [32, WARPS],
          args: args(shape),
        },
      ],
    },
    "3-mma": tiled({ TILE_M: [128], TILE_N: [128, 256], WARP_N: [32, 64], DEPTH: [32, 64] }),
    "4-pipelined": tiled({ TILE_M: [128], TILE_N: [128, 256], WARP_N: [32, 64], DEPTH: [32, 64], STAGES: [4, 3] }),
    "5-overlapped": tiled(
      { TILE_M: [128, 256], TILE_N: [128, 256], WARP_N: [32, 64], DEPTH: [32, 64], STAGES: [4, 3], GROUP: [8] },
      true,
    ),
    "6-wgmma": hopper({ TILE_M: [128], TILE_N: [128, 256], STAGES: [3, 4] }, (shape, configuration) => {
      const { TILE_M = 1, TILE_N = 1 } = configuration;
      const { m, n, k } = shape;
      return {
        grid: [divideUp(n, TILE_N), divideUp(m, TILE_M)],
        block: 2 * TILE_M,
        sharedBytes: tileBytes(configuration),
        args: [swizzled("a", [m, k], [TILE_M, 64]), swizzled("b", [k, n], [64, 64]), "c", m, n, k],
      };
    }),
    "7-specialised": hopper(
      { TILE_M: [128], TILE_N: [128, 256], STAGES: [3, 4], GROUP: [8, 16] },
      (shape, configuration) => {
        const { TILE_M = 1, TILE_N = 1 } = configuration;
        const { m, n, k } = shape;
        return {
          grid: divideUp(n, TILE_N) * divideUp(m, TILE_M),
          block: 2 * TILE_M + 128,
          sharedBytes: tileBytes(configuration),
          args: [swizzled("a", [m, k], [TILE_M, 64]), swizzled("b", [k, n], [64, 64]), "c", m, n, k],
        };
      },
    ),
    // The first of each fits into an A100, which an emulated device is by default: it has no clusters.
    "8-persistent": persistent({ TILE_N: [128, 192, 256], ROWS: [64, 128], OUT_N: [128, 64, 192], STAGES: [3, 4, 5] }),
    "9-ping-pong": persistent({ TILE_N: [128, 256], ROWS: [128, 64], OUT_N: [128], STAGES: [3, 4, 5, 6] }, 1),
    "10-clusters": persistent({
      TILE_N: [128, 192, 256],
      ROWS: [64, 128],
      OUT_N: [128, 64, 192],
      STAGES: [3, 4, 5],
      CLUSTER: [1, 2],
    }),
  },
  rivals: {
    openBlas: { matmul: ({ m, n, k }) => ({ m, n, k, a: "a", b: "b", c: "c" }) },
    cublasLt: { library: "cublasLt", matmul: ({ m, n, k }) => ({ m, n, k, a: "a", b: "b", c: "c" }) },
    PyTorch: { python: "rivals.py", function: "matmul" },
  },
});
export default ladder;
