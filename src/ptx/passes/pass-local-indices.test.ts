/** A read of a small array at an index that is computed becomes one load of each element, and a choice between them. */
import { expect, test } from "vitest";
import type { IrFunction } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { assertValid } from "../../ir/verify.ts";
import { expandLocalIndices } from "./pass-local-indices.ts";

test.each([2, 3, 4])("%i elements", (count) => {
  const stores = Array.from(
    { length: count },
    (_, i) => `  %p${i} = getelementptr i32, ptr %a, i32 ${i}\n  store i32 ${i + 7}, ptr %p${i}, align 4`,
  );
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %out, i32 %i) {
  %a = alloca [${count} x i32], align 4
${stores.join("\n")}
  %p = getelementptr i32, ptr %a, i32 %i
  %x = load i32, ptr %p, align 4
  store i32 %x, ptr %out, align 4
  ret void
}`,
    "array.ll",
  );
  const fn = module.functions.get("k") as IrFunction;
  expandLocalIndices(fn, module);
  assertValid(module, "expandLocalIndices");
  const ops = fn.blocks.flatMap(({ instructions }) => instructions.map(({ op }) => op));
  expect(ops.filter((op) => op === "load")).toHaveLength(count);
  expect(ops.filter((op) => op === "select")).toHaveLength(count - 1);
});
