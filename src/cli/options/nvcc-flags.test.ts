import { describe, expect, test } from "vitest";
import { parseNvccCommand } from "./nvcc-flags.ts";

describe("nvcc's command lines", () => {
  test("the lines at the top of llm.c's kernels", () => {
    const command = parseNvccCommand(
      "-O3 --use_fast_math -lcublas -lcublasLt -Xcompiler -fopenmp matmul_forward.cu -o matmul_forward".split(" "),
    );
    expect(command).toMatchObject({
      sources: ["matmul_forward.cu"],
      output: "matmul_forward",
      mode: "link",
      libraries: ["cublas", "cublasLt"],
    });
    expect(command.compile).toMatchObject({ optimize: 3, fastMath: true });
  });

  test("attached, separate and = forms", () => {
    const { compile } = parseNvccCommand([
      "-DN=5",
      "-D",
      "M",
      "-Iinc",
      "-I",
      "a,b",
      "--std=c++14",
      "-O2",
      "-fmad=false",
      "-U",
      "X",
      "-include",
      "pre.h",
      "x.cu",
    ]);
    expect(compile).toMatchObject({
      defines: ["N=5", "M"],
      includePaths: ["inc", "a", "b"],
      standard: "c++14",
      optimize: 2,
      fmad: false,
      undefines: ["X"],
      forcedIncludes: ["pre.h"],
    });
  });

  test("of several -gencode the newest counts", () => {
    const args = [
      "-gencode",
      "arch=compute_70,code=sm_70",
      "-gencode=arch=compute_86,code=[sm_86,compute_86]",
      "-gencode",
      "arch=compute_75,code=sm_75",
      "x.cu",
    ];
    expect(parseNvccCommand(args).compile.arch).toBe("sm_86");
    expect(parseNvccCommand(["-arch=native", "x.cu"]).compile.arch).toBeUndefined();
  });

  test("host compiler flags inside -Xcompiler", () => {
    const { compile } = parseNvccCommand([
      "-Xcompiler",
      "-fPIC,-DHOST=1,-Wall",
      "-Xcompiler=-O3",
      "--compiler-options",
      "'-fno-strict-aliasing -I/opt/x'",
      "x.cu",
    ]);
    expect(compile.defines).toEqual(["HOST=1"]);
    expect(compile.warnings).toEqual(["-Wall"]);
    expect(compile.includePaths).toEqual(["/opt/x"]);
  });

  test("what Makefiles ask for", () => {
    expect(parseNvccCommand(["-dc", "-MD", "-MF", "x.d", "-MT", "x.o", "x.cu", "-o", "x.o"])).toMatchObject({
      mode: "compile",
      writeDependencies: true,
      dependencyFile: "x.d",
      dependencyTargets: ["x.o"],
    });
    expect(parseNvccCommand(["-M", "x.cu"]).mode).toBe("dependencies");
    expect(parseNvccCommand(["-dlink", "a.o", "b.o", "-o", "d.o"])).toMatchObject({
      mode: "device-link",
      objects: ["a.o", "b.o"],
    });
    expect(parseNvccCommand(["a.o", "libx.a", "-L.", "-L", "lib", "-lm", "-o", "p"])).toMatchObject({
      objects: ["a.o", "libx.a"],
      libraryPaths: [".", "lib"],
      libraries: ["m"],
    });
  });

  test("what has no effect here is taken", () => {
    const line =
      "-lineinfo -G -Xptxas -v -Xptxas=-O3 -maxrregcount=32 -rdc=true --expt-relaxed-constexpr --extended-lambda " +
      "-ccbin g++ -cudart static -t 4 -m64 --default-stream legacy -Wno-deprecated-gpu-targets -diag-suppress " +
      "20012 x.cu";
    const command = parseNvccCommand(line.split(" "));
    expect(command.sources).toEqual(["x.cu"]);
    expect(command.ignored.join()).toContain("registers");
  });

  test("--default-stream per-thread is the macro that nvcc makes of it", () => {
    for (const flags of ["--default-stream per-thread", "-default-stream=per-thread"])
      expect(parseNvccCommand([...flags.split(" "), "x.cu"]).compile.defines).toEqual([
        "CUDA_API_PER_THREAD_DEFAULT_STREAM=1",
      ]);
  });

  test("a host compiler of several words is Heddle itself", () => {
    for (const compiler of ["npx heddle nvcc", "heddle nvcc", "/usr/bin/heddle nvcc", "g++"])
      expect(parseNvccCommand(["-ccbin", ...compiler.split(" "), "-c", "x.cu"])).toMatchObject({
        mode: "compile",
        sources: ["x.cu"],
      });
    expect(parseNvccCommand(["-ccbin", "clang++", "heddle.cu", "nvcc.cu"]).sources).toEqual(["heddle.cu", "nvcc.cu"]);
  });

  test("errors say what is wrong", () => {
    expect(() => parseNvccCommand(["--no-such-flag", "x.cu"])).toThrow(/unknown option --no-such-flag/);
    expect(() => parseNvccCommand(["x.cu", "-o"])).toThrow(/-o needs a value/);
    expect(() => parseNvccCommand(["-cubin", "x.cu"])).toThrow(/a cubin is not written here/);
  });
});
