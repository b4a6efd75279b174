import { expect, test } from "vitest";
import { callsOf, reachedFunctions, recursiveFunctions } from "../graph/call-graph.ts";
import { cleanUp } from "./pass-cleanup.ts";
import { inlineCalls } from "./pass-inline.ts";
import { printFunction } from "../text/print.ts";
import { SAMPLE } from "../model/sample.test-data.ts";
import { assertValid } from "../verify.ts";
import { parse, named, bodyOf } from "./pass-test.test-helper.ts";

test("inline: nested calls, several returns, allocas, by-value structs, locations", () => {
  const module = parse(SAMPLE);
  const kernel = named(module, "kernel");
  const remaining = inlineCalls(kernel, module);
  assertValid(module, "inlining");
  expect(remaining.map(({ reason }) => reason)).toEqual(["indirect", "recursive"]);
  expect(
    callsOf(kernel).map((call) => (call.callee.kind === "function" ? call.callee.name : call.callee.kind)),
  ).not.toContain("scale");
  const inlined = kernel.blocks
    .flatMap((block) => block.instructions)
    .find((i) => i.location?.functionName === "scale");
  expect(inlined?.location).toEqual({
    file: "sample.cu",
    line: 4,
    column: 10,
    functionName: "scale",
    inlinedAt: { file: "sample.cu", line: 12, column: 5, functionName: "kernel" },
  });
  // %scale may write (memory(readwrite)): it has its own copy of the struct.
  expect(kernel.blocks[0]?.instructions.filter((i) => i.op === "alloca").map((i) => i.name)).toEqual([
    "byval",
    "local",
  ]);
  expect(printFunction(kernel)).toContain("call void @llvm.memcpy.p0.p0.i32(ptr %byval, ptr %pair, i32 8, i1 false)");
  expect(named(module, "scale").blocks.length).toBe(1);
});

test("inline: the growth limit and functions that never return", () => {
  const text = `define void @stop() {
  unreachable
}
define i32 @three() {
  %a = add i32 1, 1
  %b = add i32 %a, 1
  ret i32 %b
}
define ptx_kernel void @k(ptr %p) {
  %x = call i32 @three()
  %y = call i32 @three()
  %s = add i32 %x, %y
  store i32 %s, ptr %p
  call void @stop()
  ret void
}`;
  const limited = parse(text);
  expect(inlineCalls(named(limited, "k"), limited, { maxInstructions: 10 }).map((call) => call.reason)).toEqual([
    "growth-limit",
  ]);
  assertValid(limited, "inlining");
  const module = parse(text);
  expect(inlineCalls(named(module, "k"), module)).toEqual([]);
  assertValid(module, "inlining");
  cleanUp(named(module, "k"));
  assertValid(module, "cleaning up");
  expect(bodyOf(named(module, "k"))).toBe("0:\nstore i32 6, ptr %p, align 4\nunreachable");
});

test("recursion through others is found", () => {
  const module = parse(
    `define void @a() {
  call void @b()
  ret void
}
define void @b() {
  call void @a()
  call void @c()
  ret void
}
define void @c() {
  ret void
}
define void @d() {
  call void @d()
  ret void
}`,
  );
  expect([...recursiveFunctions(module)].map((fn) => fn.name).sort()).toEqual(["a", "b", "d"]);
});

test("what a kernel reaches: through a pointer, any function of the program's that is no kernel", () => {
  const module = parse(`define void @library() {
  ret void
}
define void @direct() {
  call void @library()
  ret void
}
define void @pointed() {
  ret void
}
define void @caller(ptr %f) {
  call void %f()
  ret void
}
define ptx_kernel void @plain() {
  call void @direct()
  ret void
}
define ptx_kernel void @indirect(ptr %f) {
  call void @caller(ptr %f)
  ret void
}`);
  const own = new Set([...module.functions.values()].filter(({ name }) => name !== "library"));
  const reached = (kernel: string): string[] =>
    [...reachedFunctions(named(module, kernel), own)].map(({ name }) => name).sort();
  expect(reached("plain")).toEqual(["direct", "plain"]);
  expect(reached("indirect")).toEqual(["caller", "direct", "indirect", "pointed"]);
});
