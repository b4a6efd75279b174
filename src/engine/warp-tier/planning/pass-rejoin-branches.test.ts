/** Branches that must stay apart: behind a new block in front of both targets, a value would not be known any more. */
import { expect, test } from "vitest";
import { analyzeWarp } from "../../../analysis/divergence/divergence.ts";
import { buildFlowGraph } from "../../../analysis/loops/flow-graph.ts";
import { dim3 } from "../../../base/dim3.ts";
import type { IrFunction } from "../../../ir/model/ir.ts";
import { parseModule } from "../../../ir/text/parse.ts";
import { rejoinBranches } from "./pass-rejoin-branches.ts";

/** The names of the blocks in front of each block, after the pass; null: it changed nothing. */
function rejoined(body: string): ReadonlyMap<string, readonly string[]> | null {
  const text = `define void @k(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %isFirst = icmp eq i32 %t, 0
  %isSecond = icmp eq i32 %t, 1
  %c = icmp sgt i32 %n, 3
${body}
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
`;
  const fn = parseModule(text, "rejoin.ll").functions.get("k") as IrFunction;
  if (!rejoinBranches(fn, analyzeWarp(buildFlowGraph(fn)!, dim3([32]), 0))) return null;
  const flow = buildFlowGraph(fn)!;
  return new Map(
    flow.blocks.map(({ name }, b) => [name, flow.predecessors[b]!.map((from) => flow.blocks[from]!.name).sort()]),
  );
}

/** Two sides of a branch go on to T and E; B3 goes to E, and to `other`. `use`: what T does. */
const threeSides = (other: string, use: string): string => `  br i1 %isFirst, label %D, label %B3
D:
  %v = load i32, ptr %out
  br i1 %isSecond, label %B1, label %B2
B1:
  br i1 %c, label %T, label %E
B2:
  br i1 %c, label %T, label %E
B3:
  br i1 %c, label %${other}, label %E
T:
  ${use}
  ret void
E:
  store i32 1, ptr %out
  ret void
T3:
  ret void`;

test("a third branch leads to one of the two blocks only", () => {
  expect(rejoined(threeSides("T3", "store i32 %v, ptr %out"))).toBeNull();
  expect(rejoined(threeSides("T3", "store i32 2, ptr %out"))).toBeNull();
});

test("three branches lead to the same two blocks", () => {
  const before = rejoined(threeSides("T", "store i32 2, ptr %out"))!;
  expect(before.get("T")).toEqual(before.get("E"));
  expect(before.get(before.get("T")![0]!)).toEqual(["B1", "B2", "B3"]);
});

test("a block in front of one target, behind the branches, has a value that the target uses", () => {
  // A loop where the two sides meet is no target; the block behind it parts the lanes once more.
  const body = (use: string): string => `  br i1 %isFirst, label %B1, label %B2
B1:
  br i1 %c, label %loop, label %E
B2:
  br i1 %c, label %loop, label %E
loop:
  %i = phi i32 [ 0, %B1 ], [ 0, %B2 ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %X
X:
  %v = load i32, ptr %out
  br i1 %isSecond, label %Y, label %Z
Y:
  store i32 3, ptr %out
  br label %T
Z:
  br label %T
T:
  store i32 ${use}, ptr %out
  ret void
E:
  store i32 1, ptr %out
  ret void`;
  expect(rejoined(body("%v"))).toBeNull();
});
