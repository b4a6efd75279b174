/** Comparisons of a warp's indices with a bound, at the edges: as in the interpreter. */
import { expect, test } from "vitest";
import { Harness } from "../../harness.ts";
import { createInterpreter } from "../../interpreter/interpreter.ts";
import { createWarpExecutor } from "../warp-executor.ts";

test.each(["slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"])(
  "indices of 64 bits with a bound, %s: at it, and where a warp's indices wrap around",
  (predicate) => {
    const highest = 2n ** 63n - 1n;
    const bases = [0n, 5n, -20n, highest - 10n, -highest - 1n, 2n ** 32n - 7n, 2n ** 31n - 40n];
    const bounds = [0n, 1n, 31n, 32n, 33n, -1n, highest, -highest - 1n, 2n ** 32n, 2n ** 31n];
    for (const swapped of [false, true]) {
      const ir = `declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %x, i64 %base, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %i = add i64 %base, %w
  %c = icmp ${predicate} i64 ${swapped ? "%n, %i" : "%i, %n"}
  br i1 %c, label %body, label %done
body:
  %p = getelementptr i32, ptr %x, i32 %t
  store i32 7, ptr %p, align 4
  br label %done
done:
  ret void
}`;
      const [expected, found] = [createInterpreter(), createWarpExecutor()].map((executor) => {
        const h = new Harness();
        const program = h.load(ir);
        return bases.flatMap((base) =>
          bounds.map((bound) => {
            const data = h.place(new Int32Array(64));
            h.run(executor, program, "k", { grid: 1, block: 64 }, [data, BigInt.asIntN(64, base), bound]);
            return `${base} ${bound} ${h.readI32(data, 64).join("")}`;
          }),
        );
      });
      expect(found).toEqual(expected);
    }
  },
);
