/** What is claimed of values, and which accesses need no test: on small kernels, in both senses of "every lane". */
import { describe, expect, test } from "vitest";
import { dim3, type Dim3Like } from "../../../base/dim3.ts";
import type { IrInstruction } from "../../../ir/model/ir.ts";
import { simplifyLoops } from "../../../ir/passes/pass-loop-simplify.ts";
import { Harness } from "../../harness.ts";
import { analyzeWarp } from "../../../analysis/divergence/divergence.ts";
import { buildFlowGraph } from "../../../analysis/loops/flow-graph.ts";
import { interval } from "../../../analysis/values/intervals.ts";
import { layoutLocals } from "../control-flow/local-memory.ts";
import { RangeChecks } from "./in-bounds-accesses.ts";
import type { RangeLanes } from "./value-ranges.ts";

const HEADER = `
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.smin.i32(i32, i32)
@tile = internal addrspace(3) global [64 x i32] undef, align 4
@more = internal addrspace(3) global [64 x i32] undef, align 4
@dynamic = external addrspace(3) global [0 x i32], align 4
@table = internal addrspace(4) constant [16 x i32] zeroinitializer, align 16
`;

function analyzed(ir: string, block: Dim3Like = 64) {
  const program = new Harness().load(HEADER + ir);
  const kernel = program.kernels.get("k")!;
  simplifyLoops(kernel.function);
  const analysis = analyzeWarp(buildFlowGraph(kernel.function)!, dim3(block), layoutLocals(kernel, []).bytesPerThread);
  const checks = new RangeChecks(analysis, kernel, dim3(block), {
    global: (name) => program.globalAddresses.get(name) ?? null,
    functionAddress: () => 0,
  });
  const all = kernel.function.blocks.flatMap((b) => b.instructions);
  const value = (name: string): IrInstruction => all.find((i) => i.name === name)!;
  return {
    range: (name: string, lanes: RangeLanes = "all") => checks.rangesOf(lanes).of(value(name)).interval,
    /** Of the accesses in the order they are written: which need no test. */
    certain: (lanes: RangeLanes = "all") =>
      all
        .filter((i) => i.op === "load" || i.op === "store")
        .map((i) => checks.isProvenInBounds(i.pointer, 4, i.align, lanes)),
  };
}

describe("values", () => {
  test("index arithmetic", () => {
    const { range } = analyzed(`define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %d = sdiv i32 %n, 16
  %lane = and i32 %t, 31
  %warp = lshr i32 %t, 5
  %r = urem i32 %n, 12
  %row = shl i32 %warp, 4
  %at = or disjoint i32 %row, 3
  %least = call i32 @llvm.smin.i32(i32 %t, i32 40)
  %less = sub nsw i32 %lane, 1
  ret void
}`);
    expect(range("t")).toEqual(interval(0, 63));
    expect(range("lane")).toEqual(interval(0, 31));
    expect(range("warp")).toEqual(interval(0, 1));
    expect(range("r")).toEqual(interval(0, 11));
    expect(range("at")).toEqual(interval(3, 19, 16));
    expect(range("least")).toEqual(interval(0, 40));
    expect(range("less")).toEqual(interval(-1, 30));
    expect(range("d").hi - range("d").lo).toBeGreaterThan(2 ** 31);
  });

  test("lanes past the end of the block have coordinates past its end", () => {
    const ir = `define ptx_kernel void @k() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  ret void
}`;
    expect(analyzed(ir, 40).range("t", "active")).toEqual(interval(0, 39));
    expect(analyzed(ir, 40).range("t", "all")).toEqual(interval(0, 63));
    expect(analyzed(ir, [16, 3]).range("u", "active")).toEqual(interval(0, 2));
    expect(analyzed(ir, [16, 3]).range("u", "all")).toEqual(interval(0, 3));
    expect(analyzed(ir, [16, 3]).range("t", "all")).toEqual(interval(0, 15));
  });

  const loop = (init: string, step: string, test: string, bound: string): string => `define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ ${init}, %entry ], [ %next, %loop ]
  %next = ${step}
  %c = icmp ${test} i32 %next, ${bound}
  br i1 %c, label %loop, label %done
done:
  ret void
}`;

  test("induction variables between their first value and their bound", () => {
    expect(analyzed(loop("0", "add i32 %i, 1", "ne", "16")).range("i")).toEqual(interval(0, 15));
    expect(analyzed(loop("0", "add i32 %i, 4", "slt", "30")).range("i")).toEqual(interval(0, 28, 4));
    expect(analyzed(loop("40", "add i32 %i, -8", "sgt", "7")).range("i")).toEqual(interval(8, 40, 8));
    expect(analyzed(loop("40", "sub i32 %i, 8", "ne", "0")).range("i")).toEqual(interval(8, 40, 8));
    expect(analyzed(loop("64", "lshr i32 %i, 1", "ugt", "0")).range("i").hi).toBe(64);
    expect(analyzed(loop("64", "lshr i32 %i, 1", "ugt", "0")).range("i").lo).toBe(0);
  });

  test("what may run past its bound has none", () => {
    const isUnbounded = (ir: string): boolean => {
      const r = analyzed(ir).range("i");
      return r.hi - r.lo > 2 ** 31;
    };
    expect(isUnbounded(loop("0", "add i32 %i, 3", "ne", "16"))).toBe(true); // jumps over 16
    expect(isUnbounded(loop("17", "add i32 %i, 1", "ne", "16"))).toBe(true); // goes all the way round
    // [0, 2^31 − 2]: n stops it before it wraps
    expect(isUnbounded(loop("0", "add i32 %i, 1", "slt", "%n"))).toBe(false);
    expect(isUnbounded(loop("0", "add i32 %i, 2", "slt", "%n"))).toBe(true); // 2^31 − 2 + 2 wraps, and stays below n
    expect(isUnbounded(loop("0", "add i32 %i, %n", "slt", "16"))).toBe(true);
    expect(isUnbounded(loop("%t", "add i32 %i, 1", "ne", "16"))).toBe(true); // differs from lane to lane
    expect(analyzed(loop("%t", "add i32 %i, 64", "ult", "256")).range("i", "active")).toEqual(interval(0, 255));
    expect(isUnbounded(loop("%t", "add i32 %i, 64", "ult", "256"))).toBe(true); // a lane that has left goes on counting
  });
});

describe("accesses that need no test", () => {
  test("inside the static shared window, not in the dynamic one", () => {
    const { certain } = analyzed(`define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = and i32 %n, 63
  %a = getelementptr [64 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %t
  %v0 = load i32, ptr %a, align 4
  %b = getelementptr [64 x i32], ptr addrspacecast (ptr addrspace(3) @more to ptr), i32 0, i32 %m
  %v1 = load i32, ptr %b, align 4
  %b1 = getelementptr i32, ptr %b, i32 1
  %v2 = load i32, ptr %b1, align 4
  %v3 = load i32, ptr %a, align 8
  %c = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), i32 0
  %v4 = load i32, ptr %c, align 4
  %a1 = getelementptr i8, ptr %a, i32 1
  %v5 = load i32, ptr %a1, align 4
  %before = getelementptr i32, ptr %a, i32 -1
  %v6 = load i32, ptr %before, align 4
  ret void
}`);
    expect(certain()).toEqual([true, true, false, false, false, false, false]);
  });

  test("in constant variables, local arrays and structures passed by value", () => {
    const { certain } = analyzed(`%pair = type { i32, i32 }
define ptx_kernel void @k(ptr byval(%pair) align 4 %s, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %l = alloca [8 x i32], align 4
  %m = and i32 %n, 15
  %a = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @table to ptr), i32 %m
  %v0 = load i32, ptr %a, align 4
  %o = and i32 %t, 7
  %b = getelementptr i32, ptr %l, i32 %o
  store i32 %v0, ptr %b, align 4
  %c = getelementptr i32, ptr %l, i32 8
  store i32 %v0, ptr %c, align 4
  %d = getelementptr i32, ptr %s, i32 1
  %v1 = load i32, ptr %d, align 4
  %e = getelementptr i32, ptr %s, i32 2
  %v2 = load i32, ptr %e, align 4
  ret void
}`);
    expect(certain()).toEqual([true, true, false, true, false]);
  });

  test("only for active lanes where masked-off ones may hold anything", () => {
    const ir = `define ptx_kernel void @k(ptr %x) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i8, ptr %x, i32 %t
  %v = load i8, ptr %p, align 1
  %w = zext i8 %v to i32
  %q = and i32 %w, 63
  %a = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 %q
  %v0 = load i32, ptr %a, align 4
  %n = lshr i32 %w, 2
  %b = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 %n
  %v1 = load i32, ptr %b, align 4
  ret void
}`;
    expect(analyzed(ir).certain("active").slice(1)).toEqual([true, true]);
    expect(analyzed(ir).certain("all").slice(1)).toEqual([true, false]);
  });

  test("a pointer that comes from two variables is in neither", () => {
    const { certain } = analyzed(`define ptx_kernel void @k(i1 %c) {
  %p = select i1 %c, ptr addrspacecast (ptr addrspace(3) @tile to ptr), \
ptr addrspacecast (ptr addrspace(4) @table to ptr)
  %v = load i32, ptr %p, align 4
  %q = select i1 %c, ptr addrspacecast (ptr addrspace(3) @tile to ptr), \
ptr addrspacecast (ptr addrspace(3) @more to ptr)
  %w = load i32, ptr %q, align 4
  ret void
}`);
    expect(certain()).toEqual([false, true]);
  });
});
