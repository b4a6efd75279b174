import { expect, test } from "vitest";
import { parseModule } from "../text/parse.ts";
import { lowerAtomicScopes } from "./pass-cuda-atomics.ts";
import { printModule } from "../text/print.ts";
import { verifyModule } from "../verify.ts";

/** What the atomic operations of a function are when settled, without types and alignment. */
function settled(body: string): string[] {
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
declare ptr @__heddle_thread_scope(ptr, i32)
define void @f(ptr %p, ptr %q, i1 %c, i32 %n) {
entry:
${body}
  ret void
}`,
    "test.ll",
  );
  lowerAtomicScopes(module);
  expect(verifyModule(module)).toEqual([]);
  const text = printModule(module);
  expect(text).not.toContain("__heddle_thread_scope");
  return text
    .split("\n")
    .map((line) => line.trim().replace(/^%\S+ = /, ""))
    .filter((line) => /^(?:atomicrmw|cmpxchg|load atomic|store atomic|fence)/.test(line));
}

test("CUDA's own atomic functions are relaxed, for the device unless they say otherwise", () => {
  expect(
    settled(`
  %1 = atomicrmw volatile add ptr %p, i32 1 seq_cst, align 4
  %2 = atomicrmw uinc_wrap ptr %p, i32 7 seq_cst, align 4
  %3 = cmpxchg volatile ptr %p, i32 0, i32 1 seq_cst seq_cst, align 4
  %b = call ptr @__heddle_thread_scope(ptr %p, i32 1)
  %4 = atomicrmw volatile add ptr %b, i32 1 seq_cst, align 4
  %s = call ptr @__heddle_thread_scope(ptr %p, i32 4)
  %5 = atomicrmw volatile add ptr %s, i32 1 seq_cst, align 4`),
  ).toEqual([
    'atomicrmw add ptr %p, i32 1 syncscope("device") monotonic',
    'atomicrmw uinc_wrap ptr %p, i32 7 syncscope("device") monotonic',
    'cmpxchg ptr %p, i32 0, i32 1 syncscope("device") monotonic monotonic',
    'atomicrmw add ptr %p, i32 1 syncscope("block") monotonic',
    "atomicrmw add ptr %p, i32 1 monotonic",
  ]);
});

test("an operation with an order of its own keeps it", () => {
  expect(
    settled(`
  %d = call ptr @__heddle_thread_scope(ptr %p, i32 3)
  %1 = atomicrmw add ptr %d, i32 1 seq_cst, align 4
  %2 = load atomic i32, ptr %d acquire, align 4
  store atomic i32 1, ptr %p seq_cst, align 4
  %3 = cmpxchg ptr %d, i32 0, i32 1 acq_rel monotonic, align 4
  fence syncscope("block") acq_rel`),
  ).toEqual([
    'atomicrmw add ptr %p, i32 1 syncscope("device") seq_cst',
    'load atomic i32, ptr %p syncscope("device") acquire, align 4',
    "store atomic i32 1, ptr %p seq_cst, align 4",
    'cmpxchg ptr %p, i32 0, i32 1 syncscope("device") acq_rel monotonic',
    'fence syncscope("block") acq_rel',
  ]);
});

test("where pointers of several scopes meet, the widest holds; loops and distances do not hide it", () => {
  expect(
    settled(`
  %b = call ptr @__heddle_thread_scope(ptr %p, i32 1)
  %d = call ptr @__heddle_thread_scope(ptr %q, i32 3)
  %either = select i1 %c, ptr %b, ptr %d
  %1 = atomicrmw or ptr %either, i32 1 monotonic, align 4
  %unmarked = select i1 %c, ptr %b, ptr %q
  %2 = atomicrmw or ptr %unmarked, i32 2 monotonic, align 4
  %twice = call ptr @__heddle_thread_scope(ptr %b, i32 1)
  br label %loop
loop:
  %at = phi ptr [ %twice, %entry ], [ %next, %loop ]
  %3 = atomicrmw or ptr %at, i32 3 monotonic, align 4
  %next = getelementptr i8, ptr %at, i32 4
  br i1 %c, label %loop, label %done
done:`),
  ).toEqual([
    'atomicrmw or ptr %either, i32 1 syncscope("device") monotonic',
    "atomicrmw or ptr %unmarked, i32 2 monotonic",
    'atomicrmw or ptr %at, i32 3 syncscope("block") monotonic',
  ]);
});
