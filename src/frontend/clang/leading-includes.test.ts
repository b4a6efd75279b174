import { expect, test } from "vitest";
import { leadingIncludes } from "./leading-includes.ts";

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
