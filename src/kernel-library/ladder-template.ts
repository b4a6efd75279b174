/** The files of a new ladder: small, complete, and right, so that it can be changed step by step. */

/** Texts by file name. */
export function ladderTemplate(name: string): Readonly<Record<string, string>> {
  // A name of its own: "long" and "double" are words of C++.
  const kernel = `${name.replaceAll("-", "_")}_kernel`;
  return {
    "1-naive.cu": `// A thread an element: the plainest version, to be compared with.
__global__ void ${kernel}(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
`,
    "2-coarsened.cu": `// PER_THREAD elements a thread, a grid apart so that neighbours still read neighbours:
// fewer threads to start, more loads in flight from each.
__global__ void ${kernel}(const float* x, float* y, float a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i];
}
`,
    [`${name}.ladder.ts`]: `import { defineLadder, uniform, type Ladder } from "heddle/ladder";

const A = 2.5;
const divideUp = (a: number, b: number): number => Math.ceil(a / b);

const ladder: Ladder = defineLadder({
  summary: "y = a x",
  inputs: { x: { dtype: "float32", length: ({ n }) => n, values: uniform(-1, 1), seed: 1 } },
  outputs: {
    y: {
      dtype: "float32",
      length: ({ n }) => n,
      // One product, rounded once.
      tolerance: { absolute: 0, relative: 2 ** -24, reason: "half a unit in the last place" },
    },
  },
  reference: ({ x }) => ({ y: x.map((value) => A * value) }),
  work: ({ n }) => ({ bytes: 8 * n, operations: n }),
  shapes: {
    check: [{ n: 1 }, { n: 31 }, { n: 1000 }, { n: 4099 }],
    time: { emulated: [{ n: 1 << 20 }], cuda: [{ n: 1 << 26 }] },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [256, 128, 512] },
      launch: ({ n }, { BLOCK = 0 }) => [
        { kernel: "${kernel}", grid: divideUp(n, BLOCK), block: BLOCK, args: ["x", "y", A, n] },
      ],
    },
    "2-coarsened": {
      parameters: { BLOCK: [256, 128, 512], PER_THREAD: [4, 2, 8] },
      launch: ({ n }, { BLOCK = 0, PER_THREAD = 0 }) => [
        { kernel: "${kernel}", grid: divideUp(n, BLOCK * PER_THREAD), block: BLOCK, args: ["x", "y", A, n] },
      ],
    },
  },
});
export default ladder;
`,
  };
}
