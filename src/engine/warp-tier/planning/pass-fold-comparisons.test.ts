/** Which comparisons have one outcome for blocks of a shape, and what is left of code that depends on them. */
import { describe, expect, test } from "vitest";
import { dim3, type Dim3Like } from "../../../base/dim3.ts";
import { cleanUp } from "../../../ir/passes/pass-cleanup.ts";
import { printFunction } from "../../../ir/text/print.ts";
import { assertValid } from "../../../ir/verify.ts";
import { Harness } from "../../harness.ts";
import { analyzeWarp } from "../../../analysis/divergence/divergence.ts";
import { buildFlowGraph } from "../../../analysis/loops/flow-graph.ts";
import { layoutLocals } from "../control-flow/local-memory.ts";
import { foldComparisons } from "./pass-fold-comparisons.ts";
import { RangeChecks } from "./in-bounds-accesses.ts";

/** The kernel's text after folding and cleaning up; null: nothing was decided. */
function folded(comparison: string, block: Dim3Like = 64): string | null {
  const program = new Harness().load(`
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = and i32 %n, 7
  ${comparison}
  br i1 %c, label %yes, label %no
yes:
  store i32 1, ptr %out
  ret void
no:
  store i32 2, ptr %out
  ret void
}`);
  const kernel = program.kernels.get("k")!;
  const before = printFunction(kernel.function);
  const analysis = analyzeWarp(buildFlowGraph(kernel.function)!, dim3(block), layoutLocals(kernel, []).bytesPerThread);
  const checks = new RangeChecks(analysis, kernel, dim3(block), { global: () => null, functionAddress: () => 0 });
  const copy = foldComparisons(kernel.function, checks.rangesOf("active"));
  expect(printFunction(kernel.function), "the original").toBe(before);
  if (copy === null) return null;
  cleanUp(copy);
  assertValid(copy, "folding");
  return printFunction(copy);
}

describe("decided by the shape of the block", () => {
  test.each([
    ["icmp ult i32 %t, 64", 1],
    ["icmp ult i32 64, %t", 2],
    ["icmp uge i32 %t, 64", 2],
    ["icmp sgt i32 %t, -1", 1],
    ["icmp slt i32 %t, 0", 2],
    ["icmp eq i32 %t, 100", 2],
    ["icmp ne i32 %t, -5", 1],
    ["icmp ule i32 %low, 7", 1],
    ["icmp ugt i32 -1, %low", 1],
    ["icmp sge i32 -1, %low", 2],
  ])("%s", (comparison, stored) => {
    const text = folded(`%c = ${comparison}`);
    expect(text).toContain(`store i32 ${stored}`);
    expect(text).not.toContain(`store i32 ${3 - stored}`);
  });

  test("another shape, another outcome", () => {
    expect(folded("%c = icmp ult i32 %t, 32", 32)).not.toContain("store i32 2");
    expect(folded("%c = icmp ult i32 %t, 32", 64)).toBeNull();
  });
});

describe("not decided", () => {
  test.each([
    "icmp ult i32 %t, 63",
    "icmp eq i32 %t, 5",
    "icmp slt i32 %n, 64",
    "icmp ult i32 %t, %n",
    "icmp eq ptr %out, null",
    "icmp ugt i32 %low, 6",
  ])("%s", (comparison) => {
    expect(folded(`%c = ${comparison}`)).toBeNull();
  });
});
