import { expect, test } from "vitest";
import type { IrFunction } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { assertValid } from "../../ir/verify.ts";
import { foldSpaceTests } from "./pass-space-tests.ts";

/** What is stored where the question was asked: the constant, or that it is still asked. */
function answer(space: string, pointer: string): string {
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
@tile = internal addrspace(3) global [64 x i32] undef, align 4
declare i1 @llvm.nvvm.isspacep.${space}(ptr)
define ptx_kernel void @k(ptr %in, ptr %out, i32 %i) {
  %loaded = load ptr, ptr %in, align 4
  %shared = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 %i
  %global = getelementptr i32, ptr %in, i32 %i
  %is = call i1 @llvm.nvvm.isspacep.${space}(ptr ${pointer})
  %number = zext i1 %is to i32
  store i32 %number, ptr %out, align 4
  ret void
}`,
    "k.ll",
  );
  const fn = module.functions.get("k") as IrFunction;
  foldSpaceTests(fn, "constant");
  assertValid(module, "foldSpaceTests");
  const store = fn.blocks[0]?.instructions.find((i) => i.op === "store");
  const asked = store?.op === "store" && store.value.kind === "instruction" ? store.value : null;
  const operand = asked?.op === "cast" ? asked.operand : null;
  return operand?.kind === "const-int" ? String(operand.value !== 0n) : "asked";
}

test.each([
  ["shared", "%shared", "true"],
  ["shared", "%global", "false"],
  ["global", "%shared", "false"],
  ["global", "%global", "true"],
  ["const", "%global", "false"],
  ["global", "%loaded", "asked"],
  ["shared.cluster", "%shared", "asked"],
])("is it %s, of %s: %s", (space, pointer, expected) => expect(answer(space, pointer)).toBe(expected));
