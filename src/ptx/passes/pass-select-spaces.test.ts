import { expect, test } from "vitest";
import { Harness } from "../../engine/harness.ts";
import { createInterpreter } from "../../engine/interpreter/interpreter.ts";
import { cloneModule } from "../../ir/model/clone.ts";
import type { IrFunction, IrModule } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { assertValid } from "../../ir/verify.ts";
import { separateSelectedSpaces } from "./pass-select-spaces.ts";

const KERNEL = `target triple = "nvptx-nvidia-cuda"
@tile = internal addrspace(3) global [64 x i32] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %in, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %in, i32 %t
  %s = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 %t
  %v = load i32, ptr %p, align 4
  %w = mul i32 %v, 7
  store i32 %w, ptr %s, align 4
  %odd = trunc i32 %t to i1
  %from = select i1 %odd, ptr %s, ptr %p
  %x = load i32, ptr %from, align 4
  %next = getelementptr i8, ptr %from, i32 4
  %q = getelementptr i32, ptr %out, i32 %t
  %to = select i1 %odd, ptr %q, ptr %s
  store i32 %x, ptr %to, align 4
  %last = icmp eq i32 %t, 31
  br i1 %last, label %done, label %more
more:
  %y = load i32, ptr %next, align 4
  br label %done
done:
  %z = phi i32 [ %x, %entry ], [ %y, %more ]
  %back = load i32, ptr %s, align 4
  %sum = add i32 %z, %back
  %far = getelementptr i32, ptr %q, i32 32
  store i32 %sum, ptr %far, align 4
  ret void
}`;

function run(module: IrModule): number[] {
  const h = new Harness(1 << 20);
  const program = h.load(module);
  const input = h.place(Int32Array.from({ length: 64 }, (_, i) => 1000 + i));
  const out = h.place(new Int32Array(64));
  const { fault } = h.run(createInterpreter(), program, "k", { grid: 1, block: 32 }, [input, out]);
  expect(fault).toBeNull();
  return [...new Int32Array(h.read(out, 256).slice().buffer)];
}

test("accesses that choose between memories are on the sides of branches, and do what they did", () => {
  const module = parseModule(KERNEL, "k.ll");
  const expected = run(cloneModule(module));
  const fn = module.functions.get("k") as IrFunction;
  separateSelectedSpaces(fn);
  assertValid(module, "separateSelectedSpaces");
  const accesses = fn.blocks.flatMap(({ instructions }) =>
    instructions.flatMap((i) => (i.op === "load" || i.op === "store" ? [i.pointer] : [])),
  );
  expect(accesses.some((pointer) => pointer.kind === "instruction" && pointer.op === "select")).toBe(false);
  expect(fn.blocks.length).toBe(3 + 3 * 3);
  expect(run(module)).toEqual(expected);
});
