/**
 * Outputs that begin with an input's content: it is there anew before each launch, and who leaves it as it is, is
 * wrong.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HeddleError } from "../base/diagnostics.ts";
import { nodeEnvironment } from "../library/environment-node.ts";
import { createHeddle } from "../library/heddle.ts";
import { benchLadder, type BenchOptions } from "./bench-ladder.ts";
import { benchOptions } from "./bench-options.test-helper.ts";
import { uniform } from "../kernel-library/distributions.ts";
import { kernelsOn } from "../kernel-library/kernels-node.ts";
import { defineLadder, type Ladder, type OutputDeclaration } from "../kernel-library/ladder.ts";
import { openBench } from "./open-bench.ts";
import type { Bench } from "./subject.ts";

const heddle = createHeddle(nodeEnvironment());
let bench: Bench;
beforeAll(async () => {
  const gpu = await heddle.openDevice({ device: "emulated", workers: 1, reuse: false });
  bench = await openBench(gpu, heddle, availableParallelism());
});
afterAll(() => bench.gpu.close());

const length = ({ n }: { n: number }): number => n;
const OUTPUT: OutputDeclaration<{ n: number }> = {
  dtype: "float32",
  length,
  inPlace: true,
  tolerance: { absolute: 0, relative: 2 ** -22, reason: "a product and a sum, each rounded once" },
};

function ladderOf(step: number, output: Partial<OutputDeclaration<{ n: number }>> = {}): Ladder {
  return defineLadder({
    summary: "p = p + step g",
    inputs: {
      p: { dtype: "float32", length, values: uniform(1, 2), seed: 1 },
      g: { dtype: "float32", length, values: uniform(1, 2), seed: 2 },
    },
    outputs: { p: { ...OUTPUT, ...output } },
    reference: ({ p, g }) => ({ p: p.map((value, i) => value + step * (g[i] as number)) }),
    work: ({ n }: { n: number }) => ({ bytes: 12 * n, operations: 2 * n }),
    shapes: { check: [{ n: 33 }], time: { emulated: [{ n: 4096 }], cuda: [] } },
    versions: {
      "1-v": { launch: ({ n }) => [{ kernel: "op", grid: Math.ceil(n / 128), block: 128, args: ["p", "g", n] }] },
    },
  });
}

async function verdict(
  body: string,
  ladder: Ladder = ladderOf(0.5),
): Promise<{ verdict: string; problem: string | null }> {
  const source =
    `__global__ void op(float *p, const float *g, int n) { int i = blockIdx.x * blockDim.x + ` +
    `threadIdx.x; if (i < n) { ${body} } }`;
  const load: BenchOptions["load"] = (_, compileOptions) => heddle.compile(source, compileOptions);
  const options = benchOptions({ open: async () => bench, load }, 8);
  const {
    versions: [result],
  } = await benchLadder(
    {
      name: "op",
      ladder,
      versions: [
        {
          name: "1-v",
          path: "1-v",
          idea: "",
          hash: source,
          declaration: ladder.versions["1-v"] as Ladder["versions"][string],
        },
      ],
    },
    { n: 4096 },
    options,
  );
  return { verdict: result?.verdict ?? "", problem: result?.problem ?? null };
}

test("its content is set anew before each launch: ten launches of one update are right", async () => {
  expect(await verdict("p[i] += 0.5f * g[i];")).toEqual({ verdict: "ok", problem: null });
});

test.each([
  ["does nothing", "", /at n=33: 33 of 33 elements are wrong/],
  ["updates twice", "p[i] += 0.5f * g[i]; p[i] += 0.5f * g[i];", /at n=33/],
  ["writes without reading", "p[i] = 0.5f * g[i];", /at n=33/],
  ["leaves it as it was where it is timed", "if (n < 2000) p[i] += 0.5f * g[i];", /in a timed launch: 4096 of 4096/],
])("%s", async (_, body, problem) => {
  expect(await verdict(body)).toEqual({ verdict: "wrong", problem: expect.stringMatching(problem) });
});

test(
  "a reference that changes nothing, or less than the tolerance, is refused: every kernel " + "would be right",
  async () => {
    for (const step of [0, 2 ** -26])
      expect(await verdict("", ladderOf(step))).toEqual({
        verdict: "failed",
        problem: expect.stringMatching(/n=33 the reference leaves "p".*a kernel that does nothing would be right/),
      });
  },
);

test("what is declared is told apart from a mistake", () => {
  expect(() => ladderOf(1, { dtype: "float64" })).toThrow(/changes "p" in place, which is no input of float64/);
  const { inPlace: _, ...output } = OUTPUT;
  expect(() => defineLadder({ ...ladderOf(1), outputs: { p: output } } as unknown as Ladder)).toThrow(
    /two arrays named "p" \(an output that is an input, too, says "inPlace: true"\)/,
  );
  expect(() => defineLadder({ ...ladderOf(1), outputs: { q: OUTPUT } } as unknown as Ladder)).toThrow(
    /changes "q" in place, which is no input/,
  );
});

test("as many elements as the input", async () => {
  expect(await verdict("", ladderOf(1, { length: ({ n }) => n + 1 }))).toEqual({
    verdict: "failed",
    problem: expect.stringMatching(/"p" is changed in place, and has 33 elements as an input, 34 as an output/),
  });
});

test("openKernels changes the caller's array, and gives it back as the output", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-in-place-"));
  try {
    writeFileSync(
      join(folder, "1-v.cu"),
      "// Adds.\n__global__ void op(float *p, const float *g, int n) { int i = threadIdx.x; if (i < n) p[i] += " +
        "g[i]; }\n",
    );
    // The test runner loads modules in its own way: nothing is imported.
    writeFileSync(
      join(folder, "op.ladder.ts"),
      `const array = { dtype: "float32", length: ({ n }) => n };
      const input = { ...array, values: (random) => random, seed: 1 };
      const tolerance = { absolute: 0, relative: 1e-7, reason: "one sum" };
      export default { summary: "p = p + g", inputs: { p: input, g: input },
        outputs: { p: { ...array, inPlace: true, tolerance } },
        reference: ({ p, g }) => ({ p: p.map((x, i) => x + g[i]) }),
        work: ({ n }) => ({ bytes: 12 * n, operations: n }),
        shapes: { check: [{ n: 3 }], time: { emulated: [], cuda: [] } },
        versions: { "1-v": { launch: ({ n }) => [{ kernel: "op", grid: 1, block: 32, args: ["p", "g", n] }] } } };`,
    );
    const kernels = kernelsOn(bench.gpu, heddle.load, { folder });
    const [p, g] = [bench.gpu.array(Float32Array.of(1, 2, 3)), bench.gpu.array(Float32Array.of(10, 20, 30))];
    const outputs = await kernels.run("op", { n: 3 }, { p, g });
    expect(outputs["p"]).toBe(p);
    expect([...((await p.read()) as Float32Array)]).toEqual([11, 22, 33]);
    await expect(kernels.run("op", { n: 3 }, { g })).rejects.toThrow(HeddleError);
    await kernels.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
