/** Compiling often the same headers: once they are precompiled, the results are what they were. */
import { expect, test } from "vitest";
import { nodeClangResources } from "./clang-loader-node.ts";
import { memoryStore } from "../../store/store.ts";
import { createCompiler } from "./compile.ts";
import { reader } from "./source-reader.test-helper.ts";

test("precompiled C++ headers change nothing, and a header of the user's with such a name is used", async () => {
  const text =
    "#include <vector>\n#include <algorithm>\n__global__ void k(int *p, int n) { *p = std::max(n, 3); }\n" +
    "int count;\nint main() { std::vector<int> v(100, 7); std::sort(v.begin(), v.end()); return v[count]; }\n";
  const [fresh, options] = [await createCompiler({ resources: nodeClangResources(), store: memoryStore() }), {}];
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
