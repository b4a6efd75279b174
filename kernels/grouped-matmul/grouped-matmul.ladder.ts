import { defineLadder, uniform, type Distribution, type Ladder, type VersionDeclaration } from "heddle/ladder";
import { divideUp, HOPPER_BYTES, persistentBytes, swizzled, tileBytes, WHOLE } from "../common/hopper.ts";

interface Size extends Readonly<Record<string, number>> {
  /** Rows of all groups. */
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly groups: number;
}

/** Where each group's rows end: at random, the last at m. Groups may be empty. */
const ends: Distribution = (random, { m = 0, groups = 1 }) => {
  const cuts = Array.from({ length: groups - 1 }, () => Math.floor((m + 1) * random())).sort((a, b) => a - b);
  cuts.push(m);
  let next = 0;
  return () => cuts[next++ % groups] as number;
};

/** Each group's last tile may be cut short. */
const mostTiles = ({ m, n, groups }: Size, high: number, wide: number): number =>
  (Math.floor(m / high) + Math.min(groups, m)) * divideUp(n, wide);

/** Two warpgroups that multiply, with ROWS rows each: of one tile, or of a tile for each. */
const persistent = (
  parameters: Readonly<Record<string, readonly number[]>>,
  warpgroups = 2,
): VersionDeclaration<Size> => {
  return {
    parameters: { ...parameters, BLOCKS: [132] },
    // Registers have room for 128 sums of a thread.
    allow: (configuration) => {
      const { TILE_N = 0, ROWS = 0, OUT_N = 1 } = configuration;
      return (
        persistentBytes(configuration, warpgroups) <= HOPPER_BYTES && ROWS * TILE_N <= 128 * 128 && TILE_N % OUT_N === 0
      );
    },
    launch: (shape, configuration) => {
      const { m, n, k, groups } = shape;
      const { TILE_N = 1, ROWS = 1, BLOCKS = 1 } = configuration;
      const high = warpgroups * ROWS;
      return [
        {
          kernel: "matmul",
          grid: Math.min(BLOCKS, mostTiles(shape, high, TILE_N)),
          block: 3 * 128,
          sharedBytes: persistentBytes(configuration, warpgroups),
          args: [
            swizzled("a", [m, k], [high, 64]),
            swizzled("b", [groups, k, n], [1, 64, 64]),
            swizzled("c", [m, n], [64, 64]),
            "ends",
            "c",
            groups,
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
    "products of groups (experts): rows of A that belong to a group times that group's B, bfloat16; A is m x k, " +
    "sorted by group, B is groups x k x n; n and k are multiples of 8",
  inputs: {
    a: { dtype: "bfloat16", length: ({ m, k }: Size) => m * k, values: uniform(-1, 1), seed: 1 },
    b: { dtype: "bfloat16", length: ({ groups, n, k }: Size) => groups * n * k, values: uniform(-1, 1), seed: 2 },
    ends: { dtype: "int32", length: ({ groups }: Size) => groups, values: ends, seed: 3 },
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
  reference: ({ a, b, ends }, { m, n, k }: Size) => {
    const element = (index: number): number => {
      const [row, column] = [Math.floor(index / n), index % n];
      const group = ends.findIndex((end) => row < end);
      let sum = 0;
      for (let i = 0; i < k; i++) sum += (a[row * k + i] as number) * (b[(group * k + i) * n + column] as number);
      return sum;
    };
    return { c: m * n * k <= WHOLE ? Float64Array.from({ length: m * n }, (_, index) => element(index)) : element };
  },
  work: ({ m, n, k, groups }) => ({
    bytes: 2 * (m * k + groups * k * n + m * n),
    operations: 2 * m * n * k,
    unit: "bf16",
  }),
  shapes: {
    check: [
      { m: 3, n: 8, k: 8, groups: 2 },
      { m: 70, n: 72, k: 24, groups: 5 },
      { m: 200, n: 136, k: 136, groups: 3 },
    ],
    time: {
      emulated: [{ m: 256, n: 128, k: 128, groups: 4 }],
      // Eight large experts, and 32 small ones.
      cuda: [
        { m: 16384, n: 4096, k: 2048, groups: 8 },
        { m: 16384, n: 1408, k: 2048, groups: 32 },
      ],
    },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [32, 64] },
      launch: ({ m, n, k }, { BLOCK = 0 }) => [
        {
          kernel: "matmul",
          grid: [divideUp(n, BLOCK), divideUp(m, 8)],
          block: [BLOCK, 8],
          args: ["a", "b", "ends", "c", m, n, k],
        },
      ],
    },
    "2-wgmma": {
      parameters: { TILE_M: [128], TILE_N: [128, 256], STAGES: [4, 3], GROUP: [8] },
      launch: (shape, configuration) => {
        const { m, n, k, groups } = shape;
        const { TILE_M = 1, TILE_N = 1 } = configuration;
        return [
          {
            kernel: "matmul",
            grid: mostTiles(shape, TILE_M, TILE_N),
            block: 2 * TILE_M,
            sharedBytes: tileBytes(configuration),
            args: [
              swizzled("a", [m, k], [TILE_M, 64]),
              swizzled("b", [groups, k, n], [1, 64, 64]),
              "ends",
              "c",
              groups,
              n,
              k,
            ],
          },
        ];
      },
    },
    // The first of each fits into an A100, which an emulated device is by default.
    "3-ping-pong": persistent(
      { TILE_N: [128, 256], ROWS: [128, 64], OUT_N: [128, 64], STAGES: [3, 4, 5], GROUP: [8] },
      1,
    ),
    "4-together": persistent({ TILE_N: [128, 256], ROWS: [64, 128], OUT_N: [128, 64], STAGES: [3, 4], GROUP: [8] }),
  },
  rivals: { "PyTorch, grouped_mm": { python: "rivals.py", function: "grouped" } },
});
export default ladder;
