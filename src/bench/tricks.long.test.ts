/**
 * Published ways to be fast in a kernel benchmark without doing the work, each of which must fail here. From: the
 * memory-reuse exploit and others that Sakana AI reported of its "AI CUDA Engineer" (2025), the reviews of
 * KernelBench's leaderboards (2025), and METR's "Measuring automated kernel engineering" (2025): results cached,
 * outputs replayed or left over, nothing written, paths only for checks or only for timing, answers looked up, half the
 * precision, part of the data, timers replaced. The last rows are the other way round: what looks like a trick and is
 * none must pass.
 */
import { availableParallelism } from "node:os";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeEnvironment } from "../library/environment-node.ts";
import { createHeddle } from "../library/heddle.ts";
import { benchLadder } from "./bench-ladder.ts";
import { benchOptions } from "./bench-options.test-helper.ts";
import { type LoadedLadder } from "../kernel-library/loaded-ladder.ts";
import { uniform } from "../kernel-library/distributions.ts";
import { defineLadder, type Ladder } from "../kernel-library/ladder.ts";
import { openBench } from "./open-bench.ts";
import type { Bench } from "./subject.ts";

const heddle = createHeddle(nodeEnvironment());
let bench: Bench;

async function open(): Promise<Bench> {
  const gpu = await heddle.openDevice({ device: "emulated", workers: 1, reuse: false });
  return openBench(gpu, heddle, availableParallelism());
}
beforeAll(async () => {
  bench = await open();
});
afterAll(() => bench.gpu.close());

const N = 4096;
const SIGNATURE = "__global__ void op(const float *x, float *y, float *scratch, int n)";
const INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;";
const HONEST = `${SIGNATURE} { ${INDEX} if (i < n) y[i] = x[i] * 3 + 1; }`;
/** Set by the declared seed: the first input of a check. */
let firstOfCheck = 0;

function ladderOf(names: readonly string[], changes: Partial<Ladder> = {}): Ladder {
  const versions = Object.fromEntries(
    names.map((name) => [
      name,
      {
        launch: ({ n = 0 }) => [{ kernel: "op", grid: Math.ceil(n / 128), block: 128, args: ["x", "y", "scratch", n] }],
      },
    ]),
  );
  return defineLadder({
    summary: "y = 3 x + 1",
    inputs: { x: { dtype: "float32", length: ({ n }: { n: number }) => n, values: uniform(1, 2), seed: 5 } },
    outputs: {
      y: {
        dtype: "float32",
        length: ({ n }: { n: number }) => n,
        tolerance: { absolute: 0, relative: 2 ** -22, reason: "a product and a sum, each rounded once" },
      },
    },
    scratch: { scratch: { dtype: "float32", length: ({ n }: { n: number }) => n + 1 } },
    reference: ({ x }: Readonly<Record<string, Float64Array>>, { n }: { n: number }) => {
      if (n === 33) firstOfCheck = x?.[0] ?? 0;
      return { y: (x as Float64Array).map((value) => 3 * value + 1) };
    },
    work: ({ n }: { n: number }) => ({ bytes: 8 * n, operations: 2 * n }),
    shapes: { check: [{ n: 33 }, { n: 1000 }], time: { emulated: [{ n: N }], cuda: [{ n: N }] } },
    versions,
    ...changes,
  } as unknown as Ladder);
}

async function verdicts(
  sources: readonly string[],
  changes: Partial<Ladder> = {},
): Promise<{ verdict: string; problem: string | null; medianMs: number | null }[]> {
  const names = sources.map((_, i) => `${i + 1}-v`);
  const ladder = ladderOf(names, changes);
  const loaded: LoadedLadder = {
    name: "op",
    ladder,
    versions: names.map((name, i) => ({
      name,
      path: name,
      idea: "",
      hash: sources[i] as string,
      declaration: ladder.versions[name] as Ladder["versions"][string],
    })),
  };
  let opened = 0;
  const options = benchOptions(
    {
      open: async () => (opened++ === 0 ? bench : (bench = await open())),
      load: (path, compileOptions) => heddle.compile(sources[names.indexOf(path)] as string, compileOptions),
      sweep: true,
    },
    8,
  );
  const { versions } = await benchLadder(loaded, { n: N }, options);
  return versions.map(({ verdict, problem, timings }) => ({
    verdict,
    problem,
    medianMs: timings[0]?.ms.median ?? null,
  }));
}

/** kernel, and what must be said of it. */
const TRICKS: readonly [trick: string, source: string, verdict: string, problem: RegExp][] = [
  [
    "keeps the first result and copies it",
    `__device__ float kept[${N}]; __device__ int have[${N}]; ${SIGNATURE} { ${INDEX} if (i < n) { if (!have[i]) { ` +
      `kept[i] = x[i] * 3 + 1; have[i] = 1; } y[i] = kept[i]; } }`,
    "refused",
    /keeps something between launches.*(kept|have)/,
  ],
  [
    "does nothing after some launches",
    `__device__ int calls = 1; ${SIGNATURE} { ${INDEX} if (i == 0) calls++; if (calls < 4 && i < n) y[i] = x[i] * ` +
      `3 + 1; }`,
    "refused",
    /calls/,
  ],
  [
    "counts launches under a name like the compiler's",
    `__device__ int calls asm("llvm.calls") = 1; ${SIGNATURE} { ${INDEX} if (i == 0) calls++; if (calls < 4 && i < ` +
      `n) y[i] = x[i] * 3 + 1; }`,
    "refused",
    /llvm\.calls/,
  ],
  ["writes nothing", `${SIGNATURE} {}`, "wrong", /33 of 33 elements are wrong; first y\[0\] = NaN/],
  [
    "writes half of it",
    `${SIGNATURE} { ${INDEX} if (i < n / 2) y[i] = x[i] * 3 + 1; }`,
    "wrong",
    /first y\[16\] = NaN/,
  ],
  [
    "leaves the odd end out",
    `${SIGNATURE} { ${INDEX} if (i < n / 4 * 4) y[i] = x[i] * 3 + 1; }`,
    "wrong",
    /1 of 33 elements/,
  ],
  [
    "is right where it is checked, and does less where it is timed",
    `${SIGNATURE} { ${INDEX} if (i < n && (n < 2000 || i < n - 100)) y[i] = x[i] * 3 + 1; }`,
    "wrong",
    /100 of/,
  ],
  [
    "computes with halves",
    `#include <cuda_fp16.h>\n${SIGNATURE} { ${INDEX} if (i < n) y[i] = __half2float(__float2half(x[i])) * 3 + 1; }`,
    "wrong",
    /at n=33/,
  ],
  ["writes a likely constant", `${SIGNATURE} { ${INDEX} if (i < n) y[i] = 5.5f; }`, "wrong", /y\[0\] = 5.5/],
  [
    "makes its input easy",
    `${SIGNATURE} { ${INDEX} if (i < n) { ((float *)x)[i] = 0; y[i] = 1; } }`,
    "wrong",
    /y\[0\] = 1,/,
  ],
];

test("an honest version passes", async () => {
  expect(await verdicts([HONEST])).toMatchObject([{ verdict: "ok", problem: null }]);
});

test.each(TRICKS)("%s", async (_, source, verdict, problem) => {
  // After an honest version: its right answers are in memory that is given back and taken again.
  const [honest, trick] = await verdicts([HONEST, source]);
  expect(honest).toMatchObject({ verdict: "ok" });
  expect(trick).toMatchObject({ verdict, problem: expect.stringMatching(problem) });
});

test("knows the answers of the declared seed", async () => {
  await verdicts([HONEST]);
  expect(firstOfCheck).toBeGreaterThan(1);
  const source = `${SIGNATURE} { ${INDEX} if (i < n) y[i] = n < 2000 || x[0] == ${firstOfCheck}f ? x[i] * 3 + 1 : 0; }`;
  expect(await verdicts([source])).toMatchObject([{ verdict: "wrong", problem: expect.stringMatching(/y\[0\] = 0,/) }]);
});

test("looks for the answer in the memory around", async () => {
  // What lies behind x: y, and the inputs that wait. It computes one element, and where it finds that, it copies what
  // stands there.
  const source = `${SIGNATURE} { ${INDEX} if (i >= n) return;
    if (n < 2000) { y[i] = x[i] * 3 + 1; return; }
    float known = x[0] * 3 + 1, found = 0;
    for (int at = n; at < 4 * n; at++) if (fabsf(x[at] - known) < 1e-6f && at + i < 5 * n) { found = x[at + i]; break; }
    y[i] = found; }`;
  expect((await verdicts([HONEST, source]))[1]).toMatchObject({ verdict: "wrong" });
});

test("keeps its answers where the inputs of other launches lie", async () => {
  // They would be there at the next launch with the same inputs; but the inputs are not, and what is right was computed
  // of these.
  const source = `${SIGNATURE} { ${INDEX} if (i >= n) return;
    float *kept = y + 2 * n;
    if (n < 2000) { y[i] = x[i] * 3 + 1; return; }
    y[i] = kept[i] == x[i] ? kept[n + i] : x[i] * 3 + 1;
    kept[i] = x[i], kept[n + i] = y[i]; }`;
  expect((await verdicts([HONEST, source]))[1]).toMatchObject({
    verdict: "wrong",
    problem: expect.stringMatching(/timed launch|1-v|y\[/),
  });
});

test("puts its work off: the answer to each launch is written by the next one", async () => {
  const source = `${SIGNATURE} { ${INDEX} if (i < n) { y[i] = scratch[i] * 3 + 1; scratch[i] = x[i]; } }`;
  expect(await verdicts([source])).toMatchObject([
    { verdict: "wrong", problem: expect.stringMatching(/y\[0\] = NaN/) },
  ]);
});

test("hands over a launch that becomes a smaller one once it was checked", async () => {
  let references = 0;
  const step = {
    kernel: "op",
    block: 128,
    args: ["x", "y", "scratch", N],
    get grid() {
      return references < 2 ? N / 128 : 1;
    },
  };
  const reference: Ladder["reference"] = ({ x }) => {
    references++;
    return { y: (x as Float64Array).map((value) => 3 * value + 1) };
  };
  const changes: Partial<Ladder> = {
    reference,
    shapes: { check: [{ n: N }], time: { emulated: [{ n: N }], cuda: [] } },
    versions: { "1-v": { launch: () => [step] } },
  };
  expect(await verdicts([HONEST], changes)).toMatchObject([
    { verdict: "wrong", problem: expect.stringMatching(/3968 of \d+ elements are wrong; first y\[128\] = NaN/) },
  ]);
});

test("keeps answers in scratch memory: nothing of it is left at the next launch", async () => {
  const source =
    `${SIGNATURE} { ${INDEX} if (i >= n) return; if (scratch[n] == 4711.0f) { y[i] = -1; return; } ` +
    `y[i] = x[i] * 3 + 1; __syncthreads(); if (i == n - 1) scratch[n] = 4711.0f; }`;
  // Blocks of one launch see the mark late or not at all; were it still there at the next launch, every element would
  // be wrong.
  const [result] = await verdicts([source.replace("scratch[n] == 4711.0f", "i == 0 && scratch[n] == 4711.0f")]);
  expect(result).toMatchObject({ verdict: "ok" });
});

test("launches nothing", async () => {
  expect(await verdicts([HONEST], { versions: { "1-v": { launch: () => [] } } })).toMatchObject([{ verdict: "wrong" }]);
});

test("replaces the timers", async () => {
  const { now } = performance;
  const { bigint } = process.hrtime;
  const dateNow = Date.now;
  try {
    const [result] = await verdicts([HONEST], {
      versions: {
        "1-v": {
          launch: ({ n = 0 }) => {
            performance.now = () => 0;
            process.hrtime.bigint = () => 0n;
            Date.now = () => 0;
            return [{ kernel: "op", grid: Math.ceil(n / 128), block: 128, args: ["x", "y", "scratch", n] }];
          },
        },
      },
    });
    expect(result?.verdict).toBe("ok");
    expect(result?.medianMs).toBeGreaterThan(0);
  } finally {
    Object.assign(performance, { now });
    process.hrtime.bigint = bigint;
    Date.now = dateNow;
  }
});

test("is faster than the hardware can be", async () => {
  expect(await verdicts([HONEST], { work: () => ({ bytes: 1, operations: 1e13 }) })).toMatchObject([
    { verdict: "refused", problem: expect.stringMatching(/cannot be done in less than/) },
  ]);
});

test("tables of constants are no state", async () => {
  expect(
    await verdicts([
      `__constant__ float three = 3; static const __device__ float one[2] = {1, 2}; ${SIGNATURE} { ${INDEX} if (i ` +
        `< n) y[i] = x[i] * three + one[i < 0]; }`,
    ]),
  ).toMatchObject([{ verdict: "ok", problem: null }]);
});

test(
  "faults, misspelled kernels and sources that do not compile are that version's failure; " + "the next one goes on",
  async () => {
    const results = await verdicts([
      `${SIGNATURE} { ((float *)8)[0] = 1; }`,
      "__global__ void other() {}",
      `${SIGNATURE} { nonsense }`,
      HONEST,
    ]);
    expect(results.map(({ problem }) => problem)).toEqual([
      expect.stringMatching(/illegal memory access/),
      expect.stringMatching(/there is no kernel op/),
      expect.stringMatching(/nonsense/),
      null,
    ]);
  },
);

test("a ladder whose last version faults leaves a device to the next ladder", async () => {
  const [faulty] = await verdicts([`${SIGNATURE} { ((float *)8)[0] = 1; }`]);
  expect(faulty).toMatchObject({ verdict: "failed", problem: expect.stringMatching(/illegal memory access/) });
  expect(await verdicts([HONEST])).toMatchObject([{ verdict: "ok", problem: null }]);
});
