import { describe, expect, test } from "vitest";
import { run } from "./compared-runs.test-helper.ts";

describe("code shapes", () => {
  test("irreducible control flow with a barrier inside", () => {
    run(
      `
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = and i32 %t, 1
  %c = icmp eq i32 %b, 0
  br i1 %c, label %one, label %two
one:
  %i = phi i32 [ 0, %entry ], [ %k, %two ]
  %j = add i32 %i, 3
  call void @llvm.nvvm.bar.warp.sync(i32 0)
  br label %two
two:
  %h = phi i32 [ 1, %entry ], [ %j, %one ]
  %k = add i32 %h, 5
  %done = icmp sgt i32 %k, 40
  br i1 %done, label %end, label %one
end:
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %k, ptr %p
  ret void
}`,
      { grid: 1, block: 8 },
      8,
    );
  });

  test("a spin lock in irreducible control flow; a lock that is never opened there", () => {
    const spin = (open: string): string => `
@lock = global i32 0
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = and i32 %t, 1
  %c = icmp eq i32 %b, 0
  br i1 %c, label %one, label %two
one:
  br label %two
two:
  %x = cmpxchg ptr @lock, i32 0, i32 1 acq_rel monotonic
  %ok = extractvalue { i32, i1 } %x, 1
  br i1 %ok, label %end, label %one
end:
  %v = load i32, ptr %out
  %n = add i32 %v, 1
  store i32 %n, ptr %out
  %o = atomicrmw xchg ptr @lock, i32 ${open} release
  ret void
}`;
    expect(run(spin("0"), { grid: 1, block: 40 }, 1).out).toEqual([40]);
    expect(run(spin("1"), { grid: 1, block: 40 }, 1).fault?.kind).toBe("deadlock");
  });

  test("a callee's local array outside of its first block, beside a callee with one inside", () => {
    const source = `
define void @small(ptr %out) noinline {
  %a = alloca [16 x i32]
  store volatile i32 1, ptr %a
  %v = load volatile i32, ptr %a
  store i32 %v, ptr %out
  ret void
}
define void @late(ptr %out, i32 %n) noinline {
  %c = icmp sgt i32 %n, 0
  br i1 %c, label %more, label %end
more:
  %a = alloca [500 x i32]
  %p = getelementptr i32, ptr %a, i32 499
  store volatile i32 %n, ptr %p
  %v = load volatile i32, ptr %p
  store i32 %v, ptr %out
  br label %end
end:
  ret void
}
define ptx_kernel void @k(ptr %out) {
  %q = getelementptr i32, ptr %out, i32 1
  call void @small(ptr %out)
  call void @late(ptr %q, i32 7)
  ret void
}`;
    expect(run(source, { grid: 1, block: 2 }, 2).out).toEqual([1, 7]);
  });

  test("over-aligned local variables", () => {
    const outcome = run(
      `
define ptx_kernel void @k(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = alloca i32, align 4
  %b = alloca [3 x i32], align 128
  %n = add i32 %t, 1
  %d = alloca i32, i32 %n, align 64
  %ai = ptrtoint ptr %b to i32
  %di = ptrtoint ptr %d to i32
  %am = and i32 %ai, 127
  %dm = and i32 %di, 63
  store volatile i32 %am, ptr %b
  store volatile i32 %dm, ptr %d
  %x = load volatile i32, ptr %b
  %y = load volatile i32, ptr %d
  %s = add i32 %x, %y
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %s, ptr %p
  ret void
}`,
      { grid: 1, block: 5 },
      5,
    );
    expect(outcome.out).toEqual([0, 0, 0, 0, 0]);
  });

  test("phis that swap, switches, struct results, byval arguments, dynamic allocas", () => {
    run(
      `
%pair = type { i32, float, i64 }
define { i32, i64 } @swap(ptr byval(%pair) align 8 %s, i32 %n) noinline {
entry:
  %p = getelementptr %pair, ptr %s, i32 0, i32 2
  %v = load i64, ptr %p
  %q = getelementptr %pair, ptr %s, i32 0, i32 0
  %u = load i32, ptr %q
  store i32 99, ptr %q
  br label %loop
loop:
  %a = phi i32 [ %u, %entry ], [ %b, %loop ]
  %b = phi i32 [ %n, %entry ], [ %a, %loop ]
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %i1 = add i32 %i, 1
  %c = icmp slt i32 %i1, %n
  br i1 %c, label %loop, label %end
end:
  %r0 = insertvalue { i32, i64 } poison, i32 %a, 0
  %r1 = insertvalue { i32, i64 } %r0, i64 %v, 1
  ret { i32, i64 } %r1
}
define ptx_kernel void @k(ptr %out, ptr byval(%pair) align 8 %arg) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = add i32 %t, 1
  %buffer = alloca i32, i32 %n, align 4
  %own = getelementptr %pair, ptr %arg, i32 0, i32 0
  %before = load i32, ptr %own
  %after = add i32 %before, %t
  store i32 %after, ptr %own
  %r = call { i32, i64 } @swap(ptr byval(%pair) align 8 %arg, i32 %n)
  %a = extractvalue { i32, i64 } %r, 0
  %b = extractvalue { i32, i64 } %r, 1
  %c = trunc i64 %b to i32
  %same = load i32, ptr %own
  switch i32 %t, label %other [ i32 0, label %zero i32 1, label %one i32 2, label %one \
i32 5, label %five i32 -7, label %zero ]
zero:
  br label %join
one:
  br label %join
five:
  br label %join
other:
  br label %join
join:
  %x = phi i32 [ 1000, %zero ], [ 2000, %one ], [ 5000, %five ], [ 9000, %other ]
  %slot = getelementptr i32, ptr %buffer, i32 %t
  store i32 %x, ptr %slot
  %y = load i32, ptr %slot
  %s1 = add i32 %y, %a
  %s2 = add i32 %s1, %c
  %s3 = mul i32 %s2, 31
  %s4 = add i32 %s3, %same
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %s4, ptr %p
  ret void
}`,
      { grid: 1, block: 8 },
      8,
      (out) => [out, new Uint8Array(new Uint32Array([7, 0, 123456, 1]).buffer)],
    );
  });

  test("printf and malloc", () => {
    const outcome = run(
      `
@format = constant [13 x i8] c"%d: %s %.2f\\0A\\00"
@word = constant [4 x i8] c"abc\\00"
define ptx_kernel void @k(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = call ptr @malloc(i32 24)
  store i32 %t, ptr %m
  %p1 = getelementptr i8, ptr %m, i32 4
  store ptr @word, ptr %p1
  %p2 = getelementptr i8, ptr %m, i32 8
  store double 1.5, ptr %p2
  %n = call i32 @vprintf(ptr @format, ptr %m)
  call void @free(ptr %m)
  ret void
}`,
      { grid: 1, block: 2 },
      1,
    );
    expect(outcome.output).toBe("0: abc 1.50\n1: abc 1.50\n");
  });
});
