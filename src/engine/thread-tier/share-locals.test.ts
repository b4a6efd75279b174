import { expect, test } from "vitest";
import type { IrFunction } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { segmentFunction } from "./segments.ts";
import { shareLocals } from "./share-locals.ts";

function localsOf(text: string): { types: string[]; clashes: string[]; values: number } {
  const fn = parseModule(text, "k.ll").functions.get("k") as IrFunction;
  const segmented = segmentFunction(fn, (i) => (i.op === "call" ? "wait" : "none"));
  const types: string[] = [];
  const locals = shareLocals(
    segmented,
    () => false,
    (type) => types.push(type) - 1,
  );
  const clashes = segmented.segments.flatMap(({ index, entry, instructions }) => {
    const needed = [
      ...new Set([...(segmented.liveIn[index] ?? []), ...(entry === null ? [] : [entry.call]), ...instructions]),
    ].flatMap((value) => locals.get(value) ?? []);
    return needed.length === new Set(needed).size ? [] : [`segment ${index}`];
  });
  return { types, clashes, values: locals.size };
}

test("values that are never needed in the same segment share a local; those of one segment never do", () => {
  const blocks = Array.from(
    { length: 300 },
    (_, i) => `
b${i}:
  %p${i} = getelementptr i32, ptr %out, i32 ${i}
  %v${i} = load i32, ptr %p${i}
  %w${i} = add i32 %v${i}, %keep
  %l${i} = sext i32 %w${i} to i64
  %c${i} = icmp sgt i64 %l${i}, 7
  br i1 %c${i}, label %s${i}, label %b${i + 1}
s${i}:
  store i32 %w${i}, ptr %p${i}
  br label %b${i + 1}`,
  ).join("");
  const { types, clashes, values } = localsOf(`
define void @k(ptr %out, i32 %n) {
entry:
  %keep = add i32 %n, 1
  br label %b0${blocks}
b300:
  store i32 %keep, ptr %out
  ret void
}`);
  expect(clashes).toEqual([]);
  expect(values).toBeGreaterThan(1500);
  expect({
    i32: types.filter((type) => type === "i32").length <= 10,
    i64: types.filter((type) => type === "i64").length,
  }).toEqual({ i32: true, i64: 1 });
});

test("what a loop needs in its next turn, and what waits, is kept through all of it", () => {
  const { types, clashes } = localsOf(`
declare void @wait()
define void @k(ptr %out, i32 %n) {
entry:
  %before = mul i32 %n, 3
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %next, %latch ]
  %temporary = mul i32 %i, 5
  call void @wait()
  %next = add i32 %sum, %temporary
  br label %latch
latch:
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %before
  br i1 %more, label %loop, label %end
end:
  store i32 %next, ptr %out
  ret void
}`);
  expect(clashes).toEqual([]);
  expect(types.length).toBeLessThan(8);
});
