/**
 * Conversions of floats to integers that LLVM leaves undefined: in every engine as measured on an H100 (nvcc of CUDA
 * 13, sm_90).
 */
import { describe, expect, test } from "vitest";
import type { Executor } from "./executor.ts";
import { Harness } from "./harness.ts";
import { createInterpreter } from "./interpreter/interpreter.ts";
import { createThreadExecutor } from "./thread-tier/thread-executor.ts";
import { createWarpExecutor } from "./warp-tier/warp-executor.ts";

const MOST = 0x7fff_ffff_ffff_ffffn;
const ALL = 0xffff_ffff_ffff_ffffn;
const TOP = 0x8000_0000_0000_0000n;

/** A C cast to signed char, unsigned char, short, unsigned short, int, unsigned, long long, unsigned long long. */
const CASTS: readonly (readonly [value: number, results: readonly (number | bigint)[]])[] = [
  [Infinity, [0xff, 0xff, 0xffff, 0xffff, 0x7fffffff, 0xffffffff, MOST, ALL]],
  [-Infinity, [0, 0, 0, 0, 0x80000000, 0, TOP, 0]],
  [300, [0x2c, 0x2c, 300, 300, 300, 300, 300, 300]],
  [-300, [0xd4, 0, 0xfed4, 0, 0xfffffed4, 0, -300, 0]],
  [-1.5, [0xff, 0, 0xffff, 0, 0xffffffff, 0, -1, 0]],
  [40000, [0x40, 0x40, 0x9c40, 0x9c40, 40000, 40000, 40000, 40000]],
  [-40000, [0xc0, 0, 0x63c0, 0, 0xffff63c0, 0, -40000, 0]],
  [70000, [0x70, 0x70, 0x1170, 0x1170, 70000, 70000, 70000, 70000]],
  [3e9, [0xff, 0, 0xffff, 0x5e00, 0x7fffffff, 3e9, 3e9, 3e9]],
  [-3e9, [0, 0, 0, 0, 0x80000000, 0, -3e9, 0]],
  [5e9, [0xff, 0xff, 0xffff, 0xffff, 0x7fffffff, 0xffffffff, 5e9, 5e9]],
  [2e19, [0xff, 0xff, 0xffff, 0xffff, 0x7fffffff, 0xffffffff, MOST, ALL]],
  [-1e19, [0, 0, 0, 0, 0x80000000, 0, TOP, 0]],
];
const NAN: Readonly<Record<string, readonly (number | bigint)[]>> = {
  float: [0, 0, 0, 0, 0, 0, TOP, TOP],
  double: [0, 0, 0, 0, 0x80000000, 0x80000000, TOP, TOP],
};
const TARGETS = [
  ["s", 8],
  ["u", 8],
  ["s", 16],
  ["u", 16],
  ["s", 32],
  ["u", 32],
  ["s", 64],
  ["u", 64],
] as const;

/** Lane t converts the t-th float; each result takes 8 bytes. */
const IR = `target triple = "nvptx-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
${(["float", "double"] as const)
  .map(
    (type) => `define ptx_kernel void @${type}(ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr ${type}, ptr %in, i32 %t
  %x = load ${type}, ptr %p
  %row = getelementptr [8 x i64], ptr %out, i32 %t
${TARGETS.map(
  ([sign, bits], i) => `  %v${i} = fpto${sign}i ${type} %x to i${bits}
  %q${i} = getelementptr i64, ptr %row, i32 ${i}
  store i${bits} %v${i}, ptr %q${i}`,
).join("\n")}
  ret void
}`,
  )
  .join("\n")}`;

const ENGINES: readonly Executor[] = [createInterpreter(), createThreadExecutor(), createWarpExecutor()];

describe.each(ENGINES.map((engine) => [engine.name, engine] as const))("%s", (_, engine) => {
  test.each([
    ["float", Float32Array],
    ["double", Float64Array],
  ] as const)("casts from %s", (type, Floats) => {
    const harness = new Harness(1 << 20);
    const program = harness.load(IR);
    const table = [...CASTS, [NaN, NAN[type] as readonly (number | bigint)[]] as const];
    const input = harness.place(new Uint8Array(new Floats(table.map(([value]) => value)).buffer));
    const output = harness.place(new Uint8Array(table.length * 64));
    expect(harness.run(engine, program, type, { grid: 1, block: table.length }, [input, output]).fault).toBeNull();
    const words = new BigUint64Array(harness.read(output, table.length * 64).slice().buffer);
    const found = table.map(([value], row) => [value, TARGETS.map((__, i) => words[row * 8 + i])]);
    expect(found).toEqual(
      table.map(([value, results]) => [
        value,
        results.map((result, i) => BigInt.asUintN(TARGETS[i]?.[1] ?? 64, BigInt(result))),
      ]),
    );
  });
});
