/**
 * Products of a warpgroup are one operation of four warps: who waits for a group waits for all of them
 * (interpreter/product-groups.ts). Here a product is a load of its operand.
 */
import { expect, test } from "vitest";
import { run, runWith } from "../thread-tier/compared-runs.test-helper.ts";
import { createWarpExecutor } from "../warp-tier/warp-executor.ts";

const DECLARATIONS = `
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()
declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i32)
@operand = internal addrspace(3) global [2 x i32] undef, align 8
@full = internal addrspace(3) global i64 undef, align 8
define internal i32 @product(i32 %n) {
  %p = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @operand to ptr), i32 %n
  %v = load i32, ptr %p, align 4
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  ret i32 %v
}
define i32 @__heddle_mbarrier_test_parity(ptr %barrier, i32 %parity) {
  %state = load atomic i64, ptr %barrier acquire, align 8
  %phase = lshr i64 %state, 63
  %low = and i32 %parity, 1
  %wanted = zext i32 %low to i64
  %over = icmp ne i64 %phase, %wanted
  %result = zext i1 %over to i32
  ret i32 %result
}
`;

/**
 * Warp 3 writes the operands and says so. When it knows that all but the last `left` of two products are done, it
 * writes over the first operand. `late`: who sleeps before it multiplies.
 */
const reused = (left: number, late: string): string => `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %warp = lshr i32 %t, 5
  %isOwner = icmp eq i32 %warp, 3
  store i64 0, ptr addrspacecast (ptr addrspace(3) @full to ptr)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %isOwner, label %write, label %again
write:
  store i32 7, ptr addrspacecast (ptr addrspace(3) @operand to ptr)
  store i32 8, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @operand to ptr), i32 4)
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %isLane0 = icmp eq i32 %t, 96
  br i1 %isLane0, label %tell, label %told
tell:
  %old = atomicrmw xor ptr addrspacecast (ptr addrspace(3) @full to ptr), i64 -9223372036854775808 acq_rel
  br label %told
told:
  br label %multiply
again:
  call void @llvm.nvvm.nanosleep(i32 1)
  %over = call i32 @__heddle_mbarrier_test_parity(ptr addrspacecast (ptr addrspace(3) @full to ptr), i32 0)
  %isFull = icmp ne i32 %over, 0
  br i1 %isFull, label %multiply, label %again
multiply:
  %isLate = icmp ${late}
  br i1 %isLate, label %sleep, label %go
sleep:
  call void @llvm.nvvm.nanosleep(i32 1)
  call void @llvm.nvvm.nanosleep(i32 1)
  br label %go
go:
  %a = call i32 @product(i32 0)
  %b = call i32 @product(i32 1)
  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i32 ${left})
  br i1 %isOwner, label %overwrite, label %store
overwrite:
  store i32 0, ptr addrspacecast (ptr addrspace(3) @operand to ptr)
  br label %store
store:
  %sum = mul i32 %a, %b
  %at = getelementptr i32, ptr %out, i32 %t
  store i32 %sum, ptr %at, align 4
  ret void
}
`;

const launch = { grid: 1, block: 128 };

test.each([
  [0, "three warps", "ne i32 %warp, 3"],
  [1, "three warps", "ne i32 %warp, 3"],
  [1, "a lane of the same warp", "eq i32 %t, 100"],
])("an operand is free when all threads have multiplied, with %i groups left; late: %s", (left, _, late) => {
  const expected = run(reused(left, late), launch, 128);
  expect(expected).toMatchObject({ fault: null, out: Array.from({ length: 128 }, () => 56) });
  expect(runWith(createWarpExecutor(), reused(left, late), launch, 128)).toEqual(expected);
});

test("a group that one warp never commits is a deadlock; a warp that has ended is not missing", () => {
  const ir = (last: string): string => `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %warp = lshr i32 %t, 5
  %isLast = icmp eq i32 %warp, 3
  br i1 %isLast, label %last, label %multiply
multiply:
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i32 0)
  ${last}
  ret void
last:
  ${last}
  ret void
}`;
  const meets = ir("call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 128)");
  for (const fault of [run(meets, launch, 1).fault, runWith(createWarpExecutor(), meets, launch, 1).fault]) {
    expect(fault?.kind).toBe("deadlock");
    expect(fault?.waiting).toContainEqual(expect.objectContaining({ what: "products", count: 96 }));
  }
  expect(run(ir(""), launch, 1).fault).toBeNull();
  expect(runWith(createWarpExecutor(), ir(""), launch, 1).fault).toBeNull();
});

test("a commit that not all lanes of a warp come to is for the thread tier, which counts by threads", () => {
  const ir = `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %isFirst = icmp eq i32 %lane, 0
  br i1 %isFirst, label %commit, label %all
commit:
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  br label %all
all:
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i32 1)
  ret void
}`;
  expect(run(ir, launch, 1).fault).toBeNull();
  expect(() => runWith(createWarpExecutor(), ir, launch, 1)).toThrow(/commit_group.* where lanes of the warp may wait/);
});
