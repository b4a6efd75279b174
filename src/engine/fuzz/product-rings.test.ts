/**
 * Random pipelines as Hopper's kernels have them: one lane copies rows byte by byte into a ring of buffers, warpgroups
 * multiply them, and one thread of a warpgroup says for all of it that a buffer is free. Threads come late at random.
 * Every engine must give the sums; `HEDDLE_RINGS=N` runs N of them. A product is a load of its operand here.
 */
import { expect, test } from "vitest";
import { createInterpreter } from "../interpreter/interpreter.ts";
import { runWith } from "../thread-tier/compared-runs.test-helper.ts";
import { createThreadExecutor } from "../thread-tier/thread-executor.ts";
import { createWarpExecutor } from "../warp-tier/warp-executor.ts";
import { Random } from "./random.ts";

const WARPGROUP = 128;
const PHASE = "-9223372036854775808";

interface Ring {
  readonly groups: number;
  readonly stages: number;
  readonly steps: number;
  /** The row of a step, in bytes, of which the product reads the last word. */
  readonly rowBytes: number;
  readonly producerIsFirst: boolean;
  /** Groups of products that may be under way. */
  readonly left: number;
  /** Of a warpgroup: the thread that frees buffers. */
  readonly releaser: number;
  /** In which step which threads come late, and how: with sleep, or by a loop longer than a thread's turn. */
  readonly late: {
    readonly factor: number;
    readonly shift: number;
    readonly modulus: number;
    readonly sleeps: boolean;
  };
}

function randomRing(seed: number): Ring {
  const random = new Random(seed);
  const left = random.below(2);
  return {
    groups: 1 + random.below(2),
    stages: 1 + left + random.below(3),
    steps: 3 + random.below(4),
    rowBytes: 4 * (1 + random.below(4)),
    producerIsFirst: random.oneIn(2),
    left,
    releaser: random.below(WARPGROUP),
    late: {
      factor: 1 + random.below(7),
      shift: random.oneIn(2) ? 0 : 5,
      modulus: 2 + random.below(5),
      sleeps: random.oneIn(2),
    },
  };
}

const DECLARATIONS = `
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()
declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i32)
@rows = internal addrspace(3) global [64 x i8] undef, align 8
@full = internal addrspace(3) global [8 x i64] undef, align 8
@empty = internal addrspace(3) global [8 x i64] undef, align 8
define i32 @__heddle_mbarrier_test_parity(ptr %barrier, i32 %parity) {
  %state = load atomic i64, ptr %barrier acquire, align 8
  %phase = lshr i64 %state, 63
  %low = and i32 %parity, 1
  %wanted = zext i32 %low to i64
  %over = icmp ne i64 %phase, %wanted
  %result = zext i1 %over to i32
  ret i32 %result
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
define internal void @arrive(ptr %barrier, i64 %count) {
entry:
  %old = atomicrmw add ptr %barrier, i64 1 acq_rel
  %arrived = and i64 %old, 255
  %next = add i64 %arrived, 1
  %isLast = icmp eq i64 %next, %count
  br i1 %isLast, label %complete, label %over
complete:
  %flip = sub i64 ${PHASE}, %count
  %before = atomicrmw add ptr %barrier, i64 %flip acq_rel
  br label %over
over:
  ret void
}
define internal ptr @at(ptr %base, i32 %stage, i32 %bytes) {
  %offset = mul i32 %stage, %bytes
  %place = getelementptr i8, ptr %base, i32 %offset
  ret ptr %place
}
`;
const shared = (name: string): string => `ptr addrspacecast (ptr addrspace(3) @${name} to ptr)`;

function irOf(ring: Ring): string {
  const { groups, stages, steps, rowBytes, left, late } = ring;
  const first = ring.producerIsFirst ? WARPGROUP : 0;
  const producer = ring.producerIsFirst ? 0 : groups * WARPGROUP;
  const delay = late.sleeps
    ? "call void @llvm.nvvm.nanosleep(i32 1)\n  call void @llvm.nvvm.nanosleep(i32 1)"
    : `%seen = load volatile i32, ${shared("rows")}, align 8`;
  return `${DECLARATIONS}
define ptx_kernel void @k(ptr %out, ptr %in) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = and i32 %t, ${WARPGROUP - 1}
  %isInit = icmp ult i32 %t, 8
  br i1 %isInit, label %init, label %ready
init:
  %f0 = call ptr @at(${shared("full")}, i32 %t, i32 8)
  store i64 0, ptr %f0
  %e0 = call ptr @at(${shared("empty")}, i32 %t, i32 8)
  store i64 0, ptr %e0
  br label %ready
ready:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %index = sub i32 %t, ${first}
  %isConsumer = icmp ult i32 %index, ${groups * WARPGROUP}
  br i1 %isConsumer, label %take, label %others
others:
  %isProducer = icmp eq i32 %t, ${producer}
  br i1 %isProducer, label %fill, label %end

fill:
  %n = phi i32 [ 0, %others ], [ %n1, %filled ]
  %stage = urem i32 %n, ${stages}
  %round = udiv i32 %n, ${stages}
  %free = xor i32 %round, 1
  %e = call ptr @at(${shared("empty")}, i32 %stage, i32 8)
  call void @wait(ptr %e, i32 %free)
  %to = call ptr @at(${shared("rows")}, i32 %stage, i32 ${rowBytes})
  %from = call ptr @at(ptr %in, i32 %n, i32 ${rowBytes})
  br label %copy
copy:
  %b = phi i32 [ 0, %fill ], [ %b1, %copy ]
  %source = getelementptr i8, ptr %from, i32 %b
  %byte = load i8, ptr %source
  %target = getelementptr i8, ptr %to, i32 %b
  store i8 %byte, ptr %target
  %b1 = add i32 %b, 1
  %moreBytes = icmp ult i32 %b1, ${rowBytes}
  br i1 %moreBytes, label %copy, label %filled
filled:
  %f = call ptr @at(${shared("full")}, i32 %stage, i32 8)
  call void @arrive(ptr %f, i64 1)
  %n1 = add i32 %n, 1
  %more = icmp ult i32 %n1, ${steps}
  br i1 %more, label %fill, label %end

take:
  %m = phi i32 [ 0, %ready ], [ %m1, %taken ]
  %sum = phi i32 [ 0, %ready ], [ %sum1, %taken ]
  %stage2 = urem i32 %m, ${stages}
  %round2 = udiv i32 %m, ${stages}
  %f2 = call ptr @at(${shared("full")}, i32 %stage2, i32 8)
  call void @wait(ptr %f2, i32 %round2)
  %who = lshr i32 %t, ${late.shift}
  %mixed = mul i32 %who, ${late.factor}
  %when = add i32 %mixed, %m
  %choice = urem i32 %when, ${late.modulus}
  %isLate = icmp eq i32 %choice, 0
  br i1 %isLate, label %delay, label %multiply
delay:
  %d = phi i32 [ 0, %take ], [ %d1, %delay ]
  ${delay}
  %d1 = add i32 %d, 1
  %longer = icmp ult i32 %d1, ${late.sleeps ? 1 : 150}
  br i1 %longer, label %delay, label %multiply
multiply:
  %row = call ptr @at(${shared("rows")}, i32 %stage2, i32 ${rowBytes})
  %word = getelementptr i8, ptr %row, i32 ${rowBytes - 4}
  %value = load i32, ptr %word, align 4
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  %weight = add i32 %m, %t
  %product = mul i32 %value, %weight
  %sum1 = add i32 %sum, %product
  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i32 ${left})
  %tells = icmp eq i32 %own, ${ring.releaser}
  %isOld = icmp uge i32 %m, ${left}
  %releases = and i1 %tells, %isOld
  br i1 %releases, label %release, label %taken
release:
  %done = sub i32 %m, ${left}
  %stage3 = urem i32 %done, ${stages}
  %e2 = call ptr @at(${shared("empty")}, i32 %stage3, i32 8)
  call void @arrive(ptr %e2, i64 ${groups})
  br label %taken
taken:
  %m1 = add i32 %m, 1
  %again = icmp ult i32 %m1, ${steps}
  br i1 %again, label %take, label %leave
leave:
  %o = getelementptr i32, ptr %out, i32 %index
  store i32 %sum1, ptr %o
  br label %end
end:
  ret void
}
`;
}

/** The last word of each row is what matters. */
const wordsOf = ({ steps, rowBytes }: Ring): Int32Array =>
  Int32Array.from({ length: (steps * rowBytes) / 4 }, (_, i) => Math.imul(i + 1, 2654435761));

function expectedOf(ring: Ring): number[] {
  const words = wordsOf(ring);
  const first = ring.producerIsFirst ? WARPGROUP : 0;
  return Array.from({ length: ring.groups * WARPGROUP }, (_, index) => {
    let sum = 0;
    for (let m = 0; m < ring.steps; m++)
      sum = (sum + Math.imul(words[((m + 1) * ring.rowBytes) / 4 - 1] as number, m + first + index)) | 0;
    return sum;
  });
}

const ENGINES = {
  interpreter: createInterpreter({ quantum: 300 }),
  reverse: createInterpreter({ quantum: 100, order: "reverse" }),
  thread: createThreadExecutor(),
  warp: createWarpExecutor(),
};

test("rings of buffers, freed by one thread of a warpgroup", () => {
  for (let seed = 1; seed <= Number(process.env["HEDDLE_RINGS"] ?? 4); seed++) {
    const ring = randomRing(seed);
    const launch = { grid: 1, block: ring.groups * WARPGROUP + (ring.producerIsFirst ? WARPGROUP : 32) };
    const expected = expectedOf(ring);
    for (const [engine, executor] of Object.entries(ENGINES)) {
      const place = (out: number, h: { place(words: Int32Array): number }): number[] => [out, h.place(wordsOf(ring))];
      const { fault, out } = runWith(executor, irOf(ring), launch, expected.length, place);
      expect({ seed, engine, fault, out }).toEqual({ seed, engine, fault: null, out: expected });
    }
  }
});
