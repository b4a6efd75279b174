/**
 * Kernels whose accesses are proven, tested ahead of time or not tested at all, against the interpreter: same memory,
 * same faults.
 */
import { describe, expect, test } from "vitest";
import { USER_BASE } from "../../../machine/memory-map.ts";
import { Harness, type HarnessArgument, type HarnessLaunch } from "../../harness.ts";
import { createInterpreter } from "../../interpreter/interpreter.ts";
import { createWarpExecutor } from "../warp-executor.ts";

const HEADER = `
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
@tile = internal addrspace(3) global [64 x i32] undef, align 4
@table = internal addrspace(4) constant [8 x i32] [ i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6 ], align 4
`;

/** What both engines leave in an array of ints, whose address is the first argument, and what they report. */
function compare(
  ir: string,
  launch: HarnessLaunch,
  ints: number,
  rest: (data: number) => readonly HarnessArgument[] = () => [],
) {
  const results = [createInterpreter(), createWarpExecutor()].map((executor) => {
    const h = new Harness(1024 * 1024);
    const program = h.load(HEADER + ir);
    const data = h.place(Int32Array.from({ length: ints }, (_, i) => Math.imul(i + 1, 2654435761) >> 8));
    const { fault } = h.run(executor, program, "k", launch, [data, ...rest(data)]);
    // The engines word their messages differently.
    return { fault: fault && { ...fault, message: "" }, ints: [...h.readI32(data, ints)] };
  });
  const [expected, actual] = results as [(typeof results)[0], (typeof results)[0]];
  expect(actual.fault).toEqual(expected.fault);
  // After a fault threads have come differently far.
  if (expected.fault === null) expect(actual.ints).toEqual(expected.ints);
  return expected;
}

describe("accesses inside variables of known size", () => {
  test.each([64, 33, 7])("shared memory, a constant table and a local array, blocks of %i", (block) => {
    const { fault } = compare(
      `define ptx_kernel void @k(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %l = alloca [8 x i32], align 4
  %p = getelementptr i32, ptr %x, i32 %t
  %v = load i32, ptr %p, align 4
  %s = getelementptr [64 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %t
  store i32 %v, ptr %s, align 4
  %low = and i32 %v, 7
  %q = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @table to ptr), i32 %low
  %w = load i32, ptr %q, align 4
  %at = getelementptr i32, ptr %l, i32 %low
  store i32 %w, ptr %at, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %other = xor i32 %t, 1
  %o = getelementptr [64 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %other
  %y = load i32, ptr %o, align 4
  %u = load i32, ptr %at, align 4
  %sum = add i32 %y, %u
  %even = icmp ult i32 %other, ${block}
  br i1 %even, label %keep, label %done
keep:
  store i32 %sum, ptr %p, align 4
  br label %done
done:
  ret void
}`,
      { grid: 2, block },
      64,
    );
    expect(fault).toBeNull();
  });

  test("masked-off lanes with wild indices", () => {
    const { fault } = compare(
      `define ptx_kernel void @k(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %t
  %v = load i32, ptr %p, align 4
  %small = icmp ult i32 %v, 8388608
  br i1 %small, label %go, label %done
go:
  %k = lshr i32 %v, 17
  %q = getelementptr [64 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %k
  store i32 %t, ptr %q, align 4
  %w = load i32, ptr %q, align 4
  store i32 %k, ptr %p, align 4
  br label %done
done:
  ret void
}`,
      { grid: 1, block: 64 },
      64,
    );
    expect(fault).toBeNull();
  });

  test("an index far behind the variable is not inside", () => {
    const at = (index: string) =>
      compare(
        `define ptx_kernel void @k(ptr %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %t, ${index}
  %q = getelementptr [64 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %i
  %v = load i32, ptr %q, align 4
  %p = getelementptr i32, ptr %x, i32 %t
  store i32 %v, ptr %p, align 4
  ret void
}`,
        { grid: 1, block: 32 },
        64,
        () => [1000000],
      ).fault;
    expect(at("1000000")).toMatchObject({
      kind: "illegal-address",
      thread: { x: 0 },
      access: { kind: "load", bytes: 4 },
    });
    expect(at("%n")).toMatchObject({ kind: "illegal-address", thread: { x: 0 }, access: { kind: "load", bytes: 4 } });
  });
});

describe("accesses of a loop, tested in front of it", () => {
  const END = new Harness(1024 * 1024).userRange.end;
  /** Sums what it reads with `stride` ints between turns and lanes side by side; writes as it goes. */
  const walk = (o: {
    init?: string;
    next?: string;
    stays?: string;
    index?: string;
    body?: string;
    align?: number;
  }): string => `define ptx_kernel void @k(ptr %x, ptr %from, i32 %n, i32 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %w = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %uw = mul i32 %u, %w
  %linear = add i32 %uw, %t
  %mine = getelementptr i32, ptr %x, i32 %linear
  %row = mul i32 %u, %m
  br label %loop
loop:
  %i = phi i32 [ ${o.init ?? "0"}, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %more, %latch ]
  %scaled = mul i32 %i, %m
  ${o.body ?? ""}
  %at = add i32 ${o.index ?? "%i, %t"}
  %q = getelementptr i32, ptr %from, i32 %at
  %v1 = load i32, ptr %q, align ${o.align ?? 4}
  %v2 = load i32, ptr %q, align ${o.align ?? 4}
  ${[3, 4, 5, 6, 7, 8].map((n) => `%w${n} = load volatile i32, ptr %q, align ${o.align ?? 4}`).join("\n  ")}
  br label %latch
latch:
  %twice = shl i32 %v2, 1
  %v3 = add i32 %v1, %twice
  %more = add i32 %sum, %v3
  %next = ${o.next ?? "add i32 %i, 1"}
  %c = icmp ${o.stays ?? "slt i32 %next, %n"}
  br i1 %c, label %loop, label %done
done:
  store i32 %more, ptr %mine, align 4
  ret void
}`;

  test.each([
    ["forwards", walk({}), 20, 7],
    ["one turn only", walk({}), 0, 0],
    ["until equal", walk({ stays: "ne i32 %next, %n" }), 9, 0],
    ["in steps of 8 until equal", walk({ next: "add i32 %i, 8", stays: "ne i32 %next, %n" }), 24, 0],
    ["unsigned", walk({ stays: "ult i32 %next, %n" }), 11, 0],
    ["backwards", walk({ init: "%n", next: "add i32 %i, -1", stays: "sgt i32 %next, 0" }), 20, 0],
    ["backwards in steps of 4", walk({ init: "%n", next: "sub i32 %i, 4", stays: "ne i32 %next, 0" }), 24, 0],
    ["the variable itself is tested", walk({ stays: "slt i32 %i, %n" }), 20, 0],
    ["a step that is known at run time only", walk({ next: "add i32 %i, %m" }), 40, 3],
    ["a stride that is known at run time only", walk({ index: "%scaled, %t" }), 10, 12],
    ["a stride of several rows, lanes in pairs of rows", walk({ index: "%i, %row" }), 10, 16],
    [
      "each thread from its own place",
      walk({ init: "%t", next: "add i32 %i, 32", index: "%i, 0", stays: "slt i32 %next, %n" }),
      100,
      0,
    ],
    ["unaligned turns of one byte", walk({ index: "%i, 0", body: "", align: 4 }), 3, 0],
  ])("%s", (_, ir, n, m) => {
    for (const block of [32, 20, [16, 4], [8, 3]] as const) {
      expect(compare(ir, { grid: 1, block }, 512, (data) => [data + 256, n, m]).fault).toBeNull();
    }
  });

  const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
  const downFrom = (n: number): number[] => upTo(n + 1).reverse();
  const atEnd = (ints: number): number => END - 4 * ints;
  const backwards = walk({ init: "%n", next: "add i32 %i, -1", stays: "sge i32 %next, 0" });
  const strided = walk({ index: "%scaled, %t" });
  const wrapping = walk({ init: "2147483640", stays: "ne i32 %next, %n" });
  const wide = (next: string): string => walk({ align: 8, index: "%i, 0", next });
  const plain = (i: number, t: number): number => i + t;
  /**
   * Name, kernel, start, n and m; the values of the variable turn by turn, and the index that lane t reads then; the
   * alignment promised.
   */
  const faults: [string, string, number, number, number, number[], (i: number, t: number) => number, number?][] = [
    ["in the first turn", walk({}), atEnd(20), 8, 0, upTo(8), plain],
    ["in a middle turn", walk({}), atEnd(36), 8, 0, upTo(8), plain],
    ["in the last turn", walk({}), atEnd(39), 9, 0, upTo(9), plain],
    ["in no turn, right up to the end", walk({}), atEnd(39), 8, 0, upTo(8), plain],
    ["in the last turn backwards", backwards, USER_BASE - 4, 20, 0, downFrom(20), plain],
    ["in no turn backwards", backwards, USER_BASE, 20, 0, downFrom(20), plain],
    ["in the only turn", walk({}), atEnd(31), 0, 0, [0], plain],
    [
      "by a stride that leads around the address space",
      strided,
      USER_BASE,
      5,
      0x10000000,
      upTo(5),
      (i, t) => i * 0x10000000 + t,
    ],
    [
      "by a stride that leads around and comes back",
      strided,
      USER_BASE,
      9,
      0x08000000,
      upTo(9),
      (i, t) => i * 0x08000000 + t,
    ],
    ["by a stride that is 0 modulo 2^32", strided, USER_BASE, 9, 0x40000000, upTo(9), (_, t) => t],
    ["by a negative stride", strided, USER_BASE + 4096, 200, -10, upTo(200), (i, t) => i * -10 + t],
    ["by an index that wraps", wrapping, USER_BASE + 64, -2147483640, 0, upTo(16).map((i) => 2147483640 + i), plain],
    ["by a misaligned base", walk({}), USER_BASE + 2, 5, 0, upTo(5), plain],
    [
      "by a base that is not as aligned as promised",
      wide("add i32 %i, 2"),
      USER_BASE + 4,
      8,
      0,
      [0, 2, 4, 6],
      (i) => i,
      8,
    ],
    ["by a stride that breaks the promised alignment", wide("add i32 %i, 1"), USER_BASE, 8, 0, upTo(8), (i) => i, 8],
  ];
  test.each(faults)("a fault %s", (_, ir, from, n, m, turns, index, align = 4) => {
    for (const block of [32, 20]) {
      const lanes = upTo(block);
      const reads = turns.flatMap((i) => lanes.map((t) => ({ t, address: (from + index(i, t) * 4) >>> 0 })));
      const first = reads.find(({ address }) => address < USER_BASE || address + 4 > END || address % align !== 0);
      const h = new Harness(1024 * 1024);
      const program = h.load(HEADER + ir);
      const { fault } = h.run(createWarpExecutor(), program, "k", { grid: 1, block }, [
        h.place(new Int32Array(64)),
        from,
        n,
        m,
      ]);
      if (first === undefined) expect(fault).toBeNull();
      else {
        const kind = first.address % align === 0 ? "illegal-address" : "misaligned-address";
        expect(fault).toMatchObject({
          kind,
          thread: { x: first.t, y: 0, z: 0 },
          access: { address: first.address, bytes: 4, kind: "load" },
        });
      }
    }
  });

  test("accesses under a condition: what the condition leaves out does not fault", () => {
    const ir = `define ptx_kernel void @k(ptr %x, i32 %n, i32 %far) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %latch ]
  %s = mul i32 %i, %far
  %q = getelementptr i32, ptr %x, i32 %s
  %near = icmp ult i32 %i, 2
  br i1 %near, label %go, label %latch
go:
  %v = load i32, ptr %q, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %q, align 4
  br label %latch
latch:
  %next = add i32 %i, 32
  %c = icmp slt i32 %next, %n
  br i1 %c, label %loop, label %done
done:
  ret void
}`;
    for (const far of [16, 1 << 16])
      expect(compare(ir, { grid: 1, block: 64 }, 256, () => [100, far]).fault).toBeNull();
    const { fault } = compare(ir, { grid: 1, block: 64 }, 256, () => [100, 1 << 20]);
    expect(fault).toMatchObject({ kind: "illegal-address", thread: { x: 1 }, access: { kind: "load" } });
  });

  test("loops in loops, after barriers, with stores of neighbours", () => {
    const { fault } = compare(
      `define ptx_kernel void @k(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr %x, i32 %t
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o1, %after ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %inner
inner:
  %i = phi i32 [ 0, %outer ], [ %i4, %inner ]
  %k = phi i32 [ %o, %outer ], [ %k2, %inner ]
  %row = mul i32 %i, 64
  %p = getelementptr i32, ptr %mine, i32 %row
  %v0 = load i32, ptr %p, align 4
  %p1 = getelementptr i32, ptr %p, i32 64
  %v1 = load i32, ptr %p1, align 4
  %a = add i32 %v0, %v1
  %b = add i32 %a, %k
  store i32 %b, ptr %p1, align 4
  %k2 = add i32 %k, 3
  %i4 = add i32 %i, 2
  %c = icmp ult i32 %i4, %n
  br i1 %c, label %inner, label %after
after:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %o1 = add i32 %o, 1
  %d = icmp slt i32 %o1, 3
  br i1 %d, label %outer, label %done
done:
  ret void
}`,
      { grid: 1, block: 64 },
      64 * 8,
      () => [8],
    );
    expect(fault).toBeNull();
  });
});
