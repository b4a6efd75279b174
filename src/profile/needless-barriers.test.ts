import { expect, test } from "vitest";
import { parseModule } from "../ir/text/parse.ts";
import { needlessBarriers } from "./needless-barriers.ts";

const BARRIER = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";

/** How many of a function's barriers are needless. */
function needless(body: string, isKernel = true): number {
  const module = parseModule(
    `define ${isKernel ? "ptx_kernel " : ""}void @f(ptr %p) {\n${body}\n  ret void\n}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
`,
    "test.ll",
  );
  const f = module.functions.get("f")!;
  expect(f.isKernel).toBe(isKernel);
  return f.blocks.flatMap((block) => needlessBarriers(block, f.isKernel)).length;
}

test("a barrier behind a barrier, and one at the kernel's end", () => {
  expect(needless(`  ${BARRIER}\n  ${BARRIER}\n  store i32 1, ptr %p`)).toBe(1);
  expect(needless(`  store i32 1, ptr %p\n  ${BARRIER}`)).toBe(1);
});

test("with an access on both sides it is needed", () => {
  expect(needless(`  store i32 1, ptr %p\n  ${BARRIER}\n  store i32 2, ptr %p`)).toBe(0);
});

test("the end of a function that a kernel calls is not the kernel's", () => {
  expect(needless(`  store i32 1, ptr %p\n  ${BARRIER}`, false)).toBe(0);
});
