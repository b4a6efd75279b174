/** Structs passed by value that a kernel writes to: each thread has its own, on both engines. */
import { describe, expect, test } from "vitest";
import { Harness } from "../harness.ts";
import { createInterpreter } from "../interpreter/interpreter.ts";
import { createWarpExecutor } from "./warp-executor.ts";

const HEADER = `
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
`;
const INDEX = `
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %o = mul i32 %b, %d
  %i = add i32 %o, %t
  %p = getelementptr i32, ptr %x, i32 %i
`;

function run(ir: string, struct: readonly number[], threads: number): Int32Array[] {
  return [createInterpreter(), createWarpExecutor()].map((executor) => {
    const h = new Harness();
    const program = h.load(HEADER + ir);
    const data = h.place(new Int32Array(3 * threads));
    const bytes = new Uint8Array(Int32Array.from(struct).buffer);
    const { fault } = h.run(executor, program, "k", { grid: 3, block: threads }, [data, bytes]);
    expect(fault, executor.name).toBeNull();
    return h.readI32(data, 3 * threads);
  });
}

describe("structs by value", () => {
  test("a thread that writes to one writes to its own copy, also through an address that it kept", () => {
    const [expected, found] = run(
      `%s = type { i32, i32 }
define ptx_kernel void @k(ptr %x, ptr byval(%s) align 4 %a) {
entry:
  %kept = alloca ptr, align 4${INDEX}
  %v = load i32, ptr %a, align 4
  %w = add i32 %v, %i
  store i32 %w, ptr %a, align 4
  store ptr %a, ptr %kept, align 4
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %m, %loop ]
  %q = load ptr, ptr %kept, align 4
  %r = load i32, ptr %q, align 4
  store i32 %r, ptr %p, align 4
  %m = add i32 %n, 1
  %c = icmp slt i32 %m, 2
  br i1 %c, label %loop, label %done
done:
  ret void
}`,
      [7, 9],
      40,
    );
    expect([...found!]).toEqual([...expected!]);
    expect(found![119]).toBe(7 + 119);
  });
});
