import { describe, expect, test } from "vitest";
import type { IrFunction, IrInstruction, PhiInstruction } from "../../ir/model/ir.ts";
import { findLoops } from "../../ir/graph/loops.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { buildFlowGraph } from "./flow-graph.ts";
import { boundTestsOf, exitTestsOf, inductionIn, inductionOf } from "./induction.ts";

function loop(next: string, test: string): IrFunction {
  return parseModule(
    `target triple = "nvptx-nvidia-cuda"
define void @f(i32 %n, i32 %by, ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 5, %entry ], [ %next, %loop ]
  %x = load i32, ptr %p
  %next = ${next}
  %c = icmp ${test}
  br i1 %c, label %loop, label %end
end:
  ret void
}`,
    "test.ll",
  ).functions.get("f") as IrFunction;
}

/** Sign, step, and the tests, as both kinds of loops say them. */
function found(fn: IrFunction): string | null {
  const phi = fn.blocks[1]?.instructions[0] as PhiInstruction;
  const flow = buildFlowGraph(fn)!;
  const induction = inductionOf(flow, phi);
  const own = findLoops(fn).loops[0]!;
  const contains = (block: (typeof fn.blocks)[number]): boolean => own.blocks.has(block);
  const same = inductionIn({ latch: own.latches[0]!, contains }, phi);
  expect(same?.step).toBe(induction?.step);
  if (induction === null || same === null) return null;
  const tests = exitTestsOf(flow, induction).map(({ tested, stays, bound }) => ({ tested, stays, bound }));
  expect(boundTestsOf(own.latches[0]!.instructions.at(-1) as IrInstruction, same, contains)).toEqual(tests);
  const step = "name" in induction.step ? induction.step.name : induction.step.kind;
  return [`${induction.sign}${step}`, ...tests.map(({ tested, stays }) => `${tested} ${stays}`)].join(", ");
}

describe("induction variables", () => {
  test("grow by an invariant step, in either direction", () => {
    expect(found(loop("add i32 %i, %by", "slt i32 %next, %n"))).toBe("1by, next slt");
    expect(found(loop("add i32 %by, %i", "sgt i32 %n, %i"))).toBe("1by, phi slt");
    expect(found(loop("sub i32 %i, %by", "ne i32 %next, %n"))).toBe("-1by, next ne");
  });
  test("are not made by other operations, nor by steps that change", () => {
    expect(found(loop("mul i32 %i, %by", "slt i32 %next, %n"))).toBeNull();
    expect(found(loop("sub i32 %by, %i", "slt i32 %next, %n"))).toBeNull();
    expect(found(loop("add i32 %i, %x", "slt i32 %next, %n"))).toBeNull();
  });
  test("may have exits that do not compare them", () => {
    expect(found(loop("add i32 %i, %by", "slt i32 %x, %n"))).toBe("1by");
  });
});
