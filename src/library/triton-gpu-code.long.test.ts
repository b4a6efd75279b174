/**
 * The kernels of bench/triton/gpu as a GPU gets them (asynchronous copies, tensor cores, operands a step ahead), run by
 * the emulated device beside the code for the emulated device itself.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDevice, type Gpu as OpenGpu } from "../index.ts";
import { float, loadTriton, tensorDescriptor, type TritonProgram } from "../triton.ts";
import { DeviceArray } from "./device-array.ts";
import { Gpu } from "./gpu.ts";
import type { TritonArgument } from "./triton-arguments.ts";

const filename = "bench/triton/gpu/kernels.py";
let device: OpenGpu;
let programs: readonly TritonProgram[];
beforeAll(async () => {
  device = await openDevice({ device: "emulated", gpu: "h200", workers: 1 });
  const source = readFileSync(filename, "utf8");
  const asGpu = new Gpu(device.raw, () => {}, null, true);
  programs = await Promise.all([device, asGpu].map((of) => loadTriton(source, { filename, device: of })));
});
afterAll(() => device.close());

function random(length: number, dtype: "float16" | "float32", seed: number): DeviceArray {
  let state = seed;
  const next = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 31 - 1;
  return device.array(Array.from({ length }, next), dtype);
}

/** What both sides leave in an array. */
async function both(
  kernel: string,
  options: { readonly grid: readonly number[]; readonly numWarps: number; readonly numStages?: number },
  make: () => { readonly args: readonly TritonArgument[]; readonly output: DeviceArray },
  constants: Readonly<Record<string, number>>,
): Promise<[number[], number[]]> {
  const results: number[][] = [];
  for (const program of programs) {
    const { args, output } = make();
    await program.kernel(kernel).launch(options, ...args, constants);
    results.push(Array.from((await output.read()) as Float32Array));
  }
  return results as [number[], number[]];
}

const worst = ([a, b]: readonly [number[], number[]]): number =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] as number)) || (Number.isNaN(value) ? 1 : 0)), 0);

it.each([
  [64, 64, 96, 32, 32, 32, 4, 4],
  [64, 128, 64, 64, 64, 32, 3, 8],
  [32, 32, 64, 32, 32, 32, 2, 1],
  [80, 48, 96, 32, 32, 32, 3, 4],
  [32, 32, 64, 32, 32, 16, 3, 2],
])("matmul %i × %i × %i in %i × %i × %i, %i stages, %i warps", async (m, n, k, M, N, K, numStages, numWarps) => {
  const grid = [Math.ceil(m / M) * Math.ceil(n / N)];
  const make = (): { args: TritonArgument[]; output: DeviceArray } => {
    const output = random(m * n, "float16", 3);
    return {
      output,
      args: [random(m * k, "float16", 1), random(k * n, "float16", 2), output, m, n, k, k, 1, n, 1, n, 1],
    };
  };
  const constants = { BLOCK_M: M, BLOCK_N: N, BLOCK_K: K, GROUP: 8 };
  // One rounding of the sums to 16 bits.
  expect(worst(await both("matmul", { grid, numWarps, numStages }, make, constants))).toBeLessThan(0.02);
});

it.each([
  [64, 32, 32, 16, 1, 3, 2],
  [64, 32, 32, 32, 3, 3, 2],
  [64, 64, 64, 32, 3, 2, 4],
])(
  "attention: %i keys of %i in %i × %i, STAGE=%i, %i stages, %i warps",
  async (length, dim, m, n, STAGE, numStages, numWarps) => {
    const make = (): { args: TritonArgument[]; output: DeviceArray } => {
      const shape = [2 * length, dim];
      const output = random(2 * length * dim, "float16", 4);
      const tile = (array: DeviceArray, rows: number): TritonArgument =>
        tensorDescriptor(array, { shape, blockShape: [rows, dim] });
      const [q, k, v] = [1, 2, 3].map((seed) => random(2 * length * dim, "float16", seed)) as [
        DeviceArray,
        DeviceArray,
        DeviceArray,
      ];
      const sums = random(2 * length, "float32", 5);
      return {
        output,
        args: [float(dim ** -0.5), sums, 1, 2, tile(q, m), tile(k, n), tile(v, n), tile(output, m), length],
      };
    };
    const constants = { HEAD_DIM: dim, BLOCK_M: m, BLOCK_N: n, STAGE };
    const options = { grid: [length / m, 2], numWarps, numStages };
    expect(worst(await both("attention", options, make, constants))).toBeLessThan(0.002);
  },
);

it.each([
  [12, 781],
  [9, 1024],
])("softmax %i × %i, with tl.range(num_stages=4)", async (rows, columns) => {
  const make = (): { args: TritonArgument[]; output: DeviceArray } => {
    const output = random(rows * columns, "float32", 2);
    return { output, args: [output, random(rows * columns, "float32", 1), columns, columns, rows, columns] };
  };
  const constants = { BLOCK: 2 ** Math.ceil(Math.log2(columns)), num_stages: 4 };
  expect(worst(await both("softmax", { grid: [4], numWarps: 8 }, make, constants))).toBeLessThan(1e-8);
});

it.each([1000])("layer norm of %i", async (columns) => {
  const make = (): { args: TritonArgument[]; output: DeviceArray } => {
    const output = random(4 * columns, "float16", 2);
    const row = (seed: number): DeviceArray => random(columns, "float16", seed);
    const sums = [5, 6].map((seed) => random(4, "float32", seed)) as [DeviceArray, DeviceArray];
    return {
      output,
      args: [random(4 * columns, "float16", 1), output, row(3), row(4), ...sums, columns, columns, float(1e-5)],
    };
  };
  const results = await both("layer_norm_forward", { grid: [4], numWarps: 4 }, make, { BLOCK: 1024 });
  expect(worst(results)).toBeLessThan(0.004);
});
