import { describe, expect, test } from "vitest";
import type { Executor } from "../executor.ts";
import { enableWasmFeatures } from "../emit/v8-flags-node.ts";
import { Harness, type HarnessArgument, type HarnessLaunch } from "../harness.ts";
import { createInterpreter } from "../interpreter/interpreter.ts";
import { createThreadExecutor } from "./thread-executor.ts";

enableWasmFeatures();

const HEADER = `
target triple = "nvptx-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.activemask()
declare void @llvm.nvvm.nanosleep(i32)
declare void @llvm.trap()
declare i32 @vprintf(ptr, ptr)
declare ptr @malloc(i32)
declare void @free(ptr)
declare void @__assertfail(ptr, ptr, i32, ptr, i32)
declare void @__heddle_grid_sync()
`;

interface Outcome {
  readonly fault: {
    readonly kind: string;
    readonly thread: unknown;
    readonly block: unknown;
    readonly waiting?: unknown;
  } | null;
  readonly output: string;
  readonly out: number[];
}

function runWith(
  executor: Executor,
  ir: string,
  launch: HarnessLaunch,
  words: number,
  args: (out: number, h: Harness) => HarnessArgument[] = (out) => [out],
): Outcome {
  const h = new Harness(4 << 20);
  const program = h.load(HEADER + ir);
  const out = h.place(new Int32Array(words));
  const { fault, output } = h.run(executor, program, "k", launch, args(out, h));
  return { fault: fault as Outcome["fault"], output, out: [...h.readI32(out, words)] };
}

/** Runs on both and expects the same of both; gives the compiled outcome. */
function run(
  ir: string,
  launch: HarnessLaunch,
  words: number,
  args?: (out: number, h: Harness) => HarnessArgument[],
): Outcome {
  const compiled = runWith(createThreadExecutor(), ir, launch, words, args);
  const interpreted = runWith(createInterpreter(), ir, launch, words, args);
  expect({ ...compiled, fault: compiled.fault?.kind ?? null }).toEqual({
    ...interpreted,
    fault: interpreted.fault?.kind ?? null,
  });
  if (compiled.fault !== null && compiled.fault.kind !== "deadlock") {
    expect({ block: compiled.fault.block, thread: compiled.fault.thread }).toEqual({
      block: interpreted.fault?.block,
      thread: interpreted.fault?.thread,
    });
  }
  return compiled;
}

/** One thread t stores at out + something when t is 5; others do nothing. */
const onlyThreadFive = (body: string): string => `
define ptx_kernel void @k(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %t, 5
  br i1 %c, label %do, label %end
do:
  ${body}
  br label %end
end:
  ret void
}`;

describe("faults", () => {
  test("null, out of range, wrapping, misaligned", () => {
    expect(run(onlyThreadFive("store i32 1, ptr null, align 4"), { grid: 1, block: 8 }, 4).fault).toMatchObject({
      kind: "illegal-address",
      thread: { x: 5, y: 0, z: 0 },
      access: { address: 0, bytes: 4, kind: "store" },
    });
    expect(
      run(
        onlyThreadFive("%v = load i64, ptr inttoptr (i32 -4 to ptr), align 4\n store i64 %v, ptr %out"),
        { grid: 1, block: 8 },
        4,
      ).fault,
    ).toMatchObject({
      kind: "illegal-address",
      access: { address: 0xffff_fffc, bytes: 8, kind: "load" },
    });
    expect(
      run(
        onlyThreadFive("%p = getelementptr i8, ptr %out, i32 2\n%v = atomicrmw add ptr %p, i32 1 monotonic"),
        { grid: 1, block: 8 },
        4,
      ).fault,
    ).toMatchObject({
      kind: "misaligned-address",
      access: { bytes: 4, kind: "atomic" },
    });
    // Alignment is what the instruction promises, not what the type would like.
    expect(
      run(
        onlyThreadFive("%p = getelementptr i8, ptr %out, i32 2\nstore i32 7, ptr %p, align 2"),
        { grid: 1, block: 8 },
        4,
      ),
    ).toMatchObject({ fault: null, out: [7 << 16, 0, 0, 0] });
  });

  test("trap, unreachable, assert, wrong barrier, call of no function", () => {
    expect(run(onlyThreadFive("call void @llvm.trap()"), { grid: 1, block: 8 }, 1).fault?.kind).toBe("trap");
    expect(
      run(
        onlyThreadFive("call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 33)"),
        { grid: 1, block: 8 },
        1,
      ).fault?.kind,
    ).toBe("illegal-instruction");
    expect(
      run(onlyThreadFive("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 16)"), { grid: 1, block: 8 }, 1).fault
        ?.kind,
    ).toBe("illegal-instruction");
    expect(
      run(onlyThreadFive("%f = load ptr, ptr %out\ncall void %f(i32 1)"), { grid: 1, block: 8 }, 1).fault?.kind,
    ).toBe("illegal-instruction");
    expect(
      run(onlyThreadFive("call void inttoptr (i32 12345 to ptr)(i32 1)"), { grid: 1, block: 8 }, 1).fault?.kind,
    ).toBe("illegal-instruction");
    const asserted = run(
      `
@m = constant [6 x i8] c"x > 0\\00"
@f = constant [5 x i8] c"a.cu\\00"
@n = constant [5 x i8] c"kern\\00"
${onlyThreadFive("call void @__assertfail(ptr @m, ptr @f, i32 12, ptr @n, i32 1)")}`,
      { grid: 2, block: 8 },
      1,
    );
    expect(asserted.fault).toMatchObject({ kind: "assert", message: expect.stringContaining("x > 0") });
  });

  test("recursion without end overflows the stack, deep recursion does not", () => {
    const recursion = (stop: string): string => `
define i32 @down(i32 %n, ptr %p) {
  %a = alloca i32, align 4
  store i32 %n, ptr %a
  %c = icmp eq i32 %n, ${stop}
  br i1 %c, label %end, label %more
more:
  %m = sub i32 %n, 1
  %r = call i32 @down(i32 %m, ptr %a)
  %q = load i32, ptr %a
  %s = add i32 %r, %q
  ret i32 %s
end:
  ret i32 0
}
define ptx_kernel void @k(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = add i32 %t, 50
  %r = call i32 @down(i32 %n, ptr null)
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %r, ptr %p
  ret void
}`;
    expect(run(recursion("0"), { grid: 1, block: 3 }, 3).out).toEqual([1275, 1326, 1378]);
    expect(runWith(createThreadExecutor(), recursion("-1000000000"), { grid: 1, block: 3 }, 3).fault?.kind).toBe(
      "stack-overflow",
    );
  });
});

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
  switch i32 %t, label %other [ i32 0, label %zero i32 1, label %one i32 2, label %one i32 5, label %five i32 -7, label %zero ]
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
