/**
 * What each pass promises, case by case. That passes change no result, engine/ir-passes.test.ts shows on random
 * kernels.
 */
import { expect, test } from "vitest";
import { constInt } from "../model/build.ts";
import { callsOf, reachedFunctions, recursiveFunctions } from "../graph/call-graph.ts";
import { predecessors, successors } from "../graph/cfg.ts";
import type { IrFunction, IrModule } from "../model/ir.ts";
import { findLoops, preheaderOf } from "../graph/loops.ts";
import { parseModule } from "../text/parse.ts";
import { cleanUp } from "./pass-cleanup.ts";
import { fuseMultiplyAdd } from "./pass-contract.ts";
import { inlineCalls } from "./pass-inline.ts";
import { legalizeModule } from "./pass-legalize.ts";
import { simplifyLoops } from "./pass-loop-simplify.ts";
import { shareProducts } from "./pass-reuse-multiplies.ts";
import { sinkAddresses } from "./pass-sink-addresses.ts";
import { printFunction } from "../text/print.ts";
import { SAMPLE } from "../model/sample.test-data.ts";
import { I64 } from "../model/types.ts";
import { assertValid, verifyModule } from "../verify.ts";
import { isLegal } from "./legalize-types.ts";

function parse(text: string): IrModule {
  const module = parseModule(text, "test.ll");
  assertValid(module, "parsing");
  return module;
}

function named(module: IrModule, name: string): IrFunction {
  return module.functions.get(name) as IrFunction;
}

/** The body as text, without the first and last line. */
function bodyOf(fn: IrFunction): string {
  return printFunction(fn)
    .split("\n")
    .slice(1, -1)
    .map((line) => line.trim())
    .join("\n");
}

// ---------------------------------------------------------------- contract

function fused(body: string, flags = "contract "): string {
  const module = parse(
    `define float @f(float %a, float %b, float %c, float %d) {\nentry:\n${body.replaceAll("~", flags)}\n}`,
  );
  fuseMultiplyAdd(module);
  assertValid(module, "fusing");
  return bodyOf(named(module, "f"));
}

test("fma: a*b+c, c+a*b, a*b-c, c-a*b, c-(-(a*b))", () => {
  expect(fused("%m = fmul ~float %a, %b\n%r = fadd ~float %m, %c\nret float %r")).toBe(
    "entry:\n%r.1 = call contract float @llvm.fma.f32(float %a, float %b, float %c)\nret float %r.1",
  );
  expect(fused("%m = fmul ~float %a, %b\n%r = fadd ~float %c, %m\nret float %r")).toContain(
    "fma.f32(float %a, float %b, float %c)",
  );
  expect(fused("%m = fmul ~float %a, %b\n%r = fsub ~float %m, %c\nret float %r")).toContain(
    "%neg = fneg float %c\n%r.1 = call contract float @llvm.fma.f32(float %a, float %b, float %neg)",
  );
  expect(fused("%m = fmul ~float %a, %b\n%r = fsub ~float %c, %m\nret float %r")).toContain(
    "%neg = fneg float %a\n%r.1 = call contract float @llvm.fma.f32(float %neg, float %b, float %c)",
  );
  expect(fused("%m = fmul ~float %a, %b\n%n = fneg float %m\n%r = fsub ~float %c, %n\nret float %r")).toBe(
    "entry:\n%r.1 = call contract float @llvm.fma.f32(float %a, float %b, float %c)\nret float %r.1",
  );
});

test("fma: of two products the left one, and chains", () => {
  expect(fused("%m = fmul ~float %a, %b\n%n = fmul ~float %c, %d\n%r = fadd ~float %m, %n\nret float %r")).toBe(
    "entry:\n%n = fmul contract float %c, %d\n%r.1 = call contract float @llvm.fma.f32(float %a, float %b, float %n)\nret float %r.1",
  );
  expect(
    fused(
      "%m = fmul ~float %a, %b\n%r = fadd ~float %m, %c\n%n = fmul ~float %r, %r\n%s = fadd ~float %n, %d\nret float %s",
    ),
  ).toContain("@llvm.fma.f32(float %r.1, float %r.1, float %d)");
});

test("fma: not without flags, with two uses, or across blocks", () => {
  const plain = "%m = fmul ~float %a, %b\n%r = fadd ~float %m, %c\nret float %r";
  expect(fused(plain, "")).not.toContain("fma");
  expect(fused(plain, "nnan ")).not.toContain("fma");
  expect(fused(plain, "fast ")).toContain("fma");
  expect(fused("%m = fmul ~float %a, %b\n%r = fadd ~float %m, %m\nret float %r")).not.toContain("fma");
  expect(fused("%m = fmul ~float %a, %b\nbr label %next\nnext:\n%r = fadd ~float %m, %c\nret float %r")).not.toContain(
    "fma",
  );
});

test("fma: llvm.fmuladd, vectors, half and bfloat", () => {
  expect(fused("%r = call float @llvm.fmuladd.f32(float %a, float %b, float %c)\nret float %r")).toContain(
    "@llvm.fma.f32",
  );
  const module =
    parse(`define <2 x half> @f(<2 x half> %a) {\n  %m = fmul contract <2 x half> %a, %a\n  %r = fadd contract <2 x half> %m, %a\n  ret <2 x half> %r\n}
define bfloat @g(bfloat %a) {\n  %m = fmul contract bfloat %a, %a\n  %r = fadd contract bfloat %m, %a\n  ret bfloat %r\n}`);
  expect(fuseMultiplyAdd(module)).toBe(2);
  expect([...module.functions.keys()]).toEqual(["f", "g", "llvm.fma.v2f16", "llvm.fma.bf16"]);
});

// ---------------------------------------------------------------- inline

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
  const text = `define void @stop() {\n  unreachable\n}\ndefine i32 @three() {\n  %a = add i32 1, 1\n  %b = add i32 %a, 1\n  ret i32 %b\n}
define ptx_kernel void @k(ptr %p) {\n  %x = call i32 @three()\n  %y = call i32 @three()\n  %s = add i32 %x, %y\n  store i32 %s, ptr %p\n  call void @stop()\n  ret void\n}`;
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
    "define void @a() {\n  call void @b()\n  ret void\n}\ndefine void @b() {\n  call void @a()\n  call void @c()\n  ret void\n}\ndefine void @c() {\n  ret void\n}\ndefine void @d() {\n  call void @d()\n  ret void\n}",
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

// ---------------------------------------------------------------- clean up

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

// ---------------------------------------------------------------- loops

test("loops get preheaders, one latch, their own exits, and closed values", () => {
  const module = parse(`define i32 @f(i32 %n, i1 %c, i1 %d) {
entry:
  br i1 %c, label %head, label %other
other:
  br i1 %d, label %head, label %exit
head:
  %i = phi i32 [ 0, %entry ], [ 1, %other ], [ %a, %left ], [ %b, %right ]
  %stop = icmp uge i32 %i, %n
  br i1 %stop, label %exit, label %body
body:
  %v = mul i32 %i, 3
  switch i32 %v, label %left [ i32 9, label %right
    i32 12, label %late ]
left:
  %a = add i32 %i, 1
  br label %head
right:
  %b = add i32 %i, 2
  br label %head
late:
  %w = add i32 %v, 1
  ret i32 %w
exit:
  %r = phi i32 [ 5, %other ], [ %i, %head ]
  ret i32 %r
}`);
  const fn = named(module, "f");
  simplifyLoops(fn);
  assertValid(module, "simplifying loops");
  expectSimple(fn);
});

function expectSimple(fn: IrFunction): void {
  const before = predecessors(fn);
  for (const loop of findLoops(fn).loops) {
    expect(preheaderOf(loop, before)).not.toBeNull();
    expect(loop.latches.length).toBe(1);
    for (const { to } of loop.exits) expect((before.get(to) ?? []).every((block) => loop.blocks.has(block))).toBe(true);
    for (const block of fn.blocks) {
      if (loop.blocks.has(block)) continue;
      for (const user of block.instructions) {
        const values =
          user.op === "phi"
            ? user.incoming.filter(({ block: from }) => !loop.blocks.has(from)).map(({ value }) => value)
            : Object.values(user);
        for (const value of values) {
          const isInside =
            typeof value === "object" && value !== null && value.kind === "instruction" && loop.blocks.has(value.block);
          expect(isInside).toBe(false);
        }
      }
    }
  }
}

test("the sample: inlined, cleaned up and simplified", () => {
  const module = parse(SAMPLE);
  const kernel = named(module, "kernel");
  inlineCalls(kernel, module);
  cleanUp(kernel);
  simplifyLoops(kernel);
  assertValid(module, "simplifying loops");
  expect(findLoops(kernel).loops.length).toBe(1);
  expectSimple(kernel);
  const latch = findLoops(kernel).loops[0]?.latches[0];
  expect(latch && successors(latch).length).toBe(1);
  expect(latch?.instructions.at(-1)).toMatchObject({ loop: "llvm.loop.mustprogress" });
});

// ---------------------------------------------------------------- legalize

test("legalize: only scalars are left, and kernels keep their parameters' places", () => {
  const module = parse(SAMPLE);
  legalizeModule(module);
  assertValid(module, "legalizing");
  for (const fn of module.functions.values()) {
    for (const instruction of fn.blocks.flatMap((block) => block.instructions)) {
      if (instruction.op !== "cmpxchg") expect(isLegal(instruction.type)).toBe(true);
    }
  }
  expect(named(module, "kernel").params.map((param) => [param.type.kind, param.byval?.kind])).toEqual([
    ["ptr", undefined],
    ["int", undefined],
    ["ptr", "vector"],
    ["ptr", "struct"],
  ]);
});

test("legalize: aggregate arguments are taken apart, results go through memory", () => {
  const module =
    parse(`define { i32, <2 x i16> } @f({ i64, [2 x float] } %a, i128 %b) {\n  ret { i32, <2 x i16> } zeroinitializer\n}
define i32 @g({ i64, [2 x float] } %a) {\n  %r = call { i32, <2 x i16> } @f({ i64, [2 x float] } %a, i128 5)\n  %x = extractvalue { i32, <2 x i16> } %r, 0\n  ret i32 %x\n}`);
  legalizeModule(module);
  assertValid(module, "legalizing");
  expect(named(module, "f").params.map((param) => param.name)).toEqual(["result", "a.0", "a.1", "a.2", "b.0", "b.1"]);
  expect(bodyOf(named(module, "g"))).toContain(
    "call void @f(ptr %spill, i64 %a.0, float %a.1, float %a.2, i64 5, i64 0)",
  );
});

// ---------------------------------------------------------------- verifier

test("the verifier names what is wrong", () => {
  const problems = (change: (fn: IrFunction) => void): string[] => {
    const module = parse(
      "define i32 @f(i32 %a) {\nentry:\n  %x = add i32 %a, 1\n  %y = mul i32 %x, %x\n  br label %end\nend:\n  %p = phi i32 [ %y, %entry ]\n  ret i32 %p\n}",
    );
    change(named(module, "f"));
    return verifyModule(module);
  };
  expect(problems(() => undefined)).toEqual([]);
  expect(problems((fn) => fn.blocks[0]?.instructions.reverse())[0]).toMatch(/no terminator/);
  expect(problems((fn) => fn.blocks[0]?.instructions.splice(0, 1))[0]).toMatch(/i32 %x is not in the function/);
  expect(
    problems((fn) => {
      const i = fn.blocks[0]?.instructions;
      if (i) [i[0], i[1]] = [i[1] as never, i[0] as never];
    })[0],
  ).toMatch(/i32 %x is not there yet/);
  expect(
    problems((fn) => {
      const phi = fn.blocks[1]?.instructions[0];
      if (phi?.op === "phi") phi.incoming = [];
    })[0],
  ).toMatch(/no value for %entry/);
  expect(
    problems((fn) => {
      Object.assign(fn.blocks[0]?.instructions[1] ?? {}, { name: "x" });
    })[0],
  ).toMatch(/taken twice/);
  expect(
    problems((fn) => {
      Object.assign(fn.blocks[0]?.instructions[0] ?? {}, { rhs: constInt(I64, 1) });
    })[0],
  ).toMatch(/types do not fit/);
});

// ---------------------------------------------------------------- addresses

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
