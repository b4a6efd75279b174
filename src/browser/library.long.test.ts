/** What a page has beside programs: the library, ladders, messages of the compiler. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ResultRecord } from "../bench/results.ts";
import type { LadderTexts } from "../session/request.ts";
import { CHROMIUM, startBrowser, type TestBrowser } from "./chromium.test-helper.ts";
import { CLANG, runOnPage } from "./run-on-page.test-helper.ts";

const LADDER: LadderTexts = {
  name: "triple",
  declaration: `
    import { defineLadder, uniform } from "heddle/ladder";
    const version = {
      parameters: { BLOCK: [64, 256] },
      launch: ({ n }, { BLOCK }) => [
        { kernel: "triple", grid: Math.ceil(n / BLOCK), block: BLOCK, args: ["x", "y", n] },
      ],
    };
    export default defineLadder({
      summary: "y = 3 x",
      inputs: { x: { dtype: "float32", length: ({ n }) => n, values: uniform(1, 2), seed: 5 } },
      outputs: {
        y: {
          dtype: "float32",
          length: ({ n }) => n,
          tolerance: { absolute: 0, relative: 1e-6, reason: "one product" },
        },
      },
      reference: ({ x }) => ({ y: x.map((value) => 3 * value) }),
      work: ({ n }) => ({ bytes: 8 * n, operations: n }),
      shapes: { check: [{ n: 33 }], time: { emulated: [{ n: 20_000 }], cuda: [] } },
      versions: { "1-threads": version, "2-wrong": version },
    });`,
  versions: {
    "1-threads": `// One thread an element.
#include "index.h"
__global__ void triple(const float* x, float* y, int n) { INDEX if (i < n) y[i] = 3 * x[i]; }`,
    "2-wrong": `// Leaves the last element as it is.
#include "index.h"
__global__ void triple(const float* x, float* y, int n) { INDEX if (i < n - 1) y[i] = 3 * x[i]; }`,
  },
  files: { "index.h": "#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x;\n" },
};

/** In a dedicated worker: compiles two kernels from a string, one of them a template, and launches them. */
const LIBRARY_WORKER = `
  import { openHeddle } from "/dist/browser/library.js";
  const { compile, load, openDevice } = openHeddle({ clang: ${JSON.stringify(CLANG)} });
  const errorOf = async (promise) =>
    promise.then(() => "nothing", ({ code, message }) => code + ": " + message.replace(/http.*none/, "none"));
  try {
    const printed = [];
    const device = await openDevice({ workers: 2, onPrint: (text) => printed.push(text) });
    const program = await compile(\`
      template <typename T> __global__ void axpy(int n, T a, const T* x, T* y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] += a * x[i];
      }
      __global__ void hello() { printf("hello from %d\\\\n", threadIdx.x); }\`, { device, kernels: ["axpy<float>"] });
    const axpy = await program.kernel("axpy<float>");
    const x = device.array(new Float32Array([1, 2, 3]));
    const y = device.array(new Float32Array([10, 20, 30]));
    await axpy.launch({ grid: 1, block: 32 }, 3, 2, x, y);
    await (await program.kernel("hello")).launch({ grid: 1, block: 1 });
    const missing = await errorOf(load("none.cu"));
    const wrong = await errorOf(compile("__global__ void k() { undeclared = 1; }", { device }));
    postMessage({ y: [...(await y.read())], printed, missing, wrong });
    device.close();
  } catch (error) {
    postMessage({ error: String(error.stack ?? error) });
  }`;

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  let chromium: TestBrowser;
  beforeAll(async () => {
    chromium = await startBrowser();
  });
  afterAll(() => chromium?.close());

  it("offers the library to a page's worker", async () => {
    const answer = await chromium.onPage(
      true,
      `
      return new Promise((resolve) => {
        const text = ${JSON.stringify(LIBRARY_WORKER)}.replaceAll('"/', '"' + location.origin + "/");
        const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
        const worker = new Worker(url, { type: "module" });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => resolve({ error: event.message });
      });`,
    );
    expect(answer).toEqual({
      y: [12, 24, 36],
      printed: ["hello from 0\n"],
      missing: "io-error: none.cu cannot be fetched",
      wrong: expect.stringContaining("compile-error") as string,
    });
  });

  it("benches a ladder: versions are checked against the reference, and timed", async () => {
    const benched = (await chromium.onPage(
      true,
      `
      const { benchLadder } = await import("/dist/browser/index.js");
      const progress = [];
      const records = await benchLadder(${JSON.stringify(LADDER)}, {
        clang: ${JSON.stringify(CLANG)},
        workers: 2,
        onProgress: (part, what) => progress.push([part, what]),
      });
      return { records, progress };`,
    )) as { records: ResultRecord[]; progress: [number, string][] };
    expect(benched.records).toHaveLength(1);
    const [{ ladder, shape, versions, surroundings }] = benched.records as [ResultRecord];
    expect({ ladder, shape }).toEqual({ ladder: "triple", shape: { n: 20_000 } });
    expect(surroundings.device).toMatchObject({ kind: "emulated" });
    expect(versions.map(({ version, verdict, problem }) => [version, verdict, problem])).toEqual([
      ["1-threads", "ok", null],
      ["2-wrong", "wrong", expect.stringContaining("first y[32] = ")],
    ]);
    expect(versions[0]?.idea).toBe("One thread an element.");
    expect(versions[0]?.trials.map(({ configuration }) => configuration["BLOCK"])).toEqual([64, 256]);
    expect(versions[0]?.timings[0]?.ms.median).toBeGreaterThan(0);
    expect(versions[0]?.timings[0]?.ms.samples).toBeGreaterThanOrEqual(10);
    expect(benched.progress.at(-1)).toEqual([1, "triple/2-wrong done"]);
  });

  it("says what does not compile", async () => {
    const failed = (await runOnPage(chromium, false, "__global__ void k() { undeclared = 1; }\nint main() {}")) as {
      code: string;
      message: string;
      notes: string[];
    };
    expect(failed).toMatchObject({ code: "compile-error", message: expect.stringContaining("undeclared") as string });
    expect(failed.notes.join("\n")).toContain("program.cu:1:23");
  });
});
