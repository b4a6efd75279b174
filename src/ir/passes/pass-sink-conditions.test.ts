import { expect, test } from "vitest";
import { assertValid } from "../verify.ts";
import { sinkConditions } from "./pass-sink-conditions.ts";
import { bodyOf, named, parse } from "./pass-test.test-helper.ts";

test("conditions of one branch stand before it, those of several and those of another loop stay", () => {
  const module = parse(`define void @f(ptr %p, i32 %i, i32 %n) {
entry:
  %j = add i32 %i, 32
  %once = mul i32 %i, 3
  %first = icmp slt i32 %i, %n
  %second = icmp slt i32 %j, %n
  %third = icmp slt i32 %j, 100
  %both = and i1 %second, %third
  %dear = icmp slt i32 %once, %n
  %shared = icmp eq i32 %j, %n
  %looped = icmp eq i32 %j, 7
  br i1 %first, label %a, label %b
a:
  store i32 %j, ptr %p, align 4
  br label %b
b:
  br i1 %both, label %c, label %d
c:
  br i1 %shared, label %d, label %e
d:
  br i1 %dear, label %e, label %f
e:
  br i1 %shared, label %f, label %g
f:
  br label %g
g:
  br label %loop
loop:
  br i1 %looped, label %loop, label %end
end:
  ret void
}`);
  const f = named(module, "f");
  sinkConditions(f);
  assertValid(module, "sinking");
  expect(bodyOf(f)).toBe(`entry:
%j = add i32 %i, 32
%once = mul i32 %i, 3
%first = icmp slt i32 %i, %n
%dear = icmp slt i32 %once, %n
%shared = icmp eq i32 %j, %n
%looped = icmp eq i32 %j, 7
br i1 %first, label %a, label %b

a:
store i32 %j, ptr %p, align 4
br label %b

b:
%second = icmp slt i32 %j, %n
%third = icmp slt i32 %j, 100
%both = and i1 %second, %third
br i1 %both, label %c, label %d

c:
br i1 %shared, label %d, label %e

d:
br i1 %dear, label %e, label %f

e:
br i1 %shared, label %f, label %g

f:
br label %g

g:
br label %loop

loop:
br i1 %looped, label %loop, label %end

end:
ret void`);
});
