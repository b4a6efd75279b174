/**
 * Loops in which each lane goes its own way through memory, with few lanes and with many: as the interpreter has them.
 */
import { describe, expect, test } from "vitest";
import { Harness, type HarnessLaunch } from "../../harness.ts";
import { createInterpreter } from "../../interpreter/interpreter.ts";
import { createWarpExecutor } from "../warp-executor.ts";

const HEADER = `
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
`;

const INTS = 256;

function run(executor: ReturnType<typeof createInterpreter>, ir: string, launch: HarnessLaunch, lanes: number) {
  const h = new Harness();
  const program = h.load(HEADER + ir);
  const links = h.place(Int32Array.from({ length: INTS }, (_, i) => Math.imul(i + 1, 2654435761) >>> 8));
  const out = h.place(new Int32Array(INTS));
  const { fault } = h.run(executor, program, "k", launch, [links, out, lanes]);
  return {
    fault: fault === null ? null : `${fault.kind} by ${JSON.stringify(fault.thread)}`,
    ints: [...h.readI32(out, INTS)],
  };
}

function compare(ir: string, launch: HarnessLaunch, lanes: number): string | null {
  const [expected, found] = [createInterpreter(), createWarpExecutor()].map((executor) =>
    run(executor, ir, launch, lanes),
  );
  expect(found).toEqual(expected);
  return found!.fault;
}

const START = `
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %o = mul i32 %b, %d
  %i = add i32 %o, %t
  %at = getelementptr i32, ptr %out, i32 %i
  %lane = and i32 %t, 31
  %in = icmp slt i32 %lane, %lanes
  br i1 %in, label %head, label %idle
`;

describe.each([0, 1, 5, 24, 25, 32])("%i lanes of a warp", (lanes) => {
  test("a walk with two ways out, each with values of its own", () => {
    compare(
      `define ptx_kernel void @k(ptr %links, ptr %out, i32 %lanes) {
entry:${START}
head:
  %double = mul i32 %i, 3
  br label %loop
loop:
  %p = phi i32 [ %i, %head ], [ %q, %next ]
  %n = phi i32 [ 0, %head ], [ %n1, %next ]
  %sum = phi i32 [ %double, %head ], [ %sum1, %next ]
  %index = and i32 %p, 255
  %place = getelementptr i32, ptr %links, i32 %index
  %e = load i32, ptr %place, align 4
  %low = and i32 %e, 15
  %found = icmp eq i32 %low, 3
  br i1 %found, label %first, label %next
next:
  %sum1 = add i32 %sum, %e
  %q = lshr i32 %e, 5
  %n1 = add i32 %n, 1
  %more = icmp ult i32 %n1, 9
  br i1 %more, label %loop, label %second
first:
  %a = phi i32 [ %sum, %loop ]
  %na = phi i32 [ %n, %loop ]
  %s1 = add i32 %a, %na
  br label %done
second:
  %c = phi i32 [ %sum1, %next ]
  br label %done
idle:
  br label %done
done:
  %r = phi i32 [ %s1, %first ], [ %c, %second ], [ %i, %idle ]
  store i32 %r, ptr %at, align 4
  ret void
}`,
      { grid: 2, block: 64 },
      lanes,
    );
  });

  test("a loop in a loop, with stores, before a barrier that all lanes reach", () => {
    compare(
      `define ptx_kernel void @k(ptr %links, ptr %out, i32 %lanes) {
entry:${START}
head:
  br label %outer
outer:
  %p = phi i32 [ %i, %head ], [ %q, %outer.next ]
  %n = phi i32 [ 0, %head ], [ %n1, %outer.next ]
  %total = phi double [ 0.0, %head ], [ %total1, %outer.next ]
  %index = and i32 %p, 255
  %place = getelementptr i32, ptr %links, i32 %index
  %e = load i32, ptr %place, align 4
  %turns = and i32 %e, 3
  br label %inner
inner:
  %m = phi i32 [ 0, %outer ], [ %m1, %inner ]
  %total0 = phi double [ %total, %outer ], [ %total1, %inner ]
  %ei = add i32 %e, %m
  %index2 = and i32 %ei, 255
  %place2 = getelementptr i32, ptr %links, i32 %index2
  %e2 = load i32, ptr %place2, align 4
  %x = sitofp i32 %e2 to double
  %total1 = fadd double %total0, %x
  %m1 = add i32 %m, 1
  %again = icmp ule i32 %m1, %turns
  br i1 %again, label %inner, label %outer.next
outer.next:
  %q = lshr i32 %e, 3
  %n1 = add i32 %n, 1
  store i32 %n1, ptr %at, align 4
  %limit = and i32 %i, 7
  %more = icmp ult i32 %n1, %limit
  br i1 %more, label %outer, label %finish
finish:
  %whole = fptosi double %total1 to i64
  %small = trunc i64 %whole to i32
  br label %done
idle:
  br label %done
done:
  %r = phi i32 [ %small, %finish ], [ %t, %idle ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %before = load i32, ptr %at, align 4
  %s = add i32 %before, %r
  store i32 %s, ptr %at, align 4
  ret void
}`,
      { grid: 2, block: 64 },
      lanes,
    );
  });
});

test("a lane that goes astray is named", () => {
  const fault = compare(
    `define ptx_kernel void @k(ptr %links, ptr %out, i32 %lanes) {
entry:${START}
head:
  br label %loop
loop:
  %p = phi i32 [ %i, %head ], [ %q, %loop ]
  %n = phi i32 [ 0, %head ], [ %n1, %loop ]
  %place = getelementptr i32, ptr %links, i32 %p
  %e = load i32, ptr %place, align 4
  %is = icmp eq i32 %lane, 3
  %q = select i1 %is, i32 500000000, i32 %lane
  %n1 = add i32 %n, 1
  %limit = and i32 %e, 3
  %turns = add i32 %limit, 2
  %more = icmp ult i32 %n1, %turns
  br i1 %more, label %loop, label %idle
idle:
  ret void
}`,
    { grid: 1, block: 32 },
    5,
  );
  expect(fault).toBe('illegal-address by {"x":3,"y":0,"z":0}');
});
