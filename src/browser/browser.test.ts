/** A bare page in headless Chromium compiles and runs a CUDA program with its main(). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ResultRecord } from "../bench/results.ts";
import type { LadderTexts } from "../session/request.ts";
import { CHROMIUM, startBrowser, type TestBrowser } from "./chromium.test-helper.ts";

const CLANG = "/node_modules/@yowasp/clang/gen/";

const PROGRAM = `
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>
#include <cuda_runtime.h>
#include "scale.h"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
  if (i == 0) printf("hello from thread %d of %d\\n", i, n);
}
__global__ void total(const float* y, int n, float* sum) {
  __shared__ float part[256];
  float own = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) own += y[i];
  part[threadIdx.x] = own;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum = part[0];
}

int main(int argc, char** argv) {
  const int n = 100000;
  std::vector<float> x(n, 2.0f), y(n, 1.0f);
  float *dx, *dy, *dsum, sum;
  cudaMalloc(&dx, n * sizeof(float));
  cudaMalloc(&dy, n * sizeof(float));
  cudaMalloc(&dsum, sizeof(float));
  cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  saxpy<<<(n + 255) / 256, 256>>>(n, SCALE, dx, dy);
  total<<<1, 256>>>(dy, n, dsum);
  cudaMemcpy(&sum, dsum, sizeof(float), cudaMemcpyDeviceToHost);
  std::string line;
  std::getline(std::ifstream("data.txt"), line);
  std::printf("%s: sum %.0f, %s, file says %s\\n", argv[1], sum, cudaGetErrorString(cudaGetLastError()), line.c_str());
  return 3;
}
`;

/** The last thread reads behind the end of x. */
const OUT_OF_BOUNDS = `#include <cuda_runtime.h>
__global__ void shift(const float* x, float* y, int n) {
  int i = threadIdx.x;
  if (i < n) y[i] = x[i + 1];
}
int main() {
  float *x, *y;
  cudaMalloc(&x, 256 * sizeof(float));
  cudaMalloc(&y, 256 * sizeof(float));
  cudaMemset(x, 0, 256 * sizeof(float));
  shift<<<1, 256>>>(x, y, 256);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}
`;

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

/** It has launched and printed; then its host program never ends. */
const SPINS = `#include <stdio.h>
__global__ void mark(int* p) { *p = 1; }
int main() {
  int* p;
  cudaMalloc(&p, 4);
  mark<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  printf("spinning\\n");
  fflush(stdout);
  for (volatile int i = 0; ; i++);
}`;

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

describe.skipIf(CHROMIUM === undefined)("programs in a browser", () => {
  let chromium: TestBrowser;
  beforeAll(async () => {
    chromium = await startBrowser();
  });
  afterAll(() => chromium?.close());

  const run = (isolated: boolean, source: string): Promise<unknown> =>
    chromium.onPage(
      isolated,
      `
      const { runProgram } = await import("/dist/browser/index.js");
      const output = document.body.appendChild(document.createElement("pre"));
      try {
        const { exitCode, launches, parallel } = await runProgram(${JSON.stringify(source)}, {
          clang: ${JSON.stringify(CLANG)},
          args: ["browser"],
          workers: 2,
          files: { "scale.h": "#define SCALE 3.0f\\n", "data.txt": "forty-two\\n" },
          onOutput: (text) => { output.textContent += text; },
        });
        return { exitCode, launches, parallel, page: document.body.innerText };
      } catch (error) {
        return { code: error.code, message: error.message, notes: error.notes, cause: String(error.cause) };
      }`,
    );
  const printed = "hello from thread 0 of 100000\nbrowser: sum 700000, no error, file says forty-two\n";

  it("shows a program's output on a cross-origin isolated page, with blocks on several threads", async () => {
    expect(await run(true, PROGRAM)).toEqual({ exitCode: 3, launches: 2, parallel: true, page: printed });
  });

  it("shows it on any other page, with blocks on one thread", async () => {
    // In C: what a page waits for is the compiler.
    const program =
      "#include <stdio.h>\n__global__ void mark(int* p) { if (threadIdx.x == 0) atomicAdd(p, 1); }\n" +
      "int main() { int *p, n; cudaMalloc(&p, 4); cudaMemset(p, 0, 4); mark<<<900, 64>>>(p); cudaMemcpy(&n, p, 4, " +
      'cudaMemcpyDeviceToHost); printf("%d blocks\\n", n); return 3; }';
    expect(await run(false, program)).toEqual({ exitCode: 3, launches: 1, parallel: false, page: "900 blocks\n" });
  });

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

  it("checks a program: an access out of bounds, with its line", async () => {
    const checked = (await chromium.onPage(
      true,
      `
      const { checkProgram } = await import("/dist/browser/index.js");
      const { findings, text, exitCode, launches } = await checkProgram(${JSON.stringify(OUT_OF_BOUNDS)}, {
        clang: ${JSON.stringify(CLANG)},
        path: "shift.cu",
      });
      return { findings, text, exitCode, launches };`,
    )) as { findings: { kind: string; count: number; location: unknown }[]; text: string };
    expect(checked).toMatchObject({ exitCode: 0, launches: 1 });
    expect(checked.findings).toHaveLength(1);
    expect(checked.findings[0]).toMatchObject({
      checker: "memcheck",
      kind: "out-of-bounds",
      count: 1,
      location: { file: "./shift.cu", line: 4 },
    });
    expect(checked.text).toContain("y[i] = x[i + 1];");
    expect(checked.text).toContain("heddle check: 1 error in 1 kernel launch");
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

  it("yields a session's events, and stops a program", async () => {
    const seen = (await chromium.onPage(
      true,
      `
      const { openSession } = await import("/dist/browser/index.js");
      const settings = {
        device: null, trace: false, gpu: null, devices: 1, workers: 2, engine: "auto", reuse: true, check: null,
        directories: [], files: {}, stdin: "", timeLaunches: true, launchEvents: true,
      };
      const run = openSession({ clang: ${JSON.stringify(CLANG)} }).start({
        kind: "run",
        program: {
          sources: [{ path: "spin.cu", text: ${JSON.stringify(SPINS)} }],
          objects: [],
          compile: {},
          name: "spin.cu",
        },
        settings, argv: ["spin"], env: null, timeout: null,
      });
      const kinds = [];
      for await (const event of run) {
        kinds.push(event.kind);
        if (event.kind === "output") run.stop();
      }
      return { kinds, end: await run.result };`,
    )) as { kinds: string[]; end: unknown };
    expect(seen.kinds).toEqual(["started", "launch", "output", "exit"]);
    expect(seen.end).toMatchObject({ how: "stopped", by: "caller", activity: { launches: 1 } });
  });

  it("says what does not compile", async () => {
    const failed = (await run(false, "__global__ void k() { undeclared = 1; }\nint main() {}")) as {
      code: string;
      message: string;
      notes: string[];
    };
    expect(failed).toMatchObject({ code: "compile-error", message: expect.stringContaining("undeclared") as string });
    expect(failed.notes.join("\n")).toContain("program.cu:1:23");
  });
});
