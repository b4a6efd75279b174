/** Whole programs that take Clang long, and those of rare things. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { heddle, program } from "./heddle-process.test-helper.ts";

describe("programs", () => {
  test("C that calls what it does not declare: results and arguments that one side does not know", () => {
    const directory = mkdtempSync(join(tmpdir(), "heddle-undeclared-"));
    try {
      writeFileSync(
        join(directory, "main.c"),
        `
        #include <stdio.h>
        int main(void) { train(3, 4.5, "x"); extra(7, 8); printf("%d\\n", count(5)); fflush(stdout);
          write(1, "of libc\\n", 8); return 0; }`,
      );
      writeFileSync(
        join(directory, "wrong.c"),
        `
        #include <stdio.h>
        int count(double); int main(void) { puts("before"); fflush(stdout); return count(5); }`,
      );
      writeFileSync(
        join(directory, "kernels.cu"),
        `
        #include <cstdio>
        extern "C" void train(int n, double x, const char *s) { printf("%d %g %s\\n", n, x, s); }
        extern "C" void extra(int a) { train(a, 0.5, "extra"); }
        extern "C" int count(int a) { return a + 1; }`,
      );
      for (const how of ["run", "check"])
        expect(heddle([how, "main.c", "kernels.cu", "--"], { cwd: directory })).toMatchObject({
          status: 0,
          stdout: "3 4.5 x\n7 0.5 extra\n6\nof libc\n",
          stderr: how === "run" ? "" : expect.not.stringContaining("mismatch"),
        });
      // Where an argument is of another type, no machine would do what was meant.
      expect(heddle(["run", "wrong.c", "kernels.cu", "--"], { cwd: directory })).toMatchObject({
        status: 134,
        stdout: "before\n",
        stderr: expect.stringContaining("function signature mismatch: count"),
      });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
  test("integer intrinsics", () =>
    expect(heddle(["run", program("integer-intrinsics.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("atomic additions of vectors", () =>
    expect(heddle(["run", program("vector-atomics.cu")])).toEqual({
      stdout:
        "wrong rows: 0\nshared: 64 128 192 2016\nold values: ffffffff ffffffff ffffffff ffffffff\n" +
        "global: 1 2 4 5\nshared: 5 6 8 9\n",
      stderr: "",
      status: 0,
    }));
  test("mapped and managed memory", () =>
    expect(heddle(["run", program("mapped-memory.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("races that GPUs let pass", () =>
    expect(heddle(["run", program("unsynchronised.cu")])).toMatchObject({
      stdout: "cleared: 0 wrong\nwritten: 0 wrong\n",
      status: 0,
    }));
  test("integers narrower than a byte", () =>
    expect(heddle(["run", program("narrow-integers.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("a __constant__ variable's address as an argument", () =>
    expect(heddle(["run", program("constant-address.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("clusters of one block, where there are no larger ones", () =>
    expect(heddle(["run", program("clusters.cu")])).toMatchObject({ stdout: "without clusters\nPASSED\n", status: 0 }));
  test("clusters", () =>
    expect(heddle(["run", "--gpu", "h100", "-arch=sm_90", program("clusters.cu")])).toMatchObject({
      stdout: "with clusters\nPASSED\n",
      status: 0,
    }));
  test("a kernel that is made for clusters is not run without them", () => {
    const directory = mkdtempSync(join(tmpdir(), "heddle-clusters-"));
    try {
      writeFileSync(
        join(directory, "pairs.cu"),
        "__global__ void __cluster_dims__(2, 1, 1) pairs(int *out) { *out = 1; }\n" +
          "int main() { pairs<<<2, 32>>>(nullptr); cudaDeviceSynchronize(); }\n",
      );
      expect(heddle(["run", "-arch=sm_90", "pairs.cu"], { cwd: directory })).toMatchObject({
        stderr: expect.stringMatching(/pairs.*clusters of 2 blocks/),
      });
      // The architecture that a program is compiled for changes nothing of it.
      expect(heddle(["run", "pairs.cu"], { cwd: directory })).toMatchObject({
        stderr: expect.stringMatching(/pairs.*clusters of 2 blocks/),
      });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
  test("LU, inverses, solutions and QR of matrices in batches", () =>
    expect(heddle(["run", "-lcublas", program("blas-factors.cu")])).toMatchObject({
      stdout: "all factors are right\n",
      status: 0,
    }));
  test("every algorithm of the C++ library with a policy", () =>
    expect(heddle(["run", program("execution-policies.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("conversions of 8-bit floats by inline PTX, beside those of cuda_fp8.h", () =>
    expect(heddle(["run", program("fp8-instructions.cu")])).toMatchObject({ status: 0 }));
  test("float functions, beside those of double", () =>
    expect(heddle(["run", program("float-functions.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("what public programs do", () =>
    expect(heddle(["run", program("public-code.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("texture references", () =>
    expect(heddle(["run", program("texture-references.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("cubemaps", () =>
    expect(heddle(["run", program("cubemaps.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("cuBLAS and cuBLASLt of every kind of factor", () =>
    expect(heddle(["run", program("blas-library.cu")])).toMatchObject({ stdout: "all right\n", status: 0 }));
  test("cuBLAS without a handle", () =>
    expect(heddle(["run", program("blas-legacy.cu")])).toMatchObject({ stdout: "all right\n", status: 0 }));
  test("cuBLAS with numbers of 64 bits, its settings, cublasLtMatrixTransform", () =>
    expect(heddle(["run", program("blas-wide.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("orders and distributions of cuRAND, as NVIDIA's library has them", () =>
    expect(heddle(["run", program("rand-sequences.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("settings of cuBLAS that are kept, a communicator that is revoked", () =>
    expect(heddle(["run", "--devices", "2", program("library-settings.cu"), "-lcublas", "-lnccl"])).toMatchObject({
      stdout: "PASSED\n",
      status: 0,
    }));
  test("names, precompiled headers and callbacks of NVRTC", () =>
    expect(heddle(["run", program("nvrtc-types.cpp"), "-lnvrtc"])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("modules of code that NVRTC compiles", () =>
    expect(heddle(["run", program("runtime-modules.cpp"), "-lnvrtc"])).toMatchObject({
      stdout: "PASSED\n",
      status: 0,
    }));
  test("NVML of two devices", () =>
    expect(heddle(["run", "--devices", "2", program("nvml.cpp"), "-lnvidia-ml"])).toMatchObject({
      stdout: "PASSED\n",
      status: 0,
    }));
  test("CUPTI's callbacks and records", () =>
    expect(heddle(["run", program("cupti.cu"), "-lcupti"])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("memory by handles", () =>
    expect(heddle(["run", program("memory-by-handles.cu"), "-lcuda"])).toMatchObject({
      stdout: "PASSED\n",
      stderr: expect.stringContaining("cuMemMap: memory is mapped at 0x"),
      status: 0,
    }));
  test("what nvcc, Thrust, CUB and gcc's library bring without being asked", () =>
    expect(heddle(["run", program("brought-along.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("the driver's functions by name", () =>
    expect(heddle(["run", program("driver-resources.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("arrays and textures of the driver API", () =>
    expect(heddle(["run", program("driver-arrays.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("libraries that a program loads while it runs", () =>
    expect(heddle(["run", program("loaded-libraries.cpp")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("what NVIDIA's libraries of headers ask of the platform", () =>
    expect(heddle(["run", "--gpu", "h100", program("vendor-headers.cu")])).toMatchObject({
      stdout: "PASSED\n",
      status: 0,
    }));
  test("wgmma, TMA and clusters, whatever architecture the program says it is for", () =>
    expect(heddle(["run", "--gpu", "h100", program("matmul-wgmma.cu")])).toMatchObject({
      stdout: expect.stringMatching(/PASSED\n$/),
      status: 0,
    }));
  test("sums of wgmma of floats of 8 bits, to the bit", () =>
    expect(heddle(["run", "--gpu", "h200", "-arch=sm_90a", program("eight-bit-products.cu")])).toMatchObject({
      stdout: expect.stringMatching(/297 cases, 0 wrong\n$/),
      status: 0,
    }));
  test("copies of tile mode, beside plain loops", () =>
    expect(heddle(["run", "--gpu", "h200", program("tiles.cu")])).toMatchObject({
      stdout: expect.stringMatching(/60 cases, 0 wrong\n$/),
      status: 0,
    }));
  test("copies of im2col mode, beside plain loops", () =>
    expect(heddle(["run", "--gpu", "h200", program("im2col.cu")])).toMatchObject({
      stdout: expect.stringMatching(/60 cases, 0 wrong\n$/),
      status: 0,
    }));
  test("cuBLAS", () =>
    expect(heddle(["run", program("blas.cu")])).toMatchObject({
      stdout: expect.stringMatching(/PASSED\n$/),
      status: 0,
    }));
  test("exit destroys no variables of functions, and nothing catches it", () => {
    const { stdout, status } = heddle(["run", program("exit.cpp")]);
    // One of each call's list of values, which ends before the call goes on.
    const [thrown, what, ...rest] = stdout.trimEnd().split("\n");
    expect([thrown, what]).toEqual(["destroyed: thrown over", "an exception still destroys"]);
    expect(rest.slice(3)).toEqual(["handler", "destroyed: in a handler", "destroyed: static", "destroyed: global"]);
    expect(status).toBe(3);
  });
});
