/**
 * Blocks that are 16 or 8 wide, where a warp has rows; and conditions that a whole warp decides alike: as the
 * interpreter has them.
 */
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
declare float @llvm.sqrt.f32(float)
`;

function run(
  executor: ReturnType<typeof createInterpreter>,
  ir: string,
  launch: HarnessLaunch,
  ints: number,
  rest: readonly HarnessArgument[],
) {
  const h = new Harness();
  const program = h.load(HEADER + ir);
  const data = h.place(Int32Array.from({ length: ints }, (_, i) => Math.imul(i + 1, 2654435761) >> 8));
  const { fault } = h.run(executor, program, "k", launch, [data, ...rest]);
  return { fault, ints: [...h.readI32(data, ints)] };
}

function compare(ir: string, launch: HarnessLaunch, ints: number, rest: readonly HarnessArgument[] = []): number[] {
  const [expected, found] = [createInterpreter(), createWarpExecutor()].map((executor) =>
    run(executor, ir, launch, ints, rest),
  );
  expect(found!.fault).toBeNull();
  expect(found!.ints).toEqual(expected!.ints);
  return found!.ints;
}

describe.each([
  [16, 16],
  [8, 8],
  [16, 3],
  [8, 5],
  [4, 8],
] as const)("blocks of %i × %i", (bx, by) => {
  const launch: HarnessLaunch = { grid: 2, block: [bx, by] };

  test("rows of a matrix: loads, arithmetic and stores by row and column", () => {
    compare(
      `define ptx_kernel void @k(ptr %x, i32 %n) {
entry:
  %c = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %r, %n
  %first = getelementptr i32, ptr %x, i32 %base
  %head = load i32, ptr %first, align 4
  %wide = sext i32 %head to i64
  %square = mul i64 %wide, %wide
  %small = lshr i64 %square, 20
  %low = trunc i64 %small to i32
  %f = sitofp i32 %low to float
  %a = call float @llvm.sqrt.f32(float %f)
  %q = fptosi float %a to i32
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %col = add i32 %base, %c
  %at = mul i32 %b, 640
  %i = add i32 %col, %at
  %p = getelementptr i32, ptr %x, i32 %i
  %v = load i32, ptr %p, align 4
  %s = add i32 %v, %q
  store i32 %s, ptr %p, align 4
  ret void
}`,
      launch,
      1400,
      [37],
    );
  });

  test("a tile in shared memory: products of its rows and columns, at constant distances", () => {
    const steps = Array.from(
      { length: 4 },
      (_, k) => `  %a${k}p = getelementptr i8, ptr addrspace(3) %row, i32 ${4 * k}
  %a${k} = load i32, ptr addrspace(3) %a${k}p, align 4
  %b${k}p = getelementptr i8, ptr addrspace(3) %column, i32 ${64 * k}
  %b${k} = load i32, ptr addrspace(3) %b${k}p, align 4
  %m${k} = mul i32 %a${k}, %b${k}
  %s${k + 1} = add i32 %s${k}, %m${k}`,
    ).join("\n");
    compare(
      `@tile = internal addrspace(3) global [16 x [16 x i32]] undef, align 4
define ptx_kernel void @k(ptr %x) {
entry:
  %c = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %r16 = mul i32 %r, 16
  %own = add i32 %r16, %c
  %at = mul i32 %b, 256
  %i = add i32 %at, %own
  %p = getelementptr i32, ptr %x, i32 %i
  %v = load i32, ptr %p, align 4
  %place = getelementptr [16 x [16 x i32]], ptr addrspace(3) @tile, i32 0, i32 %r, i32 %c
  store i32 %v, ptr addrspace(3) %place, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %row = getelementptr [16 x [16 x i32]], ptr addrspace(3) @tile, i32 0, i32 %r, i32 0
  %column = getelementptr [16 x [16 x i32]], ptr addrspace(3) @tile, i32 0, i32 0, i32 %c
  %s0 = add i32 %v, 0
${steps}
  store i32 %s4, ptr %p, align 4
  ret void
}`,
      launch,
      700,
    );
  });

  test("a loop over a row's values, with bounds that rows and columns meet differently", () => {
    compare(
      `define ptx_kernel void @k(ptr %x, i32 %n, i32 %rows) {
entry:
  %c = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %in = icmp slt i32 %r, %rows
  %inside = icmp ule i32 %c, 6
  %both = and i1 %in, %inside
  br i1 %both, label %head, label %done
head:
  %row = mul i32 %r, %n
  br label %loop
loop:
  %k = phi i32 [ 0, %head ], [ %k1, %loop ]
  %sum = phi i32 [ 0, %head ], [ %sum1, %loop ]
  %j = add i32 %row, %k
  %p = getelementptr i32, ptr %x, i32 %j
  %v = load i32, ptr %p, align 4
  %sum1 = add i32 %sum, %v
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %loop, label %end
end:
  %o = add i32 %row, %c
  %o2 = add i32 %o, 700
  %q = getelementptr i32, ptr %x, i32 %o2
  store i32 %sum1, ptr %q, align 4
  br label %done
done:
  ret void
}`,
      launch,
      1400,
      [23, Math.min(by, 5)],
    );
  });

  test("a phi that takes a row's value from one side and the warp's from another", () => {
    compare(
      `define ptx_kernel void @k(ptr %x, i32 %n, i1 %choice) {
entry:
  %c = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  br i1 %choice, label %yes, label %no
yes:
  %row = mul i32 %r, %n
  br label %join
no:
  br label %join
join:
  %base = phi i32 [ %row, %yes ], [ 5, %no ]
  %p = getelementptr i32, ptr %x, i32 %base
  %v = load i32, ptr %p, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %lin = mul i32 %r, %w
  %i = add i32 %lin, %c
  %q = getelementptr i32, ptr %x, i32 %i
  store i32 %v, ptr %q, align 4
  ret void
}`,
      launch,
      1400,
      [19, 1],
    );
  });

  test("a row without active lanes may point anywhere; one with them is reported by its first", () => {
    const ir = (bound: number): string => `define ptx_kernel void @k(ptr %x, i32 %n) {
entry:
  %c = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %few = icmp slt i32 %r, ${bound}
  br i1 %few, label %go, label %done
go:
  %far = mul i32 %r, %n
  %p = getelementptr i32, ptr %x, i32 %far
  %v = load i32, ptr %p, align 4
  %q = getelementptr i32, ptr %x, i32 %c
  store i32 %v, ptr %q, align 4
  br label %done
done:
  ret void
}`;
    // Row 1 lies 1.6 GB further on.
    compare(ir(1), { ...launch, grid: 1 }, 64, [400_000_000]);
    const { fault } = run(createWarpExecutor(), ir(2), { ...launch, grid: 1 }, 64, [400_000_000]);
    expect(fault).toMatchObject({
      kind: "illegal-address",
      thread: { x: 0, y: 1, z: 0 },
      access: { kind: "load", bytes: 4 },
    });
  });
});

describe("an index against a bound", () => {
  const INDEX = `
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %o = mul i32 %b, %d
  %i = add i32 %o, %t
`;
  const predicates = ["slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"] as const;
  const bounds = [0, 1, 31, 32, 33, 63, 64, 100, 127, 128, -1, -5, 2147483647, -2147483648];

  test.each(predicates)("%s, the index on either side, near every edge and where sums wrap around", (predicate) => {
    for (const start of [0, -40, 2147483600, -2147483640, -100]) {
      for (const swapped of [false, true]) {
        for (const bound of bounds) {
          compare(
            `define ptx_kernel void @k(ptr %x, i32 %n, i32 %start) {
entry:${INDEX}
  %j = add i32 %t, %start
  %c = icmp ${predicate} i32 ${swapped ? "%n, %j" : "%j, %n"}
  %odd = and i32 %t, 1
  %isOdd = icmp eq i32 %odd, 1
  %positive = icmp sge i32 %n, 0
  %both = select i1 %c, i1 %positive, i1 false
  br i1 ${bound % 2 === 0 ? "%c" : "%both"}, label %body, label %done
body:
  %p = getelementptr i32, ptr %x, i32 %i
  store i32 7, ptr %p, align 4
  br label %done
done:
  ret void
}`,
            { grid: 1, block: 64 },
            64,
            [bound, start],
          );
        }
      }
    }
  });
});

test("several loads of a warp that reaches past the end of memory, before the first is used", () => {
  // The array ends where memory ends: lanes past it are masked off, and what the others load is brought together.
  const body = (n: number): string => `define ptx_kernel void @k(ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %body, label %done
body:
  %i = mul i32 %t, ${n}
  %p = getelementptr i32, ptr %x, i32 %i
${Array.from(
  { length: n },
  (_, k) => `  %p${k} = getelementptr i32, ptr %p, i32 ${k}\n` + `  %v${k} = load i32, ptr %p${k}, align 4`,
).join("\n")}
${Array.from(
  { length: n },
  (_, k) => `  %s${k} = sub i32 %v${(k + 1) % n}, %v${k}\n` + `  store i32 %s${k}, ptr %p${k}, align 4`,
).join("\n")}
  br label %done
done:
  ret void
}`;
  for (const n of [2, 3, 9, 20])
    for (const live of [1, 7, 40]) {
      const ints = n * live;
      const results = [createInterpreter(), createWarpExecutor()].map((executor) => {
        const h = new Harness();
        const program = h.load(HEADER + body(n));
        const { base, end } = h.userRange;
        // The ints are the last of memory.
        const bytes = Math.ceil((4 * ints) / 16) * 16;
        const before = h.allocate(end - base - bytes);
        const data = h.allocate(bytes);
        h.bytes.set(new Uint8Array(Int32Array.from({ length: ints }, (_, i) => Math.imul(i + 1, 40503)).buffer), data);
        h.free(before);
        const { fault } = h.run(executor, program, "k", { grid: 1, block: 64 }, [data, live]);
        expect(fault).toBeNull();
        return [...h.readI32(data, ints)];
      });
      expect(results[1]).toEqual(results[0]);
    }
});
