import {
  defineLadder,
  uniform,
  type Configuration,
  type Ladder,
  type LaunchStep,
  type VersionDeclaration,
} from "heddle/ladder";
import { divideUp, HOPPER_BYTES, persistentBytes, swizzled, tileBytes, WHOLE } from "../common/hopper.ts";

interface Size extends Readonly<Record<string, number>> {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}
/** The number that a byte of e4m3 stands for; 0x7f and 0xff, which are NaN, do not come. */
const decoded = (byte: number): number => {
  const [exponent, fraction] = [(byte >> 3) & 15, byte & 7];
  const size = exponent === 0 ? fraction * 2 ** -9 : (8 + fraction) * 2 ** (exponent - 10);
  return byte & 0x80 ? -size : size;
};
const DECODED = Float64Array.from({ length: 256 }, (_, byte) => decoded(byte));
/** Numbers up to 1 of either sign, as bytes. */
const ONE = 0x38;
const bytes = (random: () => number) => (): number => Math.floor((ONE + 1) * random()) | (random() < 0.5 ? 0x80 : 0);

/** Of versions 3 and 4, whose results are OUT_N = 128 columns wide. */
const sharedBytes = (configuration: Configuration, groups: number): number =>
  persistentBytes({ ...configuration, OUT_N: 128 }, groups);
/** Two warpgroups that multiply, with ROWS rows each, of one tile or of a tile for each. */
const persistent = (
  parameters: Readonly<Record<string, readonly number[]>>,
  groups: number,
): VersionDeclaration<Size> => ({
  parameters: { ...parameters, GROUP: [8], BLOCKS: [132] },
  // Registers have room for 192 sums of a thread.
  allow: (configuration) => {
    const { TILE_N = 0, ROWS = 0 } = configuration;
    return sharedBytes(configuration, groups) <= HOPPER_BYTES && ROWS * TILE_N <= 128 * 128;
  },
  launch: ({ m, n, k }, configuration) => {
    const { TILE_N = 1, ROWS = 1, BLOCKS = 1 } = configuration;
    const step: LaunchStep = {
      kernel: "matmul",
      grid: Math.min(BLOCKS, divideUp(m, groups * ROWS) * divideUp(n, TILE_N)),
      block: 3 * 128,
      sharedBytes: sharedBytes(configuration, groups),
      args: [
        swizzled("a", [m, k], [groups * ROWS, 128]),
        swizzled("b", [n, k], [TILE_N, 128]),
        swizzled("c", [m, n], [64, 64]),
        "scale",
        m,
        n,
        k,
      ],
    };
    return [step];
  },
});

const ladder: Ladder = defineLadder({
  summary:
    "matrix product C = scale A B': A is m x k and B is n x k, e4m3 by rows; C is bfloat16; k is a multiple of 16, n " +
    "of 8",
  inputs: {
    a: { dtype: "uint8", length: ({ m, k }: Size) => m * k, values: bytes, seed: 1 },
    b: { dtype: "uint8", length: ({ n, k }: Size) => n * k, values: bytes, seed: 2 },
    scale: { dtype: "float32", length: () => 1, values: uniform(0.5, 2), seed: 3 },
  },
  outputs: {
    c: {
      dtype: "bfloat16",
      length: ({ m, n }: Size) => m * n,
      tolerance: {
        absolute: ({ k }) => 2 * Math.sqrt(33) * divideUp(k, 32) * 2 ** -13 * Math.max(1, Math.sqrt(k) / 8),
        relative: 2 ** -8,
        reason:
          "the result is rounded to 8 bits; tensor cores cut each of 32 products and the partial sum off at 2^-13 of " +
          "the largest of them, which is about sqrt(k) / 8: 33 cuts with signs by chance; the scale is up to 2",
      },
    },
  },
  reference: ({ a, b, scale }, { m, n, k }: Size) => {
    const element = (index: number): number => {
      const [row, column] = [Math.floor(index / n), index % n];
      let sum = 0;
      for (let i = 0; i < k; i++)
        sum += (DECODED[a[row * k + i] as number] as number) * (DECODED[b[column * k + i] as number] as number);
      return sum * (scale[0] as number);
    };
    return { c: m * n * k <= WHOLE ? Float64Array.from({ length: m * n }, (_, index) => element(index)) : element };
  },
  work: ({ m, n, k }) => ({ bytes: m * k + n * k + 2 * m * n, operations: 2 * m * n * k, unit: "fp8" }),
  shapes: {
    check: [
      { m: 1, n: 8, k: 16 },
      { m: 7, n: 40, k: 48 },
      { m: 130, n: 136, k: 272 },
    ],
    time: { emulated: [{ m: 128, n: 128, k: 256 }], cuda: [{ m: 8192, n: 8192, k: 8192 }] },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [32, 64] },
      launch: ({ m, n, k }, { BLOCK = 0 }) => [
        {
          kernel: "matmul",
          grid: [divideUp(n, BLOCK), divideUp(m, 8)],
          block: [BLOCK, 8],
          args: ["a", "b", "scale", "c", m, n, k],
        },
      ],
    },
    "2-wgmma": {
      parameters: { TILE_M: [128], TILE_N: [128, 256], STAGES: [4, 3] },
      allow: (configuration) => tileBytes(configuration) <= HOPPER_BYTES,
      launch: ({ m, n, k }, configuration) => {
        const { TILE_M = 1, TILE_N = 1 } = configuration;
        return [
          {
            kernel: "matmul",
            grid: [divideUp(n, TILE_N), divideUp(m, TILE_M)],
            block: 2 * TILE_M,
            sharedBytes: tileBytes(configuration),
            args: [swizzled("a", [m, k], [TILE_M, 128]), swizzled("b", [n, k], [TILE_N, 128]), "scale", "c", m, n, k],
          },
        ];
      },
    },
    // The first of each fits into an A100, which an emulated device is by default.
    "3-persistent": persistent({ TILE_N: [128, 256], ROWS: [64, 128], STAGES: [3, 4] }, 2),
    "4-ping-pong": persistent({ TILE_N: [128, 256], ROWS: [64, 128], STAGES: [4, 6] }, 1),
  },
  rivals: { "PyTorch, cuBLASLt": { python: "rivals.py", function: "cublaslt" } },
});
export default ladder;
