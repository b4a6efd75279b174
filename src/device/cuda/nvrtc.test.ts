/**
 * Needs an NVRTC, and no GPU: HEDDLE_CUDA_LIBRARIES may name its folder. Without one only the sentence is tested that
 * says so.
 */
import { describe, expect, it } from "vitest";
import { HeddleError } from "../../base/diagnostics.ts";
import { openNvrtc, type Nvrtc } from "./nvrtc.ts";
import { NVRTC_HEADERS, RUNTIME_HEADERS } from "./nvrtc-headers.ts";
import { PRINTF_FUNCTION, PRINTF_SOURCE } from "./printf-source.ts";
import { ptxEntries } from "./ptx-entries.ts";
import { compilerOptions, includedFiles } from "./source-program.ts";

function nvrtcHere(): Nvrtc | HeddleError {
  try {
    return openNvrtc(null);
  } catch (error) {
    if (error instanceof HeddleError && error.code === "no-device") return error;
    throw error;
  }
}

const nvrtc = nvrtcHere();
const compile = (
  text: string,
  nameExpressions: readonly string[] = [],
  options: readonly string[] = [],
): ReturnType<Nvrtc["compile"]> =>
  (nvrtc as Nvrtc).compile({
    path: "kernel.cu",
    text,
    headers: { ...RUNTIME_HEADERS, ...NVRTC_HEADERS },
    options: ["--gpu-architecture=sm_80", ...options],
    nameExpressions,
  });

it.runIf(nvrtc instanceof HeddleError)("says in one sentence that NVRTC was not found, and where it comes from", () => {
  expect((nvrtc as HeddleError).message).toMatch(/^CUDA source cannot be compiled for the GPU/);
  expect((nvrtc as HeddleError).notes.join()).toContain("nvidia-cuda-nvrtc");
});

describe.skipIf(nvrtc instanceof HeddleError)("NVRTC", () => {
  it("instantiates templates by name, and includes what sources include out of habit", () => {
    const text = `#include <cstdint>\n#include <cmath>\n#include <stdio.h>\n#include <cuda_runtime.h>
      template <typename T> __global__ void axpy(int n, T a, const T* x, T* y) {
        if (threadIdx.x < n) y[threadIdx.x] += a * x[threadIdx.x] + (T)M_PI + (uint32_t)INT32_MAX;
      }`;
    const { ptx, cubin, names } = compile(text, ["axpy<float>"]);
    expect(names.get("axpy<float>")).toBe("_Z4axpyIfEviT_PKS0_PS0_");
    expect(cubin.length).toBeGreaterThan(0);
    expect(ptxEntries(ptx, text).map(({ params }) => params.map(({ kind }) => kind))).toEqual([
      ["i32", "f32", "pointer", "pointer"],
    ]);
  });

  it("gives the compiler's report, with the file's name and line", () => {
    expect(() => compile("__global__ void k(int* p) { p[0] = q; }")).toThrow(
      expect.objectContaining({
        code: "compile-error",
        notes: expect.arrayContaining(['kernel.cu(1): error: identifier "q" is undefined']),
      }),
    );
  });

  it("compiles the function that prints", () => {
    expect(compile(PRINTF_SOURCE, [], ["--relocatable-device-code=true"]).ptx).toContain(PRINTF_FUNCTION);
  });
});

it("options are nvcc's in NVRTC's words", () => {
  expect(compilerOptions({ standard: "gnu++20", defines: ["N=4"], fastMath: true, fmad: false }, ["/x"])).toEqual([
    "--std=c++20",
    "--include-path=/x",
    "--define-macro=N=4",
    "--use_fast_math",
    "--fmad=false",
  ]);
});

it("finds the user's files that a source includes, those of included files too", () => {
  const found = [
    ...includedFiles(`#include "device.ts"\n  # include <nowhere.h>`, [`${import.meta.dirname}/..`]).keys(),
  ];
  expect(found.map((path) => path.split("/").at(-1))).toEqual(["device.ts"]);
});
