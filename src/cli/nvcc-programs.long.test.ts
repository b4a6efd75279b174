/** Programs that `heddle nvcc` builds. Needs dist/ (npm test builds it first). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TEST_MODEL } from "../base/test-model.test-helper.ts";
import { heddle, main } from "./heddle-process.test-helper.ts";

describe("nvcc", () => {
  let directory = "";
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "heddle-nvcc-"));
    const files = {
      "a.cu":
        '#include "c.h"\n#include <cstdio>\n__global__ void k(int *p) { *p = helper(20) + variable; }\n' +
        "int main() {\n  int *p, h;\n  cudaMalloc(&p, 4);\n  k<<<1, 1>>>(p);\n" +
        '  cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);\n  printf("%d %s\\n", h, name());\n}\n',
      "b.cu": '#include "c.h"\n__device__ int variable = 7;\n__device__ int helper(int x) { return twice(x); }\n',
      "c.h":
        "extern __device__ int variable;\n__device__ int helper(int);\n__device__ int twice(int);\n" +
        "const char *name();\n",
      // Functions of the device alone: the host registers nothing.
      "e.cu": '#include "c.h"\n__device__ int twice(int x) { return x * 2; }\n',
      "d.cpp": 'const char *name() { return "host"; }\n',
      Makefile:
        "OBJS = a.o b.o d.o e.o\nprogram: $(OBJS)\n\t$(NVCC) -O3 -rdc=true -o $@ $^\n%.o: %.cu\n" +
        "\t$(NVCC) -arch=sm_70 -dc -MD -o $@ $<\n%.o: %.cpp\n\t$(NVCC) -O2 -c -o $@ $<\n",
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  test("a Makefile builds a program of several files with device code linked across them", () => {
    const made = spawnSync("make", ["-s", `NVCC=${process.execPath} ${main} nvcc`], {
      cwd: directory,
      encoding: "utf8",
    });
    expect(made).toMatchObject({ status: 0, stderr: "" });
    expect(readFileSync(join(directory, "a.d"), "utf8")).toBe("a.o: a.cu \\\n  c.h\n");
    const ran = spawnSync("./program", [], {
      cwd: directory,
      encoding: "utf8",
      env: { ...process.env, HEDDLE_NODE: process.execPath },
    });
    expect(ran).toMatchObject({ status: 0, stdout: "47 host\n" });
  });

  test("device code in a library is linked, too", () => {
    expect(heddle(["nvcc", "-lib", "b.cu", "d.cpp", "e.cu", "-o", "libbd.a"], { cwd: directory })).toMatchObject({
      status: 0,
      stderr: "",
    });
    expect(heddle(["nvcc", "-run", "-L.", "a.cu", "-lbd"], { cwd: directory })).toMatchObject({
      status: 0,
      stdout: "47 host\n",
    });
  });

  test("--default-stream per-thread: a launch on stream 0 does not mind the capture of another stream", () => {
    writeFileSync(
      join(directory, "streams.cu"),
      "#include <cstdio>\n__global__ void k() {}\nint main() {\n  cudaStream_t s;\n  cudaGraph_t g;\n" +
        "  cudaStreamCreate(&s);\n  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);\n  k<<<1, 1, 0, s>>>();\n" +
        '  k<<<1, 1>>>();\n  printf("%d ", cudaGetLastError());\n  printf("%d\\n", cudaStreamEndCapture(s, &g));\n}\n',
    );
    for (const [flags, stdout] of [
      [[], "906 901\n"],
      [["--default-stream", "per-thread"], "0 0\n"],
      [["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"], "0 0\n"],
    ] as const)
      expect(heddle(["nvcc", "-run", ...flags, "streams.cu"], { cwd: directory })).toMatchObject({ status: 0, stdout });
  });

  test("compile errors are Clang's, on the user's file", () => {
    writeFileSync(join(directory, "bad.cu"), "int main() { return nothing; }\n");
    const { status, stderr } = heddle(["nvcc", "-c", "bad.cu"], { cwd: directory });
    expect(status).toBe(65);
    expect(stderr).toMatch(/^bad\.cu:1:21: error: use of undeclared identifier 'nothing'/);
  });

  test("a function of the user that is nowhere defined does not link, on host and device", () => {
    writeFileSync(join(directory, "host.cu"), "int other(int x);\nint main() { return other(1); }\n");
    expect(heddle(["nvcc", "host.cu"], { cwd: directory })).toMatchObject({
      status: 65,
      stderr: expect.stringContaining("host.cu: undefined reference to `other(int)'"),
    });
    writeFileSync(
      join(directory, "device.cu"),
      "__device__ int other(int x);\n__global__ void k(int *p) { *p = other(*p); }\n" +
        "int main() { k<<<1, 1>>>(nullptr); return cudaDeviceSynchronize(); }\n",
    );
    expect(heddle(["run", "device.cu"], { cwd: directory })).toMatchObject({
      status: 65,
      stderr: expect.stringMatching(
        /device\.cu:2:\d+: it is called here[^]*undefined reference to the device function .*other/,
      ),
    });
  });

  test("-ptx writes what a GPU's driver is given, one file for each source", () => {
    const kernel = "__global__ void twice(float *x) { x[threadIdx.x] *= 2; }\n";
    for (const name of ["one.cu", "two.cu"]) writeFileSync(join(directory, name), kernel);
    const nvcc = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
      heddle(["nvcc", "-ptx", ...args], { cwd: directory });
    expect(nvcc("-arch=sm_90", "one.cu", "two.cu")).toMatchObject({ status: 0, stdout: "", stderr: "" });
    const one = readFileSync(join(directory, "one.ptx"), "utf8");
    expect(one).toMatch(/^\/\/ What Heddle gives a GPU's driver for one\.cu\./);
    expect(/Pointers of the program have 32 bits/.test(one)).toBe(TEST_MODEL.pointerBytes === 4);
    expect(one).toMatch(/^\.target sm_90$/m);
    expect(one).toMatch(/\.visible \.entry _Z5twicePf\(/);
    expect(readFileSync(join(directory, "two.ptx"), "utf8")).toBe(one.replace("one.cu", "two.cu"));
    expect(nvcc("-arch=sm_90", "one.cu", "-o", "other.ptx").status).toBe(0);
    expect(readFileSync(join(directory, "other.ptx"), "utf8")).toBe(one);
    expect(nvcc("-arch=sm_90", "one.cu", "-o", "-").stdout).toBe(one);
    expect(heddle(["compile", "-ptx", "-arch=sm_90", "one.cu"], { cwd: directory }).stdout).toBe(one);
    expect(nvcc("one.cu", "two.cu", "-o", "both.ptx")).toMatchObject({
      status: 64,
      stderr: expect.stringContaining("-o with -ptx takes one source file"),
    });
  });
});
