import { defineLadder, normal, type Ladder } from "heddle/ladder";

const divideUp = (a: number, b: number): number => Math.max(1, Math.ceil(a / b));
const BLOCK = [256, 128, 512];
const launch =
  (perThread: number) =>
  ({ n }: { n: number }, { BLOCK: block = 0 }: Readonly<Record<string, number>>) => [
    { kernel: "gelu", grid: divideUp(n, perThread * block), block, args: ["x", "y", n] },
  ];

const ladder: Ladder = defineLadder({
  summary: "the activation GELU (tanh form) of n floats",
  inputs: { x: { dtype: "float32", length: ({ n }: { n: number }) => n, values: normal(0, 2), seed: 1 } },
  outputs: {
    y: {
      dtype: "float32",
      length: ({ n }: { n: number }) => n,
      tolerance: {
        absolute: 2 ** -21,
        relative: 2 ** -20,
        reason:
          "half a dozen operations and a tanh or exp of 2 units in the last place; 1 + tanh loses all but 2^-24 " +
          "where tanh is near -1, times v of up to 10",
      },
    },
  },
  reference: ({ x }) => ({
    y: x.map((v) => 0.5 * v * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (v + 0.044715 * v * v * v)))),
  }),
  work: ({ n }) => ({ bytes: 8 * n, operations: 9 * n }),
  shapes: {
    check: [{ n: 1 }, { n: 3 }, { n: 257 }, { n: 4096 }, { n: 9999 }],
    time: { emulated: [{ n: 1 << 20 }], cuda: [{ n: 1 << 26 }] },
  },
  versions: {
    "1-naive": { parameters: { BLOCK }, launch: launch(1) },
    "2-vectorized": { parameters: { BLOCK }, launch: launch(4) },
    "3-sigmoid": { parameters: { BLOCK }, launch: launch(4) },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "gelu" },
    "torch.compile": { python: "rivals.py", function: "gelu", compile: true },
    Triton: { python: "rivals_triton.py", function: "gelu" },
  },
});
export default ladder;
