/**
 * Warps that wait apart from one another: for mbarriers in loops, and at barriers of some warps. The warp tier must do
 * what the thread tier and the interpreter do, or leave the kernel to them.
 */
import { expect, test } from "vitest";
import { run, runWith } from "../thread-tier/compared-runs.test-helper.ts";
import { createWarpExecutor } from "./warp-executor.ts";

/** The library's test (libdevice/ptx.cu), and a phase that ends with one arrival. */
const DECLARATIONS = `
declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)
@full = internal addrspace(3) global [2 x i64] undef, align 8
@empty = internal addrspace(3) global [2 x i64] undef, align 8
@slots = internal addrspace(3) global [2 x i32] undef, align 4
define i32 @__heddle_mbarrier_test_parity(ptr %barrier, i32 %parity) {
  %state = load atomic i64, ptr %barrier acquire, align 8
  %phase = lshr i64 %state, 63
  %low = and i32 %parity, 1
  %wanted = zext i32 %low to i64
  %over = icmp ne i64 %phase, %wanted
  %result = zext i1 %over to i32
  ret i32 %result
}
define internal void @complete(ptr %barrier) {
  %old = atomicrmw xor ptr %barrier, i64 -9223372036854775808 acq_rel
  ret void
}
define internal void @wait(ptr %barrier, i32 %parity) {
entry:
  br label %again
again:
  %done = call i32 @__heddle_mbarrier_test_parity(ptr %barrier, i32 %parity)
  %isDone = icmp ne i32 %done, 0
  br i1 %isDone, label %over, label %again
over:
  ret void
}
`;
const generic = (name: string, type: string): string =>
  `getelementptr [2 x ${type}], ptr addrspacecast (ptr addrspace(3) @${name} to ptr), i32 0, i32 %stage`;

/** Lane 0 of warp 0 makes seven numbers, of which two may be ready; warp 1 takes them. */
const RING = `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %isFirst = icmp eq i32 %t, 0
  br i1 %isFirst, label %init, label %ready
init:
  store i64 0, ptr addrspacecast (ptr addrspace(3) @full to ptr)
  store i64 0, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @full to ptr), i32 8)
  store i64 0, ptr addrspacecast (ptr addrspace(3) @empty to ptr)
  store i64 0, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @empty to ptr), i32 8)
  br label %ready
ready:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %warp = lshr i32 %t, 5
  %isProducer = icmp eq i32 %warp, 0
  br i1 %isProducer, label %produce, label %consume
produce:
  br i1 %isFirst, label %make, label %end
make:
  %n = phi i32 [ 0, %produce ], [ %n1, %make ]
  %stage = and i32 %n, 1
  %round = lshr i32 %n, 1
  %free = xor i32 %round, 1
  %e = ${generic("empty", "i64")}
  call void @wait(ptr %e, i32 %free)
  %slot = ${generic("slots", "i32")}
  %square = mul i32 %n, %n
  %value = add i32 %square, %b
  store i32 %value, ptr %slot
  %f = ${generic("full", "i64")}
  call void @complete(ptr %f)
  %n1 = add i32 %n, 1
  %more = icmp ult i32 %n1, 7
  br i1 %more, label %make, label %end
consume:
  %lane = and i32 %t, 31
  %isLeader = icmp eq i32 %lane, 0
  br label %take
take:
  %m = phi i32 [ 0, %consume ], [ %m1, %taken ]
  %sum = phi i32 [ 0, %consume ], [ %sum1, %taken ]
  %stage2 = and i32 %m, 1
  %round2 = lshr i32 %m, 1
  %f2 = ${generic("full", "i64").replace("%stage", "%stage2")}
  call void @wait(ptr %f2, i32 %round2)
  %slot2 = ${generic("slots", "i32").replace("%stage", "%stage2")}
  %got = load i32, ptr %slot2
  %weighted = mul i32 %got, %t
  %sum1 = add i32 %sum, %weighted
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  br i1 %isLeader, label %release, label %taken
release:
  %e2 = ${generic("empty", "i64").replace("%stage", "%stage2")}
  call void @complete(ptr %e2)
  br label %taken
taken:
  %m1 = add i32 %m, 1
  %again = icmp ult i32 %m1, 7
  br i1 %again, label %take, label %leave
leave:
  %first = mul i32 %b, 64
  %at = add i32 %first, %t
  %o = getelementptr i32, ptr %out, i32 %at
  store i32 %sum1, ptr %o
  br label %end
end:
  ret void
}`;

test("a lane fills buffers while another warp empties them", () => {
  const launch = { grid: 3, block: 64 };
  const expected = run(RING, launch, 192);
  expect(expected.fault).toBeNull();
  expect(expected.out[33]).toBe(33 * 91);
  expect(runWith(createWarpExecutor(), RING, launch, 192)).toEqual(expected);
});

test("a lane that is elected in each turn waits, and the others go round without it", () => {
  // As CUTLASS elects its producer: the warp's number by a shuffle, and the lowest lane.
  const ir = RING.replace(
    "%isProducer = icmp eq i32 %warp, 0",
    `%number = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %warp, i32 0, i32 31)
  %isProducer = icmp eq i32 %number, 0
  %place = and i32 %t, 31
  %isLowest = icmp eq i32 %place, 0
  %isElected = and i1 %isProducer, %isLowest`,
  )
    .replace("br i1 %isFirst, label %make, label %end\n", "br label %turn\nturn:\n")
    .replace(
      "make:\n  %n = phi i32 [ 0, %produce ], [ %n1, %make ]",
      "  %n = phi i32 [ 0, %produce ], [ %n1, %turned ]",
    )
    .replace("  %stage = and", "  br i1 %isElected, label %make, label %turned\nmake:\n  %stage = and")
    .replace("  %n1 = add i32 %n, 1\n", "  br label %turned\nturned:\n  %n1 = add i32 %n, 1\n")
    .replace("br i1 %more, label %make, label %end", "br i1 %more, label %turn, label %end");
  const launch = { grid: 3, block: 64 };
  const expected = run(ir, launch, 192);
  expect(expected.fault).toBeNull();
  expect(expected.out[33]).toBe(33 * 91);
  expect(runWith(createWarpExecutor(), ir, launch, 192)).toEqual(expected);
});

test("lanes that wait for one of their own warp are left to the thread tier", () => {
  // Lane 0 waits for what lane 1 does later; on a GPU lane 1 may go on.
  const ir = `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = getelementptr i64, ptr %out, i32 0
  %isFirst = icmp eq i32 %t, 0
  br i1 %isFirst, label %waits, label %together
waits:
  call void @wait(ptr %b, i32 0)
  br label %together
together:
  %isSecond = icmp eq i32 %t, 1
  br i1 %isSecond, label %completes, label %end
completes:
  call void @complete(ptr %b)
  br label %end
end:
  ret void
}`;
  expect(run(ir, { grid: 1, block: 32 }, 2).fault).toBeNull();
  expect(() => runWith(createWarpExecutor(), ir, { grid: 1, block: 32 }, 2)).toThrow(/a wait while other lanes/);
});

test("a phase that never ends is a deadlock, with all that wait", () => {
  const ir = `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %warp = lshr i32 %t, 5
  %isFirst = icmp eq i32 %warp, 0
  br i1 %isFirst, label %waits, label %meets
waits:
  call void @wait(ptr %out, i32 0)
  br label %meets
meets:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 2, i32 96)
  ret void
}`;
  const waiting = [
    { count: 32, what: "memory" },
    { count: 64, what: "barrier" },
  ];
  const byWhat = (found: unknown): unknown =>
    (found as { what: string; count: number }[])
      .map(({ what, count }) => ({ count, what }))
      .sort((a, b) => a.count - b.count);
  const threads = run(ir, { grid: 1, block: 96 }, 2).fault;
  const warps = runWith(createWarpExecutor(), ir, { grid: 1, block: 96 }, 2).fault;
  for (const fault of [threads, warps]) {
    expect(fault?.kind).toBe("deadlock");
    expect(byWhat(fault?.waiting)).toEqual(waiting);
  }
});

test("barriers of some warps, of which one only arrives; warps that have ended do not count", () => {
  // Warp 0 writes, tells warps 1 and 2 (barrier 1) and ends; warp 3 meets the two others at barrier 0.
  const ir = `${DECLARATIONS}
@tile = internal addrspace(3) global [128 x i32] undef, align 4
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %warp = lshr i32 %t, 5
  %lane = and i32 %t, 31
  %mine = getelementptr [128 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %t
  switch i32 %warp, label %reads [ i32 0, label %writes
                                   i32 3, label %last ]
writes:
  %v = add i32 %t, 100
  store i32 %v, ptr %mine
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 1, i32 96)
  ret void
reads:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 96)
  %theirs = getelementptr [128 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %lane
  %got = load i32, ptr %theirs
  %more = mul i32 %got, %warp
  store i32 %more, ptr %mine
  br label %last
last:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %at = xor i32 %t, 96
  %other = getelementptr [128 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %at
  %isLast = icmp eq i32 %warp, 3
  %from = select i1 %isLast, ptr %other, ptr %mine
  %w = load i32, ptr %from
  %o = getelementptr i32, ptr %out, i32 %t
  store i32 %w, ptr %o
  ret void
}`;
  const expected = run(ir, { grid: 2, block: 128 }, 128);
  expect(expected.fault).toBeNull();
  expect(expected.out.slice(32, 36)).toEqual([100, 101, 102, 103]);
  expect(runWith(createWarpExecutor(), ir, { grid: 2, block: 128 }, 128)).toEqual(expected);
});

test("two phases that never end, tested in turn, are a deadlock, too", () => {
  const ir = `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
entry:
  %second = getelementptr i8, ptr %out, i32 8
  br label %again
again:
  %a = call i32 @__heddle_mbarrier_test_parity(ptr %out, i32 0)
  %isA = icmp ne i32 %a, 0
  br i1 %isA, label %over, label %other
other:
  %b = call i32 @__heddle_mbarrier_test_parity(ptr %second, i32 0)
  %isB = icmp ne i32 %b, 0
  br i1 %isB, label %over, label %again
over:
  ret void
}`;
  const { fault } = runWith(createWarpExecutor(), ir, { grid: 1, block: 64 }, 4);
  expect(fault?.kind).toBe("deadlock");
});
