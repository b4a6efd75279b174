/** Every kernel that the executors are tested with must become PTX that NVIDIA's assembler takes. */
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseModule } from "../ir/text/parse.ts";
import { generateProgram } from "../engine/fuzz/generate.ts";
import { caseOf } from "../engine/fuzz/run-case.ts";
import { emitPtxModule } from "./emit-module.ts";
import { createPtxPipeline } from "./link-program.ts";
import { PTXAS, assemble, assembled } from "./ptxas.test-helper.ts";
import { NATIVE_TARGET, TEST_TARGET, withWidePointers } from "./test-target.test-helper.ts";

const read = (path: string): string => readFileSync(new URL(`../engine/${path}`, import.meta.url), "utf8");
/** The suite is linked with the emulated device's library already; this is what a GPU needs beside it. */
const LIBRARY = `target triple = "nvptx-nvidia-cuda"
define void @__heddle_gpu_grid_sync() {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
`;

describe.skipIf(PTXAS === null)("ptxas takes", () => {
  test("the executor suite", () => {
    const module = createPtxPipeline(LIBRARY)([
      { ir: read("suite/suite.ll"), name: "suite.ll", options: { fmad: true } },
    ]);
    expect(assemble(emitPtxModule(module, TEST_TARGET).text)).toBe("");
  });
  test("the executor suite with 64-bit pointers", () => {
    const module = createPtxPipeline(
      LIBRARY,
      64,
    )([{ ir: withWidePointers(read("suite/suite.ll")), name: "suite.ll", options: { fmad: true } }]);
    expect(assemble(emitPtxModule(module, NATIVE_TARGET).text)).toBe("");
  });
  test.each(readdirSync(new URL("../engine/fuzz/cases/", import.meta.url)))(
    "fuzz case %s with 64-bit pointers",
    (name) => {
      const module = parseModule(withWidePointers(read(`fuzz/cases/${name}`)), name);
      expect(assemble(emitPtxModule(module, NATIVE_TARGET).text)).toBe("");
    },
  );
  test.each(readdirSync(new URL("../engine/fuzz/cases/", import.meta.url)))("fuzz case %s", (name) => {
    expect(assemble(emitPtxModule(parseModule(read(`fuzz/cases/${name}`), name), TEST_TARGET).text)).toBe("");
  });
  test.each([1, 2, 3, 4, 5, 6, 7, 8])("the random kernel of seed %i", (seed) => {
    expect(assemble(emitPtxModule(parseModule(caseOf(generateProgram(seed)).ir, "fuzz.ll"), TEST_TARGET).text)).toBe(
      "",
    );
  });
});

// ptxas loses the number of the uniform register: emit/inline-asm.ts has the target of such a copy in one register.
test.skipIf(PTXAS === null)("an asynchronous copy with a cache policy does not add a uniform register", () => {
  const { text } = emitPtxModule(
    parseModule(
      `target triple = "nvptx64-nvidia-cuda"
@s = internal addrspace(3) global [256 x [4 x i32]] undef, align 16
define ptx_kernel void @k(ptr %in, ptr %out) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %index = sext i32 %i to i64
  %to = getelementptr [4 x i32], ptr addrspace(3) @s, i64 %index
  %wide = ptrtoint ptr addrspace(3) %to to i64
  %own = trunc i64 %wide to i32
  %from = getelementptr [4 x i32], ptr %in, i64 %index
  call void asm sideeffect "cp.async.cg.shared.global.L2::cache_hint [$0], [$1], 16, $2;", "r,l,l"(i32 %own, ptr %from,
    i64 1152921504606846976)
  call void asm sideeffect "cp.async.wait_all;", ""()
  %x = load i32, ptr addrspace(3) %to, align 4
  store i32 %x, ptr %out, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()`,
      "test.ll",
    ),
    NATIVE_TARGET,
  );
  /** How many instructions copy to shared memory, by a register (LDGSTS R) and by the sum of two (LDGSTS R + UR). */
  const copies = (ptx: string): { own: number; sum: number } => {
    const { problem, cubin } = assembled(ptx);
    expect(problem).toBe("");
    const found = { own: 0, sum: 0 };
    for (let at = 0; at + 16 <= cubin.length; at += 16) {
      const operation = cubin.readUInt16LE(at);
      if (operation === 0x7fae) found.own++;
      else if (operation === 0x7dae) found.sum++;
    }
    return found;
  };
  expect(copies(text)).toEqual({ own: 1, sum: 0 });
});
