import { expect, test } from "vitest";
import type { IrInstruction } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { laneStride } from "./lane-stride.ts";

const strideOf = (lines: string): unknown => {
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
define ptx_kernel void @k(ptr %p, i32 %n, i32 %m) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %loop
loop:
  %i = phi i32 [ %x, %entry ], [ %next, %loop ]
  ${lines}
  %next = add i32 %i, %d
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}`,
    "test.ll",
  );
  const all = [...(module.functions.get("k")?.blocks ?? [])].flatMap((block) => block.instructions);
  return laneStride(all.find((i) => "name" in i && i.name === "r") as IrInstruction);
};

test.each([
  ["%g = mul i32 %b, %d\n  %s = add i32 %g, %x\n  %r = getelementptr float, ptr %p, i32 %s", 4],
  ["%r = getelementptr float, ptr %p, i32 %i", 4],
  ["%s = mul i32 %i, %n\n  %r = getelementptr float, ptr %p, i32 %s", "far"],
  ["%s = mul i32 %i, %n\n  %t = add i32 %s, %b\n  %r = getelementptr half, ptr %p, i32 %t", "far"],
  ["%s = shl i32 %i, 3\n  %r = getelementptr half, ptr %p, i32 %s", 16],
  ["%s = mul i32 %b, %n\n  %r = getelementptr float, ptr %p, i32 %s", 0],
  ["%s = add i32 %y, %i\n  %r = getelementptr float, ptr %p, i32 %s", null],
  ["%v = load i32, ptr %p, align 4\n  %r = getelementptr float, ptr %p, i32 %v", null],
  ["%s = mul i32 %i, %n\n  %t = mul i32 %x, %m\n  %r = sub i32 %s, %t", null],
  ["%s = sub i32 %n, %x\n  %r = sext i32 %s to i64", -1],
])("%s: %s", (lines, stride) => expect(strideOf(lines)).toBe(stride));
