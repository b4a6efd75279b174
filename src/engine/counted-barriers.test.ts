/**
 * Barriers for a number of threads, `bar.sync a, b` (PTX ISA 9.7.13.1): b counts whole warps, so a warp that has fewer
 * than 32 threads, or of which some have ended, counts 32. Interpreter and thread tier; the warp tier leaves barriers
 * with a count to the latter.
 */
import { describe, expect, test } from "vitest";
import { run } from "./thread-tier/compared-runs.test-helper.ts";

const DECLARATIONS = `
declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.count(i32, i32, i1)
declare i1 @llvm.nvvm.barrier.cta.red.and.aligned.count(i32, i32, i1)
declare i1 @llvm.nvvm.barrier.cta.red.or.aligned.count(i32, i32, i1)
@tile = internal addrspace(3) global [128 x i32] undef, align 4
`;

/** Threads from `first` on put their number into the tile, meet, and read what the `partner` has put there. */
const exchange = (first: number, count: number, partner: string, ending = 1024): string => `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %takes = icmp uge i32 %t, ${first}
  %stays = icmp ult i32 %t, ${ending}
  %both = and i1 %takes, %stays
  br i1 %both, label %meet, label %leave
meet:
  %p = getelementptr [128 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %t
  %mark = add i32 %t, 1000
  store i32 %mark, ptr %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 ${count})
  %other = ${partner}
  %q = getelementptr [128 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %other
  %v = load i32, ptr %q
  %o = getelementptr i32, ptr %out, i32 %t
  store i32 %v, ptr %o
  ret void
leave:
  ret void
}`;

describe("a warp that is not whole counts 32 at bar.sync a, b", () => {
  test("the last warp of the block has 8 threads", () => {
    // Every thread of the first warp reads what one of the second has written, and the reverse.
    const ir = exchange(0, 64, "sub i32 39, %t");
    expect(run(ir, { grid: 2, block: 40 }, 40)).toMatchObject({
      fault: null,
      out: Array.from({ length: 40 }, (_, t) => 1039 - t),
    });
  });

  test("one thread alone makes a warp of the number", () => {
    const ir = exchange(0, 32, "add i32 %t, 0");
    expect(run(ir, { grid: 1, block: 1 }, 1)).toMatchObject({ fault: null, out: [1000] });
  });

  test("two of three warps meet, and the third has left", () => {
    const ir = exchange(32, 64, "sub i32 103, %t");
    const expected = Array.from({ length: 72 }, (_, t) => (t < 32 ? 0 : 1103 - t));
    const outcome = run(ir, { grid: 1, block: 72 }, 72);
    expect(outcome.fault).toBeNull();
    // Threads 32 to 63 read places 71 down to 40; of the last warp, threads 64 to 71 read 39 down to 32.
    expect(outcome.out).toEqual(expected);
  });

  test("threads of a warp that have ended count", () => {
    const ir = exchange(0, 64, "sub i32 35, %t", 36);
    expect(run(ir, { grid: 1, block: 40 }, 40)).toMatchObject({
      fault: null,
      out: Array.from({ length: 40 }, (_, t) => (t < 36 ? 1035 - t : 0)),
    });
  });

  test("a number that no warp is left for is a deadlock", () => {
    expect(run(exchange(0, 96, "add i32 %t, 0"), { grid: 1, block: 40 }, 40).fault).toMatchObject({
      kind: "deadlock",
      waiting: [{ count: 40, what: "barrier" }],
    });
  });

  test("warps that only arrive count, whole or not", () => {
    const ir = `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr [128 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %t
  %isSecond = icmp uge i32 %t, 32
  br i1 %isSecond, label %produce, label %consume
produce:
  store i32 %t, ptr %p
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 1, i32 64)
  ret void
consume:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  %low = and i32 %t, 3
  %q = getelementptr [128 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %low
  %q32 = getelementptr i32, ptr %q, i32 32
  %v = load i32, ptr %q32
  %o = getelementptr i32, ptr %out, i32 %t
  store i32 %v, ptr %o
  ret void
}`;
    expect(run(ir, { grid: 1, block: 36 }, 32)).toMatchObject({
      fault: null,
      out: Array.from({ length: 32 }, (_, t) => 32 + (t & 3)),
    });
  });
});

test("barrier reductions for a number of threads are over the threads that there are", () => {
  const ir = `${DECLARATIONS}
define ptx_kernel void @k(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %isOdd = icmp ne i32 %odd, 0
  %always = icmp ult i32 %t, 100
  %never = icmp uge i32 %t, 100
  %odds = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.count(i32 1, i32 64, i1 %isOdd)
  %all = call i1 @llvm.nvvm.barrier.cta.red.and.aligned.count(i32 2, i32 64, i1 %always)
  %notAll = call i1 @llvm.nvvm.barrier.cta.red.and.aligned.count(i32 3, i32 64, i1 %isOdd)
  %any = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.count(i32 1, i32 64, i1 %isOdd)
  %none = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.count(i32 2, i32 64, i1 %never)
  %a = zext i1 %all to i32
  %b = zext i1 %notAll to i32
  %c = zext i1 %any to i32
  %d = zext i1 %none to i32
  %a2 = mul i32 %a, 100
  %b2 = mul i32 %b, 1000
  %c2 = mul i32 %c, 10000
  %d2 = mul i32 %d, 100000
  %s1 = add i32 %odds, %a2
  %s2 = add i32 %s1, %b2
  %s3 = add i32 %s2, %c2
  %s4 = add i32 %s3, %d2
  %o = getelementptr i32, ptr %out, i32 %t
  store i32 %s4, ptr %o
  ret void
}`;
  expect(run(ir, { grid: 1, block: 41 }, 41)).toMatchObject({
    fault: null,
    out: Array.from({ length: 41 }, () => 20 + 100 + 10_000),
  });
});
