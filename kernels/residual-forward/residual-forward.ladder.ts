import { defineLadder, uniform, type Configuration, type Ladder } from "heddle/ladder";

const length = ({ n }: { n: number }): number => n;
const BLOCK = [256, 128, 512];
const launch =
  (perThread: number) =>
  ({ n }: { n: number }, { BLOCK: block = 0 }: Configuration) => [
    { kernel: "residual", grid: Math.max(1, Math.ceil(n / (perThread * block))), block, args: ["a", "b", "out", n] },
  ];

const ladder: Ladder = defineLadder({
  summary: "residual connection: the sum of two arrays of n bfloat16",
  inputs: {
    a: { dtype: "bfloat16", length, values: uniform(-1, 1), seed: 1 },
    b: { dtype: "bfloat16", length, values: uniform(-1, 1), seed: 2 },
  },
  outputs: {
    out: {
      dtype: "bfloat16",
      length,
      tolerance: {
        absolute: 0,
        relative: 2 ** -8 + 2 ** -23,
        reason: "rounded to bfloat16 once, half a unit of 2^-8; the sum before is exact, or rounded to a float",
      },
    },
  },
  reference: ({ a, b }) => ({ out: a.map((value, i) => value + (b[i] as number)) }),
  work: ({ n }) => ({ bytes: 6 * n, operations: n }),
  shapes: {
    check: [{ n: 1 }, { n: 7 }, { n: 257 }, { n: 4096 }, { n: 9999 }],
    time: { emulated: [{ n: 1 << 20 }], cuda: [{ n: 8 * 1024 * 768 }, { n: 1 << 25 }] },
  },
  versions: {
    "1-naive": { parameters: { BLOCK }, launch: launch(1) },
    "2-vectorized": { parameters: { BLOCK }, launch: launch(8) },
    "3-pairs": { parameters: { BLOCK }, launch: launch(8) },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "residual" },
    "torch.compile": { python: "rivals.py", function: "residual", compile: true },
  },
});
export default ladder;
