import { beforeAll, describe, expect, test } from "vitest";
import { clangForTests } from "./clang-resources.test-helper.ts";
import { Clang } from "./clang.ts";
import { DEFAULT_OPTIONS, hostFlags } from "./flags.ts";
import { leadingIncludes, TORCH_HEADER } from "./leading-includes.ts";
import { ALL_IN, INCLUDE_ALL_OF, LAYERS, layersOf } from "./header-layers.ts";

test("the layers that a source may begin with, and what is left", () => {
  expect(layersOf(["vector"], "c++17")).toEqual({ layers: ["algorithm", "string", "vector"], rest: [] });
  expect(layersOf(["algorithm", "random"], "c++20")).toEqual({
    layers: ["algorithm", "string", "vector"],
    rest: ["random"],
  });
  expect(layersOf(["array"], "c++17")).toEqual({ layers: ["algorithm"], rest: ["array"] });
  expect(layersOf(["array", "iostream", "stack", "utility"], "c++17")).toEqual({ layers: CXX_LAYERS, rest: [] });
  expect(layersOf(["utility"], "c++17")).toEqual({ layers: [], rest: ["utility"] });
  expect(layersOf(["map"], "c++23")).toEqual({ layers: [], rest: ["map"] });
  expect(layersOf([], "c++17")).toEqual({ layers: [], rest: [] });
});

const CXX_LAYERS = LAYERS.filter((layer) => layer !== TORCH_HEADER);

describe("libc++ includes what the tables say", () => {
  let clang: Clang;
  beforeAll(async () => {
    clang = await Clang.load(clangForTests());
  });
  /** Those of `wanted` that have been read to their end after these headers: each defines a macro. */
  const present = (headers: readonly string[], wanted: readonly string[], standard: string): string[] => {
    const text = headers.map((name) => `#include <${name}>\n`).join("");
    const result = clang.run(
      [...hostFlags({ ...DEFAULT_OPTIONS, standard }, "c++"), "-w", "-E", "-dM", "-o", "/out", "/a.cpp"],
      { files: new Map([["/a.cpp", new TextEncoder().encode(text)]]) },
    );
    const macros = new Set(
      [...new TextDecoder().decode(result.output("/out") ?? undefined).matchAll(/^#define (_LIBCPP_\w+)/gm)].map(
        ([, name]) => name,
      ),
    );
    return wanted.filter((name) => macros.has(`_LIBCPP_${name.toUpperCase()}`));
  };

  test("what PyTorch's extensions include, lies on top", () => {
    const wanted = ALL_IN[TORCH_HEADER].filter((name) => name !== TORCH_HEADER);
    expect(present([TORCH_HEADER], wanted, "c++17")).toEqual(wanted);
    expect(present([TORCH_HEADER], CXX_LAYERS, "c++17")).toEqual(CXX_LAYERS);
  });

  test("C++17", () => {
    for (const [i, layer] of CXX_LAYERS.entries()) {
      const below = CXX_LAYERS.slice(0, i + 1);
      for (const header of INCLUDE_ALL_OF[layer]) expect(present([header], below, "c++17"), header).toEqual(below);
      expect(present(below, ALL_IN[layer], "c++17"), layer).toEqual(ALL_IN[layer]);
    }
  });

  test("C++20, in which the same conditions hold", () => {
    expect(present(["map"], CXX_LAYERS, "c++20")).toEqual(["algorithm", "string", "vector"]);
    const all = CXX_LAYERS.flatMap((layer) => ALL_IN[layer]);
    expect(present(CXX_LAYERS, all, "c++20")).toEqual(all);
  });

  test("headers of CUDA include half precision and bfloat16 as their names say", () => {
    const names = [...clang.ownFiles.keys()].flatMap((path) => /^include\/(\w+\.h)$/.exec(path)?.[1] ?? []);
    const saysBoth = (text: string): boolean => leadingIncludes({ path: "a.cu", text }).headers.includes("cuda_bf16.h");
    const includeBoth = names.filter((name) => saysBoth(`#include <${name}>\n`));
    expect(includeBoth.length).toBeGreaterThan(8);
    for (const name of [...includeBoth, "cuda_fp16.h"]) {
      const files = new Map([["/a.cu", new TextEncoder().encode(`#include <${name}>\n`)]]);
      const flags = hostFlags(DEFAULT_OPTIONS, "cuda");
      const result = clang.run([...flags, "-w", "-E", "-dM", "-include", "cuda_runtime.h", "-o", "/out", "/a.cu"], {
        files,
      });
      const macros = new TextDecoder().decode(result.output("/out") ?? undefined);
      expect(
        [/CUDART_INF_FP16/, /CUDART_INF_BF16/].map((macro) => macro.test(macros)),
        name,
      ).toEqual([true, name !== "cuda_fp16.h"]);
    }
  });
});
