import { expect, test } from "vitest";
import { parseModule } from "../ir/text/parse.ts";
import { ProgramParts } from "./program-parts.ts";

const IR = `@counter = internal addrspace(1) externally_initialized global i32 0, align 4
@"a table" = internal unnamed_addr constant [2 x i32] [i32 1, i32 2], align 4
@tile = internal addrspace(3) global [4 x i32] undef, align 4
@alone = addrspace(4) externally_initialized global i32 7, align 4
define ptx_kernel void @first(ptr %p) #0 {
  %v = load i32, ptr addrspace(1) @counter
  call void @help(ptr %p)
  ret void
}
define ptx_kernel void @second(ptr %p) {
  store i32 1, ptr addrspace(1) @counter
  ret void
}
define ptx_kernel void @third(ptr %p) {
  %v = load i32, ptr @"a table"
  store i32 %v, ptr addrspace(3) @tile
  call void @help(ptr %p)
  ret void
}
define ptx_kernel void @fourth(ptr %p) {
  %v = load i32, ptr @"a table"
  store i32 %v, ptr addrspace(3) @tile
  ret void
}
define internal void @help(ptr %p) {
  ret void
}
attributes #0 = { nounwind }
`;

test("a kernel comes with what it refers to, and with the kernels that share its variables", () => {
  const parts = new ProgramParts({ ir: IR, name: "library.cu", options: { fmad: false } });
  const namesWith = (symbol: string): string[] => {
    const { functions, globals } = parseModule(parts.with(symbol)?.program.ir ?? "", "part");
    return [...globals.keys(), ...functions.keys()];
  };
  expect(namesWith("first")).toEqual(["counter", "first", "second", "help"]);
  expect(parts.with("second")).toBe(parts.with("first"));
  expect(parts.with("counter")).toBe(parts.with("first"));
  expect(namesWith("third")).toEqual(["a table", "tile", "third", "help"]);
  expect(namesWith("fourth")).toEqual(["a table", "tile", "fourth"]);
  expect(namesWith("alone")).toEqual(["alone"]);
  expect(parts.with("third")?.program).toMatchObject({ name: "library.cu", options: { fmad: false } });
  expect(parts.with("help")).toBeNull();
  expect(parts.with("nobody has this")).toBeNull();
});

test("a variable that kernels only read is one that the host may ask for, and shared if it may write it", () => {
  const ir = `@limit = addrspace(1) externally_initialized constant i32 7, align 4
@text = internal addrspace(1) constant i32 8, align 4
@apart = addrspace(4) externally_initialized global i32 9, align 4
@llvm.used = appending global [2 x ptr] [ptr addrspacecast (ptr addrspace(1) @limit to ptr), \
ptr addrspacecast (ptr addrspace(4) @apart to ptr)], section "llvm.metadata"
define ptx_kernel void @first() {
  %v = load i32, ptr addrspace(1) @limit
  %w = load i32, ptr addrspace(1) @text
  ret void
}
define ptx_kernel void @second() {
  %v = load i32, ptr addrspace(1) @limit
  ret void
}
define ptx_kernel void @third() {
  %v = load i32, ptr addrspace(1) @text
  ret void
}
`;
  const parts = new ProgramParts({ ir, name: "library.cu", options: { fmad: false } });
  expect(parts.with("limit")).not.toBeNull();
  expect(parts.with("second")).toBe(parts.with("limit"));
  expect(parts.with("first")).toBe(parts.with("limit"));
  expect(parts.with("third")).not.toBe(parts.with("first"));
  expect(parts.with("apart")).not.toBe(parts.with("limit"));
  expect(parts.with("apart")?.program.ir).not.toContain("@limit");
  expect(parts.with("text")).toBeNull();
});

test("a program that calls functions through pointers is not divided", () => {
  const ir = `define ptx_kernel void @k(ptr %f) {\n  call void %f(i32 1)\n  ret void\n}\n`;
  expect(new ProgramParts({ ir, name: "library.cu", options: { fmad: false } }).with("k")).toBeNull();
});
