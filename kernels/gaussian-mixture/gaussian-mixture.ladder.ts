import {
  defineLadder,
  uniform,
  type Distribution,
  type Ladder,
  type LaunchStep,
  type OutputDeclaration,
  type VersionDeclaration,
} from "heddle/ladder";

/** Gaussians: what the kernels are written for. */
const COMPONENTS = 32;
/** What each cell's weights begin with, before points are counted. */
const PRIOR = 0.5;
/** Of the kernels' sums: see mixture.cuh. */
const COPIES_LENGTH = 32 * (COMPONENTS * 6 + 1);
interface Size extends Readonly<Record<string, number>> {
  readonly n: number;
  /** The square of side 1 has grid x grid cells. */
  readonly grid: number;
}
const divideUp = (a: number, b: number): number => Math.ceil(a / b);
const cells = ({ grid }: Size): number => grid * grid;

/** Where each cell's points begin, and the end: at random. Cells may be empty. */
const starts: Distribution = (random, { n = 0, grid = 1 }) => {
  const cuts = Array.from({ length: grid * grid - 1 }, () => Math.floor((n + 1) * random())).sort((a, b) => a - b);
  const all = [0, ...cuts, n];
  let next = 0;
  return () => all[next++] as number;
};
/** xx, xy and yy of each covariance. */
const spreads: Distribution = (random) => {
  let next = 0;
  return () => (next++ % 3 === 1 ? 0.008 * (2 * random() - 1) : 0.01 + 0.04 * random());
};

const sums = (length: (shape: Size) => number, absolute: number, what: string): OutputDeclaration<Size> => ({
  dtype: "float32",
  length,
  tolerance: {
    absolute,
    relative: 2 ** -12,
    reason:
      `${what}: shares of points are off by up to 2^-16 for the hardware's exponentials and numbers that are two of ` +
      "8 bits; a component may have few points in all",
  },
});
const small = (kernel: string, grid: number, block: number, args: LaunchStep["args"]): LaunchStep => ({
  kernel,
  grid,
  block,
  args,
});
/** Between `clear` and `fit`: what adds to the copies of the sums, and gives each cell its shares. */
const around = (shape: Size, steps: readonly LaunchStep[]): LaunchStep[] => [
  small("clear", divideUp(COPIES_LENGTH, 256), 256, ["copies"]),
  ...steps,
  small("fit", 1, COMPONENTS, ["copies", "means", "newMeans", "newSpreads", "likelihood", shape.n]),
  small("smooth", divideUp(cells(shape), 8), 256, ["shares", "newWeights", shape.grid, PRIOR]),
];
const onePass: VersionDeclaration<Size> = {
  parameters: { BLOCK: [128, 64, 256] },
  launch: (shape, { BLOCK = 1 }) =>
    around(shape, [
      small("step", cells(shape), BLOCK, [
        "points",
        "starts",
        "means",
        "spreads",
        "weights",
        "shares",
        "copies",
        shape.grid,
      ]),
    ]),
};

const ladder: Ladder = defineLadder({
  summary:
    "a step of expectation maximisation: 32 Gaussians for n points of the unit square (x, y side by side), sorted by " +
    "the grid x grid cells that they lie in, with weights of the Gaussians for each cell, smoothed over the cells " +
    "around it",
  inputs: {
    points: { dtype: "float32", length: ({ n }: Size) => 2 * n, values: uniform(0, 1), seed: 1 },
    starts: { dtype: "int32", length: (shape: Size) => cells(shape) + 1, values: starts, seed: 2 },
    means: { dtype: "float32", length: () => 2 * COMPONENTS, values: uniform(0, 1), seed: 3 },
    spreads: { dtype: "float32", length: () => 3 * COMPONENTS, values: spreads, seed: 4 },
    weights: {
      dtype: "float32",
      length: (shape: Size) => cells(shape) * COMPONENTS,
      values: uniform(0.01, 0.06),
      seed: 5,
    },
  },
  outputs: {
    newMeans: sums(() => 2 * COMPONENTS, 2 ** -13, "a mean of points of a square of side 1"),
    newSpreads: sums(() => 3 * COMPONENTS, 2 ** -13, "a covariance of points of a square of side 1"),
    newWeights: sums((shape) => cells(shape) * COMPONENTS, 2 ** -13, "a part of 1"),
    likelihood: sums(() => 1, 2 ** -10, "a sum of n logarithms"),
  },
  scratch: {
    copies: { dtype: "float32", length: () => COPIES_LENGTH },
    shares: { dtype: "float32", length: (shape: Size) => cells(shape) * COMPONENTS },
    shareOf: { dtype: "float32", length: ({ n }: Size) => n * COMPONENTS },
  },
  reference: ({ points, starts, means, spreads, weights }, { n, grid }: Size) => {
    const at = (x: Float64Array | undefined, index: number): number => (x as Float64Array)[index] as number;
    const shares = new Float64Array(grid * grid * COMPONENTS);
    const moments = new Float64Array(COMPONENTS * 6);
    const density = new Float64Array(COMPONENTS);
    let likelihood = 0;
    const inverses = Array.from({ length: COMPONENTS }, (_, k) => {
      const [xx, xy, yy] = [at(spreads, 3 * k), at(spreads, 3 * k + 1), at(spreads, 3 * k + 2)];
      const det = xx * yy - xy * xy;
      return [yy / det / 2, xy / det, xx / det / 2, 1 / (2 * Math.PI * Math.sqrt(det))] as const;
    });
    for (let cell = 0; cell < grid * grid; cell++)
      for (let i = at(starts, cell); i < at(starts, cell + 1); i++) {
        let total = 0;
        for (let k = 0; k < COMPONENTS; k++) {
          const [x, y] = [at(points, 2 * i) - at(means, 2 * k), at(points, 2 * i + 1) - at(means, 2 * k + 1)];
          const [xx, xy, yy, factor] = inverses[k] as readonly [number, number, number, number];
          const value = at(weights, cell * COMPONENTS + k) * factor * Math.exp(xy * x * y - xx * x * x - yy * y * y);
          density[k] = value;
          total += value;
        }
        likelihood += Math.log(total);
        for (let k = 0; k < COMPONENTS; k++) {
          const share = at(density, k) / total;
          const [x, y] = [at(points, 2 * i) - at(means, 2 * k), at(points, 2 * i + 1) - at(means, 2 * k + 1)];
          shares[cell * COMPONENTS + k] = at(shares, cell * COMPONENTS + k) + share;
          moments[6 * k] = at(moments, 6 * k) + share;
          moments[6 * k + 1] = at(moments, 6 * k + 1) + share * x;
          moments[6 * k + 2] = at(moments, 6 * k + 2) + share * y;
          moments[6 * k + 3] = at(moments, 6 * k + 3) + share * x * x;
          moments[6 * k + 4] = at(moments, 6 * k + 4) + share * x * y;
          moments[6 * k + 5] = at(moments, 6 * k + 5) + share * y * y;
        }
      }
    if (n === 0) throw new RangeError("there are no points");
    const ofMoment = (k: number, which: number): number => at(moments, 6 * k + which) / at(moments, 6 * k);
    const newMeans = Float64Array.from(
      { length: 2 * COMPONENTS },
      (_, i) => at(means, i) + ofMoment(i >> 1, 1 + (i & 1)),
    );
    const newSpreads = Float64Array.from({ length: 3 * COMPONENTS }, (_, i) => {
      const [k, which] = [Math.floor(i / 3), i % 3];
      const [x, y] = [ofMoment(k, 1), ofMoment(k, 2)];
      const product = [x * x, x * y, y * y][which] as number;
      return ofMoment(k, 3 + which) - product + (which === 1 ? 0 : 1e-6);
    });
    const smoothed = Float64Array.from({ length: shares.length }, (_, i) => {
      const [cell, k] = [Math.floor(i / COMPONENTS), i % COMPONENTS];
      const [left, top] = [cell % grid, Math.floor(cell / grid)];
      let sum = PRIOR;
      for (let y = Math.max(top - 1, 0); y <= Math.min(top + 1, grid - 1); y++)
        for (let x = Math.max(left - 1, 0); x <= Math.min(left + 1, grid - 1); x++)
          sum += at(shares, (y * grid + x) * COMPONENTS + k);
      return sum;
    });
    const newWeights = smoothed.map((value, i) => {
      const first = i - (i % COMPONENTS);
      return value / smoothed.subarray(first, first + COMPONENTS).reduce((a, b) => a + b);
    });
    return { newMeans, newSpreads, newWeights, likelihood: Float64Array.of(likelihood) };
  },
  // Five multiply-adds and a power for a density, six multiply-adds for the sums.
  work: (shape) => ({ bytes: 8 * shape.n + 8 * cells(shape) * COMPONENTS, operations: 24 * shape.n * COMPONENTS }),
  shapes: {
    check: [
      { n: 100, grid: 1 },
      { n: 1000, grid: 3 },
      { n: 5003, grid: 8 },
    ],
    time: { emulated: [{ n: 20000, grid: 8 }], cuda: [{ n: 1 << 20, grid: 32 }] },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [128, 256] },
      launch: (shape, { BLOCK = 1 }) =>
        around(shape, [
          small("shareOut", divideUp(shape.n, BLOCK), BLOCK, [
            "points",
            "starts",
            "means",
            "spreads",
            "weights",
            "shareOf",
            "copies",
            cells(shape),
          ]),
          small("sumUp", divideUp(cells(shape), BLOCK / 32), BLOCK, [
            "points",
            "starts",
            "means",
            "shareOf",
            "shares",
            "copies",
            shape.grid,
          ]),
        ]),
    },
    "2-fused": onePass,
    "3-tensor-cores": onePass,
  },
  rivals: { CuPy: { python: "rivals_cupy.py", function: "step" } },
});
export default ladder;
