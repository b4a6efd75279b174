/** What LLVM moved in front of a return is on each way to it again, and functions do what they did. */
import { expect, test } from "vitest";
import { Harness } from "../../engine/harness.ts";
import { createInterpreter } from "../../engine/interpreter/interpreter.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { assertValid } from "../../ir/verify.ts";
import { partReturns } from "./early-returns.ts";

/** if (i > 9) { out[i] = -1; return; } if (i > 5) out[i] = 7; else out[i] = 3; as LLVM has it. */
const text = (phi: string, behind: string): string => `target triple = "nvptx-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %masked = icmp ugt i32 %i, 9
  br i1 %masked, label %sunk, label %rest
rest:
  %above = icmp ugt i32 %i, 5
  br i1 %above, label %high, label %low
high:
  br label %sunk
low:
  br label %sunk
sunk:
  %${phi} = phi i32 [ -1, %entry ], [ 7, %high ], [ 3, %low ]
  %p = getelementptr i32, ptr %out, i32 %i
  store i32 %${phi}, ptr %p, align 4
  br label %end
end:
${behind}  ret void
}`;

function run(source: string, apart: boolean): { stores: number; out: readonly number[] } {
  const module = parseModule(source, "test.ll");
  const fn = module.functions.get("k")!;
  if (apart) partReturns(fn);
  assertValid(module, "partReturns");
  const stores = fn.blocks.flatMap(({ instructions }) => instructions).filter(({ op }) => op === "store").length;
  const h = new Harness(1 << 20);
  const out = h.place(new Int32Array(32));
  const { fault } = h.run(createInterpreter(), h.load(module), "k", { grid: 1, block: 32 }, [out]);
  expect(fault).toBeNull();
  return { stores, out: [...h.readI32(out, 32)] };
}

test("a moved store is on each way to the return", () => {
  const before = run(text(".sink", ""), false);
  expect(run(text(".sink", ""), true)).toEqual({ stores: 3, out: before.out });
  expect(before.out.slice(4, 12)).toEqual([3, 3, 7, 7, 7, 7, -1, -1]);
});

test("a store of what the program chose stays one, and so does one that is not in front of a return", () => {
  expect(run(text("value", ""), true).stores).toBe(1);
  expect(run(text(".sink", "  store i32 5, ptr %out, align 4\n"), true).stores).toBe(2);
});
