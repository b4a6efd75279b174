/** Which loops may wait for other threads, and which only seem to: those that draw tickets until there are no more. */
import { expect, test } from "vitest";
import type { IrFunction } from "../../ir/model/ir.ts";
import { simplifyLoops } from "../../ir/passes/pass-loop-simplify.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { buildFlowGraph } from "./flow-graph.ts";
import { mayWaitForOthers } from "./waiting-loops.ts";

/** By the name of each loop's first block, whether it may wait. */
function waits(body: string): Readonly<Record<string, boolean>> {
  const text = `define void @k(ptr %c, ptr %out, i32 %n, i32 %lane) {
entry:
${body}
}
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
`;
  const fn = parseModule(text, "loops.ll").functions.get("k") as IrFunction;
  simplifyLoops(fn);
  const flow = buildFlowGraph(fn)!;
  return Object.fromEntries(flow.loops.map((loop) => [flow.blocks[loop.header]!.name, mayWaitForOthers(flow, loop)]));
}

/** One block, which draws and comes back on `%again`. */
const drawing = (condition: string): string => `  br label %loop
loop:
  %mine = atomicrmw add ptr %c, i32 1 monotonic
  ${condition}
  br i1 %again, label %loop, label %over
over:
  ret void`;

test.each([
  ["small", "%again = icmp slt i32 %mine, %n"],
  ["not large", "%large = icmp ule i32 %n, %mine\n  %again = xor i1 %large, true"],
  ["small, counted from elsewhere", "%at = add i32 %mine, %lane\n  %again = icmp slt i32 %at, %n"],
  ["small in units", "%at = mul i32 %mine, 64\n  %again = icmp ult i32 %at, %n"],
  [
    "small, and something else",
    "%odd = and i32 %mine, 1\n  %isOdd = icmp eq i32 %odd, 0\n" +
      "  %isSmall = icmp slt i32 %mine, %n\n  %again = select i1 %isSmall, i1 %isOdd, i1 false",
  ],
])("a thread that draws again while its number is %s waits for nobody", (_, condition) => {
  expect(waits(drawing(condition))).toEqual({ loop: false });
});

test.each([
  ["not 0: a spin lock", "%again = icmp ne i32 %mine, 0"],
  ["large: a spin lock", "%again = icmp ugt i32 %mine, 0"],
  ["not its own", "%turn = and i32 %mine, 31\n  %again = icmp ne i32 %turn, %lane"],
  ["small in its last bits", "%turn = and i32 %mine, 31\n  %again = icmp ult i32 %turn, %lane"],
  ["less than another number that grows", "%more = load i32, ptr %out\n  %again = icmp slt i32 %mine, %more"],
  [
    "small, or something else",
    "%odd = and i32 %mine, 1\n  %isOdd = icmp eq i32 %odd, 0\n" +
      "  %isSmall = icmp slt i32 %mine, %n\n  %again = or i1 %isSmall, %isOdd",
  ],
])("a thread that draws again while its number is %s may wait", (_, condition) => {
  expect(waits(drawing(condition))).toEqual({ loop: true });
});

test("the thread tests the first number that it likes: an older one may stay small", () => {
  const kept = (next: string): string => `  br label %loop
loop:
  %kept = phi i32 [ 0, %entry ], [ %next, %loop ]
  %mine = atomicrmw add ptr %c, i32 1 monotonic
  %turn = and i32 %mine, 31
  %isOwn = icmp eq i32 %turn, %lane
  %next = ${next}
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %over
over:
  ret void`;
  expect(waits(kept("select i1 %isOwn, i32 %mine, i32 %kept"))).toEqual({ loop: true });
  expect(waits(kept("add i32 %mine, 0"))).toEqual({ loop: false });
});

test("one lane draws for its warp", () => {
  const body = `  %isFirst = icmp eq i32 %lane, 0
  br label %loop
loop:
  br i1 %isFirst, label %draw, label %take
draw:
  %mine = atomicrmw add ptr %c, i32 1 monotonic
  br label %take
take:
  %own = phi i32 [ %mine, %draw ], [ 0, %loop ]
  %work = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %own, i32 0, i32 31)
  %again = icmp slt i32 %work, %n
  br i1 %again, label %loop, label %over
over:
  ret void`;
  expect(waits(body)).toEqual({ loop: false });
});

test("a queue whose empty tickets an inner loop passes over, as LLVM threads its branches", () => {
  const body = `  br label %outer
outer:
  %tile = phi i32 [ %lane, %entry ], [ %later, %work ]
  %isTile = icmp slt i32 %tile, %n
  br i1 %isTile, label %inner, label %found
inner:
  %candidate = phi i32 [ %tile, %outer ], [ %drawn, %skip ]
  %low = and i32 %candidate, 7
  %isEmpty = icmp eq i32 %low, 0
  br i1 %isEmpty, label %skip, label %split
skip:
  %mine = atomicrmw add ptr %c, i32 1 monotonic
  %drawn = add i32 %mine, %lane
  %isNext = icmp slt i32 %drawn, %n
  br i1 %isNext, label %inner, label %split
split:
  %any = phi i1 [ true, %inner ], [ false, %skip ]
  br label %found
found:
  %isWork = phi i1 [ false, %outer ], [ %any, %split ]
  store i32 1, ptr %out
  br i1 %isWork, label %work, label %over
work:
  %other = atomicrmw add ptr %c, i32 1 monotonic
  %later = add i32 %other, %lane
  br label %outer
over:
  ret void`;
  expect(waits(body)).toEqual({ outer: false, inner: false });
  // The inner loop's own condition says whether it was left for a tile.
  const reused = body
    .replace("icmp eq i32 %low, 0", "icmp ne i32 %low, 0")
    .replace("br i1 %isEmpty, label %skip, label %split", "br i1 %isEmpty, label %split, label %skip")
    .replace("[ %any, %split ]", "[ %isEmpty, %split ]");
  expect(waits(reused.replaceAll("isEmpty", "isFull"))).toEqual({ outer: false, inner: false });
  // Where the answer is lost, the loop goes on with whatever it draws.
  const lost = body.replace("[ false, %skip ]", "[ true, %skip ]");
  expect(waits(lost)).toEqual({ outer: true, inner: false });
});

test("the question that ends the loop is asked only once another thread has done something", () => {
  const body = (flag: string): string => `  br label %loop
loop:
  ${flag}
  %isSet = icmp ne i32 %set, 0
  br i1 %isSet, label %ask, label %next
ask:
  %v = load i32, ptr %out
  %isOver = icmp ne i32 %v, 0
  br i1 %isOver, label %over, label %next
next:
  br label %loop
over:
  ret void`;
  expect(waits(body("%set = load volatile i32, ptr %c"))).toEqual({ loop: true });
  expect(waits(body("%set = load i32, ptr %c"))).toEqual({ loop: false });
  // Whatever it is, the thread asks.
  const always = body("%set = load volatile i32, ptr %c").replace("label %next\nask", "label %ask\nask");
  expect(waits(always)).toEqual({ loop: false });
});
