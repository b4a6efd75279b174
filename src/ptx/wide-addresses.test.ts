/** Addresses of 64-bit programs on a GPU: indices of 64 bits are not cut, and constants leave only sums that fit. */
import { expect, test } from "vitest";
import { parseModule } from "../ir/text/parse.ts";
import { emitPtxModule } from "./emit-module.ts";
import { TEST_TARGET } from "./test-target.test-helper.ts";

const LAYOUT =
  'target datalayout = "e-i64:64-i128:128-i256:256-v16:16-v32:32"\ntarget triple = "nvptx64-nvidia-cuda"\n';

function emit(ir: string): string {
  return emitPtxModule(parseModule(LAYOUT + ir, "test.ll"), { ...TEST_TARGET, window: null }).text;
}
/** A store of a float at an index that these lines compute. */
const store = (lines: string): string =>
  emit(`define ptx_kernel void @k(ptr %out, i64 %n, i32 %m) {
${lines}
  %p = getelementptr inbounds float, ptr %out, i64 %i
  store float 0.0, ptr %p, align 4
  ret void
}`);

test("an index of 64 bits stays one", () => {
  const text = store("  %i = mul i64 %n, 3");
  expect(text).toContain("shl.b64");
  expect(text).not.toMatch(/cvt\.u32\.u64|mad\.wide/);
});

test("extended numbers of 32 bits are multiplied widely, with their sign or without", () => {
  expect(store("  %i = sext i32 %m to i64")).toMatch(/mad\.wide\.s32 %rd\d+, %r\d+, 4/);
  expect(store("  %i = zext i32 %m to i64")).toMatch(/mad\.wide\.u32 %rd\d+, %r\d+, 4/);
});

test("a constant leaves a sum of 32 bits that does not overflow, and no other", () => {
  const constant = (add: string, extend: string): boolean =>
    /st\.global\.\w+ \[%rd\d+\+20\]/.test(store(`  %s = ${add} i32 %m, 5\n  %i = ${extend} i32 %s to i64`));
  expect(constant("add nsw", "sext")).toBe(true);
  expect(constant("add nuw", "zext")).toBe(true);
  expect(constant("add nsw", "zext nneg")).toBe(true);
  expect(constant("add", "sext")).toBe(false);
  expect(constant("add nsw", "zext")).toBe(false);
  expect(store("  %i = add i64 %n, 5")).toMatch(/st\.global\.\w+ \[%rd\d+\+20\]/);
});

test("a loop that counts in 64 bits runs four iterations at a time", () => {
  const text = emit(`define ptx_kernel void @k(ptr %out, ptr %in, i64 %n, i64 %step) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %a = phi float [ 0.0, %entry ], [ %b, %body ]
  %p = getelementptr inbounds float, ptr %in, i64 %i
  %x = load float, ptr %p, align 4
  %b = fadd float %a, %x
  %next = add i64 %i, %step
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %done
done:
  store float %b, ptr %out, align 4
  ret void
}`);
  expect(text.match(/ld\.global/g)).toHaveLength(5);
});

/** A loop over `in[i]` that steps i by 32, as a test of its next value says. */
const strided = (test: string, step = "32"): string =>
  emit(`define ptx_kernel void @k(ptr %out, ptr %in, i32 %start, i32 %n, i32 %step) {
entry:
  br label %body
body:
  %i = phi i32 [ %start, %entry ], [ %next, %body ]
  %a = phi float [ 0.0, %entry ], [ %b, %body ]
  %at = ${/slt|sle/.test(test) ? "sext" : "zext"} i32 %i to i64
  %p = getelementptr inbounds float, ptr %in, i64 %at
  %x = load float, ptr %p, align 4
  %b = fadd float %a, %x
  %next = add i32 %i, ${step}
  %more = icmp ${test} i32 %next, %n
  br i1 %more, label %body, label %done
done:
  store float %b, ptr %out, align 4
  ret void
}`);

test("iterations that run at once are at constant distances: the test before them says that steps fit", () => {
  for (const predicate of ["slt", "ult"])
    for (const distance of [128, 256, 384])
      expect(strided(predicate), predicate).toMatch(new RegExp(`ld\\.global\\S* %f\\d+, \\[%rd\\d+\\+${distance}\\]`));
  // The counter may wrap around on its way to a bound that it is compared with for equality.
  expect(strided("ne", "1")).not.toMatch(/ld\.global\S* %f\d+, \[%rd\d+\+/);
  // A step that is not known is no constant.
  expect(strided("slt", "%step")).not.toMatch(/ld\.global\S* %f\d+, \[%rd\d+\+/);
});

test("a place in a parameter that a load may read, or another place, has a generic address", () => {
  const kernel = (type: string, access: string): string =>
    emit(`%struct.s = type { ptr, float, float }
define ptx_kernel void @k(ptr byval(%struct.s) align 8 %s, ptr %out) {
  %p = load ptr, ptr %s, align 8
  %isNull = icmp eq ptr %p, null
  %own = getelementptr i8, ptr %s, i64 12
  %from = select i1 %isNull, ptr %own, ptr %p
${access}
  %x = load ${type}, ptr %from, align 4
  store ${type} %x, ptr %out, align 4
  ret void
}`);
  const read = kernel("float", "");
  expect(read).toMatch(/mov\.b64 (%rd\d+), param_0;\n\tcvta\.param\.u64 (%rd\d+), \1;\n\tadd\.s64 %rd\d+, \2, 12;/);
  expect(read).toMatch(/ld\.f32 %f\d+, \[%rd\d+\]/);
  expect(read).not.toContain("local");
  // The thread's own copy is what may be written to.
  expect(kernel("float", "  store float 1.0, ptr %from, align 4")).toContain("st.local");
});
