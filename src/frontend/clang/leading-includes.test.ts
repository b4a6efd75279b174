import { expect, test } from "vitest";
import { leadingIncludes as includesOf, type IncludedFile } from "./leading-includes.ts";

const leadingIncludes = (text: string): readonly string[] => includesOf({ path: "a.cu", text }).headers;

test("what a source begins with, in any order, between comments", () => {
  expect(
    leadingIncludes(
      "// nvcc a.cu\r\n#include <vector>\r\n/* two\nlines */ # include <cstdio> // for printf\n" +
        "#include <cuda_runtime.h>\n#include<algorithm>\n\n#include <vector>\nint x;\n#include <map>",
    ),
  ).toEqual(["algorithm", "vector"]);
  expect(leadingIncludes("")).toEqual([]);
  expect(leadingIncludes("#include <stdio.h>\n__global__ void k() {}")).toEqual([]);
});

test("nothing behind what could change a header's meaning", () => {
  for (const line of [
    "#define _LIBCPP_DEBUG 1",
    '#include "mine.h"',
    "#include <mine.h>",
    "#if 1",
    "#pragma GCC poison x",
    "using namespace std;",
    "// a comment that goes on \\",
    "#include <vector> int x;",
  ]) {
    expect(leadingIncludes(`#include <string>\n${line}\n#include <list>\n`), line).toEqual(["string"]);
  }
});

test("in the files that a source includes in quotes, too, as far as they go", () => {
  const files: Readonly<Record<string, string>> = {
    "types.h": "#pragma once\n#include <string>\n",
    "guarded.h": "// ours\n#ifndef GUARDED_H\n#define GUARDED_H\n#include <map>\nstruct s;\n#endif\n#include <list>\n",
  };
  const open = (name: string): IncludedFile | null =>
    files[name] === undefined ? null : { path: name, text: files[name] };
  const of = (text: string): readonly string[] => includesOf({ path: "a.cu", text }, open).headers;
  expect(of('#include "types.h"\n#include "types.h"\n#include <set>\n')).toEqual(["set", "string"]);
  expect(of('#include "guarded.h"\n#include <set>\n')).toEqual(["map"]);
  expect(of('#include "elsewhere.h"\n#include <set>\n')).toEqual([]);
});

test("half precision, and headers of libraries that include it", () => {
  expect(leadingIncludes("#include <cuda_fp16.h>\n#include <vector>\n")).toEqual(["cuda_fp16.h", "vector"]);
  const both = ["cuda_bf16.h", "cuda_fp16.h"];
  expect(leadingIncludes('#include "cublas_v2.h"\n#include <vector>\n')).toEqual([...both, "vector"]);
  expect(leadingIncludes("#include <cufft.h>\n#include <cuda_bf16.h>\n")).toEqual(both);
  expect(leadingIncludes("#define CUDA_NO_HALF\n#include <cuda_fp16.h>\n")).toEqual([]);
});

test("the names that a file of the user's could have", () => {
  const text = "#include <mma.h>\n#include <vector>\n#include <cub/cub.cuh>\n#include <mine.h>\n#include <nccl.h>\n";
  expect(includesOf({ path: "a.cu", text })).toEqual({
    headers: ["cuda_bf16.h", "cuda_fp16.h", "vector"],
    names: new Set(["mma.h", "vector"]),
  });
});
