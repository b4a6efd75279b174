/** Programs in headless Chromium, each on a page of its own, which waits for a compiler of its own. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProfiledLaunch } from "../profile/profile-report.ts";
import { CHROMIUM, startBrowser, type TestBrowser } from "./chromium.test-helper.ts";
import { CLANG, runOnPage } from "./run-on-page.test-helper.ts";

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

describe.skipIf(CHROMIUM === undefined)("programs in a browser", () => {
  let chromium: TestBrowser;
  beforeAll(async () => {
    chromium = await startBrowser();
  });
  afterAll(() => chromium?.close());

  it("runs on a page that is not isolated, with blocks on one thread", async () => {
    // In C: what a page waits for is the compiler.
    const program =
      "#include <stdio.h>\n__global__ void mark(int* p) { if (threadIdx.x == 0) atomicAdd(p, 1); }\n" +
      "int main() { int *p, n; cudaMalloc(&p, 4); cudaMemset(p, 0, 4); mark<<<900, 64>>>(p); cudaMemcpy(&n, p, 4, " +
      'cudaMemcpyDeviceToHost); printf("%d blocks\\n", n); return 3; }';
    expect(await runOnPage(chromium, false, program)).toEqual({
      exitCode: 3,
      launches: 1,
      parallel: false,
      page: "900 blocks\n",
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

  it("profiles a program: counters, a hint with its line, the source, a page", async () => {
    const source = `#include <cuda_runtime.h>
__global__ void columns(float* y, const float* x, int n) {
  y[threadIdx.x * n + blockIdx.x] = x[blockIdx.x * n + threadIdx.x];
}
int main() {
  float *x, *y;
  cudaMalloc(&x, 256 * 256 * 4), cudaMalloc(&y, 256 * 256 * 4);
  columns<<<256, 256>>>(y, x, 256);
  return cudaDeviceSynchronize();
}
`;
    const profiled = (await chromium.onPage(
      true,
      `
      const { profileProgram } = await import("/dist/browser/index.js");
      const { launches, text, page, exitCode } = await profileProgram(${JSON.stringify(source)}, {
        clang: ${JSON.stringify(CLANG)},
        path: "columns.cu",
        lines: true,
        gpu: "h200",
      });
      const frame = document.body.appendChild(document.createElement("iframe"));
      frame.srcdoc = page;
      await new Promise((done) => (frame.onload = done));
      return { launches, text, title: frame.contentDocument.title, exitCode };`,
    )) as { launches: readonly ProfiledLaunch[]; text: string; title: string; exitCode: number };
    const { launches, text, title, exitCode } = profiled;
    expect({ exitCode, title, count: launches.length }).toEqual({
      exitCode: 0,
      title: "Profile of columns.cu",
      count: 1,
    });
    expect(launches[0]?.metrics).toMatchObject({
      "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": 2048,
      "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": 65536,
    });
    expect(launches[0]?.hints[0]).toMatchObject({ kind: "uncoalesced", place: { file: "columns.cu", line: 3 } });
    expect(text).toContain("by the rules of an NVIDIA H200");
    expect(text).toMatch(/ 3 {2} {2}y\[threadIdx\.x \* n/);
  });

  it("yields a session's events, and stops a program, also after a time", async () => {
    const seen = (await chromium.onPage(
      true,
      `
      const { openSession, runProgram } = await import("/dist/browser/index.js");
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
      const late = await runProgram(${JSON.stringify(SPINS)}, { clang: ${JSON.stringify(CLANG)}, timeout: 0.2 })
        .catch(({ code, message }) => ({ code, message }));
      return { kinds, end: await run.result, late };`,
    )) as { kinds: string[]; end: unknown; late: unknown };
    expect(seen.kinds).toEqual(["started", "launch", "output", "exit"]);
    expect(seen.end).toMatchObject({ how: "stopped", by: "caller", activity: { launches: 1 } });
    expect(seen.late).toEqual({ code: "timeout", message: "the program did not end within 0.2 s" });
  });
});
