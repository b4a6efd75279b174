/** Words that are put together and taken apart: the bits that the interpreter has, by shuffles. */
import { expect, test } from "vitest";
import { dim3 } from "../../../base/dim3.ts";
import { printModule } from "../../../wasm/disassemble.ts";
import { enableWasmFeatures } from "../../emit/v8-flags-node.ts";
import { Harness } from "../../harness.ts";
import { createInterpreter } from "../../interpreter/interpreter.ts";
import { compileWarp } from "../compile.ts";
import { createWarpExecutor } from "../warp-executor.ts";

enableWasmFeatures();

/** %z from the 64 bits %v that a thread loads; `more` stands in front of its store, and may begin a block. */
function kernel(lines: string, more = ""): string {
  return `
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %a, ptr %out) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr i64, ptr %a, i32 %x
  %po = getelementptr i64, ptr %out, i32 %x
  %v = load i64, ptr %pa, align 8
  %low = trunc i64 %v to i32
  %shifted = lshr i64 %v, 32
  %high = trunc i64 %shifted to i32
${lines}
${more}
  store i64 %z, ptr %po, align 8
  ret void
}`;
}

const SWAPPED = `  %h = zext i32 %low to i64
  %hs = shl i64 %h, 32
  %l = zext i32 %high to i64
  %z = or disjoint i64 %hs, %l`;
const CASES = {
  swapped: kernel(SWAPPED),
  "changed between": kernel(`  %low2 = mul i32 %low, 3
  %l = zext i32 %low2 to i64
  %high2 = xor i32 %high, %x
  %h = zext i32 %high2 to i64
  %hs = shl i64 %h, 32
  %z = add i64 %l, %hs`),
  "one word the same in all lanes": kernel(`  %l = zext i32 7 to i64
  %h = zext i32 %high to i64
  %hs = shl i64 %h, 32
  %z = or i64 %l, %hs`),
  "parts that are used again": kernel(`  %l = zext i32 %low to i64
  %h = zext i32 %high to i64
  %hs = shl i64 %h, 32
  %y = or i64 %l, %hs
  %w = add i64 %y, %l
  %u = add i64 %w, %hs
  %z = add i64 %u, %shifted`),
  "in another block": kernel(
    `  %h = zext i32 %low to i64
  %hs = shl i64 %h, 32
  %l = zext i32 %high to i64
  %c = icmp ult i32 %high, 2147483648
  br i1 %c, label %then, label %end
then:
  store i64 0, ptr %po, align 8
  br label %end
end:`,
    "  %z = or i64 %hs, %l",
  ),
} as const;

function run(executor: ReturnType<typeof createInterpreter>, ir: string, block: number): number[] {
  const h = new Harness(8192);
  const program = h.load(ir);
  const words = Int32Array.from({ length: 64 }, (_, i) => Math.imul(i + 1, 0x9e3779b9));
  const data = [h.place(words), h.place(new Int32Array(64))] as const;
  const { fault } = h.run(executor, program, "k", { grid: 1, block }, data);
  expect(fault ?? null).toBeNull();
  return [...h.readI32(data[1], 64)];
}

test.each(Object.entries(CASES))("%s", (_, ir) => {
  for (const block of [32, 19])
    expect(run(createWarpExecutor(), ir, block)).toEqual(run(createInterpreter(), ir, block));
});

test("no shift of 64 bits is left", () => {
  const program = new Harness(8192).load(CASES.swapped);
  const features = { fusedMultiplyAdd: true, relaxedSimd: true };
  const found = compileWarp(program, program.kernels.get("k")!, dim3(32), { sharedMemory: true, features });
  if (!("compiled" in found)) throw new Error(found.reason);
  expect(printModule(found.compiled.wasm)).not.toMatch(/i64x2\.(?:shl|shr|extend)/);
});
