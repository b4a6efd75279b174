import { expect, test } from "vitest";
import { ModuleBuilder } from "../../wasm/module-builder.ts";
import type { ValueType } from "../../wasm/types.ts";
import { callWrappers } from "./call-wrappers.ts";

function object(
  ...imports: readonly [name: string, parameters: readonly ValueType[], results: readonly ValueType[]][]
): Uint8Array {
  const module = new ModuleBuilder();
  for (const [name, parameters, results] of imports) module.importFunction("env", name, parameters, results);
  return module.finish();
}
const subscribe: [string, readonly ValueType[], readonly ValueType[]] = [
  "cuptiSubscribe",
  ["i64", "i64", "i64"],
  ["i32"],
];

test("none where a program does not use CUPTI", () => {
  expect(callWrappers([object(["cudaMalloc", ["i64", "i64"], ["i32"]])])).toBeNull();
});

test("functions of CUDA and of NVTX in all objects, and no others", () => {
  const wrappers = callWrappers([
    object(["cuptiActivityEnable", ["i32"], ["i32"]], ["cudaMalloc", ["i64", "i64"], ["i32"]]),
    object(
      ["nvtxRangeEnd", ["i64"], []],
      ["cuMemAlloc", ["i64", "i64"], ["i32"]],
      ["cublasInit", [], ["i32"]],
      ["__cudaPopCallConfiguration", ["i64"], ["i32"]],
      ["mine", [], []],
    ),
  ]);
  expect(wrappers?.linkFlags).toEqual(["--wrap=cudaMalloc", "--wrap=nvtxRangeEnd", "--wrap=cuMemAlloc"]);
  expect(wrappers?.source).toContain("int __wrap_cudaMalloc(long long v0, long long v1) {\n");
  expect(wrappers?.source).toContain("  struct { long long v0; long long v1; } params = {v0, v1};\n");
  expect(wrappers?.source).toContain("void __real_nvtxRangeEnd(long long v0);\n");
});

test("parameters that are structs stand in the struct of parameters by value", () => {
  const launch: [string, readonly ValueType[], readonly ValueType[]] = [
    "cudaLaunchKernel",
    ["i32", "i32", "i32", "i32", "i32", "i32"],
    ["i32"],
  ];
  const source = callWrappers([object(subscribe, launch)])?.source;
  expect(source).toContain("struct { int v0; dim3 v1; dim3 v2; int v3; int v4; int v5; }");
  expect(source).toContain("{v0, *(dim3 *)(size)v1, *(dim3 *)(size)v2, v3, v4, v5}");
});
