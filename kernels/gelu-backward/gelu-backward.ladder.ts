import { defineLadder, normal, uniform, type Configuration, type Ladder } from "heddle/ladder";

const length = ({ n }: { n: number }): number => n;
const BLOCK = [256, 128, 512];
const launch =
  (perThread: number) =>
  ({ n }: { n: number }, { BLOCK: block = 0 }: Configuration) => [
    { kernel: "gelu", grid: Math.max(1, Math.ceil(n / (perThread * block))), block, args: ["dinp", "inp", "dout", n] },
  ];
const ROOT = Math.sqrt(2 / Math.PI);

const ladder: Ladder = defineLadder({
  summary: "gradient of the activation GELU (tanh form) for n bfloat16",
  inputs: {
    inp: { dtype: "bfloat16", length, values: normal(0, 2), seed: 1 },
    dout: { dtype: "bfloat16", length, values: uniform(-1, 1), seed: 2 },
  },
  outputs: {
    dinp: {
      dtype: "bfloat16",
      length,
      tolerance: {
        absolute: 2 ** -18,
        relative: 2 ** -8 + 2 ** -16,
        reason:
          "rounded to bfloat16 once, half a unit of 2^-8; for x near -0.75 and far below zero the two terms cancel, " +
          "whose factors are off by up to 2^-20",
      },
    },
  },
  reference: ({ inp, dout }) => ({
    dinp: inp.map((x, i) => {
      const t = Math.tanh(ROOT * (x + 0.044715 * x * x * x));
      return (dout[i] as number) * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * ROOT * (1 + 3 * 0.044715 * x * x));
    }),
  }),
  work: ({ n }) => ({ bytes: 6 * n, operations: 13 * n }),
  shapes: {
    check: [{ n: 1 }, { n: 7 }, { n: 257 }, { n: 4096 }, { n: 9999 }],
    time: { emulated: [{ n: 1 << 20 }], cuda: [{ n: 8 * 1024 * 4 * 768 }, { n: 8 * 1024 * 768 }] },
  },
  versions: {
    "1-naive": { parameters: { BLOCK }, launch: launch(1) },
    "2-vectorized": { parameters: { BLOCK }, launch: launch(8) },
    "3-sigmoid": { parameters: { BLOCK }, launch: launch(8) },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "gelu" },
    "torch.compile": { python: "rivals.py", function: "gelu", compile: true },
  },
});
export default ladder;
