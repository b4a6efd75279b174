/**
 * Lanes of a warp that part and come together again: after branches that Clang has threaded, in code of one lane, at a
 * switch. The warp tier must run these kernels, and give what the thread tier and the interpreter give.
 */
import { describe, expect, test } from "vitest";
import { run, runWith } from "../thread-tier/compared-runs.test-helper.ts";
import type { HarnessLaunch } from "../harness.ts";
import { createWarpExecutor } from "./warp-executor.ts";

function expectSame(ir: string, launch: HarnessLaunch, words: number): readonly number[] {
  const expected = run(ir, launch, words);
  expect(expected.fault).toBeNull();
  expect(runWith(createWarpExecutor(), ir, launch, words)).toEqual(expected);
  return expected.out;
}

test("both sides of a branch go on by one condition: barriers behind it have all lanes", () => {
  // if (t == 0) out[0] += 5; if (n[b] > 3) { … barrier … } else { … barrier … }, as jump threading leaves it.
  const ir = `
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %isFirst = icmp eq i32 %t, 0
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %end ]
  br i1 %isFirst, label %alone, label %others
alone:
  %old = load i32, ptr %out
  %more = add i32 %old, 5
  store i32 %more, ptr %out
  %n1 = mul i32 %i, 3
  %m1 = add i32 %n1, %b
  %c1 = icmp sgt i32 %m1, 3
  br i1 %c1, label %large, label %extra
extra:
  %older = load i32, ptr %out
  %most = add i32 %older, 100
  store i32 %most, ptr %out
  br label %small
others:
  %n2 = mul i32 %i, 3
  %m2 = add i32 %n2, %b
  %c2 = icmp sgt i32 %m2, 3
  br i1 %c2, label %large, label %small
large:
  %x = phi i32 [ 7, %alone ], [ %t, %others ]
  %y = phi i32 [ %m1, %alone ], [ %m2, %others ]
  %xy = mul i32 %x, %y
  %la = add i32 %t, 64
  %lp = getelementptr i32, ptr %out, i32 %la
  store i32 %xy, ptr %lp
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  %lx = xor i32 %la, 33
  %lq = getelementptr i32, ptr %out, i32 %lx
  %lv = load i32, ptr %lq
  br label %end
small:
  %z = phi i32 [ 11, %extra ], [ %t, %others ]
  %sp = getelementptr i32, ptr %out, i32 %t
  %sa = add i32 %t, 128
  %sq = getelementptr i32, ptr %out, i32 %sa
  store i32 %z, ptr %sq
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  %sx = xor i32 %sa, 33
  %sr = getelementptr i32, ptr %out, i32 %sx
  %sv = load i32, ptr %sr
  br label %end
end:
  %v = phi i32 [ %lv, %large ], [ %sv, %small ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %ra = add i32 %t, 192
  %rp = getelementptr i32, ptr %out, i32 %ra
  %before = load i32, ptr %rp
  %sum = add i32 %before, %v
  store i32 %sum, ptr %rp
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 4
  br i1 %again, label %loop, label %over
over:
  ret void
}`;
  const out = expectSame(ir, { grid: 1, block: 64 }, 256);
  expect(out[0]).toBe(4 * 5 + 2 * 100);
});

test("a loop that both sides of a branch leave by one condition", () => {
  const ir = `
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %isFirst = icmp eq i32 %t, 0
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  br i1 %isFirst, label %alone, label %others
alone:
  %old = load i32, ptr %out
  %more = add i32 %old, 1
  store i32 %more, ptr %out
  %c1 = icmp ugt i32 %i, 4
  br i1 %c1, label %farewell, label %body
others:
  %c2 = icmp ugt i32 %i, 4
  br i1 %c2, label %over, label %body
body:
  %next = add i32 %i, 1
  %p = getelementptr i32, ptr %out, i32 %t
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  br label %loop
farewell:
  %last = load i32, ptr %out
  %twice = mul i32 %last, 2
  store i32 %twice, ptr %out
  br label %over
over:
  %w = phi i32 [ %i, %others ], [ %more, %farewell ]
  %at = add i32 %t, 64
  %q = getelementptr i32, ptr %out, i32 %at
  store i32 %w, ptr %q
  ret void
}`;
  expect(expectSame(ir, { grid: 1, block: 64 }, 128).slice(0, 1)).toEqual([12]);
});

test("a switch whose default no thread takes keeps nobody waiting behind the loop", () => {
  const ir = (lanes: number): string => `
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = and i32 %t, ${lanes}
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %sum = phi i32 [ %t, %entry ], [ %got, %join ]
  switch i32 %r, label %never [ i32 0, label %a
                                i32 1, label %b ]
a:
  %x = add i32 %sum, 3
  br label %join
b:
  %y = mul i32 %sum, 5
  br label %join
join:
  %v = phi i32 [ %x, %a ], [ %y, %b ]
  %from = xor i32 %t, 1
  %got = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %v, i32 %from, i32 31)
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 5
  br i1 %again, label %loop, label %over
over:
  %o = getelementptr i32, ptr %out, i32 %t
  store i32 %got, ptr %o
  ret void
never:
  unreachable
}`;
  expectSame(ir(1), { grid: 1, block: 32 }, 32);
  // Who takes it is reported.
  const { fault } = runWith(createWarpExecutor(), ir(3), { grid: 1, block: 32 }, 32);
  expect(fault).toMatchObject({ kind: "illegal-instruction", thread: { x: 2, y: 0, z: 0 } });
});

/** Lane 0 of each block draws numbers from a queue, and all lanes of its warp get them. */
const queue = (draw: string, compare: string): string => `
@slot = internal addrspace(3) global i32 undef, align 4
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %isFirst = icmp eq i32 %t, 0
  br label %loop
loop:
  br i1 %isFirst, label %draw, label %take
draw:
  ${draw}
  %isLow = icmp ult i32 %mine, 5
  br i1 %isLow, label %low, label %found
low:
  br label %draw
found:
  store i32 %mine, ptr addrspace(3) @slot
  br label %take
take:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %work = load i32, ptr addrspace(3) @slot
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %isOver = icmp ${compare} i32 %work, 40
  br i1 %isOver, label %over, label %do
do:
  %at = add i32 %work, 32
  %at1 = add i32 %at, %t
  %p = getelementptr i32, ptr %out, i32 %at1
  %old = load i32, ptr %p
  %sum = add i32 %old, %work
  store i32 %sum, ptr %p
  br label %loop
over:
  ret void
}`;

test("what one lane gets of an atomic operation is one value: a queue of tiles", () => {
  const ir = queue("%mine = atomicrmw add ptr %out, i32 1 monotonic", "ugt");
  expect(expectSame(ir, { grid: 3, block: 32 }, 128)[0]).toBe(44);
});

test("an atomic operation behind a loop that each lane leaves in an iteration of its own", () => {
  // for (i < 32) { if (lane == i) { out[lane] = atomicAdd(c, 1); break; } trace[32 * i + lane] = 1; }
  const ir = `
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %isMine = icmp eq i32 %t, %i
  br i1 %isMine, label %draw, label %body
body:
  %row = mul i32 %i, 32
  %place = add i32 %row, %t
  %far = add i32 %place, 64
  %trace = getelementptr i32, ptr %out, i32 %far
  store i32 1, ptr %trace
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 32
  br i1 %more, label %loop, label %over
draw:
  %mine = atomicrmw add ptr %out, i32 1 monotonic
  %at = add i32 %t, 32
  %o = getelementptr i32, ptr %out, i32 %at
  store i32 %mine, ptr %o
  br label %over
over:
  ret void
}`;
  const numbers = expectSame(ir, { grid: 1, block: 32 }, 64 + 1024).slice(32, 64);
  expect(new Set(numbers).size).toBe(32);
});

describe("what a loop waits for", () => {
  const runsHere = (ir: string): void => void runWith(createWarpExecutor(), ir, { grid: 1, block: 32 }, 128);
  test("a ticket that is given back is a lock", () => {
    const draw = `%mine = atomicrmw add ptr %out, i32 1 monotonic
  %back = atomicrmw sub ptr %out, i32 1 monotonic`;
    expect(() => runsHere(queue(draw, "ugt"))).toThrow(/a loop that may wait/);
  });

  test.each([
    ["nobody has the lock", "%again = icmp ne i32 %mine, 0"],
    ["it is the lane's turn", "%turn = and i32 %mine, 31\n  %again = icmp ne i32 %turn, %t"],
  ])("a thread that draws until %s may wait", (_, test) => {
    const ir = `
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %sum = getelementptr i32, ptr %out, i32 1
  br label %loop
loop:
  %mine = atomicrmw add ptr %out, i32 1 monotonic
  ${test}
  br i1 %again, label %loop, label %held
held:
  %old = load i32, ptr %sum
  %new = add i32 %old, 1
  store i32 %new, ptr %sum
  fence seq_cst
  %back = atomicrmw xchg ptr %out, i32 0 monotonic
  ret void
}`;
    expect(() => runsHere(ir)).toThrow(/a loop that may wait/);
  });

  /** `while (table[index] …) index = next`, with a fence in the loop. */
  const walk = (next: string): string => `
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  fence acq_rel
  %i1 = add nsw i32 %i, 1
  %p = getelementptr i32, ptr %out, i32 %i1
  %v = load i32, ptr %p
  ${next}
  %isZero = icmp eq i32 %v, 0
  %isInside = icmp slt i32 %i1, 40
  %again = and i1 %isZero, %isInside
  br i1 %again, label %loop, label %over
over:
  %at = add i32 %t, 64
  %o = getelementptr i32, ptr %out, i32 %at
  store i32 %i1, ptr %o
  ret void
}`;
  test("a thread that goes through a table does not wait for its elements", () => {
    expect(expectSame(walk("%next = add nsw i32 %i, 1"), { grid: 1, block: 32 }, 128)[64]).toBe(40);
  });
  test.each([
    ["stays", "%next = select i1 true, i32 %i, i32 %i1"],
    ["may come back", "%next = and i32 %i1, 7"],
    ["sometimes stays", "%odd = and i32 %v, 1\n  %next = add nsw i32 %i, %odd"],
  ])("a thread whose place %s may wait", (_, next) => {
    expect(() => runsHere(walk(next))).toThrow(/a loop that may wait/);
  });
});

test("variables that a lambda captures by reference are values once it is inlined", () => {
  // { int &top, &count; } in an alloca, with addresses as 64-bit integers; a loop over `count` with a shuffle in it.
  const ir = `
define internal void @step(ptr %closure) noinline {
  %wide = load i64, ptr %closure
  %narrow = trunc i64 %wide to i32
  %top = inttoptr i32 %narrow to ptr
  %second = getelementptr i8, ptr %closure, i32 8
  %wide2 = load i64, ptr %second
  %count = inttoptr i64 %wide2 to ptr
  %a = load i32, ptr %top
  %b = load i32, ptr %count
  %c = add i32 %a, %b
  store i32 %c, ptr %top
  %d = sub i32 %b, 1
  store i32 %d, ptr %count
  ret void
}
define ptx_kernel void @k(ptr %out) {
entry:
  %w = alloca { i32, i32 }
  %closure = alloca { i64, i64 }
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %count = getelementptr i8, ptr %w, i32 4
  store i32 %t, ptr %w
  %n = add i32 %b, 3
  store i32 %n, ptr %count
  %x = ptrtoint ptr %w to i64
  store i64 %x, ptr %closure
  %y = ptrtoint ptr %count to i64
  %second = getelementptr i8, ptr %closure, i32 8
  store i64 %y, ptr %second
  br label %loop
loop:
  call void @step(ptr %closure)
  %v = load i32, ptr %w
  %got = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %v, i32 5, i32 31)
  %sum = add i32 %got, %t
  store i32 %sum, ptr %w
  %left = load i32, ptr %count
  %more = icmp sgt i32 %left, 0
  br i1 %more, label %loop, label %over
over:
  %row = mul i32 %b, 32
  %at = add i32 %row, %t
  %o = getelementptr i32, ptr %out, i32 %at
  store i32 %sum, ptr %o
  ret void
}`;
  expectSame(ir, { grid: 2, block: 32 }, 64);
});
