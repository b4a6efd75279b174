import {
  defineLadder,
  normal,
  type Distribution,
  type Ladder,
  type LaunchArgument,
  type LaunchStep,
  type VersionDeclaration,
} from "heddle/ladder";
import { divideUp, HOPPER_BYTES, persistentBytes, swizzled, WHOLE } from "../common/hopper.ts";

interface Size extends Readonly<Record<string, number>> {
  /** Rows of x, for example tokens. */
  readonly m: number;
  /** Features of the result. */
  readonly n: number;
  /** Features of x. */
  readonly k: number;
  /** 1: GELU (tanh form) comes after the bias. */
  readonly gelu: number;
  /** 1: the addend is added at the end. */
  readonly residual: number;
}
/** Products of x and w are about sqrt(k). */
const inverseRoot: Distribution =
  (_random, { k = 1 }) =>
  () =>
    k ** -0.5;
const geluOf = (v: number): number => 0.5 * v * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (v + 0.044715 * v * v * v)));
const kernelOf = (name: string, { gelu, residual }: Size): string => `${name}<${gelu === 1}, ${residual === 1}>`;

/** One warp copies, two warpgroups take turns with the tensor cores. The first of each fits into an A100. */
const persistent = (
  steps: (shape: Size, product: Omit<LaunchStep, "kernel" | "args">, maps: readonly LaunchArgument[]) => LaunchStep[],
  result: string,
): VersionDeclaration<Size> => {
  return {
    parameters: {
      TILE_N: [128, 256],
      ROWS: [128, 64],
      OUT_N: [128],
      STAGES: [3, 4, 5],
      GROUP: [8],
      BLOCKS: [132],
    },
    // Registers have room for 128 sums of a thread.
    allow: (configuration) => {
      const { TILE_N = 0, ROWS = 0 } = configuration;
      return persistentBytes(configuration, 1) <= HOPPER_BYTES && ROWS * TILE_N <= 128 * 128;
    },
    launch: (shape, configuration) => {
      const { m, n, k } = shape;
      const { TILE_N = 1, ROWS = 1, BLOCKS = 1 } = configuration;
      return steps(
        shape,
        {
          grid: Math.min(BLOCKS, divideUp(m, ROWS) * divideUp(n, TILE_N)),
          block: 3 * 128,
          sharedBytes: persistentBytes(configuration, 1),
        },
        [swizzled("x", [m, k], [ROWS, 64]), swizzled("w", [n, k], [TILE_N, 64]), swizzled(result, [m, n], [64, 64])],
      );
    },
  };
};

const ladder: Ladder = defineLadder({
  summary:
    "linear layer y = act(scale x w' + bias) + addend, bfloat16: x is m x k, w is n x k; gelu=1: act is GELU (tanh " +
    "form), else nothing; residual=1: an addend of m x n; n and k are multiples of 8",
  inputs: {
    x: { dtype: "bfloat16", length: ({ m, k }: Size) => m * k, values: normal(0, 1), seed: 1 },
    w: { dtype: "bfloat16", length: ({ n, k }: Size) => n * k, values: normal(0, 1), seed: 2 },
    bias: { dtype: "bfloat16", length: ({ n }: Size) => n, values: normal(0, 1), seed: 3 },
    addend: {
      dtype: "bfloat16",
      length: ({ m, n, residual }: Size) => (residual === 0 ? n : m * n),
      values: normal(0, 1),
      seed: 4,
    },
    scale: { dtype: "float32", length: () => 1, values: inverseRoot, seed: 5 },
  },
  outputs: {
    y: {
      dtype: "bfloat16",
      length: ({ m, n }: Size) => m * n,
      tolerance: {
        absolute: 2 ** -5,
        relative: 2 ** -8,
        reason:
          "the result is rounded to 8 bits; where separate kernels round the product, its sum with the bias and the " +
          "activation, of up to 8, each is off by up to 2^-6",
      },
    },
  },
  scratch: { product: { dtype: "bfloat16", length: ({ m, n }: Size) => m * n } },
  reference: ({ x, w, bias, addend, scale }, { m, n, k, gelu, residual }: Size) => {
    const element = (index: number): number => {
      const [row, column] = [Math.floor(index / n), index % n];
      let sum = 0;
      for (let i = 0; i < k; i++) sum += (x[row * k + i] as number) * (w[column * k + i] as number);
      const v = sum * (scale[0] as number) + (bias[column] as number);
      return (gelu === 1 ? geluOf(v) : v) + (residual === 1 ? (addend[index] as number) : 0);
    };
    return { y: m * n * k <= WHOLE ? Float64Array.from({ length: m * n }, (_, index) => element(index)) : element };
  },
  work: ({ m, n, k, residual }) => ({
    bytes: 2 * (m * k + n * k + n + (1 + residual) * m * n),
    operations: 2 * m * n * k,
    unit: "bf16",
  }),
  shapes: {
    check: [
      { m: 3, n: 8, k: 8, gelu: 1, residual: 0 },
      { m: 70, n: 72, k: 24, gelu: 0, residual: 1 },
      { m: 200, n: 136, k: 136, gelu: 1, residual: 1 },
      { m: 130, n: 264, k: 72, gelu: 0, residual: 0 },
    ],
    time: {
      emulated: [{ m: 256, n: 128, k: 128, gelu: 1, residual: 0 }],
      // Both layers of the MLP of GPT-2 (768) and of a model with 4096 features.
      cuda: [
        { m: 8192, n: 3072, k: 768, gelu: 1, residual: 0 },
        { m: 8192, n: 768, k: 3072, gelu: 0, residual: 1 },
        { m: 4096, n: 16384, k: 4096, gelu: 1, residual: 0 },
        { m: 4096, n: 4096, k: 16384, gelu: 0, residual: 1 },
      ],
    },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [32, 64] },
      launch: (shape, { BLOCK = 0 }) => [
        {
          kernel: kernelOf("linear", shape),
          grid: [divideUp(shape.n, BLOCK), divideUp(shape.m, 8)],
          block: [BLOCK, 8],
          args: ["x", "w", "bias", "addend", "scale", "y", shape.m, shape.n, shape.k],
        },
      ],
    },
    "2-separate": persistent((shape, product, maps) => {
      const { m, n, k } = shape;
      return [
        { kernel: "product", ...product, args: [...maps, m, n, k] },
        {
          kernel: kernelOf("finish", shape),
          grid: divideUp(m * n, 8 * 256),
          block: 256,
          args: ["product", "bias", "addend", "scale", "y", m * n, n],
        },
      ];
    }, "product"),
    "3-fused": persistent((shape, product, maps) => {
      const { m, n, k } = shape;
      return [
        {
          kernel: kernelOf("linear", shape),
          ...product,
          args: [...maps, "bias", "addend", "scale", m, n, k],
        },
      ];
    }, "y"),
    "4-ahead": persistent((shape, product, maps) => {
      const { m, n, k, residual } = shape;
      const addend = residual === 1 ? swizzled("addend", [m, n], [64, 64]) : swizzled("y", [m, n], [64, 64]);
      return [{ kernel: kernelOf("linear", shape), ...product, args: [...maps, addend, "bias", "scale", m, n, k] }];
    }, "y"),
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "linear" },
    "torch.compile": { python: "rivals.py", function: "linear", compile: true },
    "cuBLASLt's epilogues": { python: "rivals.py", function: "epilogue" },
  },
});
export default ladder;
