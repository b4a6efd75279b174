import { defineLadder, uniform, type Ladder } from "heddle/ladder";

const divideUp = (a: number, b: number): number => Math.max(1, Math.ceil(a / b));
const input = (seed: number) =>
  ({ dtype: "float32", length: ({ n }: { n: number }) => n, values: uniform(-1, 1), seed }) as const;
const BLOCK = [256, 128, 512];

const ladder: Ladder = defineLadder({
  summary: "adds two arrays: c = a + b",
  inputs: { a: input(1), b: input(2) },
  outputs: {
    c: {
      dtype: "float32",
      length: ({ n }) => n,
      tolerance: { absolute: 0, relative: 2 ** -24, reason: "one sum, rounded once: half a unit in the last place" },
    },
  },
  reference: ({ a, b }) => ({ c: a.map((value, i) => value + (b[i] as number)) }),
  work: ({ n }) => ({ bytes: 12 * n, operations: n }),
  shapes: {
    check: [{ n: 1 }, { n: 3 }, { n: 257 }, { n: 4096 }, { n: 9999 }],
    time: { emulated: [{ n: 1 << 20 }], cuda: [{ n: 1 << 26 }] },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK },
      launch: ({ n }, { BLOCK: block = 0 }) => [
        { kernel: "add", grid: divideUp(n, block), block, args: ["a", "b", "c", n] },
      ],
    },
    "2-vectorized": {
      parameters: { BLOCK },
      launch: ({ n }, { BLOCK: block = 0 }) => [
        { kernel: "add", grid: divideUp(n, 4 * block), block, args: ["a", "b", "c", n] },
      ],
    },
    "3-unrolled": {
      parameters: { BLOCK, UNROLL: [2, 4] },
      launch: ({ n }, { BLOCK: block = 0, UNROLL = 0 }) => [
        { kernel: "add", grid: divideUp(n, 4 * UNROLL * block), block, args: ["a", "b", "c", n] },
      ],
    },
  },
  rivals: {
    C: { source: "native.c", function: "add", args: ({ n }) => ["a", "b", "c", n] },
    PyTorch: { python: "rivals.py", function: "add" },
    "torch.compile": { python: "rivals.py", function: "add", compile: true },
    Triton: { python: "rivals_triton.py", function: "add" },
  },
});
export default ladder;
