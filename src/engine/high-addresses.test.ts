/** Faults name addresses of the upper half as they are: without a sign. */
import { expect, test } from "vitest";
import { Harness } from "./harness.ts";
import { createInterpreter } from "./interpreter/interpreter.ts";
import { createThreadExecutor } from "./thread-tier/thread-executor.ts";
import { createWarpExecutor } from "./warp-tier/warp-executor.ts";

const ADDRESS = 0xf000_0010;

test.each([
  ["the interpreter", createInterpreter],
  ["the thread tier", createThreadExecutor],
  ["the warp tier", createWarpExecutor],
])("%s", (_, create) => {
  for (const [line, kind] of [
    ["store i32 1, ptr %at, align 4", "store"],
    ["%v = load volatile i32, ptr %at, align 4", "load"],
  ]) {
    const harness = new Harness(1 << 20);
    const program = harness.load(`target triple = "nvptx-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(i32 %base) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %o = mul i32 %t, 4
  %a = add i32 %base, %o
  %at = inttoptr i32 %a to ptr
  ${line}
  ret void
}`);
    const { fault } = harness.run(create(), program, "k", { grid: 1, block: 4 }, [ADDRESS]);
    expect(fault?.kind).toBe("illegal-address");
    expect(fault?.access).toEqual({ address: ADDRESS, bytes: 4, kind });
  }
});
