import { expect, test } from "vitest";
import { namedByHost, staticsWithConstants, withPlainNames } from "./static-variables.ts";

const IR = `@_ZL5table = internal addrspace(4) constant [4 x i32] zeroinitializer, align 4
@_ZL4kept = internal addrspace(1) global i32 0, align 4
@_ZZ3addvE5local = internal addrspace(1) global i32 0, align 4
@llvm.compiler.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(4) @_ZL5table to ptr)]
@sum = addrspace(1) externally_initialized global i32 0, align 4
define dso_local ptx_kernel void @add() {
  %0 = load i32, ptr addrspacecast (ptr addrspace(4) @_ZL5table to ptr), align 4
  store i32 %0, ptr addrspacecast (ptr addrspace(1) @_ZL4kept to ptr), align 4
}
`;

test("static variables are found by their mangled names where one is a constant", () => {
  expect(staticsWithConstants(IR)).toEqual(["table", "kept"]);
  expect(staticsWithConstants(IR.replace("addrspace(4) constant", "addrspace(1) global"))).toEqual([]);
});

test("so are those of namespaces, anonymous ones too", () => {
  const nested = `@_ZN12_GLOBAL__N_11b1aE = internal addrspace(4) constant [3 x i32] zeroinitializer
@_ZN1cL4moreE = internal addrspace(4) constant i32 0
@_ZN1dIiE1xE = internal addrspace(1) global i32 0
`;
  expect(staticsWithConstants(nested)).toEqual(["b::a", "c::more"]);
});

test("host code names them behind the source", () => {
  const { text } = namedByHost({ path: "k.cu", text: "static __constant__ int table[4];" }, ["table"]);
  expect(text).toMatch(/^static __constant__ int table\[4\];\n/);
  expect(text).toContain("&::table;");
});

test("they get their plain names, but where another symbol has one", () => {
  const plain = withPlainNames(IR.replaceAll("_ZL4kept", "_ZL3sum"));
  expect(plain).toContain("@table = internal addrspace(4)");
  expect(plain).toContain("(ptr addrspace(4) @table to ptr)");
  expect(plain).toContain("@_ZL3sum = internal");
  expect(plain).not.toContain("compiler.used");
  expect(plain).toContain("@_ZZ3addvE5local");
  expect(withPlainNames(IR.replaceAll("_ZL4kept", "_ZL3add"))).toContain("@_ZL3add = internal");
});
