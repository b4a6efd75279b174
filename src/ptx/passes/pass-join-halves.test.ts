import { expect, test } from "vitest";
import type { IrFunction } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { assertValid } from "../../ir/verify.ts";
import { joinHalves } from "./pass-join-halves.ts";

/** The phis of a kernel, and what joins halves in it, after the pass. */
function after(body: string): { phis: string[]; joins: number } {
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %in, ptr %out, i32 %n) {
${body}
}`,
    "k.ll",
  );
  const fn = module.functions.get("k") as IrFunction;
  joinHalves(fn);
  assertValid(module, "joinHalves");
  const all = fn.blocks.flatMap(({ instructions }) => instructions);
  return {
    phis: all.flatMap((i) => (i.op === "phi" && i.name !== "i" ? [`${i.name}: ${i.incoming.length}`] : [])),
    joins: all.filter((i) => i.op === "binary" && i.operator === "or").length,
  };
}

/** A loop over a word that is taken apart at its end, and put together at its beginning. */
const loop = (more: string, entry = "0", mask = "65535"): string => `
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %high = phi i32 [ ${entry}, %entry ], [ %upper, %loop ]
  %low = phi i32 [ 0, %entry ], [ %x, %loop ]
  %shifted = shl nuw i32 %high, 16
  %masked = and i32 %low, ${mask}
  %word = or disjoint i32 %shifted, %masked
  %x = add i32 %word, 131
  %upper = lshr i32 %x, 16
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %end
end:
${more}
  ret void`;

test("halves that come from one word, or are constants, stay a word", () => {
  expect(after(loop("  store i32 %x, ptr %out"))).toEqual({ phis: ["word.1: 2"], joins: 0 });
  expect(after(loop("  %h = trunc i32 %low to i16\n  store i16 %h, ptr %out\n  store i32 %high, ptr %in"))).toEqual({
    phis: ["word.1: 2"],
    joins: 0,
  });
});

test("a half whose upper bits are read stays, too", () => {
  const { phis, joins } = after(loop("  store i32 %low, ptr %out"));
  expect([phis.length, joins]).toEqual([2, 0]);
});

test("nothing is joined where an upper half may have more bits, or another part of the lower one counts", () => {
  expect(after(loop("  store i32 %x, ptr %out", "%n")).joins).toBe(1);
  expect(after(loop("  store i32 %x, ptr %out", "65536")).joins).toBe(1);
  expect(after(loop("  store i32 %x, ptr %out", "0", "255")).joins).toBe(1);
});

test("words go through nested loops, and halves of 16 bits are read from them", () => {
  const { phis, joins } = after(`
entry:
  br label %outer
outer:
  %h = phi i16 [ 1, %entry ], [ %h1, %latch ]
  %l = phi i16 [ -1, %entry ], [ %l1, %latch ]
  br label %inner
inner:
  %high = phi i16 [ %h, %outer ], [ %h1, %inner ]
  %low = phi i16 [ %l, %outer ], [ %l1, %inner ]
  %wide = zext i16 %high to i32
  %shifted = shl i32 %wide, 16
  %lower = zext i16 %low to i32
  %word = or i32 %lower, %shifted
  %x = mul i32 %word, 5
  %u = lshr i32 %x, 16
  %h1 = trunc i32 %u to i16
  %l1 = trunc i32 %x to i16
  %c = icmp slt i32 %x, %n
  br i1 %c, label %inner, label %latch
latch:
  %d = icmp eq i32 %x, %n
  br i1 %d, label %outer, label %end
end:
  store i16 %low, ptr %out
  store i16 %high, ptr %in
  ret void`);
  expect([phis.length, joins]).toEqual([2, 0]);
});
