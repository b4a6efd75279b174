/**
 * Products on tensor cores, as a GPU gets them, run by the emulated device beside those without: the same elements in
 * other threads, and sums in another order.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { compileKernel, type ArgumentSpecialisation } from "../frontend/triton/compile-kernel.ts";
import { openModule } from "../frontend/triton/evaluate/module.ts";
import { BFLOAT16, FP16, FP32, pointerTo } from "../frontend/triton/language/dtypes.ts";
import { intValue, type FunctionValue } from "../frontend/triton/language/values.ts";
import { lowerKernel } from "../frontend/triton/lower/lower-kernel.ts";
import { SourceText } from "../frontend/triton/syntax/source-text.ts";
import { assemble, PTXAS } from "../ptx/ptxas.test-helper.ts";
import { tritonPtx } from "./triton-ptx-node.ts";
import { verifyModule } from "../ir/verify.ts";
import { openDevice, type Gpu } from "../index.ts";
import { Kernel } from "./kernel.ts";

const SOURCE = `import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, STEPS: tl.constexpr, TA: tl.constexpr,
            TB: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    sums = tl.zeros((M, N), dtype=tl.float32)
    for step in range(STEPS):
        if TA:
            x = tl.trans(tl.load(a + (step * K + k[:, None]) * M + m[None, :]))
        else:
            x = tl.load(a + m[:, None] * (STEPS * K) + step * K + k[None, :])
        if TB:
            y = tl.trans(tl.load(b + n[:, None] * (STEPS * K) + step * K + k[None, :]))
        else:
            y = tl.load(b + (step * K + k[:, None]) * N + n[None, :])
        sums = tl.dot(x, y, sums)
    tl.store(c + m[:, None] * N + n[None, :], sums)


@triton.jit
def chain(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    x = tl.load(a + m[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + n[None, :])
    p = tl.dot(x, y)
    p = tl.exp(p - tl.max(p, 1)[:, None])
    q = tl.dot(p.to(tl.float16), tl.trans(y), out_dtype=tl.float16)
    tl.store(c + m[:, None] * K + k[None, :], q.to(tl.float32))


@triton.jit
def integers(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    x = tl.load(a + m[:, None] * K + k[None, :]).to(tl.int8)
    y = tl.load(b + k[:, None] * N + n[None, :]).to(tl.int8)
    tl.store(c + m[:, None] * N + n[None, :], tl.dot(x, y).to(tl.float32))
`;

const DTYPES = { float16: FP16, bfloat16: BFLOAT16, float32: FP32 };
let gpu: Gpu;
beforeAll(async () => {
  gpu = await openDevice({ device: "emulated", workers: 1 });
});
afterAll(() => gpu.close());

/** Multiples of 1/4: products of them are exact in all types, and so are sums of a few hundred. */
function values(length: number, seed: number): number[] {
  let state = seed;
  return Array.from({ length }, () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 28) / 4 - 2);
}

async function run(
  name: string,
  type: keyof typeof DTYPES,
  numWarps: number,
  constants: Readonly<Record<string, number>>,
  sizes: readonly [number, number, number],
): Promise<{ readonly results: readonly number[][]; readonly usesTensorCores: boolean }> {
  const module = openModule(new SourceText("product.py", SOURCE));
  const pointer = (dtype: typeof FP32): ArgumentSpecialisation => ({
    kind: "value",
    dtype: pointerTo(dtype),
    divisibility: 16,
  });
  const args = new Map<string, ArgumentSpecialisation>([
    ["a", pointer(DTYPES[type])],
    ["b", pointer(DTYPES[type])],
    ["c", pointer(FP32)],
    ...Object.entries(constants).map(([key, value]): [string, ArgumentSpecialisation] => [
      key,
      { kind: "constant", value: intValue(value) },
    ]),
  ]);
  const kernel = compileKernel(module, module.functions.get(name) as FunctionValue, args, numWarps);
  const [a, b] = [gpu.array(values(sizes[0], 1), type), gpu.array(values(sizes[1], 2), type)];
  const results: number[][] = [];
  let usesTensorCores = false;
  for (const isGpu of [false, true]) {
    const lowered = lowerKernel(
      kernel,
      numWarps,
      isGpu ? { hasTensorCores: true, hasWideAccesses: true, loadsAhead: true } : {},
    );
    expect(verifyModule(lowered.module)).toEqual([]);
    if (isGpu && PTXAS !== null) {
      const ptx = await tritonPtx(lowered, { major: 8, minor: 0 });
      expect(assemble(ptx)).toBe("");
    }
    if (isGpu) usesTensorCores = [...lowered.module.functions.keys()].some((fn) => fn.includes("mma"));
    const loaded = gpu.raw.loadModule({ ir: lowered.module, name: "product.py", options: { fmad: true } });
    const c = gpu.array(new Float32Array(sizes[2]).fill(NaN));
    const launch = { grid: 1, block: lowered.threads, sharedBytes: lowered.sharedBytes };
    await new Kernel(gpu, loaded.kernel(lowered.name)).launch(launch, a, b, c);
    results.push(Array.from(await c.read()));
    loaded.unload();
  }
  return { results, usesTensorCores };
}

it.each<[keyof typeof DTYPES, number, number, number, number, number, number, number]>([
  ["float16", 16, 8, 16, 1, 1, 0, 0],
  ["float16", 32, 32, 32, 2, 4, 0, 0],
  ["float16", 64, 32, 16, 2, 4, 1, 0],
  ["float16", 32, 64, 64, 1, 4, 0, 1],
  ["float16", 16, 16, 32, 1, 4, 1, 1],
  ["bfloat16", 64, 64, 32, 1, 8, 0, 0],
  ["bfloat16", 16, 128, 16, 2, 2, 1, 1],
  ["float32", 32, 16, 16, 2, 2, 0, 0],
  ["float32", 16, 32, 32, 1, 4, 1, 0],
  ["float32", 32, 32, 8, 1, 1, 0, 1],
])("%s: %i × %i, k %i, %i steps, %i warps, transposed %i %i", async (type, M, N, K, STEPS, warps, TA, TB) => {
  const sizes = [M * K * STEPS, K * STEPS * N, M * N] as const;
  const { results, usesTensorCores } = await run("product", type, warps, { M, N, K, STEPS, TA, TB }, sizes);
  expect(usesTensorCores).toBe(true);
  expect(results[1]).toEqual(results[0]);
});

it("products of products, with what is between them element by element and by rows", async () => {
  const [M, N, K] = [32, 64, 16];
  const { results } = await run("chain", "float16", 4, { M, N, K }, [M * K, K * N, M * K]);
  const [plain, tensor] = results as [number[], number[]];
  const worst = Math.max(...plain.map((value, i) => Math.abs(value - (tensor[i] as number)) / (1 + Math.abs(value))));
  expect(worst).toBeLessThan(2e-3);
});

it("products of integers are made without tensor cores", async () => {
  const constants = { M: 16, N: 16, K: 32 };
  const { results, usesTensorCores } = await run("integers", "float16", 1, constants, [512, 512, 256]);
  expect(usesTensorCores).toBe(false);
  expect(results[1]).toEqual(results[0]);
});
