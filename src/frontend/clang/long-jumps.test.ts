import { expect, test } from "vitest";
import { keepVariablesOfJumps } from "./long-jumps.ts";

const HEAD = `target triple = "wasm32-wasip1"
declare i32 @setjmp(ptr)
`;
const CLEANUP = `define void @f() personality ptr @__gxx_wasm_personality_v0 {
entry:
  invoke void @g() to label %done unwind label %cleanup
done:
  ret void
cleanup:
  %0 = cleanuppad within none []
  call void @destroy(ptr %x) [ "funclet"(token %0) ]
  br label %merge
merge:
  %p = phi i32 [ 1, %cleanup ]
  cleanupret from %0 unwind to caller, !dbg !7
}
`;

test("a cleanup begins with a branch to its end, which is taken during a jump", () => {
  const text = keepVariablesOfJumps(`${HEAD}${CLEANUP}define void @h() {
  %1 = call i32 @setjmp(ptr @b)
  ret void
}
`);
  expect(text).toContain(`cleanup:
  %0 = cleanuppad within none []
  %jump.flag.0 = load volatile i32, ptr @__heddle_jumping, align 4
  %jump.on.0 = icmp ne i32 %jump.flag.0, 0
  br i1 %jump.on.0, label %jump.skip.0, label %jump.none.0

jump.skip.0:
  cleanupret from %0 unwind to caller

jump.none.0:
  call void @destroy(ptr %x)`);
  expect(text).toContain("%p = phi i32 [ 1, %jump.none.0 ]");
  expect(text).toContain("@__heddle_jumping = external global i32");
});

test("a program without setjmp stays as it is", () => {
  expect(keepVariablesOfJumps(HEAD + CLEANUP)).toBe(HEAD + CLEANUP);
});
