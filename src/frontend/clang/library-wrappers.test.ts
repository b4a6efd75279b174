import { expect, test } from "vitest";
import { ModuleBuilder } from "../../wasm/module-builder.ts";
import { libraryWrappers } from "./library-wrappers.ts";

function object(
  ...imports: readonly [name: string, parameters: readonly ("i32" | "i64" | "f64")[], results: ["i32"] | []][]
): Uint8Array {
  const module = new ModuleBuilder();
  for (const [name, parameters, results] of imports) module.importFunction("env", name, parameters, results);
  return module.finish();
}

test("a wrapper for each function that returns a status, by the types of its import", () => {
  const wrappers = libraryWrappers([
    object(["cublasSscal_v2", ["i64", "i32", "i64", "i64", "i32"], ["i32"]], ["cublasInit", [], ["i32"]]),
    object(["cufftExecC2C", ["i32"], ["i32"]], ["cublasXerbla", ["i64", "i32"], []], ["mine", ["i32"], ["i32"]]),
  ]);
  expect(wrappers?.linkFlags).toEqual(["--wrap=cublasSscal_v2", "--wrap=cublasInit", "--wrap=cufftExecC2C"]);
  expect(wrappers?.source).toContain(
    "int __wrap_cublasSscal_v2(long long v0, int v1, long long v2, long long v3, int v4) {\n",
  );
  expect(wrappers?.source).toContain("  int status = __real_cublasSscal_v2(v0, v1, v2, v3, v4);\n");
  expect(wrappers?.source).toContain("int __real_cublasInit(void);");
});

test("none where a program calls no such function", () => {
  expect(libraryWrappers([object(["cudaMalloc", ["i32", "i32"], ["i32"]])])).toBeNull();
});

test("none for results that are numbers", () => {
  const numbers = ["cusparseGetMatIndexBase", "cublasIsamax", "cublasLtDisableCpuInstructionsSetMask"];
  expect(libraryWrappers(numbers.map((name) => object([name, ["i32"], ["i32"]])))).toBeNull();
});
