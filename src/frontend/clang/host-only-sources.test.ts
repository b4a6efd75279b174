import { expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "./flags.ts";
import { registersDeviceCode, seemsHostOnly } from "./host-only-sources.ts";
import { reader } from "./source-reader.test-helper.ts";

const files = reader({
  "src/plain.h": '#pragma once\n#include "more.h"\nint f();\n',
  "src/more.h": '#include "plain.h"\n#include <vector>\n',
  "inc/kernels.cuh": "template <class T> __global__ void k(T *p) {}\n",
});
const isHostOnly = (text: string, options = {}): boolean =>
  seemsHostOnly({ path: "src/a.cu", text }, { ...DEFAULT_OPTIONS, includePaths: ["inc"], ...options }, files);

test("a source that calls libraries alone, with headers of the user's", () => {
  expect(isHostOnly('#include <cublas_v2.h>\n#include "plain.h"\n#include <cstdio>\nint main() {}\n')).toBe(true);
});

test("device code in the source, in a header, or where nobody can tell", () => {
  for (const text of [
    "__global__ void k() {}",
    "static __constant__ int c;",
    "#if __CUDA_ARCH__ < 700\n#error old\n#endif",
    "void f() { k<<<1, 1>>>(); }",
    "#include <kernels.cuh>",
    "#include HEADER",
    "#include <thrust/sort.h>",
    "#include <cub/cub.cuh>",
    "#include <cooperative_groups.h>",
    "#include <torch/extension.h>",
    "__attribute__((device)) int f();",
  ])
    expect(isHostOnly(`${text}\n`), text).toBe(false);
  const plain = "int main() {}\n";
  expect(isHostOnly(plain)).toBe(true);
  expect(isHostOnly(plain, { defines: ["KERNEL=__global__"] })).toBe(false);
  expect(isHostOnly(plain, { forcedIncludes: ["a.h"] })).toBe(false);
  expect(isHostOnly(plain, { warnings: ["-Wall"] })).toBe(false);
  expect(seemsHostOnly({ path: "/heddle/libraries/a.cu", text: plain }, DEFAULT_OPTIONS, null)).toBe(false);
});

test("an object that registers kernels", () => {
  expect(registersDeviceCode(new TextEncoder().encode("…__cudaRegisterFatBinary…"))).toBe(true);
  expect(registersDeviceCode(new TextEncoder().encode("cublasCreate_v2"))).toBe(false);
});
