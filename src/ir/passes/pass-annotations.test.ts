import { expect, test } from "vitest";
import { parseModule } from "../text/parse.ts";
import { takeAnnotations } from "./pass-annotations.ts";

test("the extents of clusters become an attribute of the kernel, and the annotations go", () => {
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
@.str = private unnamed_addr constant [19 x i8] c"heddle.cluster_dim\\00", section "llvm.metadata"
@.other = private unnamed_addr constant [6 x i8] c"other\\00", section "llvm.metadata"
@.file = private unnamed_addr constant [5 x i8] c"a.cu\\00", section "llvm.metadata"
@.args = private unnamed_addr constant { i32, i32 } { i32 2, i32 4 }, section "llvm.metadata"
@kept = addrspace(1) global i32 3
@llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] \
[{ ptr, ptr, ptr, i32, ptr } { ptr @k, ptr @.str, ptr @.file, i32 2, ptr @.args }, \
{ ptr, ptr, ptr, i32, ptr } { ptr @l, ptr @.other, ptr @.file, i32 3, ptr null }], section "llvm.metadata"
define ptx_kernel void @k() #0 { ret void }
define ptx_kernel void @l() #0 { ret void }
attributes #0 = { nounwind }`,
    "annotations.ll",
  );
  takeAnnotations(module);
  expect([...(module.functions.get("k")?.attributes ?? [])]).toEqual(["nounwind", "nvvm.cluster_dim=2,4,1"]);
  expect([...(module.functions.get("l")?.attributes ?? [])]).toEqual(["nounwind"]);
  expect([...module.globals.keys()]).toEqual(["kept"]);
});
