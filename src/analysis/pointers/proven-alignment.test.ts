import { expect, test } from "vitest";
import { parseModule } from "../../ir/text/parse.ts";
import { provenAlignment } from "./proven-alignment.ts";

/** Of %p, which the lines make. */
function alignmentOf(lines: string): number {
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
@bytes = external addrspace(3) global [0 x i8], align 128
define ptx_kernel void @k(ptr %out, i32 %i, i32 %n) {
${lines}
  store i8 0, ptr addrspace(3) %p, align 1
  ret void
}`,
    "test.ll",
  );
  const stores = [...module.functions.values()].flatMap(({ blocks }) => blocks.flatMap((b) => b.instructions));
  const store = stores.find((i) => i.op === "store");
  return store?.op === "store" ? provenAlignment(store.pointer) : 0;
}

test.each([
  [16, "%o = shl i32 %i, 4\n%p = getelementptr i8, ptr addrspace(3) @bytes, i32 %o"],
  [16, "%x = xor i32 %i, 3\n%o = mul i32 %x, 48\n%p = getelementptr i8, ptr addrspace(3) @bytes, i32 %o"],
  [4, "%o = shl i32 %i, 4\n%s = add i32 %o, 4\n%p = getelementptr i8, ptr addrspace(3) @bytes, i32 %s"],
  [4, "%p = getelementptr i32, ptr addrspace(3) @bytes, i32 %i"],
  [8, "%q = getelementptr i64, ptr addrspace(3) @bytes, i32 %i\n%p = getelementptr i8, ptr addrspace(3) %q, i32 8"],
  [1, "%p = getelementptr i8, ptr addrspace(3) @bytes, i32 %i"],
])("a multiple of %i: %s", (expected, lines) => {
  expect(alignmentOf(lines)).toBe(expected);
});
