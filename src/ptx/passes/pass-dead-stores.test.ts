import { expect, test } from "vitest";
import type { IrFunction } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { assertValid } from "../../ir/verify.ts";
import { removeDeadStores } from "./pass-dead-stores.ts";

/** The values that a block's stores leave, after the pass. */
function storesOf(body: string): string[] {
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
@tile = internal addrspace(3) global [64 x i32] undef, align 4
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define ptx_kernel void @k(ptr %in, ptr %out, ptr %any) {
  %s = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 3
  %next = getelementptr i8, ptr %s, i32 4
${body}
  ret void
}`,
    "k.ll",
  );
  const fn = module.functions.get("k") as IrFunction;
  removeDeadStores(fn);
  assertValid(module, "removeDeadStores");
  return fn.blocks.flatMap(({ instructions }) =>
    instructions.flatMap((i) =>
      i.op === "store" ? [i.value.kind === "const-int" ? String(i.value.value) : i.value.kind] : [],
    ),
  );
}

test("what is overwritten before it is read goes, past loads of another memory", () => {
  expect(storesOf("store i32 1, ptr %s\n %x = load i32, ptr %in\n store i32 2, ptr %s")).toEqual(["2"]);
  expect(storesOf("store i32 1, ptr %s\n %x = load i32, ptr %next\n store i32 2, ptr %s")).toEqual(["2"]);
});

test.each([
  ["a load of it", "%x = load i32, ptr %s", "store i32 2, ptr %s"],
  ["a load that may be of it", "%p = load ptr, ptr %in\n %x = load i32, ptr %p", "store i32 2, ptr %s"],
  ["a barrier", "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)", "store i32 2, ptr %s"],
  ["an atomic operation", "%x = atomicrmw add ptr %out, i32 1 monotonic", "store i32 2, ptr %s"],
  ["a volatile load", "%x = load volatile i32, ptr %in", "store i32 2, ptr %s"],
  ["nothing, but less is overwritten", "", "store i16 2, ptr %s"],
  ["nothing, but another place is stored to", "", "store i32 2, ptr %next"],
  ["nothing, but the store is volatile", "", "store volatile i32 2, ptr %s"],
])("a store stays in front of %s", (_name, between, later) => {
  expect(storesOf(`store i32 1, ptr %s\n ${between}\n ${later}`)).toEqual(["1", "2"]);
});

test("a volatile store is never removed", () => {
  expect(storesOf("store volatile i32 1, ptr %s\n store i32 2, ptr %s")).toEqual(["1", "2"]);
});
