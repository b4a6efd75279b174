/** The approximate functions of the device library: which instructions of PTX they are, and of what. */
import { expect, test } from "vitest";
import { parseModule } from "../ir/text/parse.ts";
import { emitPtxModule } from "./emit-module.ts";
import { PtxEvaluator } from "./ptx-evaluator.test-helper.ts";
import { TEST_TARGET } from "./test-target.test-helper.ts";

const VALUES = [0.25, 0.75, 1, 1.5, 3.7, 9];
const POWER = 1.25;
const BASE = 0x1000;

test.each<[string, (x: number, y: number) => number]>([
  ["__nv_rsqrtf", (x) => 1 / Math.sqrt(x)],
  ["__nv_sqrtf", Math.sqrt],
  ["__nv_exp2f", (x) => 2 ** x],
  ["__nv_fast_expf", Math.exp],
  ["__nv_fast_exp10f", (x) => 10 ** x],
  ["__nv_fast_log2f", Math.log2],
  ["__nv_fast_logf", Math.log],
  ["__nv_fast_log10f", Math.log10],
  ["__nv_fast_powf", (x, y) => x ** y],
  ["__nv_fast_sinf", Math.sin],
  ["__nv_fast_cosf", Math.cos],
  ["__nv_fast_tanf", Math.tan],
  ["__nv_fast_tanhf", Math.tanh],
  ["__nv_fast_fdividef", (x, y) => x / y],
])("%s", (name, f) => {
  const two = f.length === 2;
  const module = emitPtxModule(
    parseModule(
      `target triple = "nvptx-nvidia-cuda"
declare float @${name}(float${two ? ", float" : ""})
define ptx_kernel void @k(ptr %p) {
  %a = load float, ptr %p, align 4
  %q = getelementptr i8, ptr %p, i32 4
  %b = load float, ptr %q, align 4
  %r = call float @${name}(float %a${two ? ", float %b" : ""})
  %o = getelementptr i8, ptr %p, i32 8
  store float %r, ptr %o, align 4
  ret void
}`,
      "test.ll",
    ),
    TEST_TARGET,
  );
  for (const x of VALUES) {
    const memory = new Float32Array([x, POWER, 0]);
    new PtxEvaluator(module, new Uint8Array(memory.buffer), BASE).run([BigInt(BASE)], 0);
    const wanted = f(x, POWER);
    expect(Math.abs((memory[2] as number) - wanted), `of ${x}`).toBeLessThanOrEqual(1e-5 * Math.abs(wanted) + 1e-7);
  }
});
