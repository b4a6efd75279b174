import { expect, test } from "vitest";
import { predecessors, successors } from "../graph/cfg.ts";
import type { IrFunction } from "../model/ir.ts";
import { findLoops, preheaderOf } from "../graph/loops.ts";
import { cleanUp } from "./pass-cleanup.ts";
import { inlineCalls } from "./pass-inline.ts";
import { simplifyLoops } from "./pass-loop-simplify.ts";
import { SAMPLE } from "../model/sample.test-data.ts";
import { assertValid } from "../verify.ts";
import { parse, named } from "./pass-test.test-helper.ts";

test("loops get preheaders, one latch, their own exits, and closed values", () => {
  const module = parse(`define i32 @f(i32 %n, i1 %c, i1 %d) {
entry:
  br i1 %c, label %head, label %other
other:
  br i1 %d, label %head, label %exit
head:
  %i = phi i32 [ 0, %entry ], [ 1, %other ], [ %a, %left ], [ %b, %right ]
  %stop = icmp uge i32 %i, %n
  br i1 %stop, label %exit, label %body
body:
  %v = mul i32 %i, 3
  switch i32 %v, label %left [ i32 9, label %right
    i32 12, label %late ]
left:
  %a = add i32 %i, 1
  br label %head
right:
  %b = add i32 %i, 2
  br label %head
late:
  %w = add i32 %v, 1
  ret i32 %w
exit:
  %r = phi i32 [ 5, %other ], [ %i, %head ]
  ret i32 %r
}`);
  const fn = named(module, "f");
  simplifyLoops(fn);
  assertValid(module, "simplifying loops");
  expectSimple(fn);
});

function expectSimple(fn: IrFunction): void {
  const before = predecessors(fn);
  for (const loop of findLoops(fn).loops) {
    expect(preheaderOf(loop, before)).not.toBeNull();
    expect(loop.latches.length).toBe(1);
    for (const { to } of loop.exits) expect((before.get(to) ?? []).every((block) => loop.blocks.has(block))).toBe(true);
    for (const block of fn.blocks) {
      if (loop.blocks.has(block)) continue;
      for (const user of block.instructions) {
        const values =
          user.op === "phi"
            ? user.incoming.filter(({ block: from }) => !loop.blocks.has(from)).map(({ value }) => value)
            : Object.values(user);
        for (const value of values) {
          const isInside =
            typeof value === "object" && value !== null && value.kind === "instruction" && loop.blocks.has(value.block);
          expect(isInside).toBe(false);
        }
      }
    }
  }
}

test("the sample: inlined, cleaned up and simplified", () => {
  const module = parse(SAMPLE);
  const kernel = named(module, "kernel");
  inlineCalls(kernel, module);
  cleanUp(kernel);
  simplifyLoops(kernel);
  assertValid(module, "simplifying loops");
  expect(findLoops(kernel).loops.length).toBe(1);
  expectSimple(kernel);
  const latch = findLoops(kernel).loops[0]?.latches[0];
  expect(latch && successors(latch).length).toBe(1);
  expect(latch?.instructions.at(-1)).toMatchObject({ loop: "llvm.loop.mustprogress" });
});
