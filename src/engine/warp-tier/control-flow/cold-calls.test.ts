/**
 * What tools do rarely, called lane by lane in the warp tier and in place in the thread tier: the memory that the
 * interpreter leaves.
 */
import { describe, expect, test } from "vitest";
import { dim3 } from "../../../base/dim3.ts";
import { Harness } from "../../harness.ts";
import { createInterpreter } from "../../interpreter/interpreter.ts";
import { createThreadExecutor } from "../../thread-tier/thread-executor.ts";
import { compileThreadTier } from "../../thread-tier/compile.ts";
import { compileWarp } from "../compile.ts";
import { createWarpExecutor } from "../warp-executor.ts";

/** `note` adds to a counter, and keeps who has called and with what in a row of 12 words for each thread. */
const PROGRAM = `
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
define internal void @__heddle_tool_note(ptr %count, ptr %row, i1 %bad, i32 %uniform, \
i64 %wide, float %f, i16 %narrow) cold {
entry:
  br i1 %bad, label %add, label %done
add:
  %before = atomicrmw add ptr %count, i32 1 monotonic
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  store i32 %tx, ptr %row, align 4
  %p1 = getelementptr i32, ptr %row, i32 1
  store i32 %ty, ptr %p1, align 4
  %p2 = getelementptr i32, ptr %row, i32 2
  store i32 %tz, ptr %p2, align 4
  %p3 = getelementptr i32, ptr %row, i32 3
  store i32 %bx, ptr %p3, align 4
  %p4 = getelementptr i32, ptr %row, i32 4
  store i32 %by, ptr %p4, align 4
  %p5 = getelementptr i32, ptr %row, i32 5
  store i32 %uniform, ptr %p5, align 4
  %p6 = getelementptr i32, ptr %row, i32 6
  store i64 %wide, ptr %p6, align 8
  %p8 = getelementptr i32, ptr %row, i32 8
  store float %f, ptr %p8, align 4
  %p9 = getelementptr i32, ptr %row, i32 9
  %n = zext i16 %narrow to i32
  %many = icmp ugt i32 %n, 40
  %s = select i1 %many, i32 %n, i32 -1
  store i32 %s, ptr %p9, align 4
  br label %done
done:
  ret void
}
define ptx_kernel void @k(ptr %count, ptr %rows, i32 %every) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %zy = mul i32 %z, SIZE_Y
  %zyy = add i32 %zy, %y
  %zyx = mul i32 %zyy, SIZE_X
  %t = add i32 %zyx, %x
  %b2 = mul i32 %by, 2
  %b = add i32 %b2, %bx
  %bt = mul i32 %b, THREADS
  %i = add i32 %bt, %t
  %r = urem i32 %i, %every
  %bad = icmp eq i32 %r, 1
  %side = and i32 %i, 4
  %turn = icmp eq i32 %side, 0
  br i1 %turn, label %call, label %done
call:
  %words = mul i32 %i, 12
  %row = getelementptr i32, ptr %rows, i32 %words
  %w = sext i32 %i to i64
  %wide = mul i64 %w, -5000000000
  %f = uitofp i32 %i to float
  %narrow = trunc i32 %i to i16
  call void @__heddle_tool_note(ptr %count, ptr %row, i1 %bad, i32 %every, i64 %wide, float %f, i16 %narrow)
  br label %done
done:
  ret void
}`;

describe.each([[[32, 1, 1]], [[100, 1, 1]], [[7, 5, 3]], [[16, 4, 1]], [[8, 8, 4]]] as const)(
  "blocks of %j",
  ([x, y, z]) => {
    const threads = x * y * z;
    const ir = PROGRAM.replace("SIZE_Y", String(y)).replace("SIZE_X", String(x)).replace("THREADS", String(threads));

    test.each([1, 2, 5, 31])("one thread in %i calls", (every) => {
      const results = [createInterpreter(), createWarpExecutor(), createThreadExecutor()].map((executor) => {
        const h = new Harness();
        const program = h.load(ir);
        const [count, rows] = [h.place(new Int32Array(1)), h.place(new Int32Array(12 * 6 * threads))];
        expect(
          h.run(executor, program, "k", { grid: [2, 3], block: [x, y, z] }, [count, rows, every]).fault,
          executor.name,
        ).toBeNull();
        return [...h.readI32(count, 1), ...h.readI32(rows, 12 * 6 * threads)];
      });
      expect(results[1]).toEqual(results[0]);
      expect(results[2]).toEqual(results[0]);
      expect(results[0]![0] === 0).toBe(every === 1);
    });

    test("neither tier copies the routine into the kernel", () => {
      const program = new Harness().load(ir);
      const kernel = program.kernels.get("k")!;
      expect(compileWarp(program, kernel, dim3([x, y, z]), { sharedMemory: true })).toHaveProperty("compiled");
      const twice = new Harness().load(ir.replace(/( {2}call void @__heddle_tool_note.*\n)/, "$1$1$1$1$1$1$1$1$1"));
      const growth = (compile: (of: typeof program) => Uint8Array): number =>
        (compile(twice).length - compile(program).length) / 8;
      const warp = (of: typeof program): Uint8Array =>
        (
          compileWarp(of, of.kernels.get("k")!, dim3([x, y, z]), { sharedMemory: true }) as {
            compiled: { wasm: Uint8Array };
          }
        ).compiled.wasm;
      expect(growth(warp)).toBeLessThan(1000);
      expect(growth((of) => compileThreadTier(of, of.kernels.get("k")!).wasm)).toBeLessThan(300);
    });
  },
);

test("a kernel that the warp tier has no code for is left to the thread tier, with the reason", () => {
  const harness = new Harness(1 << 20);
  const program = harness.load(`target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %out, ptr %list) {
  %x = va_arg ptr %list, i32
  store i32 %x, ptr %out, align 4
  ret void
}`);
  const kernel = program.kernels.get("k") as Parameters<typeof compileWarp>[1];
  const compiled = compileWarp(program, kernel, dim3([32, 1, 1]), { sharedMemory: true });
  expect(compiled).toMatchObject({ reason: expect.stringContaining("va_arg") });
});
