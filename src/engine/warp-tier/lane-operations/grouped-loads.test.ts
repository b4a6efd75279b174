/** Loads of scalars that lie near each other: one test for all, the values and faults that the interpreter has. */
import { expect, test } from "vitest";
import { dim3 } from "../../../base/dim3.ts";
import { printModule } from "../../../wasm/disassemble.ts";
import { enableWasmFeatures } from "../../emit/v8-flags-node.ts";
import { Harness } from "../../harness.ts";
import { createInterpreter } from "../../interpreter/interpreter.ts";
import { compileWarp } from "../compile.ts";
import { createWarpExecutor } from "../warp-executor.ts";

enableWasmFeatures();

/** Adds up words at constant distances from %i, which is the same in all lanes, and stores the sum for each lane. */
function kernel(distances: readonly number[], between = ""): string {
  const lines = distances.flatMap((distance, n) => [
    `  %j${n} = add i32 %i, ${distance}`,
    `  %p${n} = getelementptr i32, ptr %a, i32 %j${n}`,
    `  %v${n} = load i32, ptr %p${n}, align 4`,
    `  %s${n + 1} = add i32 %s${n}, %v${n}`,
    ...(n === 0 ? [between] : []),
  ]);
  return `
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %a, ptr %out, i32 %i) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s0 = add i32 %i, 0
${lines.join("\n")}
  %po = getelementptr i32, ptr %out, i32 %x
  store i32 %s${distances.length}, ptr %po, align 4
  ret void
}`;
}

function run(executor: ReturnType<typeof createInterpreter>, ir: string, first: number, beyond = 0, block = 32) {
  const h = new Harness(8192);
  const program = h.load(ir);
  const data = [h.place(Int32Array.from({ length: 64 }, (_, i) => i * i)), h.place(new Int32Array(32))] as const;
  const { fault } = h.run(executor, program, "k", { grid: 1, block }, [data[0] + beyond, data[1], first]);
  return { kind: fault?.kind ?? null, ints: [...h.readI32(data[0], 64), ...h.readI32(data[1], 32)] };
}

/** Tests of addresses in the kernel's code: in the common path, and with those that only look for the fault. */
function addressTests(ir: string): number {
  const program = new Harness(8192).load(ir);
  const features = { fusedMultiplyAdd: true, relaxedSimd: true };
  const found = compileWarp(program, program.kernels.get("k")!, dim3(32), { sharedMemory: true, features });
  if (!("compiled" in found)) throw new Error(found.reason);
  return printModule(found.compiled.wasm).match(/i32\.rotr/g)?.length ?? 0;
}

const NEAR = [2, 0, 5, -3, 1];

test("the same values, also where the lowest address is not the first", () => {
  const ir = kernel(NEAR);
  const expected = run(createInterpreter(), ir, 8);
  expect(expected.kind).toBeNull();
  expect(run(createWarpExecutor(), ir, 8)).toEqual(expected);
});

test("one test stands for five, and a store, or a great distance, ends a group", () => {
  const alone = addressTests(kernel([0]));
  // In front of the five that look for the fault.
  expect(addressTests(kernel(NEAR))).toBe(alone - 1 + 1 + NEAR.length);
  expect(addressTests(kernel([0, 1], "  store i32 7, ptr %p0, align 4"))).toBeGreaterThan(alone);
  expect(addressTests(kernel([0, 5000]))).toBe(alone + 1);
});

test("a thread sees its store between two loads of one place", () => {
  const ir = kernel([4, 3, 4], "  store i32 7, ptr %p0, align 4");
  const expected = run(createInterpreter(), ir, 8, 0, 1);
  expect(run(createWarpExecutor(), ir, 8, 0, 1)).toEqual(expected);
});

test.each([
  ["all beyond memory", 0, 1 << 24],
  ["one misaligned and so all", 0, 2],
  ["the lowest below memory", -(1 << 26), 0],
])("%s: a fault of the same kind", (_, first, beyond) => {
  const ir = kernel(NEAR);
  const expected = run(createInterpreter(), ir, first, beyond);
  expect(expected.kind).not.toBeNull();
  expect(run(createWarpExecutor(), ir, first, beyond).kind).toBe(expected.kind);
});
