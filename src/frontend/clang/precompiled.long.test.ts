/** Compiling often the same headers: once they are precompiled, the results are what they were. */
import { expect, test } from "vitest";
import { clangForTests } from "./clang-resources.test-helper.ts";
import { memoryStore } from "../../store/store.ts";
import { createCompiler } from "./compile.ts";
import { reader } from "./source-reader.test-helper.ts";

test("precompiled C++ headers change nothing, and a header of the user's with such a name is used", async () => {
  const text =
    "#include <vector>\n#include <algorithm>\n__global__ void k(int *p, int n) { *p = std::max(n, 3); }\n" +
    "int count;\nint main() { std::vector<int> v(100, 7); std::sort(v.begin(), v.end()); return v[count]; }\n";
  const [fresh, options] = [await createCompiler({ resources: clangForTests(), store: memoryStore() }), {}];
  const objects: Uint8Array[] = [];
  const device: string[] = [];
  for (const comment of ["// 1", "// 2", "// 3"]) {
    const { object, device: program } = await fresh.compileObject(
      { path: "headers.cu", text: `${text}${comment}\n` },
      options,
      null,
    );
    objects.push(object);
    device.push(program?.ir ?? "");
  }
  expect(device[0]).toContain("define ");
  // The second makes the layers, the third finds them.
  expect(device[1]).toBe(device[0]);
  expect(device[2]).toBe(device[0]);
  expect(objects[1]).toEqual(objects[0]);
  expect(objects[2]).toEqual(objects[0]);
  const shadowed = await fresh.compileDevice(
    { path: "headers.cu", text },
    { includePaths: ["inc"] },
    reader({ "inc/vector": "#include_next <vector>\n__global__ void from_the_users_vector() {}\n" }),
  );
  expect(shadowed.program.ir).toContain("from_the_users_vector");
});

test("precompiled half precision changes nothing, also below a header of the user's", async () => {
  const compiler = await createCompiler({ resources: clangForTests(), store: memoryStore() });
  const files = reader({ "types.h": "#pragma once\n#include <cuda_bf16.h>\ntypedef __nv_bfloat16 type;\n" });
  const text =
    '#include "types.h"\n__global__ void k(type *p, half h) { *p = type(__half2float(h)) + *p; }\n' +
    "int main() { k<<<1, 1>>>(nullptr, half(1.5f)); return (int)float(type(3.0f)); }\n";
  const results: unknown[] = [];
  for (const comment of ["// 1", "// 2", "// 3"]) {
    const { object, device } = await compiler.compileObject({ path: "half.cu", text: text + comment }, {}, files);
    results.push({ ir: device?.ir, object });
  }
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
});

test("no half precision is there for a header of the user's with the name of one that includes it", async () => {
  const compiler = await createCompiler({ resources: clangForTests(), store: memoryStore() });
  for (const name of ["mma.h", "nccl.h", "cublas_v2.h"]) {
    const text = `#include <${name}>\n__global__ void k(half *p) { p->bits = 7; }\n`;
    const files = reader({ [`inc/${name}`]: "struct half { unsigned short bits; };\n" });
    for (const comment of ["// 1", "// 2", "// 3"]) {
      const { program } = await compiler.compileDevice(
        { path: "own.cu", text: text + comment },
        { includePaths: ["inc"] },
        files,
      );
      expect(program.ir, name).toContain("store i16 7");
    }
  }
});
