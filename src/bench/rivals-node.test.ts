/**
 * Rivals are checked and timed as versions are. Needs a C compiler (cc, clang or gcc), as Debian's CI image and every
 * developer's machine here have.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { nodeEnvironment } from "../library/environment-node.ts";
import { createHeddle } from "../library/heddle.ts";
import { benchLadder } from "./bench-ladder.ts";
import { benchOptions } from "./bench-options.test-helper.ts";
import { uniform } from "../kernel-library/distributions.ts";
import { defineLadder, type Ladder, type RivalDeclaration, type Shape } from "../kernel-library/ladder.ts";
import type { RivalResult } from "./results.ts";
import { Python } from "./python-process-node.ts";
import { openRival } from "./rivals-node.ts";
import { openBench } from "./open-bench.ts";
import type { Bench } from "./subject.ts";

const heddle = createHeddle(nodeEnvironment());
const folder = mkdtempSync(join(tmpdir(), "heddle-rivals-"));
let bench: Bench;
beforeAll(async () => {
  const gpu = await heddle.openDevice({ device: "emulated", workers: 1, reuse: false });
  bench = await openBench(gpu, heddle, availableParallelism());
  writeFileSync(
    join(folder, "native.c"),
    `
    #define OP(name, value) void name(const float *a, const float *b, float *c, int m, int n, int k) { \\
      for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { float s = 0; \\
        for (int x = 0; x < k; x++) s += a[i * k + x] * b[x * n + j]; \\
        c[i * n + j] = value; } }
    OP(product, s)
    OP(tooLarge, s + 0.01f)
    OP(leavesTheLast, i == m - 1 && j == n - 1 ? c[i * n + j] : s)
    OP(forLargeOnesOnly, m > 20 ? 0 : s)
    void kinds(const float *a, float *c, int m, long long big, double half) {
      for (int i = 0; i < m; i++) c[i] = a[i] * half + (float)(big >> 40); }
  `,
  );
  writeFileSync(join(folder, "broken.c"), "void product(float *a) { nonsense; }");
});
afterAll(() => {
  bench.gpu.close();
  rmSync(folder, { recursive: true });
});

const KERNEL = `__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j >= n) return;
  float s = 0;
  for (int x = 0; x < k; x++) s += a[i * k + x] * b[x * n + j];
  c[i * n + j] = s;
}`;
const args = ({ m, n, k }: Shape): (string | number)[] => ["a", "b", "c", m as number, n as number, k as number];
const native = (name: string, source = "native.c"): RivalDeclaration<Record<string, number>> => ({
  source,
  function: name,
  args,
});
const input = (seed: number, length: (shape: Record<string, number>) => number) =>
  ({ dtype: "float32", length, values: uniform(-1, 1), seed }) as const;

const LADDER: Ladder = defineLadder({
  summary: "C = A B",
  inputs: { a: input(1, ({ m = 0, k = 0 }) => m * k), b: input(2, ({ n = 0, k = 0 }) => n * k) },
  outputs: {
    c: {
      dtype: "float32",
      length: ({ m = 0, n = 0 }) => m * n,
      tolerance: { absolute: 2 ** -17, relative: 0, reason: "32 sums of numbers below 32" },
    },
  },
  reference: ({ a, b }: Readonly<Record<string, Float64Array>>, { m = 0, n = 0, k = 0 }) => {
    const c = new Float64Array(m * n);
    for (let i = 0; i < m; i++)
      for (let j = 0; j < n; j++)
        for (let x = 0; x < k; x++)
          c[i * n + j] = (c[i * n + j] as number) + (a?.[i * k + x] as number) * (b?.[x * n + j] as number);
    return { c };
  },
  work: ({ m = 0, n = 0, k = 0 }) => ({ bytes: 4 * (m * k + k * n + m * n), operations: 2 * m * n * k }),
  shapes: {
    check: [
      { m: 1, n: 1, k: 1 },
      { m: 5, n: 7, k: 3 },
    ],
    time: { emulated: [{ m: 32, n: 32, k: 32 }], cuda: [] },
  },
  versions: {
    "1-naive": {
      launch: (shape) => [{ kernel: "product", grid: [1, shape["m"] as number], block: 32, args: args(shape) }],
    },
  },
});

async function results(
  rivals: NonNullable<Ladder["rivals"]>,
  {
    checkOnly = false,
    ladder = LADDER,
    shape = { m: 32, n: 32, k: 32 } as Record<string, number>,
    kernel = KERNEL,
  } = {},
): Promise<readonly RivalResult[]> {
  const declared = { ...ladder, rivals };
  const versions = Object.entries(declared.versions).map(([name, declaration]) => ({
    name,
    path: name,
    idea: "",
    hash: "",
    declaration,
  }));
  const result = await benchLadder(
    { name: "product", ladder: declared, versions },
    shape,
    benchOptions(
      {
        open: async () => bench,
        load: (_, options) => heddle.compile(kernel, options),
        openRival: (declaration, around) =>
          openRival(declaration, {
            bench: around,
            folder,
            openBlas: (device) => heddle.openBlas(device),
            python: new Python(new AbortController().signal),
          }),
        checkOnly,
      },
      6,
    ),
  );
  expect(result.versions).toMatchObject([{ verdict: "ok" }]);
  return result.rivals;
}

test("C and the library are checked and timed", async () => {
  const [c, blas] = await results({
    C: native("product"),
    openBlas: { matmul: ({ m = 0, n = 0, k = 0 }) => ({ m, n, k, a: "a", b: "b", c: "c" }) },
  });
  for (const rival of [c, blas]) {
    expect(rival).toMatchObject({
      verdict: "ok",
      problem: null,
      timings: [{ cache: "hot", ms: { samples: 6 } }],
      comparison: { wrong: 0 },
    });
    // A warm-up and six launches, whose outputs are compared as a whole.
    expect(rival?.comparison.elements).toBe(7 * 32 * 32);
    expect(rival?.timings[0]?.ms.median).toBeGreaterThan(0);
  }
  expect(c).toMatchObject({ rival: "C", description: expect.stringMatching(/\d.* -O3, 1 thread$/) });
  expect(blas).toMatchObject({ rival: "openBlas", description: "Heddle's own kernel" });
});

test.each([
  ["a value is too large", native("tooLarge"), "wrong", /at m=1 n=1 k=1: 1 of 1 elements are wrong/],
  ["an element is left as it was", native("leavesTheLast"), "wrong", /c\[0\] = NaN/],
  ["only checks are right", native("forLargeOnesOnly"), "wrong", /in a timed launch: /],
  ["it does not compile", native("product", "broken.c"), "failed", /broken\.c does not compile[\s\S]*nonsense/],
  ["it names no array", { ...native("product"), args: () => ["x"] }, "failed", /array "x"/],
  ["it names no function", native("quotient"), "failed", /no function quotient/],
])("a rival is told when %s; the version is as it was", async (_, rival, verdict, problem) => {
  expect(await results({ C: rival })).toMatchObject([{ verdict, problem: expect.stringMatching(problem) }]);
});

test("--check checks rivals without times", async () => {
  expect(await results({ C: native("product") }, { checkOnly: true })).toMatchObject([
    { verdict: "ok", timings: [], comparison: { elements: 1 + 5 * 7 } },
  ]);
});

test("without a compiler it is absent, which is no fault", async () => {
  vi.stubEnv("PATH", folder);
  vi.stubEnv("CC", "");
  try {
    expect(await results({ C: native("product") })).toMatchObject([
      { verdict: "absent", description: null, problem: expect.stringContaining("no C compiler"), timings: [] },
    ]);
  } finally {
    vi.unstubAllEnvs();
  }
});

test("numbers come as int, long long and double", async () => {
  const ladder = defineLadder({
    summary: "c = a / 2 + 3",
    inputs: { a: input(1, ({ n = 0 }) => n) },
    outputs: {
      c: {
        dtype: "float32",
        length: ({ n = 0 }: Record<string, number>) => n,
        tolerance: { absolute: 2 ** -22, relative: 0, reason: "one rounding of numbers below 4" },
      },
    },
    reference: ({ a }: Readonly<Record<string, Float64Array>>) => ({
      c: (a as Float64Array).map((value) => value / 2 + 3),
    }),
    work: ({ n = 0 }) => ({ bytes: 8 * n, operations: 2 * n }),
    shapes: { check: [{ n: 33 }], time: { emulated: [{ n: 1000 }], cuda: [] } },
    versions: {
      "1-naive": {
        launch: ({ n = 0 }) => [{ kernel: "half", grid: Math.ceil(n / 32), block: 32, args: ["a", "c", n] }],
      },
    },
  });
  const kernel =
    "__global__ void half(const float *a, float *c, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i " +
    "< n) c[i] = a[i] / 2 + 3; }";
  const rival = { source: "native.c", function: "kinds", args: ({ n = 0 }: Shape) => ["a", "c", n, 3n << 40n, 0.5] };
  expect(await results({ C: rival }, { ladder, shape: { n: 1000 }, kernel })).toMatchObject([
    { verdict: "ok", problem: null },
  ]);
});
