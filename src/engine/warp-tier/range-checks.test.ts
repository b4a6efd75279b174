/** Kernels whose accesses are proven, tested ahead of time or not tested at all, against the interpreter: same memory, same faults. */
import { describe, expect, test } from "vitest";
import { Harness, type HarnessArgument, type HarnessLaunch } from "../harness.ts";
import { createInterpreter } from "../interpreter/interpreter.ts";
import { createWarpExecutor } from "./warp-executor.ts";

const HEADER = `
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
@tile = internal addrspace(3) global [64 x i32] undef, align 4
@table = internal addrspace(4) constant [8 x i32] [ i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6 ], align 4
`;

/** What both engines leave in an array of ints, whose address is the first argument, and what they report. */
function compare(ir: string, launch: HarnessLaunch, ints: number, rest: (data: number) => readonly HarnessArgument[] = () => []) {
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
    const { fault } = compare(`define ptx_kernel void @k(ptr %x) {
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
}`, { grid: 2, block }, 64);
    expect(fault).toBeNull();
  });

  test("masked-off lanes with wild indices", () => {
    const { fault } = compare(`define ptx_kernel void @k(ptr %x) {
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
}`, { grid: 1, block: 64 }, 64);
    expect(fault).toBeNull();
  });

  test("an index far behind the variable is not inside", () => {
    const at = (index: string) => compare(`define ptx_kernel void @k(ptr %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %t, ${index}
  %q = getelementptr [64 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %i
  %v = load i32, ptr %q, align 4
  %p = getelementptr i32, ptr %x, i32 %t
  store i32 %v, ptr %p, align 4
  ret void
}`, { grid: 1, block: 32 }, 64, () => [1000000]).fault;
    expect(at("1000000")).toMatchObject({ kind: "illegal-address", thread: { x: 0 }, access: { kind: "load", bytes: 4 } });
    expect(at("%n")).toMatchObject({ kind: "illegal-address", thread: { x: 0 }, access: { kind: "load", bytes: 4 } });
  });
});

