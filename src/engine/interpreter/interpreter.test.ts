import { expect, test } from "vitest";
import { Harness } from "../harness.ts";
import { createInterpreter } from "./interpreter.ts";

const SREGS = `
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
`;

test("a straight kernel over several blocks", () => {
  const h = new Harness();
  const program = h.load(`${SREGS}
define ptx_kernel void @saxpy(i32 %n, float %a, ptr %x, ptr %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %o = mul i32 %b, %d
  %i = add i32 %o, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %done
body:
  %px = getelementptr inbounds float, ptr %x, i32 %i
  %vx = load float, ptr %px, align 4
  %m = fmul float %vx, %a
  %py = getelementptr inbounds float, ptr %y, i32 %i
  %vy = load float, ptr %py, align 4
  %s = fadd float %m, %vy
  store float %s, ptr %py, align 4
  br label %done
done:
  ret void
}`);
  const n = 100;
  const x = h.place(Float32Array.from({ length: n }, (_, i) => i));
  const y = h.place(new Float32Array(n).fill(1));
  const { fault } = h.run(createInterpreter(), program, "saxpy", { grid: 4, block: 32 }, [n, 0.5, x, y]);
  expect(fault).toBeNull();
  expect([...h.readF32(y, n)]).toEqual(Array.from({ length: n }, (_, i) => i * 0.5 + 1));
});

test("shared memory, barriers in a loop, in either order of threads", () => {
  for (const order of ["forward", "reverse"] as const) {
    const h = new Harness();
    const program = h.load(`${SREGS}
@tile = internal addrspace(3) global [64 x i32] undef, align 4
define ptx_kernel void @sum(ptr %in, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %in, i32 %t
  %v = load i32, ptr %p, align 4
  %q = getelementptr inbounds [64 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %t
  store i32 %v, ptr %q, align 4
  br label %loop
loop:
  %s = phi i32 [ 32, %entry ], [ %half, %join ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %c = icmp ult i32 %t, %s
  br i1 %c, label %add, label %join
add:
  %o = add i32 %t, %s
  %r = getelementptr inbounds [64 x i32], ptr addrspace(3) @tile, i32 0, i32 %o
  %a = load i32, ptr addrspace(3) %r, align 4
  %b = load i32, ptr %q, align 4
  %sum = add i32 %a, %b
  store i32 %sum, ptr %q, align 4
  br label %join
join:
  %half = lshr i32 %s, 1
  %end = icmp eq i32 %half, 0
  br i1 %end, label %done, label %loop
done:
  %first = icmp eq i32 %t, 0
  br i1 %first, label %write, label %leave
write:
  %res = load i32, ptr %q, align 4
  store i32 %res, ptr %out, align 4
  br label %leave
leave:
  ret void
}`);
    const input = h.place(Int32Array.from({ length: 64 }, (_, i) => i * i));
    const out = h.place(new Int32Array(1));
    const { fault } = h.run(createInterpreter({ order }), program, "sum", { grid: 1, block: 64 }, [input, out]);
    expect(fault).toBeNull();
    expect(h.readI32(out, 1)[0]).toBe(85344);
  }
});

test("a spin lock between blocks makes progress; one that nobody opens is a deadlock", () => {
  const h = new Harness();
  const program = h.load(`${SREGS}
define ptx_kernel void @wait(ptr %flag, i32 %setter) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %me = icmp eq i32 %b, %setter
  br i1 %me, label %set, label %spin
set:
  store atomic i32 1, ptr %flag monotonic, align 4
  br label %done
spin:
  %v = load atomic i32, ptr %flag monotonic, align 4
  %c = icmp eq i32 %v, 0
  br i1 %c, label %spin, label %done
done:
  ret void
}`);
  const flag = h.place(new Int32Array(1));
  expect(
    h.run(createInterpreter({ quantum: 500 }), program, "wait", { grid: 8, block: 32 }, [flag, 7]).fault,
  ).toBeNull();
  const other = h.place(new Int32Array(1));
  const { fault } = h.run(createInterpreter({ quantum: 500 }), program, "wait", { grid: 8, block: 32 }, [other, 99]);
  expect(fault?.kind).toBe("deadlock");
  expect(fault?.waiting?.length).toBe(8);
  expect(fault?.waiting?.[0]).toMatchObject({ what: "memory", count: 32 });
});

test("a warp that spins on a vote lets others do what it waits for", () => {
  const h = new Harness();
  const program = h.load(`${SREGS}
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
define ptx_kernel void @wait(ptr %flag) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %me = icmp eq i32 %b, 7
  br i1 %me, label %set, label %spin
set:
  store atomic i32 1, ptr %flag monotonic, align 4
  br label %done
spin:
  %v = load atomic i32, ptr %flag monotonic, align 4
  %c = icmp ne i32 %v, 0
  %any = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %c)
  br i1 %any, label %done, label %spin
done:
  ret void
}`);
  expect(
    h.run(createInterpreter(), program, "wait", { grid: 8, block: 32 }, [h.place(new Int32Array(1))]).fault,
  ).toBeNull();
});

test("faults: null, wild, misaligned; nothing leaks", () => {
  const h = new Harness();
  const program = h.load(`
define ptx_kernel void @touch(ptr %p) {
  %v = load i32, ptr %p, align 4
  ret void
}`);
  const run = (address: number): unknown =>
    h.run(createInterpreter(), program, "touch", { grid: 1, block: 1 }, [address]).fault;
  const good = h.place(new Int32Array(1));
  expect(run(good)).toBeNull();
  expect(run(0)).toMatchObject({ kind: "illegal-address", access: { address: 0, bytes: 4, kind: "load" } });
  expect(run(good + 2)).toMatchObject({ kind: "misaligned-address" });
  expect(run(h.userRange.end - 2)).toMatchObject({ kind: "illegal-address" });
});

test("printf, assert, trap, a call through null, endless recursion", () => {
  const h = new Harness();
  const program = h.load(`${SREGS}
@fmt = private constant [28 x i8] c"t %d: %s %5.2f %lld %c%% %p\\00"
@word = private constant [5 x i8] c"weft\\00"
@expr = private constant [6 x i8] c"i < 0\\00"
@file = private constant [5 x i8] c"a.cu\\00"
@fun = private constant [2 x i8] c"k\\00"
declare i32 @vprintf(ptr, ptr)
declare void @__assertfail(ptr, ptr, i32, ptr, i32)
declare void @llvm.trap()
define ptx_kernel void @print() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = alloca { i32, ptr, double, i64, i32, ptr }, align 8
  store i32 %t, ptr %b, align 8
  %p1 = getelementptr i8, ptr %b, i32 4
  store ptr @word, ptr %p1, align 4
  %p2 = getelementptr i8, ptr %b, i32 8
  store double 2.5, ptr %p2, align 8
  %p3 = getelementptr i8, ptr %b, i32 16
  store i64 -5000000000, ptr %p3, align 8
  %p4 = getelementptr i8, ptr %b, i32 24
  store i32 33, ptr %p4, align 8
  %p5 = getelementptr i8, ptr %b, i32 28
  store ptr null, ptr %p5, align 4
  %r = call i32 @vprintf(ptr @fmt, ptr %b)
  ret void
}
define ptx_kernel void @claim() {
  call void @__assertfail(ptr @expr, ptr @file, i32 12, ptr @fun, i32 1)
  unreachable
}
define ptx_kernel void @stop() {
  call void @llvm.trap()
  unreachable
}
define ptx_kernel void @jump(ptr %f) {
  call void %f()
  ret void
}
define internal void @deeper(i32 %n) {
  %m = add i32 %n, 1
  call void @deeper(i32 %m)
  ret void
}
define ptx_kernel void @recurse() {
  call void @deeper(i32 0)
  ret void
}`);
  const run = (name: string, args: number[] = [], block = 1): ReturnType<Harness["run"]> =>
    h.run(createInterpreter(), program, name, { grid: 1, block }, args);
  expect(run("print", [], 2).output).toBe("t 0: weft  2.50 -5000000000 !% (nil)t 1: weft  2.50 -5000000000 !% (nil)");
  expect(run("claim").fault).toMatchObject({
    kind: "assert",
    message: "Assertion `i < 0` failed.",
    assertion: { expression: "i < 0", file: "a.cu", line: 12, functionName: "k" },
  });
  expect(run("stop").fault).toMatchObject({ kind: "trap", kernel: "stop" });
  expect(run("jump", [0]).fault).toMatchObject({ kind: "illegal-instruction" });
  expect(run("recurse").fault).toMatchObject({ kind: "stack-overflow" });
});

test("deadlocks: half a warp at a collective of all, a barrier of too few, a barrier for an exited count", () => {
  const h = new Harness();
  const program = h.load(`${SREGS}
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.count(i32, i32)
define ptx_kernel void @half(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 16
  br i1 %c, label %low, label %all
low:
  %v = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %t, i32 8, i32 31)
  br label %all
all:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
define ptx_kernel void @few(ptr %out) {
  call void @llvm.nvvm.barrier.cta.sync.count(i32 1, i32 64)
  ret void
}`);
  const run = (name: string): unknown =>
    h.run(createInterpreter(), program, name, { grid: 1, block: 32 }, [h.allocate(4)]).fault;
  expect(run("half")).toMatchObject({
    kind: "deadlock",
    waiting: [
      { what: "warp-sync", count: 16 },
      { what: "barrier", count: 16 },
    ],
  });
  expect(run("few")).toMatchObject({ kind: "deadlock", waiting: [{ what: "barrier", count: 32 }] });
});

test("structs by value, variadic functions, wide and odd integers, vectors of halves", () => {
  const h = new Harness();
  const program = h.load(`
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
declare <2 x half> @llvm.fma.v2f16(<2 x half>, <2 x half>, <2 x half>)
define internal i64 @sum(i32 %n, ...) {
entry:
  %l = alloca ptr, align 4
  call void @llvm.va_start.p0(ptr %l)
  %a = va_arg ptr %l, i32
  %b = va_arg ptr %l, i64
  %c = va_arg ptr %l, i32
  call void @llvm.va_end.p0(ptr %l)
  %a64 = sext i32 %a to i64
  %c64 = sext i32 %c to i64
  %s = add i64 %a64, %b
  %t = add i64 %s, %c64
  ret i64 %t
}
define ptx_kernel void @k(ptr byval({ i8, i64 }) align 8 %s, ptr %out) {
  %p = getelementptr i8, ptr %s, i32 8
  %w = load i64, ptr %p, align 8
  store i64 0, ptr %p, align 8
  store i64 %w, ptr %out, align 8
  %v = call i64 (i32, ...) @sum(i32 3, i32 -1, i64 4294967296, i32 7)
  %o1 = getelementptr i64, ptr %out, i32 1
  store i64 %v, ptr %o1, align 8
  %x = zext i64 %w to i128
  %y = mul i128 %x, %x
  %hi = lshr i128 %y, 64
  %h64 = trunc i128 %hi to i64
  %o2 = getelementptr i64, ptr %out, i32 2
  store i64 %h64, ptr %o2, align 8
  %n = trunc i64 %w to i24
  %m = sdiv i24 %n, -3
  %e = sext i24 %m to i64
  %o3 = getelementptr i64, ptr %out, i32 3
  store i64 %e, ptr %o3, align 8
  %f = call <2 x half> @llvm.fma.v2f16(<2 x half> <half 0xH4000, half 0xHC200>, \
<2 x half> <half 0xH4200, half 0xH3C00>, <2 x half> <half 0xH3C00, half 0xH3C00>)
  %fi = bitcast <2 x half> %f to i32
  %o4 = getelementptr i64, ptr %out, i32 4
  store i32 %fi, ptr %o4, align 8
  ret void
}`);
  const struct = new Uint8Array(16);
  new DataView(struct.buffer).setBigInt64(8, 0x1_0000_0001n * 3n, true);
  const out = h.place(new BigInt64Array(5));
  expect(h.run(createInterpreter(), program, "k", { grid: 1, block: 1 }, [struct, out]).fault).toBeNull();
  const words = new BigInt64Array(h.read(out, 40).buffer);
  expect([...words]).toEqual([12884901891n, 4294967302n, 9n, -1n, 0xc0004700n]);
});
