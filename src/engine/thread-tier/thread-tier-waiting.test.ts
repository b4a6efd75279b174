import { describe, expect, test } from "vitest";
import { run } from "./compared-runs.test-helper.ts";

describe("waiting", () => {
  test("barriers and shuffles inside recursive calls and through function pointers", () => {
    const outcome = run(
      `
@table = global [2 x ptr] [ptr @even, ptr @odd]
@tile = internal addrspace(3) global [64 x i32] undef, align 4
define i32 @even(i32 %t, i32 %d) {
  %z = icmp eq i32 %d, 0
  br i1 %z, label %end, label %more
more:
  %p = getelementptr [64 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %t
  store i32 %d, ptr %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = xor i32 %t, 1
  %q = getelementptr [64 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %x
  %v = load i32, ptr %q
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %e = sub i32 %d, 1
  %r = call i32 @odd(i32 %t, i32 %e)
  %s = add i32 %r, %v
  ret i32 %s
end:
  ret i32 0
}
define i32 @odd(i32 %t, i32 %d) {
  %v = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %t, i32 %d, i32 31)
  %f = load ptr, ptr @table
  %z = icmp eq i32 %d, 0
  br i1 %z, label %end, label %more
more:
  %r = call i32 %f(i32 %t, i32 %d)
  %s = add i32 %r, %v
  ret i32 %s
end:
  ret i32 %v
}
define ptx_kernel void @k(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @even(i32 %t, i32 4)
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %r, ptr %p
  ret void
}`,
      { grid: 3, block: 64 },
      64,
    );
    expect(outcome.fault).toBeNull();
  });

  test("blocks that wait for later blocks; grids that synchronise", () => {
    const ring = `
define ptx_kernel void @k(ptr %out) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %next = add i32 %b, 1
  %p = getelementptr i32, ptr %out, i32 %b
  %q = getelementptr i32, ptr %out, i32 %next
  %last = icmp eq i32 %b, 7
  br i1 %last, label %go, label %wait
wait:
  %v = load volatile i32, ptr %q
  %z = icmp eq i32 %v, 0
  br i1 %z, label %wait, label %go
go:
  %x = phi i32 [ 1, %entry ], [ %v, %wait ]
  %y = mul i32 %x, 2
  %o = atomicrmw xchg ptr %p, i32 %y monotonic
  ret void
}`;
    expect(run(ring, { grid: 8, block: 1 }, 8).out).toEqual([256, 128, 64, 32, 16, 8, 4, 2]);
    const grid = `
define ptx_kernel void @k(ptr %out) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %p = getelementptr i32, ptr %out, i32 %b
  %o = atomicrmw add ptr %p, i32 1 monotonic
  call void @__heddle_grid_sync()
  %n = add i32 %b, 1
  %m = and i32 %n, 7
  %q = getelementptr i32, ptr %out, i32 %m
  %v = load i32, ptr %q
  call void @__heddle_grid_sync()
  %w = atomicrmw add ptr %p, i32 %v monotonic
  ret void
}`;
    expect(run(grid, { grid: 8, block: 4, cooperative: true }, 8).out).toEqual(Array.from({ length: 8 }, () => 20));
  });

  test("a loop that waits for the clock ends, though nothing that it keeps changes", () => {
    const waits = `
declare i32 @llvm.nvvm.read.ptx.sreg.clock()
define ptx_kernel void @k(ptr %out) {
entry:
  %start = call i32 @llvm.nvvm.read.ptx.sreg.clock()
  br label %wait
wait:
  %now = call i32 @llvm.nvvm.read.ptx.sreg.clock()
  %passed = sub i32 %now, %start
  %early = icmp ult i32 %passed, 3000000
  br i1 %early, label %wait, label %done
done:
  store i32 1, ptr %out
  ret void
}`;
    expect(run(waits, { grid: 1, block: 1 }, 1)).toMatchObject({ fault: null, out: [1] });
  });

  test("deadlocks are found: a barrier that one skips, a lock that nobody opens, a sleeper", () => {
    const skipped = `
@flag = global i32 0
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %t, 3
  br i1 %c, label %spin, label %meet
spin:
  %v = atomicrmw or ptr @flag, i32 0 monotonic
  %z = icmp eq i32 %v, 0
  br i1 %z, label %spin, label %meet
meet:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}`;
    expect(run(skipped, { grid: 1, block: 8 }, 1).fault).toMatchObject({
      kind: "deadlock",
      waiting: [
        { count: 7, what: "barrier" },
        { count: 1, what: "memory", thread: { x: 3, y: 0, z: 0 } },
      ],
    });
    const sleeper = `
define ptx_kernel void @k(ptr %out) {
entry:
  br label %spin
spin:
  call void @llvm.nvvm.nanosleep(i32 100)
  %v = load volatile i32, ptr %out
  %z = icmp eq i32 %v, 0
  br i1 %z, label %spin, label %end
end:
  ret void
}`;
    expect(run(sleeper, { grid: 2, block: 8 }, 1).fault?.kind).toBe("deadlock");
  });

  test(
    "those who wait for memory are told with the line of the loop in which they look at it, " + "also within functions",
    () => {
      const ir = `
@flag = global i32 0
@lock = global i32 1
define void @wait() noinline !dbg !5 {
entry:
  br label %spin
spin:
  %v = load volatile i32, ptr @flag, !dbg !DILocation(line: 12, column: 5, scope: !5)
  %z = icmp eq i32 %v, 0
  br i1 %z, label %spin, label %end
end:
  ret void
}
define ptx_kernel void @k(ptr %out) !dbg !4 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 3
  br i1 %c, label %call, label %spin
call:
  call void @wait(), !dbg !DILocation(line: 20, column: 3, scope: !4)
  br label %end
spin:
  %x = add i32 %t, 1, !dbg !DILocation(line: 21, column: 1, scope: !4)
  %v = cmpxchg ptr @lock, i32 0, i32 1 monotonic monotonic, !dbg !DILocation(line: 22, column: 7, scope: !4)
  %z = extractvalue { i32, i1 } %v, 1
  br i1 %z, label %end, label %spin
end:
  ret void
}
!llvm.dbg.cu = !{!1}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2)
!2 = !DIFile(filename: "spin.cu", directory: "/")
!4 = distinct !DISubprogram(name: "k", file: !2, line: 18, unit: !1)
!5 = distinct !DISubprogram(name: "wait", file: !2, line: 10, unit: !1)
`;
      expect(run(ir, { grid: 1, block: 8 }, 1).fault).toMatchObject({
        waiting: [
          { count: 3, what: "memory", location: { line: 12 } },
          { count: 5, what: "memory", location: { line: 22 } },
        ],
      });
    },
  );

  test("a spin lock among the threads of a warp", () => {
    const lock = `
define ptx_kernel void @k(ptr %out) {
entry:
  %data = getelementptr i32, ptr %out, i32 1
  br label %try
try:
  %x = cmpxchg ptr %out, i32 0, i32 1 acq_rel monotonic
  %ok = extractvalue { i32, i1 } %x, 1
  br i1 %ok, label %critical, label %try
critical:
  %v = load i32, ptr %data
  %n = add i32 %v, 1
  store i32 %n, ptr %data
  %u = atomicrmw xchg ptr %out, i32 0 release
  ret void
}`;
    expect(run(lock, { grid: 4, block: 64 }, 2).out).toEqual([0, 256]);
  });

  test("activemask is who came the same way", () => {
    const masks = run(
      `
define ptx_kernel void @k(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = and i32 %t, 1
  %c = icmp eq i32 %b, 0
  br i1 %c, label %even, label %odd
even:
  %m = call i32 @llvm.nvvm.activemask()
  br label %end
odd:
  %n = call i32 @llvm.nvvm.activemask()
  br label %end
end:
  %r = phi i32 [ %m, %even ], [ %n, %odd ]
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %r, ptr %p
  ret void
}`,
      { grid: 1, block: 16 },
      16,
    );
    expect(masks.out).toEqual(Array.from({ length: 16 }, (_, t) => (t % 2 === 0 ? 0x5555 : 0xaaaa)));
  });
});
