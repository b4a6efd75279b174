import { expect, test } from "vitest";
import { shareProducts } from "./pass-reuse-multiplies.ts";
import { sinkAddresses } from "./pass-sink-addresses.ts";
import { assertValid } from "../verify.ts";
import { parse, named, bodyOf } from "./pass-test.test-helper.ts";

test("addresses at constant distances are computed in the blocks that use them, once in each", () => {
  const module = parse(`define void @f(ptr %p, i1 %c) {
entry:
  %a = getelementptr i8, ptr %p, i32 16
  %b = getelementptr i8, ptr %a, i32 4
  %unused = getelementptr i8, ptr %p, i32 8
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr %b, align 4
  store i32 %x, ptr %b, align 4
  br label %right
right:
  %q = phi ptr [ %a, %left ], [ %p, %entry ]
  store i32 0, ptr %q, align 4
  ret void
}`);
  const f = named(module, "f");
  sinkAddresses(f);
  assertValid(module, "sinking");
  expect(bodyOf(f)).toBe(`entry:
br i1 %c, label %left, label %right

left:
%a.1 = getelementptr i8, ptr %p, i32 16
%b.1 = getelementptr i8, ptr %a.1, i32 4
%x = load i32, ptr %b.1, align 4
store i32 %x, ptr %b.1, align 4
br label %right

right:
%q = phi ptr [ %a.1, %left ], [ %p, %entry ]
store i32 0, ptr %q, align 4
ret void`);
});

test("products with constants that differ by a power of two share one multiplication", () => {
  const module = parse(`define i32 @f(i32 %x, i32 %y) {
entry:
  %high = mul i32 %x, 380141568
  %low = mul nsw i32 %x, -862048943
  %r = lshr i32 %low, 17
  %other = mul i32 %y, 10
  %five = mul i32 %y, 5
  %seven = mul i32 %y, 7
  %a = or i32 %high, %r
  %b = add i32 %other, %five
  %c = add i32 %b, %seven
  %d = xor i32 %a, %c
  ret i32 %d
}`);
  const f = named(module, "f");
  shareProducts(f);
  assertValid(module, "sharing products");
  expect(bodyOf(f)).toBe(`entry:
%low = mul nsw i32 %x, -862048943
%high = shl i32 %low, 15
%r = lshr i32 %low, 17
%five = mul i32 %y, 5
%other = shl i32 %five, 1
%seven = mul i32 %y, 7
%a = or i32 %high, %r
%b = add i32 %other, %five
%c = add i32 %b, %seven
%d = xor i32 %a, %c
ret i32 %d`);
});
