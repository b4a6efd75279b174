/** Blocks of addresses that move between threads: on a GPU an address has 8 bytes. */
import { expect, it } from "vitest";
import { printModule } from "../../../ir/text/print.ts";
import { compileKernel, type ArgumentSpecialisation } from "../compile-kernel.ts";
import { openModule } from "../evaluate/module.ts";
import { FP32, INT32, pointerTo } from "../language/dtypes.ts";
import type { FunctionValue } from "../language/values.ts";
import { SourceText } from "../syntax/source-text.ts";
import { lowerKernel } from "./lower-kernel.ts";

it("keeps whole addresses in shared memory", () => {
  const source = `import triton
import triton.language as tl


@triton.jit
def k(x, places, out):
    rows = x + tl.load(places + tl.arange(0, 8))
    block = rows[:, None] + tl.arange(0, 64)[None, :]
    tl.store(out + tl.arange(0, 8)[:, None] * 64 + tl.arange(0, 64)[None, :], tl.load(block))
`;
  const module = openModule(new SourceText("rows.py", source));
  const pointer = (to: typeof FP32): ArgumentSpecialisation => ({
    kind: "value",
    dtype: pointerTo(to),
    divisibility: 16,
  });
  const args = new Map([
    ["x", pointer(FP32)],
    ["places", pointer(INT32)],
    ["out", pointer(FP32)],
  ]);
  const kernel = compileKernel(module, module.functions.get("k") as FunctionValue, args, 4);
  const lowered = lowerKernel(kernel, 4);
  expect(printModule(lowered.module)).toContain("store ptr");
  expect(lowered.sharedBytes).toBe(8 * 8);
});
