import { expect, test } from "vitest";
import type { IrFunction } from "../ir/model/ir.ts";
import { parseModule } from "../ir/text/parse.ts";
import { tensorCycles, warpProduct } from "./warpgroup-products.ts";

const RATES = { fp64: 64, fp32: 128, fp16: 256, integer: 64, conversion: 64, special: 16, tensor: 1200 };

test("wgmma has a rate of its own, mma.sync keeps its", () => {
  const mma = { "smsp__inst_executed_pipe_tensor.sum": 1200 };
  const wgmma = {
    "smsp__inst_executed_pipe_tensor.sum": 100,
    "smsp__inst_executed_pipe_tensor_op_gmma.sum": 100,
    "heddle__gmma_m16n8k16.sum": 1500,
  };
  const rates = { ...RATES, warpgroup: 1500 };
  expect(tensorCycles(mma, rates)).toBe(2048);
  expect(tensorCycles(wgmma, rates)).toBe(2048);
  // On a GPU without wgmma, where the emulated device runs it all the same.
  expect(tensorCycles(wgmma, { ...RATES, warpgroup: null })).toBe((2048 * 1500) / 1200);
});

test("32 bytes of K are one step, of any type", () => {
  const stepsOf = (types: string): number | undefined => {
    const module = parseModule(
      `define void @k(ptr %d, i64 %a, i64 %b) {
  call void @__heddle_wgmma_${types}(ptr %d, ptr null, i64 %a, i64 %b, i32 128, i32 1)
  ret void
}
declare void @__heddle_wgmma_${types}(ptr, ptr, i64, i64, i32, i32)
`,
      "steps.ll",
    );
    return warpProduct((module.functions.get("k") as IrFunction).blocks[0]!.instructions[0]!)?.steps;
  };
  for (const types of ["f32_bf16_bf16", "f16_f16_f16", "f32_tf32_tf32", "f32_e4m3_e5m2", "s32_s8_u8"])
    expect(stepsOf(types), types).toBe(16);
});
