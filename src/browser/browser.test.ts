/** A bare page in headless Chromium compiles and runs a CUDA program with its main(). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

/** In a dedicated worker: compiles two kernels from a string, one of them a template, and launches them. */
const LIBRARY_WORKER = `
  import { openHeddle } from "/dist/browser/library.js";
  const { compile, load, openDevice } = openHeddle({ clang: ${JSON.stringify(CLANG)} });
  const told = async (promise) => promise.then(() => "nothing", ({ code, message }) => code + ": " + message.replace(/http.*none/, "none"));
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
    postMessage({ y: [...(await y.read())], printed, missing: await told(load("none.cu")), wrong: await told(compile("__global__ void k() { undeclared = 1; }", { device })) });
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
      const { runProgram } = await import("/dist/browser/run-program.js");
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
      '#include <stdio.h>\n__global__ void mark(int* p) { if (threadIdx.x == 0) atomicAdd(p, 1); }\nint main() { int *p, n; cudaMalloc(&p, 4); cudaMemset(p, 0, 4); mark<<<900, 64>>>(p); cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost); printf("%d blocks\\n", n); return 3; }';
    expect(await run(false, program)).toEqual({ exitCode: 3, launches: 1, parallel: false, page: "900 blocks\n" });
  });

  it("offers the library to a page's worker", async () => {
    const answer = await chromium.onPage(
      true,
      `
      return new Promise((resolve) => {
        const url = URL.createObjectURL(new Blob([${JSON.stringify(LIBRARY_WORKER)}.replaceAll('"/', '"' + location.origin + "/")], { type: "text/javascript" }));
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
