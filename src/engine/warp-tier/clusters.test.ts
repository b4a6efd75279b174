/** Thread block clusters in the warp tier: it must do what the thread tier and the interpreter do. */
import { expect, test } from "vitest";
import { run, runWith } from "../thread-tier/compared-runs.test-helper.ts";
import { createWarpExecutor } from "./warp-executor.ts";

const SREG = "@llvm.nvvm.read.ptx.sreg";
const DECLARATIONS = `
declare void @llvm.nvvm.barrier.cluster.arrive.aligned()
declare void @llvm.nvvm.barrier.cluster.arrive.relaxed.aligned()
declare void @llvm.nvvm.barrier.cluster.wait.aligned()
declare i32 @__heddle_cluster_window()
declare i32 @__heddle_cluster_stride()
declare i32 @__heddle_shared_window()
declare i32 ${SREG}.ctaid.y()
declare i32 ${SREG}.cluster.ctarank()
declare i32 ${SREG}.cluster.nctarank()
${["clusterid", "nclusterid", "cluster.ctaid", "cluster.nctaid"]
  .flatMap((name) => ["x", "y", "z"].map((axis) => `declare i32 ${SREG}.${name}.${axis}()`))
  .join("\n")}
@full = internal addrspace(3) global i64 undef, align 8
@value = internal addrspace(3) global [64 x i32] undef, align 8
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
define internal ptr @in(ptr %p, i32 %rank) {
  %own = call i32 @__heddle_shared_window()
  %first = call i32 @__heddle_cluster_window()
  %stride = call i32 @__heddle_cluster_stride()
  %begin = mul i32 %rank, %stride
  %there = add i32 %first, %begin
  %far = sub i32 %there, %own
  %q = getelementptr i8, ptr %p, i32 %far
  ret ptr %q
}
`;
const FULL = "ptr addrspacecast (ptr addrspace(3) @full to ptr)";
const VALUE = "ptr addrspacecast (ptr addrspace(3) @value to ptr)";

test("blocks read each other's shared memory around barriers of the cluster, and know their places", () => {
  const registers = [
    "cluster.ctarank",
    "cluster.nctarank",
    ...["clusterid", "nclusterid", "cluster.ctaid", "cluster.nctaid"].flatMap((name) => [`${name}.x`, `${name}.y`]),
  ];
  const ir = `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
  %t = call i32 ${SREG}.tid.x()
  %bx = call i32 ${SREG}.ctaid.x()
  %by = call i32 ${SREG}.ctaid.y()
  %row = mul i32 %by, 4
  %b = add i32 %row, %bx
  ${registers.map((name, n) => `%r${n} = call i32 ${SREG}.${name}()`).join("\n  ")}
  %mine = getelementptr i32, ${VALUE}, i32 %t
  %tens = mul i32 %b, 100
  %v = add i32 %tens, %t
  store i32 %v, ptr %mine
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  %up = add i32 %r0, 1
  %next = urem i32 %up, %r1
  %theirs = call ptr @in(ptr %mine, i32 %next)
  %w = load i32, ptr %theirs
  call void @llvm.nvvm.barrier.cluster.arrive.relaxed.aligned()
  ${registers.map((_, n) => `%s${n} = mul i32 %r${n}, ${3 ** n}`).join("\n  ")}
  ${registers.map((_, n) => `%a${n} = add i32 ${n === 0 ? "0" : `%a${n - 1}`}, %s${n}`).join("\n  ")}
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  %first = mul i32 %b, 64
  %at = add i32 %first, %t
  %o = getelementptr [2 x i32], ptr %out, i32 %at
  store i32 %w, ptr %o
  %o1 = getelementptr i32, ptr %o, i32 1
  store i32 %a${registers.length - 1}, ptr %o1
  ret void
}`;
  for (const cluster of [{ x: 2, y: 2, z: 1 }, { x: 4, y: 1, z: 1 }, undefined]) {
    const launch = { grid: { x: 4, y: 2, z: 1 }, block: 64, ...(cluster && { cluster }) };
    const expected = run(ir, launch, 1024);
    expect(expected.fault).toBeNull();
    expect(runWith(createWarpExecutor(), ir, launch, 1024)).toEqual(expected);
  }
});

/** The last block fills a number of all blocks in turn, three times; each adds what it gets. */
const RING = `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 ${SREG}.tid.x()
  %b = call i32 ${SREG}.ctaid.x()
  %rank = call i32 ${SREG}.cluster.ctarank()
  %blocks = call i32 ${SREG}.cluster.nctarank()
  %isFirst = icmp eq i32 %t, 0
  br i1 %isFirst, label %init, label %ready
init:
  store i64 0, ${FULL}
  br label %ready
ready:
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  %up = add i32 %rank, 1
  %isLast = icmp eq i32 %up, %blocks
  %next = select i1 %isLast, i32 0, i32 %up
  %begins = icmp eq i32 %rank, 0
  br label %turn
turn:
  %n = phi i32 [ 0, %ready ], [ %n1, %passed ]
  %sum = phi i32 [ 0, %ready ], [ %sum1, %passed ]
  %isStart = icmp eq i32 %n, 0
  %skips = and i1 %isStart, %begins
  br i1 %skips, label %go, label %waits
waits:
  %before = select i1 %begins, i32 1, i32 0
  %phase = sub i32 %n, %before
  call void @wait(${FULL}, i32 %phase)
  %got0 = load i32, ${VALUE}
  br label %go
go:
  %got = phi i32 [ 1, %turn ], [ %got0, %waits ]
  %sum1 = add i32 %sum, %got
  br i1 %isFirst, label %pass, label %passed
pass:
  %more = add i32 %got, %rank
  %to = call ptr @in(${VALUE}, i32 %next)
  store i32 %more, ptr %to
  %bar = call ptr @in(${FULL}, i32 %next)
  call void @complete(ptr %bar)
  br label %passed
passed:
  %n1 = add i32 %n, 1
  %again = icmp ult i32 %n1, 3
  br i1 %again, label %turn, label %over
over:
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  %first = mul i32 %b, 32
  %at = add i32 %first, %t
  %o = getelementptr i32, ptr %out, i32 %at
  store i32 %sum1, ptr %o
  ret void
}`;

test("a number goes round the blocks of a cluster: each waits for what the one before it does", () => {
  const launch = { grid: 4, block: 32, cluster: 2 };
  const expected = run(RING, launch, 128);
  expect(expected.fault).toBeNull();
  expect(expected.out[0]).toBeGreaterThan(3);
  expect(runWith(createWarpExecutor(), RING, launch, 128)).toEqual(expected);
});

test("one lane waits for another block, while the others of its warp are at the barrier of the cluster", () => {
  const ir = `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 ${SREG}.tid.x()
  %rank = call i32 ${SREG}.cluster.ctarank()
  %isFirst = icmp eq i32 %t, 0
  store i64 0, ${FULL}
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  br i1 %isFirst, label %first, label %meets
first:
  %waits = icmp eq i32 %rank, 0
  br i1 %waits, label %gets, label %sends
gets:
  call void @wait(${FULL}, i32 0)
  %got = load i32, ${VALUE}
  store i32 %got, ptr %out
  br label %meets
sends:
  %to = call ptr @in(${VALUE}, i32 0)
  store i32 42, ptr %to
  %bar = call ptr @in(${FULL}, i32 0)
  call void @complete(ptr %bar)
  br label %meets
meets:
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  ret void
}`;
  const launch = { grid: 2, block: 64, cluster: 2 };
  const expected = run(ir, launch, 2);
  expect(expected).toMatchObject({ fault: null, out: [42, 0] });
  expect(runWith(createWarpExecutor(), ir, launch, 2)).toEqual(expected);
});

test("warps that have ended are not waited for, and who waits without having arrived goes on", () => {
  const ir = `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 ${SREG}.tid.x()
  %b = call i32 ${SREG}.ctaid.x()
  %warp = lshr i32 %t, 5
  %isFirst = icmp eq i32 %warp, %b
  br i1 %isFirst, label %end, label %goesOn
goesOn:
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  %first = mul i32 %b, 64
  %at = add i32 %first, %t
  %o = getelementptr i32, ptr %out, i32 %at
  store i32 %at, ptr %o
  br label %end
end:
  ret void
}`;
  const launch = { grid: 4, block: 64, cluster: 2 };
  const expected = run(ir, launch, 256);
  expect(expected.fault).toBeNull();
  expect(runWith(createWarpExecutor(), ir, launch, 256)).toEqual(expected);
});

test("blocks that only meet at the barrier of the cluster go on while they count down in global memory", () => {
  const ir = `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 ${SREG}.tid.x()
  %b = call i32 ${SREG}.ctaid.x()
  %count = getelementptr i32, ptr %out, i32 %b
  %isFirst = icmp eq i32 %t, 0
  br i1 %isFirst, label %init, label %ready
init:
  store i32 100, ptr %count
  br label %ready
ready:
  br label %again
again:
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  %n = load i32, ptr %count
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  br i1 %isFirst, label %down, label %next
down:
  %less = sub i32 %n, 1
  store i32 %less, ptr %count
  br label %next
next:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %goesOn = icmp sgt i32 %n, 1
  br i1 %goesOn, label %again, label %end
end:
  ret void
}`;
  for (const cluster of [{ cluster: 2 }, {}]) {
    const launch = { grid: 2, block: 32, ...cluster };
    expect(run(ir, launch, 2)).toEqual({ fault: null, output: "", out: [0, 0] });
    expect(runWith(createWarpExecutor(), ir, launch, 2)).toEqual({ fault: null, output: "", out: [0, 0] });
  }
});

test("a solver that ends by what stands in global memory takes thousands of steps", () => {
  const ir = `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 ${SREG}.tid.x()
  %b = call i32 ${SREG}.ctaid.x()
  %residual = getelementptr i32, ptr %out, i32 %b
  %other = sub i32 1, %b
  %theirs = getelementptr i32, ptr %out, i32 %other
  %isFirst = icmp eq i32 %t, 0
  br label %again
again:
  %old = load i32, ptr %residual
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  br i1 %isFirst, label %step, label %meet
step:
  %new = add i32 %old, 1
  store i32 %new, ptr %residual
  br label %meet
meet:
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  %r = load i32, ptr %theirs
  %goesOn = icmp slt i32 %r, 10000
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  br i1 %goesOn, label %again, label %end
end:
  ret void
}`;
  const launch = { grid: 2, block: 32, cluster: 2 };
  const expected = { fault: null, output: "", out: [10_000, 10_000] };
  expect(runWith(createWarpExecutor(), ir, launch, 2)).toEqual(expected);
});

test("a cluster whose blocks wait for ever is a deadlock, with the threads of all its blocks", () => {
  const ir = `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
entry:
  %b = call i32 ${SREG}.ctaid.x()
  %isFirst = icmp eq i32 %b, 0
  br i1 %isFirst, label %waits, label %meets
waits:
  call void @wait(ptr %out, i32 0)
  br label %meets
meets:
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  ret void
}`;
  const launch = { grid: 2, block: 64, cluster: 2 };
  for (const { fault } of [run(ir, launch, 2), runWith(createWarpExecutor(), ir, launch, 2)]) {
    expect(fault?.kind).toBe("deadlock");
    const waiting = fault?.waiting as { what: string; count: number; block: { x: number } }[];
    const found = waiting.map(({ what, count, block }) => `${count} ${what} ${block.x}`);
    expect(found.toSorted()).toEqual(["64 cluster-sync 1", "64 memory 0"]);
  }
});
