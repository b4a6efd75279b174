/** Kernels of a Triton file beside references in double precision, and the interface for them. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import {
  cdiv,
  dtype,
  float,
  loadTriton,
  type TritonArgument,
  type TritonKeywords,
  type TritonProgram,
} from "../triton.ts";
import type { DeviceArray } from "./device-array.ts";

const SOURCE = readFileSync(new URL("triton-kernels.py", import.meta.url), "utf8");
const HEAD = "import triton\nimport triton.language as tl\n\n";

let program: TritonProgram;
beforeAll(async () => {
  program = await loadTriton(SOURCE, { filename: "triton-kernels.py" });
});

/** Numbers from -1 to 1 that half precision has exactly. */
function values(length: number, seed = 1): Float32Array {
  let state = seed;
  return Float32Array.from({ length }, () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return ((state >>> 16) % 129) / 64 - 1;
  });
}

const array = (data: Float32Array): DeviceArray => program.device.array(data);

async function read(from: DeviceArray): Promise<number[]> {
  return Array.from(await from.read(), Number);
}

function expectClose(actual: readonly number[], expected: readonly number[], tolerance: number): void {
  expect(actual.length).toBe(expected.length);
  const worst = expected.reduce((most, value, i) => Math.max(most, Math.abs(value - (actual[i] as number))), 0);
  expect(worst).toBeLessThanOrEqual(tolerance);
}

describe("kernels beside references", () => {
  it("adds, with a masked rest", async () => {
    const n = 1000;
    const [x, y] = [values(n), values(n, 2)];
    const out = array(new Float32Array(1024).fill(7));
    const { axpy } = program.kernels;
    await axpy?.launch({ grid: ({ BLOCK = 1 }) => cdiv(n, BLOCK) }, array(x), array(y), out, 2.5, n, { BLOCK: 256 });
    const expected = Array.from(x, (value, i) => 2.5 * value + (y[i] as number));
    expectClose(await read(out), [...expected, ...Array<number>(24).fill(7)], 1e-6);
  });

  it.each([
    ["float32", 70, 45, 48],
    ["float16", 64, 64, 64],
    ["bfloat16", 33, 50, 37],
  ] as const)("multiplies matrices of %s", async (type, m, n, k) => {
    const { device, kernels } = program;
    const [a, b] = [values(m * k), values(k * n, 5)];
    const out = device.array(m * n, "float32");
    const grid = ({ M_TILE = 1, N_TILE = 1 }): number[] => [cdiv(m, M_TILE), cdiv(n, N_TILE)];
    const inputs = [device.array(a, type), device.array(b, type), out];
    await kernels["product"]?.launch({ grid }, ...inputs, m, n, k, k, n, n, { EPILOGUE: "square" });
    const expected = Array.from({ length: m * n }, (_, i) => {
      const [row, column] = [Math.trunc(i / n), i % n];
      let sum = 0;
      for (let j = 0; j < k; j++) sum += (a[row * k + j] as number) * (b[j * n + column] as number);
      return sum > 0 ? sum * sum : 0;
    });
    expectClose(await read(out), expected, 1e-3);
  });

  it("normalises rows", async () => {
    const [rows, n] = [5, 300];
    const [x, weight, bias] = [values(rows * n), values(n, 3), values(n, 4)];
    const out = program.device.array(rows * n, "float32");
    const args = [array(x), out, array(weight), array(bias), n, n, 1e-5];
    await program.kernels["normalise"]?.launch({ grid: [rows] }, ...args, { BLOCK: 128 });
    const expected = Array.from({ length: rows }, (_, row) => {
      const own = Array.from(x.subarray(row * n, (row + 1) * n));
      const mean = own.reduce((sum, value) => sum + value, 0) / n;
      const variance = own.reduce((sum, value) => sum + (value - mean) ** 2, 0) / n;
      return own.map((value, i) => ((value - mean) / Math.sqrt(variance + 1e-5)) * (weight[i] ?? 0) + (bias[i] ?? 0));
    }).flat();
    expectClose(await read(out), expected, 1e-5);
  });

  it("attends, with block pointers and the online softmax", async () => {
    const [n, d] = [64, 32];
    const [q, k, v] = [values(n * d), values(n * d, 2), values(n * d, 3)];
    const out = program.device.array(n * d, "float32");
    const scale = 1 / Math.sqrt(d);
    const constants = { ROWS: 32, KEYS: 16, D: d };
    const { attention } = program.kernels;
    await attention?.launch({ grid: [2] }, array(q), array(k), array(v), out, n, scale * Math.LOG2E, constants);
    const expected = Array.from({ length: n }, (_, row) => {
      const weights = Array.from({ length: row + 1 }, (_, key) => {
        let score = 0;
        for (let i = 0; i < d; i++) score += (q[row * d + i] as number) * (k[key * d + i] as number);
        return Math.exp(score * scale);
      });
      const total = weights.reduce((sum, value) => sum + value, 0);
      return Array.from({ length: d }, (_, i) =>
        weights.reduce((sum, weight, key) => sum + (weight / total) * (v[key * d + i] as number), 0),
      );
    }).flat();
    expectClose(await read(out), expected, 1e-5);
  });

  it("takes locks", async () => {
    const sums = array(new Float32Array(4 * 64));
    const locks = program.device.array(new Int32Array(4));
    await program.kernels["add_under_lock"]?.launch({ grid: [40] }, sums, locks, { LOCKS: 4, BLOCK: 64 });
    expect(new Set(await read(sums))).toEqual(new Set([10]));
  });

  it("sorts, scans, gathers, splits", async () => {
    const n = 64;
    const x = Float32Array.from({ length: n }, (_, i) => ((i * 37) % 64) - 30);
    const out = program.device.array(6 * n + 2, "float32");
    await program.kernels["order_and_sums"]?.launch({ grid: [1] }, array(x), out, { N: n });
    const list = Array.from(x);
    const sums = list.map((_, i) => list.slice(0, i + 1).reduce((sum, value) => sum + value));
    const reversed = list.map((_, i) => list.slice(i).reduce((sum, value) => sum + value));
    expect(await read(out)).toEqual([
      ...list.toSorted((a, b) => a - b),
      ...sums,
      ...reversed,
      ...list.toReversed(),
      ...list.map((_, i) => list[(i * 5 + 3) % n]),
      ...list.map((_, i) => list[i ^ 1]),
      list.indexOf(Math.max(...list)),
      Math.min(...list),
    ]);
  });

  it("draws Philox's random numbers", async () => {
    const out = program.device.array(4, "uint32");
    await program.kernels["random_numbers"]?.launch({ grid: [1] }, out, 0, { N: 4 });
    // The first test vector of Random123: counter and key zero.
    expect((await read(out))[0]).toBe(0x6627e8d5);
  });

  it("runs the example", async () => {
    const source = readFileSync(new URL("../../examples/triton/softmax.py", import.meta.url), "utf8");
    const { kernels, device } = await loadTriton(source);
    const x = values(3 * 5);
    const out = device.array(15, "float32");
    await kernels["softmax"]?.launch({ grid: [2] }, out, device.array(x), 5, 3, 5, { BLOCK: 8 });
    const expected = [0, 1, 2].flatMap((row) => {
      const own = Array.from(x.subarray(row * 5, row * 5 + 5), Math.exp);
      return own.map((value) => value / own.reduce((sum, other) => sum + other));
    });
    expectClose(await read(out), expected, 1e-6);
  });
});

describe("the interface", () => {
  const store = "@triton.jit\ndef k(p, a, B: tl.constexpr = 3):\n    tl.store(p, a * B)\n";

  it("converts arguments: float(2) is a float, defaults hold, 1 is a constant", async () => {
    const { kernels, device } = await loadTriton(HEAD + store);
    const k = kernels["k"];
    const p = device.array(1, "float32");
    await k?.launch({ grid: 1 }, p, float(2));
    expect(await read(p)).toEqual([6]);
    await k?.launch({ grid: 1 }, p, 1, { B: 5 });
    expect(await read(p)).toEqual([5]);
    expect(k?.signature).toBe("k(p, a, B: constexpr)");
  });

  it("passes types and helpers of other files", async () => {
    const source = `${HEAD}from .more import twice
@triton.jit
def k(p, T: tl.constexpr):
    tl.store(p, twice(tl.full([], 3.7, tl.float32)).to(T))
`;
    const imports = { ".more": `${HEAD}@triton.jit\ndef twice(x):\n    return x * 2\n` };
    const { kernels, device } = await loadTriton(source, { imports });
    const p = device.array(1, "float32");
    await kernels["k"]?.launch({ grid: 1 }, p, { T: dtype("int32") });
    expect(await read(p)).toEqual([7]);
  });

  it("reports what a launch does wrong", async () => {
    const program = await loadTriton(HEAD + store);
    const { device } = program;
    const p = device.array(1, "float32");
    const k = program.kernel("k");
    const launch = (...args: (TritonArgument | TritonKeywords)[]): Promise<unknown> => k.launch({ grid: 1 }, ...args);
    await expect(launch(p)).rejects.toThrow("k() missing the argument 'a'");
    await expect(launch(p, 1, { C: 2 })).rejects.toThrow("unexpected keyword argument 'C'");
    await expect(launch(p, 1, 2, 3)).rejects.toThrow("k()");
    await expect(launch(p, 1, { B: p })).rejects.toThrow("the parameter is a constexpr");
    await expect(launch(p, 1, { num_warps: 4 })).rejects.toThrow("k.launch({ grid: [4], numWarps: 4 }, …)");
    await expect(launch([1, 2], 1)).rejects.toThrow("launched as k(p: (");
    await expect(k.launch({ grid: [1.5] }, p, 1)).rejects.toThrow("one to three whole numbers");
    await expect(k.launch({ grid: ({ SIZE }) => [4 / (SIZE as number)] }, p, 1)).rejects.toThrow("not [NaN]");
    await expect(k.launch({ grid: 1, numStages: -1 }, p, 1)).rejects.toThrow("num_stages must be a whole number");
    expect(() => program.kernel("kk")).toThrow("the file has no kernel kk");
  });

  it("a kernel whose autotune needs Python is there, and a launch tells what is not known", async () => {
    const tuned = `${HEAD}@triton.autotune(configs=sorted([]), key=[])\n@triton.jit\ndef k(p):\n    tl.store(p, 1.0)\n`;
    const { kernels, device } = await loadTriton(tuned);
    const launch = kernels["k"]?.launch({ grid: 1 }, device.array(1, "float32"));
    await expect(launch).rejects.toThrow(/configurations of k are not known[^]*sorted is not defined/);
  });

  it("reports an access out of bounds at its line", async () => {
    const { kernels, device } = await loadTriton(`${HEAD}@triton.jit\ndef k(p):\n    tl.store(p + 300, 1.0)\n`);
    await expect(kernels["k"]?.launch({ grid: 1 }, device.array(4, "float32"))).rejects.toThrow(/kernel\.py:6/);
  });
});
