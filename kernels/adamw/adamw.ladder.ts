import { defineLadder, normal, uniform, type Ladder } from "heddle/ladder";

const divideUp = (a: number, b: number): number => Math.max(1, Math.ceil(a / b));
const length = ({ n }: { n: number }): number => n;
// As floats: 1 - 0.999f is not 0.001 to a float's accuracy.
const [RATE, BETA1, BETA2, EPSILON, DECAY] = [1e-3, 0.9, 0.999, 1e-8, 0.1].map(Math.fround) as [
  number,
  number,
  number,
  number,
  number,
];
const STEP = 10;
const [CORRECTION1, CORRECTION2] = [1 - BETA1 ** STEP, 1 - BETA2 ** STEP];
const BLOCK = [256, 128, 512];
const folded =
  (perThread: number) =>
  ({ n }: { n: number }, { BLOCK: block = 0 }: Readonly<Record<string, number>>) => [
    {
      kernel: "adamw",
      grid: divideUp(n, perThread * block),
      block,
      args: [
        "params",
        "grads",
        "m",
        "v",
        n,
        RATE / CORRECTION1,
        BETA1,
        BETA2,
        1 / Math.sqrt(CORRECTION2),
        EPSILON,
        1 - RATE * DECAY,
      ],
    },
  ];

const ladder: Ladder = defineLadder({
  summary: "one step of the optimizer AdamW for n parameters; changes the parameters and both moments in place",
  inputs: {
    params: { dtype: "float32", length, values: uniform(-1, 1), seed: 1 },
    grads: { dtype: "float32", length, values: normal(0, 1), seed: 2 },
    m: { dtype: "float32", length, values: uniform(-1, 1), seed: 3 },
    v: { dtype: "float32", length, values: uniform(0.01, 1), seed: 4 },
  },
  outputs: {
    params: {
      dtype: "float32",
      length,
      inPlace: true,
      tolerance: {
        absolute: 2 ** -28,
        relative: 2 ** -22,
        reason:
          "1 - rate * decay, its product and a difference are rounded; what is subtracted, 2^-10 times a quotient of " +
          "moments of up to 2, is good to a dozen roundings of half a unit",
      },
    },
    m: {
      dtype: "float32",
      length,
      inPlace: true,
      tolerance: {
        absolute: 2 ** -22,
        relative: 2 ** -22,
        reason: "two products of up to 4 and a sum, each rounded once; they may cancel",
      },
    },
    v: {
      dtype: "float32",
      length,
      inPlace: true,
      tolerance: {
        absolute: 0,
        relative: 2 ** -21,
        reason: "1 - beta2, three products and a sum of positive terms, each rounded once",
      },
    },
  },
  reference: ({ params, grads, m, v }) => {
    const after = {
      params: new Float64Array(params.length),
      m: new Float64Array(params.length),
      v: new Float64Array(params.length),
    };
    for (let i = 0; i < params.length; i++) {
      const [param, gradient] = [params[i] as number, grads[i] as number];
      const mean = BETA1 * (m[i] as number) + (1 - BETA1) * gradient;
      const square = BETA2 * (v[i] as number) + (1 - BETA2) * gradient * gradient;
      [after.m[i], after.v[i]] = [mean, square];
      after.params[i] =
        param - RATE * (mean / CORRECTION1 / (Math.sqrt(square / CORRECTION2) + EPSILON) + DECAY * param);
    }
    return after;
  },
  work: ({ n }) => ({ bytes: 28 * n, operations: 14 * n }),
  shapes: {
    check: [{ n: 1 }, { n: 3 }, { n: 257 }, { n: 4096 }, { n: 9999 }],
    time: { emulated: [{ n: 1 << 18 }], cuda: [{ n: 1 << 20 }, { n: 1 << 24 }] },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK },
      launch: ({ n }, { BLOCK: block = 0 }) => [
        {
          kernel: "adamw",
          grid: divideUp(n, block),
          block,
          args: ["params", "grads", "m", "v", n, RATE, BETA1, BETA2, CORRECTION1, CORRECTION2, EPSILON, DECAY],
        },
      ],
    },
    "2-folded": { parameters: { BLOCK }, launch: folded(1) },
    "3-vectorized": { parameters: { BLOCK }, launch: folded(4) },
    "4-streaming": { parameters: { BLOCK }, launch: folded(4) },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "fused" },
    "torch.compile": { python: "rivals.py", function: "adamw", compile: true },
  },
});
export default ladder;
