import { expect, test } from "vitest";
import { Harness } from "./harness.ts";

test("kernels with a body are what can be launched", () => {
  const { kernels } = new Harness(1 << 20).load(`target triple = "nvptx-nvidia-cuda"
declare ptx_kernel void @elsewhere(ptr)
define internal i32 @helper(i32 %n) {
  ret i32 %n
}
define ptx_kernel void @k(ptr %p) {
  ret void
}`);
  expect([...kernels.keys()]).toEqual(["k"]);
});
