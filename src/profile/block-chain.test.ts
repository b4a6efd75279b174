import { expect, test } from "vitest";
import { parseModule } from "../ir/text/parse.ts";
import { blockChain } from "./block-chain.ts";
import { FunctionAccesses } from "./counted-accesses.ts";
import { workContext, worksOf } from "./instruction-mix.ts";

/** Times that a warp waits for global memory in the block with the lines. */
function waitsIn(lines: string, together = 1): number {
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) noalias readonly %c) {
${lines}
  store i32 %r, ptr addrspace(1) %b, align 4
  ret void
}`,
    "test.ll",
  );
  const fn = [...module.functions.values()][0]!;
  const accesses = new FunctionAccesses(fn);
  const context = workContext(fn);
  const parts = {
    worksOf: (i: Parameters<typeof worksOf>[0]) => worksOf(i, context),
    isForLater: () => false,
    together,
  };
  return blockChain(fn.blocks[0]!, { accessesOf: (i) => accesses.of(i), ...parts }).loads;
}

const X = "%x = load i32, ptr addrspace(1) %a, align 4\n";
const SECOND = "%p = getelementptr i32, ptr addrspace(1) %a, i32 99\n%y = load i32, ptr addrspace(1) %p, align 4\n";

test("loads that need nothing of each other wait together", () => {
  expect(waitsIn(`${X}${SECOND}%r = add i32 %x, %y`)).toBe(1);
});

test("an address that was loaded is waited for first", () => {
  const indexed = "%p = getelementptr i32, ptr addrspace(1) %a, i32 %x\n%r = load i32, ptr addrspace(1) %p, align 4";
  expect(waitsIn(`${X}${indexed}`)).toBe(2);
});

test("a load stays behind a store that may be to the same place, unless nobody writes what it reads", () => {
  const store = "%s = add i32 %x, 1\nstore i32 %s, ptr addrspace(1) %b, align 4\n";
  expect(waitsIn(`${X}${store}${SECOND}%r = add i32 %x, %y`)).toBe(2);
  expect(waitsIn(`${X}${store}%y = load i32, ptr addrspace(1) %c, align 4\n%r = add i32 %x, %y`)).toBe(1);
});

test("iterations that a compiler puts side by side share the wait", () => {
  expect(waitsIn(`${X}%r = add i32 %x, 1`, 4)).toBe(0.25);
});
