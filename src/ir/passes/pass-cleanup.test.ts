import { expect, test } from "vitest";
import { cleanUp } from "./pass-cleanup.ts";
import { assertValid } from "../verify.ts";
import { parse, named, bodyOf } from "./pass-test.test-helper.ts";

test("clean up: folds, drops, merges", () => {
  const module = parse(`define i32 @f(i32 %a, ptr %p) {
entry:
  %one = sub i32 3, 2
  %c = icmp eq i32 %one, 1
  call void @llvm.assume(i1 %c)
  br i1 %c, label %yes, label %no
yes:
  %x = mul i32 %a, %one
  br label %join
no:
  store i32 1, ptr %p
  br label %join
join:
  %r = phi i32 [ %x, %yes ], [ 7, %no ]
  %unused = load i32, ptr %p
  %struct = insertvalue { i32, i32 } poison, i32 %r, 1
  %back = extractvalue { i32, i32 } %struct, 1
  switch i32 3, label %dead [ i32 3, label %end ]
dead:
  br label %dead
end:
  ret i32 %back
}
declare void @llvm.assume(i1)`);
  cleanUp(named(module, "f"));
  assertValid(module, "cleaning up");
  expect(bodyOf(named(module, "f"))).toBe("entry:\nret i32 %a");
});

test("clean up: phis that only feed each other go; volatile loads and unknown calls stay", () => {
  const module = parse(`declare i32 @unknown()\ndefine void @f(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %idle = phi i32 [ 0, %entry ], [ %idle.next, %loop ]
  %idle.next = add i32 %idle, %n
  %v = load volatile i32, ptr %p
  %u = call i32 @unknown()
  %next = add i32 %i, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %loop, label %exit
exit:
  ret void
}`);
  cleanUp(named(module, "f"));
  assertValid(module, "cleaning up");
  const text = bodyOf(named(module, "f"));
  expect(text).not.toContain("idle");
  expect(text).toContain("load volatile");
  expect(text).toContain("@unknown");
});

test("clean up: an unused call goes only if it computes, returns and does not throw", () => {
  const module = parse(`declare i32 @pure(i32) #0
declare i32 @endless(i32) #1
declare i32 @throws(i32) #2
declare i32 @together(i32) #3
define void @f(i32 %n) {
  %a = call i32 @pure(i32 %n)
  %b = call i32 @endless(i32 %n)
  %c = call i32 @throws(i32 %n)
  %d = call i32 @together(i32 %n)
  ret void
}
attributes #0 = { memory(none) willreturn nounwind }
attributes #1 = { memory(none) nounwind }
attributes #2 = { memory(none) willreturn }
attributes #3 = { memory(none) convergent willreturn nounwind }`);
  cleanUp(named(module, "f"));
  const text = bodyOf(named(module, "f"));
  expect(["pure", "endless", "throws", "together"].filter((name) => text.includes(`@${name}`))).toEqual([
    "endless",
    "throws",
    "together",
  ]);
});

test("clean up: the bits of one kind of float are those of another", () => {
  const module = parse(`define void @f(ptr %p, ptr %q) {
  %a = bitcast half 0xH3F80 to bfloat
  %b = bitcast bfloat 0xR3C00 to half
  store bfloat %a, ptr %p
  store half %b, ptr %q
  ret void
}`);
  cleanUp(named(module, "f"));
  const text = bodyOf(named(module, "f"));
  expect(text).not.toContain("bitcast");
  expect(text.split("\n").slice(1, 3)).toEqual([
    expect.stringMatching(/^store bfloat (?:1\.0+e?\S*|0xR3F80),/),
    expect.stringMatching(/^store half (?:1\.0+e?\S*|0xH3C00),/),
  ]);
});
