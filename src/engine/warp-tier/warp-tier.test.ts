/** Small kernels run by the warp tier and by the interpreter: the same memory afterwards. The fuzzer goes further. */
import { describe, expect, test } from "vitest";
import { Harness, type HarnessArgument, type HarnessLaunch } from "../harness.ts";
import { createInterpreter } from "../interpreter/interpreter.ts";
import { createWarpExecutor } from "./warp-executor.ts";

const HEADER = `
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
`;

/** Runs one kernel over one array of ints on both engines and compares it. */
function compare(ir: string, launch: HarnessLaunch, ints: number, rest: readonly HarnessArgument[] = []): Int32Array {
  const results = [createInterpreter(), createWarpExecutor()].map((executor) => {
    const h = new Harness();
    const program = h.load(HEADER + ir);
    const data = h.place(Int32Array.from({ length: ints }, (_, i) => Math.imul(i + 1, 2654435761) >> 8));
    const { fault } = h.run(executor, program, "k", launch, [data, ...rest]);
    expect(fault, executor.name).toBeNull();
    return h.readI32(data, ints);
  });
  expect([...results[1]!]).toEqual([...results[0]!]);
  return results[0]!;
}

const INDEX = `
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %o = mul i32 %b, %d
  %i = add i32 %o, %t
  %p = getelementptr i32, ptr %x, i32 %i
`;

describe("straight code", () => {
  test.each([32, 64, 100, 7])("a guarded update, blocks of %i", (block) => {
    compare(
      `define ptx_kernel void @k(ptr %x, i32 %n) {
entry:${INDEX}
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %done
body:
  %v = load i32, ptr %p, align 4
  %m = mul i32 %v, 3
  %s = add i32 %m, %i
  store i32 %s, ptr %p, align 4
  br label %done
done:
  ret void
}`,
      { grid: 3, block },
      400,
      [250],
    );
  });

  test("products with constants near powers of two", () => {
    const factors = [
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 17, 85, 65535, 65537, 2147483647, 2147483648, 2147483649, 4294967295,
    ];
    const body = factors
      .map(
        (c, n) => `  %m${n} = mul i32 %v, ${c | 0}
  %m${n}b = mul i8 %narrow, ${c & 0xff}
  %m${n}w = zext i8 %m${n}b to i32
  %a${n} = xor i32 %s${n}, %m${n}
  %b${n} = mul i32 %a${n}, 1000003
  %s${n + 1} = add i32 %b${n}, %m${n}w`,
      )
      .join("\n");
    compare(
      `define ptx_kernel void @k(ptr %x) {
entry:${INDEX}
  %v = load i32, ptr %p, align 4
  %narrow = trunc i32 %v to i8
  %s0 = add i32 %i, 0
${body}
  store i32 %s${factors.length}, ptr %p, align 4
  ret void
}`,
      { grid: 2, block: 64 },
      128,
    );
  });
  test("narrow and wide integers, division, shifts", () => {
    compare(
      `define ptx_kernel void @k(ptr %x) {
entry:${INDEX}
  %v = load i32, ptr %p, align 4
  %w = sext i32 %v to i64
  %ww = mul i64 %w, 1234567891
  %hi = lshr i64 %ww, 17
  %lo = trunc i64 %hi to i32
  %n8 = trunc i32 %v to i8
  %n8a = add i8 %n8, 77
  %n8s = sext i8 %n8a to i32
  %i1 = add i32 %i, 3
  %q = sdiv i32 %v, %i1
  %r = urem i32 %v, %i1
  %sh = and i32 %i, 31
  %l = shl i32 %lo, %sh
  %a = xor i32 %l, %n8s
  %c = xor i32 %a, %q
  %e = xor i32 %c, %r
  store i32 %e, ptr %p, align 4
  ret void
}`,
      { grid: 2, block: 48 },
      96,
    );
  });
});

describe("control flow", () => {
  test("divergent loop with a data-dependent trip count", () => {
    compare(
      `define ptx_kernel void @k(ptr %x) {
entry:${INDEX}
  %v = load i32, ptr %p, align 4
  br label %loop
loop:
  %n = phi i32 [ %v, %entry ], [ %next, %odd ], [ %half, %even ]
  %steps = phi i32 [ 0, %entry ], [ %s1, %odd ], [ %s2, %even ]
  %low = and i32 %n, 1023
  %end = icmp ult i32 %low, 20
  br i1 %end, label %done, label %work
work:
  %bit = and i32 %n, 1
  %isodd = icmp ne i32 %bit, 0
  br i1 %isodd, label %odd, label %even
odd:
  %t3 = mul i32 %low, 3
  %next = add i32 %t3, 1
  %s1 = add i32 %steps, 1
  br label %loop
even:
  %half = lshr i32 %low, 1
  %s2 = add i32 %steps, 100
  br label %loop
done:
  %res = add i32 %steps, %n
  store i32 %res, ptr %p, align 4
  ret void
}`,
      { grid: 2, block: 64 },
      128,
    );
  });

  test("ways that all lanes, some or none take, to one place", () => {
    compare(
      `define ptx_kernel void @k(ptr %x, i32 %n) {
entry:${INDEX}
  %v = load i32, ptr %p, align 4
  %c = icmp slt i32 %i, %n
  br i1 %c, label %low, label %high
low:
  %odd = and i32 %i, 256
  %d.low = icmp eq i32 %odd, 0
  %m = mul i32 %v, 1000003
  br i1 %d.low, label %join, label %high
high:
  %h = phi i32 [ %v, %entry ], [ %m, %low ]
  %hh = add i32 %h, %i
  br label %join
join:
  %r = phi i32 [ %m, %low ], [ %hh, %high ]
  %scalar = phi i32 [ 5, %low ], [ 7, %high ]
  %s = add i32 %r, %scalar
  store i32 %s, ptr %p, align 4
  ret void
}`,
      { grid: 9, block: 64 },
      576,
      [300],
    );
  });
  test("a divergent switch and an early return", () => {
    compare(
      `define ptx_kernel void @k(ptr %x) {
entry:${INDEX}
  %v = load i32, ptr %p, align 4
  %m = and i32 %v, 7
  switch i32 %m, label %other [ i32 0, label %zero i32 1, label %one i32 2, label %zero i32 5, label %gone ]
zero:
  br label %join
one:
  %a = mul i32 %v, 5
  br label %join
gone:
  ret void
other:
  %b2 = sub i32 %v, 9
  br label %join
join:
  %r = phi i32 [ 111, %zero ], [ %a, %one ], [ %b2, %other ]
  store i32 %r, ptr %p, align 4
  ret void
}`,
      { grid: 2, block: 64 },
      128,
    );
  });
});

describe("warps and blocks", () => {
  test("a barrier between parts that only some lanes run, and values of theirs that live on", () => {
    compare(
      `define ptx_kernel void @k(ptr %x, i32 %n) {
entry:${INDEX}
  %c = icmp slt i32 %i, %n
  %v = load i32, ptr %p, align 4
  %odd = and i32 %v, 1
  %is = icmp eq i32 %odd, 1
  br i1 %is, label %first, label %middle
first:
  %a = mul i32 %v, 77
  br label %middle
middle:
  %w = phi i32 [ %a, %first ], [ %v, %entry ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %loop
loop:
  %turn = phi i32 [ 0, %middle ], [ %turn1, %next ]
  %sum = phi i32 [ %w, %middle ], [ %sum2, %next ]
  br i1 %c, label %inside, label %next
inside:
  %sum1 = add i32 %sum, %i
  %low = icmp ult i32 %turn, 2
  br i1 %low, label %deep, label %next
deep:
  %sum3 = xor i32 %sum1, 99
  br label %next
next:
  %sum2 = phi i32 [ %sum, %loop ], [ %sum1, %inside ], [ %sum3, %deep ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %turn1 = add i32 %turn, 1
  %more = icmp ult i32 %turn1, 4
  br i1 %more, label %loop, label %last
last:
  br i1 %is, label %write, label %done
write:
  store i32 %sum2, ptr %p, align 4
  br label %done
done:
  ret void
}`,
      { grid: 2, block: 100 },
      200,
      [130],
    );
  });
  test("barriers in a loop, reduction through shared memory", () => {
    compare(
      `@tile = internal addrspace(3) global [128 x i32] undef, align 4
define ptx_kernel void @k(ptr %x) {
entry:${INDEX}
  %v = load i32, ptr %p, align 4
  %q = getelementptr inbounds [128 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %t
  store i32 %v, ptr %q, align 4
  br label %loop
loop:
  %s = phi i32 [ 64, %entry ], [ %half, %join ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %c = icmp ult i32 %t, %s
  br i1 %c, label %add, label %join
add:
  %oo = add i32 %t, %s
  %r = getelementptr inbounds [128 x i32], ptr addrspace(3) @tile, i32 0, i32 %oo
  %a = load i32, ptr addrspace(3) %r, align 4
  %bb = load i32, ptr %q, align 4
  %sum = add i32 %a, %bb
  store i32 %sum, ptr %q, align 4
  br label %join
join:
  %half = lshr i32 %s, 1
  %end = icmp eq i32 %half, 0
  br i1 %end, label %done, label %loop
done:
  %res = load i32, ptr %q, align 4
  store i32 %res, ptr %p, align 4
  ret void
}`,
      { grid: 2, block: 128 },
      256,
    );
  });

  test("shuffles, a ballot and a counting barrier", () => {
    compare(
      `define ptx_kernel void @k(ptr %x) {
entry:${INDEX}
  %v = load i32, ptr %p, align 4
  %s1 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 16, i32 31)
  %a1 = add i32 %v, %s1
  %s2 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %a1, i32 1, i32 31)
  %a2 = add i32 %a1, %s2
  %s3 = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %a2, i32 5, i32 31)
  %b3 = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %v, i32 %t, i32 31)
  %b4 = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %v, i32 3, i32 31)
  %odd = trunc i32 %v to i1
  %votes = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %odd)
  %count = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %odd)
  %x1 = xor i32 %s3, %votes
  %x2 = add i32 %x1, %count
  %x3 = xor i32 %x2, %b3
  %x4 = add i32 %x3, %b4
  store i32 %x4, ptr %p, align 4
  ret void
}`,
      { grid: 2, block: 96 },
      192,
    );
  });

  test("atomics of every lane", () => {
    compare(
      `define ptx_kernel void @k(ptr %x) {
entry:${INDEX}
  %v = load i32, ptr %p, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %m = and i32 %v, 15
  %h = getelementptr i32, ptr %x, i32 %m
  %old = atomicrmw add ptr %h, i32 1 monotonic, align 4
  ret void
}`,
      { grid: 2, block: 96 },
      192,
    );
  });
});

test("an access outside the memory in use names the thread", () => {
  const h = new Harness();
  const program = h.load(`${HEADER}define ptx_kernel void @k(ptr %x) {
entry:${INDEX}
  %far = getelementptr i32, ptr %p, i32 1000000000
  %bad = icmp eq i32 %i, 37
  %q = select i1 %bad, ptr %far, ptr %p
  store i32 1, ptr %q, align 4
  ret void
}`);
  const data = h.place(new Int32Array(64));
  const { fault } = h.run(createWarpExecutor(), program, "k", { grid: 1, block: 64 }, [data]);
  expect(fault).toMatchObject({
    kind: "illegal-address",
    thread: { x: 37, y: 0, z: 0 },
    access: { kind: "store", bytes: 4 },
  });
});

test("a shuffle brings 0 from a lane that has ended, as on an H200", () => {
  const result = compare(
    `define ptx_kernel void @k(ptr %x) {
entry:${INDEX}
  %gone = icmp uge i32 %t, 20
  br i1 %gone, label %done, label %go
go:
  %s = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %t, i32 5, i32 31)
  %one = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %t, i32 25, i32 31)
  %both = shl i32 %one, 8
  %r = or i32 %s, %both
  store i32 %r, ptr %p, align 4
  br label %done
done:
  ret void
}`,
    { grid: 1, block: 32 },
    32,
  );
  expect(Array.from(result.slice(0, 20))).toEqual([...Array.from({ length: 15 }, (_, i) => i + 5), 0, 0, 0, 0, 0]);
});
