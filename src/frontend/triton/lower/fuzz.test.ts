/** Random kernels: the interpreter of block IR and the lowered code on two engines leave the same memory. */
import { expect, test } from "vitest";
import { enableWasmFeatures } from "../../../engine/emit/v8-flags-node.ts";
import { Random } from "../../../engine/fuzz/random.ts";
import { Harness } from "../../../engine/harness.ts";
import { createThreadExecutor } from "../../../engine/thread-tier/thread-executor.ts";
import { createWarpExecutor } from "../../../engine/warp-tier/warp-executor.ts";
import { verifyModule } from "../../../ir/verify.ts";
import { interpretProgram } from "../blocks/interpreter.ts";
import { verifyKernel } from "../blocks/verify.ts";
import { compileKernel, type ArgumentSpecialisation } from "../compile-kernel.ts";
import { openModule } from "../evaluate/module.ts";
import { FP32, INT32, pointerTo } from "../language/dtypes.ts";
import { intValue, type FunctionValue } from "../language/values.ts";
import { SourceText } from "../syntax/source-text.ts";
import { generateKernel } from "./generate-kernel.test-helper.ts";
import { lowerKernel } from "./lower-kernel.ts";

enableWasmFeatures();

const INPUT_WORDS = 4096;
const OUTPUT_WORDS = 4096 + 6 * 2048;

/** What is wrong, or null. */
function compare(seed: number): string | null {
  const { source, m, n, numWarps } = generateKernel(new Random(seed));
  const module = openModule(new SourceText("fuzz.py", source));
  const value = (dtype: typeof FP32, divisibility = 16): ArgumentSpecialisation => ({
    kind: "value",
    dtype,
    divisibility,
  });
  const args = new Map<string, ArgumentSpecialisation>([
    ["X", value(pointerTo(INT32))],
    ["F", value(pointerTo(FP32))],
    ["Y", value(pointerTo(FP32))],
    ["count", value(INT32, 1)],
    ["M", { kind: "constant", value: intValue(m) }],
    ["N", { kind: "constant", value: intValue(n) }],
  ]);
  const kernel = compileKernel(module, module.functions.get("k") as FunctionValue, args, numWarps);
  expect(verifyKernel(kernel)).toEqual([]);
  const count = seed % 6;
  const random = new Random(seed + 1_000_000);
  const input = Int32Array.from({ length: INPUT_WORDS }, () => random.below(1000) - 500);
  const floats = Float32Array.from({ length: INPUT_WORDS }, () => random.below(33) - 16);
  const executors = [null, createThreadExecutor(), createWarpExecutor(), createThreadExecutor()];
  const results = executors.map((executor, at) => {
    const harness = new Harness(1 << 20);
    const output = harness.place(new Float32Array(OUTPUT_WORDS));
    const places = [harness.place(input), harness.place(floats), output] as const;
    if (executor === null) {
      const memory = new DataView(harness.memory.buffer);
      interpretProgram(kernel, [...places, BigInt(count)], memory, { id: [0, 0, 0], count: [1, 1, 1] });
    } else {
      // The last one has layouts of a GPU.
      const lowered = lowerKernel(kernel, numWarps, { hasWideAccesses: at === 3 });
      expect(verifyModule(lowered.module)).toEqual([]);
      const program = harness.load(lowered.module, false);
      const launch = { grid: 1, block: lowered.threads, sharedBytes: lowered.sharedBytes };
      const { fault } = harness.run(executor, program, "k", launch, [...places, count]);
      if (fault !== null) return `a fault: ${JSON.stringify(fault)}`;
    }
    return harness.readF32(places[2], OUTPUT_WORDS);
  });
  const [expected, ...others] = results as Float32Array[];
  for (const [tier, got] of others.entries()) {
    if (typeof got === "string") return `${tier}: ${got}\n${source}`;
    const wrong = got.findIndex((value, i) => !Object.is(value, expected?.[i]) && value !== expected?.[i]);
    if (wrong >= 0)
      return [
        `engine ${tier}: word ${wrong} is ${got[wrong]}, not ${expected?.[wrong]}`,
        `${m} x ${n}, ${numWarps} warps`,
        source,
      ].join("\n");
  }
  return null;
}

test("random kernels mean on both engines what the interpreter says", () => {
  const seeds = process.env["FUZZ_SEEDS"]?.split("-").map(Number) ?? [1, 18];
  for (let seed = seeds[0] as number; seed <= (seeds[1] as number); seed++)
    expect(compare(seed) ?? "", `seed ${seed}`).toBe("");
});
