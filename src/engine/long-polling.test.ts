/**
 * Threads that poll for very long are no deadlock, as long as anything that they keep changes. What the deadlock proof
 * (engine/deadlock-proof) compares is all that a thread keeps: each kernel here differs from one that repeats itself in
 * one place only.
 */
import { describe, expect, test } from "vitest";
import { run } from "./thread-tier/compared-runs.test-helper.ts";

const POLLS = 300_000;

/** Thread 0 polls a flag that nobody sets, counts its polls in a register, and gives up. */
const COUNTED = `
define ptx_kernel void @k(ptr %out) {
entry:
  %flag = getelementptr i32, ptr %out, i32 1
  br label %poll
poll:
  %n = phi i32 [ 0, %entry ], [ %next, %poll ]
  %next = add i32 %n, 1
  %v = load volatile i32, ptr %flag
  %unset = icmp eq i32 %v, 0
  %early = icmp ult i32 %next, ${POLLS}
  %again = and i1 %unset, %early
  br i1 %again, label %poll, label %end
end:
  store i32 %next, ptr %out
  ret void
}`;

/** The same with two counters: the inner one is back at its start each time that a power of two of turns is over. */
const NESTED = `
define ptx_kernel void @k(ptr %out) {
entry:
  %flag = getelementptr i32, ptr %out, i32 1
  br label %poll
poll:
  %n = phi i32 [ 0, %entry ], [ %next, %poll ]
  %rounds = phi i32 [ 0, %entry ], [ %more, %poll ]
  %after = add i32 %n, 1
  %next = and i32 %after, 4095
  %is = icmp eq i32 %next, 0
  %one = zext i1 %is to i32
  %more = add i32 %rounds, %one
  %v = load volatile i32, ptr %flag
  %unset = icmp eq i32 %v, 0
  %early = icmp ult i32 %more, ${Math.ceil(POLLS / 4096)}
  %again = and i1 %unset, %early
  br i1 %again, label %poll, label %end
end:
  store i32 %more, ptr %out
  ret void
}`;

/** A counter of 64 bits, of which the lower half stays as it is. */
const UPPER_HALF = `
define ptx_kernel void @k(ptr %out) {
entry:
  %flag = getelementptr i32, ptr %out, i32 1
  br label %poll
poll:
  %n = phi i64 [ 0, %entry ], [ %next, %poll ]
  %next = add i64 %n, 4294967296
  %v = atomicrmw or ptr %flag, i32 0 monotonic
  %unset = icmp eq i32 %v, 0
  %early = icmp ult i64 %next, ${BigInt(POLLS) << 32n}
  %again = and i1 %unset, %early
  br i1 %again, label %poll, label %end
end:
  %high = lshr i64 %next, 32
  %count = trunc i64 %high to i32
  store i32 %count, ptr %out
  ret void
}`;

/** The counter is in the thread's local memory. */
const IN_MEMORY = `
define ptx_kernel void @k(ptr %out) {
entry:
  %counter = alloca i32, align 4
  store i32 0, ptr %counter
  %flag = getelementptr i32, ptr %out, i32 1
  br label %poll
poll:
  %n = load i32, ptr %counter
  %next = add i32 %n, 1
  store i32 %next, ptr %counter
  %v = load volatile i32, ptr %flag
  %unset = icmp eq i32 %v, 0
  %early = icmp ult i32 %next, ${POLLS}
  %again = and i1 %unset, %early
  br i1 %again, label %poll, label %end
end:
  store i32 %next, ptr %out
  ret void
}`;

describe("a thread that polls 300,000 times and then gives up ends", () => {
  test.each([
    ["counting in a register", COUNTED, POLLS],
    ["counting rounds of polls", NESTED, Math.ceil(POLLS / 4096)],
    ["counting in the upper half of a register", UPPER_HALF, POLLS],
    ["counting in memory", IN_MEMORY, POLLS],
  ])("%s", (_, ir, count) => {
    expect(run(ir, { grid: 1, block: 1 }, 2)).toMatchObject({ fault: null, out: [count, 0] });
  });
});

/**
 * The first thread repeats itself exactly, 300,000 times and more; the last one counts its own polls for as long, and
 * then sets the flag. Thread `block - 1` is a lane of the same warp, of another warp, or of another block.
 */
const waitsForAnother = (id: string, last: number): string => `
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.${id}.x()
  %flag = getelementptr i32, ptr %out, i32 1
  %never = getelementptr i32, ptr %out, i32 2
  %is = icmp eq i32 %t, ${last}
  br i1 %is, label %count, label %wait
wait:
  %v = load volatile i32, ptr %flag
  %unset = icmp eq i32 %v, 0
  br i1 %unset, label %wait, label %seen
seen:
  store i32 %v, ptr %out
  ret void
count:
  %n = phi i32 [ 0, %entry ], [ %next, %count ]
  %next = add i32 %n, 1
  %w = load volatile i32, ptr %never
  %nothing = icmp eq i32 %w, 0
  %early = icmp ult i32 %next, ${POLLS}
  %again = and i1 %nothing, %early
  br i1 %again, label %count, label %set
set:
  %old = atomicrmw xchg ptr %flag, i32 %next monotonic
  ret void
}`;

describe("a thread that polls while another one counts 300,000 polls sees what that one writes", () => {
  test.each([
    ["a lane of its warp", waitsForAnother("tid", 1), { grid: 1, block: 2 }],
    ["a lane of another warp", waitsForAnother("tid", 32), { grid: 1, block: 33 }],
    ["another block", waitsForAnother("ctaid", 1), { grid: 2, block: 1 }],
  ])("%s", (_, ir, launch) => {
    expect(run(ir, launch, 3)).toMatchObject({ fault: null, out: [POLLS, POLLS, 0] });
  });
});
