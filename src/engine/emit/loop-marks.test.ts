import { expect, test } from "vitest";
import { findLoops } from "../../ir/graph/loops.ts";
import { parseModule } from "../../ir/text/parse.ts";
import type { FunctionBuilder } from "../../wasm/function-builder.ts";
import { LoopMarks, type MarkedLoop } from "./loop-marks.ts";

test("each loop has a number of its own, which is stored before it and where it may go on for ever", () => {
  const module = parseModule(
    `define void @f(ptr %p, i32 %n) !dbg !3 {
entry:
  br label %polls
polls:
  %v = load volatile i32, ptr %p
  %c = icmp eq i32 %v, 0
  br i1 %c, label %polls, label %counts, !dbg !4
counts:
  %i = phi i32 [ 0, %polls ], [ %next, %counts ]
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %n
  br i1 %d, label %counts, label %end, !dbg !5
end:
  ret void
}
!llvm.dbg.cu = !{!0}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1)
!1 = !DIFile(filename: "k.cu", directory: "/")
!3 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, unit: !0)
!4 = !DILocation(line: 7, column: 3, scope: !3)
!5 = !DILocation(line: 9, column: 5, scope: !3)`,
    "test.ll",
  );
  const fn = module.functions.get("f");
  const byName = new Map(findLoops(fn as NonNullable<typeof fn>).loops.map((loop) => [loop.header.name, loop]));
  const [polls, counts] = ["polls", "counts"].map((name) => ({
    ...(byName.get(name) as Pick<MarkedLoop, "header" | "blocks">),
    outermost: true,
  })) as [MarkedLoop, MarkedLoop];
  const stored: number[] = [];
  const code = {
    globalGet: () => code,
    i32Const: (value: number) => (stored.push(value), code),
    i32Store: () => code,
  };
  const marks = new LoopMarks(0);
  const written = (action: (builder: FunctionBuilder) => void): number[] => {
    stored.length = 0;
    action(code as unknown as FunctionBuilder);
    return [...stored];
  };
  expect(written((c) => marks.beforeLoop(c, polls))).toEqual([1]);
  expect(written((c) => marks.beginIteration(c, polls))).toEqual([1]);
  expect(written((c) => marks.beforeLoop(c, counts))).toEqual([2]);
  expect(written((c) => marks.beginIteration(c, counts))).toEqual([]);
  expect(written((c) => marks.beforeLoop(c, { ...counts, outermost: false }))).toEqual([]);
  expect(marks.locations.map((location) => location?.line)).toEqual([7, 9]);
});
