import { expect, test } from "vitest";
import { parseModule } from "../text/parse.ts";
import { printModule } from "../text/print.ts";
import { assertValid } from "../verify.ts";
import { narrowPointers } from "./pass-narrow-pointers.ts";
import { bodyOf, named, parse } from "./pass-test.test-helper.ts";
import type { IrModule } from "../model/ir.ts";

const TRIPLE = `target triple = "nvptx64-nvidia-cuda"\n`;

/** The module in its new form, which reads back as what it is. */
function narrowed(text: string): IrModule {
  const module = parse(TRIPLE + text);
  narrowPointers(module);
  assertValid(module, "narrowing");
  assertValid(parseModule(printModule(module), "again.ll"), "printing and reading");
  return module;
}

const body = (text: string): string => bodyOf(named(narrowed(text), "f"));

test("pointers take 8 bytes in memory: a load reads the lower half, a store writes all", () => {
  expect(
    body(`define void @f(ptr %p, i32 %n) {
  %at = getelementptr { ptr, i64 }, ptr %p, i32 %n, i32 0
  %q = load ptr, ptr %at, align 8
  %next = getelementptr i8, ptr %q, i64 16
  store ptr %next, ptr %at, align 8
  store ptr null, ptr %q, align 8
  ret void
}`),
  ).toBe(`0:
%at = getelementptr { i64, i64 }, ptr %p, i32 %n, i32 0
%q = load ptr, ptr %at, align 8
%next = getelementptr i8, ptr %q, i32 16
%wide = ptrtoint ptr %next to i64
store i64 %wide, ptr %at, align 8
store i64 0, ptr %q, align 8
ret void`);
});

test("indices are computed in 32 bits, as far as the low bits follow from low bits", () => {
  const text = body(`define float @f(ptr %p, i32 %i, i64 %stride, i64 %n) {
entry:
  %wide = sext i32 %i to i64
  %row = mul nsw i64 %wide, %stride
  %sum = add i64 %row, 3
  %a = getelementptr float, ptr %p, i64 %sum
  %quotient = sdiv i64 %n, %wide
  %b = getelementptr float, ptr %a, i64 %quotient
  %x = load float, ptr %b, align 4
  ret float %x
}`);
  expect(text).toContain("%row.1 = mul i32 %i, %stride.1");
  expect(text).toContain("%sum.1 = add i32 %row.1, 3");
  expect(text).toContain("%a = getelementptr float, ptr %p, i32 %sum.1");
  expect(text).toContain("%quotient.1 = trunc i64 %quotient to i32");
});

test("a kernel's pointers are wide among its arguments, those of other functions are not", () => {
  const module = narrowed(`
define ptx_kernel void @k(ptr %p, i32 %n, ptr byval({ ptr, i32 }) align 8 %s) {
  ret void
}
define void @f(ptr %p) {
  ret void
}`);
  expect(named(module, "k").params.map(({ isWide }) => isWide ?? false)).toEqual([true, false, false]);
  expect(named(module, "f").params.map(({ isWide }) => isWide ?? false)).toEqual([false]);
  expect(printModule(module)).toContain("byval({ i64, i32 })");
});

test("globals with addresses, exchanged pointers, values with pointers, copies with a length", () => {
  const module = narrowed(`
%struct.Pair = type { ptr, i32 }
@x = addrspace(1) global i32 7, align 4
@table = addrspace(1) global [2 x ptr] [ptr addrspacecast (ptr addrspace(1) @x to ptr), ptr null], align 8
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @vprintf(ptr, ptr)
declare ptr @malloc(i64)
define %struct.Pair @f(ptr %p, ptr %q, i64 %n) {
entry:
  %old = atomicrmw xchg ptr %p, ptr %q seq_cst, align 8
  %both = cmpxchg ptr %p, ptr %old, ptr null seq_cst seq_cst, align 8
  %seen = extractvalue { ptr, i1 } %both, 0
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %p, ptr align 8 %seen, i64 %n, i1 false)
  %printed = call i32 @vprintf(ptr %p, ptr %q)
  %more = call ptr @malloc(i64 %n)
  %one = insertvalue %struct.Pair poison, ptr %more, 0
  ret %struct.Pair %one
}`);
  const text = printModule(module);
  for (const part of [
    "[2 x i64] [i64 ptrtoint",
    "atomicrmw xchg ptr %p, i64",
    "extractvalue { i64, i1 } %both, 0",
    "@llvm.memcpy.p0.p0.i32(",
    "@__heddle_vprintf_lp64(",
    "declare ptr @malloc(i32)",
    "%struct.Pair = type { i64, i32 }",
  ])
    expect(text).toContain(part);
  expect(text).not.toMatch(/vprintf\(ptr %p, ptr %q\).*@vprintf|memcpy\.p0\.p0\.i64/);
});

test("an address in an integer of 64 bits is computed at the beginning of the function", () => {
  const text = body(`@s = internal addrspace(3) global [4 x i32] undef, align 4
define i64 @f(i1 %c) {
entry:
  br i1 %c, label %yes, label %no
yes:
  br label %no
no:
  %x = phi i64 [ 0, %entry ], [ add (i64 ptrtoint (ptr addrspace(3) @s to i64), i64 8), %yes ]
  ret i64 %x
}`);
  expect(text).toBe(`entry:
%address.1 = ptrtoint ptr addrspace(3) @s to i64
%address = add i64 %address.1, 8
br i1 %c, label %yes, label %no

yes:
br label %no

no:
%x = phi i64 [ 0, %entry ], [ %address, %yes ]
ret i64 %x`);
});

test("what a loop does not change leaves its addresses: a[row * n + k] is (a + row * n)[k]", () => {
  const text = body(`define void @f(ptr %a, ptr %c, i32 %row, i32 %n) {
entry:
  %start = mul nsw i32 %row, %n
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = add nuw nsw i32 %k, %start
  %wide = zext nneg i32 %sum to i64
  %p = getelementptr float, ptr %a, i64 %wide
  store float 1.0, ptr %p, align 4
  %next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}`);
  expect(text).toContain("%p.1 = getelementptr float, ptr %a, i32 %start\nbr label %loop");
  expect(text).toContain("%p = getelementptr float, ptr %p.1, i32 %k");
  expect(text).not.toContain("zext");
});

test("a loop does not get more values to keep: three pointers and one offset stay", () => {
  const text = body(`define void @f(ptr %a, ptr %b, ptr %c, i32 %start, i32 %n) {
entry:
  br label %loop
loop:
  %k = phi i32 [ %start, %entry ], [ %next, %loop ]
  %one = add i32 %k, %start
  %i = sext i32 %one to i64
  %p = getelementptr float, ptr %a, i64 %i
  store float 1.0, ptr %p, align 4
  %two = add i32 %k, %start
  %j = sext i32 %two to i64
  %q = getelementptr float, ptr %b, i64 %j
  store float 1.0, ptr %q, align 4
  store ptr %a, ptr %c, align 8
  store ptr %b, ptr %c, align 8
  %next = add i32 %k, %start
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}`);
  expect(text).toContain("%p = getelementptr float, ptr %a, i32 %one");
});

test("a counter of 64 bits has one of 32 for its addresses; (int)x is the low half; a bit-wise or is a sum", () => {
  const text = body(`define void @f(ptr %a, i64 %n, i64 %x, i32 %m) {
entry:
  %low = shl i32 %m, 4
  %both = or disjoint i32 %low, 3
  %w = zext nneg i32 %both to i64
  %left = shl i64 %x, 32
  %int = ashr exact i64 %left, 30
  %b = getelementptr i8, ptr %a, i64 %int
  br label %loop
loop:
  %k = phi i64 [ %w, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %b, i64 %k
  store float 1.0, ptr %p, align 4
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}`);
  expect(text).toContain("%both = add nuw nsw i32 %low, 3");
  expect(text).toContain("%k.1 = phi i32 [ %both, %entry ], [ %next.1, %loop ]");
  expect(text).toMatch(/%x\.1 = trunc i64 %x to i32[\s\S]*%int\.1 = shl i32 %x\.1, 2/);
});

test("a bit-wise or that is no part of an address stays one", () => {
  const text = body(`define void @f(ptr %a, i32 %low, i32 %high) {
entry:
  %value = or disjoint i32 %low, %high
  store i32 %value, ptr %a, align 4
  ret void
}`);
  expect(text).toContain("%value = or disjoint i32 %low, %high");
});

test("the low half of an address is the address, as what takes shared addresses of 32 bits has it", () => {
  const text = body(`@s = internal addrspace(3) global [4 x i32] undef, align 4
define void @f(ptr addrspace(3) %p, ptr %out) {
entry:
  %wide = ptrtoint ptr addrspace(3) %p to i64
  %low = trunc i64 %wide to i32
  store i32 %low, ptr %out, align 4
  store i32 trunc (i64 ptrtoint (ptr addrspace(3) @s to i64) to i32), ptr %out, align 4
  ret void
}`);
  expect(text).toContain("%low = ptrtoint ptr addrspace(3) %p to i32");
  expect(text).not.toContain("i64");
});

test("what is cut to 32 bits is computed in 32, unless that takes many instructions", () => {
  const text = body(`define void @f(ptr %p, i32 %t, i64 %first, i64 %n, i64 %hash) {
entry:
  %wide = zext i32 %t to i64
  %i = add i64 %first, %wide
  %inside = icmp ult i64 %i, %n
  %at = trunc i64 %i to i32
  %byte = trunc i64 %i to i8
  %mixed = lshr i64 %hash, 33
  %low = trunc i64 %mixed to i32
  %sum = add i32 %at, %low
  %q = getelementptr i32, ptr %p, i32 %sum
  store i8 %byte, ptr %q, align 1
  ret void
}`);
  expect(text).toContain("%i.1 = add i32 %first.1, %t");
  expect(text).toContain("%byte = trunc i32 %i.1 to i8");
  expect(text).toContain("%low = trunc i64 %mixed to i32");
  expect(text).toContain("%sum = add i32 %i.1, %low");
  expect(text).not.toContain("%at = trunc");
});
