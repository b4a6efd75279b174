import { expect, test } from "vitest";
import { intrinsicOf } from "./lookup.ts";
import { supportedIntrinsics } from "./table.ts";

const SREG = "llvm.nvvm.read.ptx.sreg";

test("a name's words become fields", () => {
  expect(intrinsicOf("llvm.nvvm.shfl.sync.bfly.f32p")?.shuffle).toEqual({
    mode: "bfly",
    hasMask: true,
    withPredicate: true,
  });
  expect(intrinsicOf("llvm.nvvm.shfl.up.i32")?.shuffle).toEqual({ mode: "up", hasMask: false, withPredicate: false });
  expect(intrinsicOf("llvm.nvvm.vote.ballot.sync")?.vote?.mode).toBe("ballot");
  expect(intrinsicOf("llvm.nvvm.match.all.sync.i64p")?.match).toEqual({ mode: "all", bits: 64 });
  expect(intrinsicOf("llvm.nvvm.redux.sync.fmin.abs.NaN")?.reduction).toEqual({
    operator: "fmin",
    absolute: true,
    nan: true,
  });
  expect(intrinsicOf(`${SREG}.cluster.ctaid.y`)?.register).toEqual({ register: "cluster.ctaid", axis: "y" });
  expect(intrinsicOf(`${SREG}.lanemask.lt`)?.register).toEqual({ register: "lanemask.lt", axis: null });
  expect(intrinsicOf("llvm.nvvm.atomic.load.inc.32")?.atomic).toEqual({ operator: "uinc_wrap", scope: "device" });
  expect(intrinsicOf("llvm.nvvm.atomic.add.gen.f.sys")?.atomic).toEqual({ operator: "fadd", scope: "system" });
  expect(intrinsicOf("llvm.nvvm.atomic.cas.gen.i.cta")?.atomic).toEqual({ operator: "cas", scope: "block" });
  expect(intrinsicOf("llvm.nvvm.cp.async.cg.shared.global.16.s")?.asyncCopy).toEqual({
    cache: "cg",
    bytes: 16,
    isPartial: true,
  });
  expect(intrinsicOf("llvm.memcpy.inline.p0.p1.i64")?.memoryRange).toBe("memcpy");
  expect(intrinsicOf("llvm.nvvm.isspacep.shared.cluster")?.spaceTest).toBe("shared");
});

test("every generation of barrier names has one form", () => {
  const form = (name: string): unknown => Object.values(intrinsicOf(name)?.barrier ?? {});
  expect(form("llvm.nvvm.barrier0")).toEqual(["block", "sync", null, false, false]);
  expect(form("llvm.nvvm.barrier0.and")).toEqual(["block", "sync", "and", false, false]);
  expect(form("llvm.nvvm.barrier.cta.sync.aligned.all")).toEqual(["block", "sync", null, true, false]);
  expect(form("llvm.nvvm.barrier.cta.red.popc.count")).toEqual(["block", "sync", "popc", true, true]);
  expect(form("llvm.nvvm.barrier.cta.arrive.count")).toEqual(["block", "arrive", null, true, true]);
  expect(form("llvm.nvvm.barrier")).toEqual(["block", "sync", null, true, true]);
  expect(form("llvm.nvvm.barrier.sync.cnt")).toEqual(["block", "sync", null, true, true]);
  expect(form("llvm.nvvm.bar.n")).toEqual(["block", "sync", null, true, false]);
  expect(form("llvm.nvvm.barrier.cluster.arrive.relaxed")).toEqual(["cluster", "arrive", null, false, false]);
  expect(form("__heddle_grid_sync")).toEqual(["grid", "sync", null, false, false]);
  expect(intrinsicOf("llvm.nvvm.bar.warp.sync")?.barrier).toBeNull();
});

test("both dialects share one word for an operation", () => {
  const operation = (name: string): string | undefined => intrinsicOf(name)?.operation;
  expect(operation("llvm.nvvm.ex2.approx.ftz.f")).toBe(operation("llvm.exp2.f32"));
  expect(operation("llvm.nvvm.fmin.nan.f")).toBe(operation("llvm.minimum.f32"));
  expect(operation("llvm.nvvm.round.f")).toBe(operation("llvm.rint.f32"));
  expect(operation("llvm.nvvm.abs.ll")).toBe(operation("llvm.abs.i64"));
  expect(operation("llvm.nvvm.popc.i")).toBe(operation("llvm.ctpop.i32"));
});

test("rounding, flush to zero and modifiers", () => {
  const facts = intrinsicOf("llvm.nvvm.fma.rn.ftz.sat.f16x2");
  expect(facts).toMatchObject({
    operation: "fma",
    rounding: "rn",
    flushesToZero: true,
    saturates: true,
    relu: false,
    element: "f16",
    isVector: true,
  });
  expect(intrinsicOf("llvm.fma.v2f16")).toMatchObject({ name: "llvm.fma", overload: ".v2f16", isVector: true });
});

test("which threads get the same result", () => {
  const uniformity = (name: string): string | undefined => intrinsicOf(name)?.uniformity;
  expect(uniformity(`${SREG}.ntid.x`)).toBe("grid");
  expect(uniformity(`${SREG}.ctaid.x`)).toBe("block");
  expect(uniformity(`${SREG}.warpid`)).toBe("warp");
  expect(uniformity(`${SREG}.tid.x`)).toBe("lane");
  expect(uniformity("llvm.nvvm.vote.all.sync")).toBe("mask");
  expect(uniformity("llvm.nvvm.barrier0.or")).toBe("block");
  expect(uniformity("llvm.fma.f32")).toBe("operands");
});

test("what memory a call touches, and what may not move", () => {
  expect(intrinsicOf("llvm.memmove.p0.p0.i32")?.memory).toEqual({ kind: "access", reads: [1], writes: [0] });
  expect(intrinsicOf("llvm.nvvm.ldg.global.f.f32.p1")?.memory).toEqual({ kind: "access", reads: [0], writes: [] });
  expect(intrinsicOf("malloc")?.memory.kind).toBe("any");
  for (const { name, kind } of supportedIntrinsics())
    expect(intrinsicOf(name)?.isConvergent, name).toBe(kind === "collective" || kind === "sync");
});

test("every row has a unit that executes it", () => {
  const cost = (name: string): string | undefined => intrinsicOf(name)?.cost;
  expect(cost("llvm.fma.f32")).toBe("fp32-fma");
  expect(cost("llvm.fma.f64")).toBe("fp64");
  expect(cost("llvm.fma.v2f16")).toBe("fp16");
  expect(cost("llvm.nvvm.add.rn.f")).toBe("fp32-add");
  expect(cost("llvm.nvvm.mul.rz.ftz.f")).toBe("fp32-mul");
  expect(cost("llvm.nvvm.sqrt.approx.f")).toBe("special");
  expect(cost("llvm.nvvm.ex2.approx.f")).toBe("special");
  expect(cost("llvm.nvvm.f2i.rz")).toBe("conversion");
  expect(cost("llvm.nvvm.ff2bf16x2.rn")).toBe("conversion");
  expect(cost("llvm.smin.i32")).toBe("alu");
  expect(cost("llvm.nvvm.prmt")).toBe("alu");
  expect(cost("llvm.nvvm.shfl.sync.idx.i32")).toBe("lanes");
  expect(cost("llvm.nvvm.barrier0")).toBe("barrier");
  expect(cost("llvm.nvvm.heddle.mma.m16n8k16_f32_f16_f16_f32")).toBe("tensor");
  expect(cost("llvm.nvvm.ptr.gen.to.global.p1.p0")).toBe("none");
});

test("names that are no rows", () => {
  expect(intrinsicOf("my_function")).toBeNull();
  expect(intrinsicOf("llvm.unknown.f32")).toBeNull();
  expect(intrinsicOf("__nv_expf")).toBeNull();
});

test("hints of the compiler are told from what does something", () => {
  const isHint = (name: string): boolean | undefined => intrinsicOf(name)?.isHint;
  for (const name of ["assume", "lifetime.start.p0", "lifetime.end.p0", "dbg.value", "donothing"])
    expect(isHint(`llvm.${name}`), name).toBe(true);
  expect(isHint("llvm.experimental.noalias.scope.decl")).toBe(true);
  for (const name of ["llvm.fma.f32", "llvm.memcpy.p0.p0.i32", "llvm.nvvm.barrier0", "llvm.trap"])
    expect(isHint(name), name).toBe(false);
});
