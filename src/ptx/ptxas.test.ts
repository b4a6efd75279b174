/** Every kernel that the executors are tested with must become PTX that NVIDIA's assembler takes. */
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseModule } from "../ir/text/parse.ts";
import { generateProgram } from "../engine/fuzz/generate.ts";
import { caseOf } from "../engine/fuzz/run-case.ts";
import { emitPtxModule } from "./emit-module.ts";
import { createPtxPipeline } from "./link-program.ts";
import { PTXAS, assemble } from "./ptxas.test-helper.ts";
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
