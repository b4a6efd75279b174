// Finds groups of points, where a group may be common in one place and rare in another: a mixture of 32 Gaussians whose
// weights belong to the cells of a grid. node examples/clustering.ts picture.svg (from Node.js 22.18 on).
import { writeFileSync } from "node:fs";
import { compile, openDevice, openKernels, type DeviceArray, type Gpu } from "heddle";

const COMPONENTS = 32;

// Counts the points of each cell, and puts each where its cell begins: between the two stands a scan of the counts.
const SORT = `
__device__ int cellOf(float2 point, int grid) {
  int x = min(max((int)(point.x * grid), 0), grid - 1), y = min(max((int)(point.y * grid), 0), grid - 1);
  return y * grid + x;
}
__global__ void count(const float2 *points, int *counts, int grid, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(&counts[cellOf(points[i], grid) + 1], 1);
}
__global__ void place(const float2 *points, int *next, float2 *sorted, int grid, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) sorted[atomicAdd(&next[cellOf(points[i], grid)], 1)] = points[i];
}`;

export interface Mixture {
  /** x and y of each Gaussian's middle. */
  readonly means: Float32Array;
  /** xx, xy and yy of each Gaussian's covariance. */
  readonly spreads: Float32Array;
  /** Of each cell, a weight for each Gaussian. */
  readonly weights: Float32Array;
  /** The log likelihood of the points before each step. */
  readonly likelihoods: readonly number[];
}

/** Numbers from 0 to 1, the same in every run. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Points of a dozen long groups in the unit square, and some anywhere. */
export function somePoints(n: number, random: () => number): Float32Array {
  const groups = Array.from({ length: 12 }, () => [random(), random(), 3 * random(), random()] as const);
  const points = new Float32Array(2 * n);
  for (let i = 0; i < n; i++) {
    const [x, y, angle, size] = groups[Math.floor(random() ** 2 * groups.length)] ?? [0, 0, 0, 0];
    const [radius, turn] = [Math.sqrt(-2 * Math.log(1 - random())), 2 * Math.PI * random()];
    const [along, across] = [(0.03 + 0.07 * size) * radius * Math.cos(turn), 0.02 * radius * Math.sin(turn)];
    const isNoise = random() < 0.1;
    points[2 * i] = isNoise ? random() : x + along * Math.cos(angle) - across * Math.sin(angle);
    points[2 * i + 1] = isNoise ? random() : y + along * Math.sin(angle) + across * Math.cos(angle);
  }
  return points;
}

/** Gaussians at some of the points. */
export function firstMixture(points: Float32Array, grid: number): Mixture {
  const stride = Math.floor(points.length / 2 / COMPONENTS);
  return {
    means: Float32Array.from({ length: 2 * COMPONENTS }, (_, i) => points[2 * stride * (i >> 1) + (i & 1)] ?? 0),
    spreads: Float32Array.from({ length: 3 * COMPONENTS }, (_, i) => (i % 3 === 1 ? 0 : 0.004)),
    weights: new Float32Array(grid * grid * COMPONENTS).fill(1 / COMPONENTS),
    likelihoods: [],
  };
}

/** So many steps of expectation maximisation. */
export async function cluster(device: Gpu, points: Float32Array, grid: number, steps: number): Promise<Mixture> {
  const n = points.length / 2;
  const kernels = openKernels(device);
  const program = await compile(SORT, { device });
  const [count, place] = [await program.kernel("count"), await program.kernel("place")];
  const [unsorted, sorted] = [device.array(points), device.array(2 * n, "float32")];
  const counts = device.array(new Int32Array(grid * grid + 1));
  const launch = { grid: Math.ceil(n / 256), block: 256 };
  await count.launch(launch, unsorted, counts, grid, n);
  const starts = await kernels.scan(counts);
  const next = device.array((await starts.read()) as Int32Array);
  await place.launch(launch, unsorted, next, sorted, grid, n);

  const first = firstMixture(points, grid);
  let [means, spreads, weights]: [DeviceArray<"float32">, DeviceArray<"float32">, DeviceArray<"float32">] = [
    device.array(first.means),
    device.array(first.spreads),
    device.array(first.weights),
  ];
  const likelihoods: number[] = [];
  for (let step = 0; step < steps; step++) {
    const fitted = await kernels.gaussianMixture(sorted, starts, means, spreads, weights, { n, grid });
    likelihoods.push((await fitted.likelihood.read())[0] ?? NaN);
    for (const old of [means, spreads, weights, fitted.likelihood]) old.free();
    [means, spreads, weights] = [fitted.newMeans, fitted.newSpreads, fitted.newWeights];
  }
  return { means: await means.read(), spreads: await spreads.read(), weights: await weights.read(), likelihoods };
}

/** An ellipse of two standard deviations for each Gaussian, as strong as it is common. */
function ellipsesOf({ means, spreads, weights }: Mixture, size: number): string {
  const at = (x: Float32Array, i: number): number => x[i] ?? 0;
  const shares = Array.from({ length: COMPONENTS }, (_, k) => {
    let sum = 0;
    for (let i = k; i < weights.length; i += COMPONENTS) sum += at(weights, i);
    return (sum * COMPONENTS * COMPONENTS) / weights.length;
  });
  return shares
    .map((share, k) => {
      const [xx, xy, yy] = [at(spreads, 3 * k), at(spreads, 3 * k + 1), at(spreads, 3 * k + 2)];
      const [middle, half] = [(xx + yy) / 2, Math.hypot((xx - yy) / 2, xy)];
      const [long, short] = [Math.sqrt(middle + half), Math.sqrt(Math.max(0, middle - half))];
      const angle = (Math.atan2(2 * xy, xx - yy) * 90) / Math.PI;
      const place = `translate(${at(means, 2 * k) * size} ${at(means, 2 * k + 1) * size}) rotate(${angle})`;
      return (
        `<ellipse transform="${place}" rx="${2 * long * size}" ry="${2 * short * size}" fill="none" ` +
        `stroke="hsl(${(k * 137) % 360} 80% 40%)" stroke-width="2" opacity="${Math.min(1, 0.25 + share / 2)}"/>`
      );
    })
    .join("\n");
}

/** The points, and two mixtures side by side. */
export function picture(points: Float32Array, mixtures: readonly Mixture[], titles: readonly string[]): string {
  const size = 420;
  const dots = Array.from({ length: Math.min(4000, points.length / 2) }, (_, i) => {
    const [x, y] = [(points[2 * i] ?? 0) * size, (points[2 * i + 1] ?? 0) * size];
    return `M${x.toFixed(1)} ${y.toFixed(1)}h1`;
  }).join("");
  const panels = mixtures.map(
    (mixture, i) =>
      `<svg x="${10 + i * (size + 20)}" y="36" width="${size}" height="${size}">
<rect width="${size}" height="${size}" fill="#fff" stroke="#999"/><path d="${dots}" stroke="#444b"/>
${ellipsesOf(mixture, size)}
</svg>
<text x="${10 + i * (size + 20)}" y="24" font-family="sans-serif" font-size="15" fill="#555">${titles[i] ?? ""}</text>`,
  );
  const width = mixtures.length * (size + 20);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${size + 46}">\n${panels.join("\n")}\n</svg>\n`;
}

async function main(file: string): Promise<void> {
  const [n, grid, steps] = [60000, 12, 40];
  const points = somePoints(n, randomNumbers(7));
  const device = await openDevice({ device: "auto" });
  const found = await cluster(device, points, grid, steps);
  device.close();
  const [before = 0, after = 0] = [found.likelihoods[0], found.likelihoods.at(-1)];
  console.log(`log likelihood of a point: ${(before / n).toFixed(3)}, after ${steps} steps ${(after / n).toFixed(3)}`);
  writeFileSync(file, picture(points, [firstMixture(points, grid), found], ["first", `after ${steps} steps`]));
}

const [, started, file] = process.argv;
if (file !== undefined && started?.endsWith("clustering.ts")) await main(file);
