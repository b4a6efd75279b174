/** Loads that repeat, and computations behind exits. What kernels compute stays: counts.test.ts. */
import { expect, test } from "vitest";
import { parseModule } from "../../ir/text/parse.ts";
import { assertValid } from "../../ir/verify.ts";
import { removeRepeatedLoads } from "./repeated-loads.ts";
import { sinkBehindBranches } from "./sunk-behind-branches.ts";

const blocksAfter = (body: string, pass: typeof sinkBehindBranches): (readonly string[])[] => {
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
declare void @llvm.nvvm.barrier0()
declare float @__nv_sqrtf(float)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
define ptx_kernel void @k(ptr %p, ptr %q, float %x, i1 %c) {
entry:
${body}
}`,
    "test.ll",
  );
  const fn = module.functions.get("k")!;
  pass(fn);
  assertValid(module, "a pass");
  return fn.blocks.map(({ instructions }) => instructions.map(({ op }) => op));
};

const TWICE = (between: string): string => `  %a = load float, ptr %p, align 4
${between}
  %b = load float, ptr %p, align 4
  %s = fadd float %a, %b
  store float %s, ptr %q, align 4
  ret void`;

test.each([
  ["nothing", "", 1],
  ["another load", "  %o = load float, ptr %q, align 4", 2],
  ["a function of the device library", "  %o = call float @__nv_sqrtf(float %x)", 1],
  ["a store", "  store float %x, ptr %q, align 4", 2],
  ["a barrier", "  call void @llvm.nvvm.barrier0()", 2],
  ["a load of other bits", "  %o = load i32, ptr %p, align 4", 2],
])("between two equal loads: %s", (_, between, loads) => {
  const ops = blocksAfter(TWICE(between), removeRepeatedLoads).flat();
  expect(ops.filter((op) => op === "load")).toHaveLength(loads);
});

const LAST_SUM = (
  other: string,
): string => `  %o = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %x, i32 1, i32 31)
  %s = fadd float %x, %o
  br i1 %c, label %first, label %done
first:
  store float %s, ptr %p, align 4
  br label %done
done:
${other}  ret void`;

test("the last sum of a reduction is computed by the thread that stores it", () => {
  expect(blocksAfter(LAST_SUM(""), sinkBehindBranches).map((ops) => ops.join(" "))).toEqual([
    "call condbr",
    "binary store br",
    "ret",
  ]);
});

test("what a loop alone needs is read by the threads that come to it", () => {
  const blocks = blocksAfter(
    `  %m = load float, ptr %p, align 4
  br i1 %c, label %before, label %done
before:
  br label %body
body:
  %i = phi i32 [ 0, %before ], [ %next, %body ]
  %s = fadd float %x, %m
  store float %s, ptr %q, align 4
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 9
  br i1 %more, label %body, label %done
done:
  store float %x, ptr %p, align 4
  ret void`,
    sinkBehindBranches,
  );
  expect(blocks.slice(0, 2)).toEqual([["condbr"], ["load", "br"]]);
});

test("it stays in front of a branch that is no exit, and where it has another use", () => {
  const [entry] = blocksAfter(LAST_SUM("  store float %x, ptr %q, align 4\n"), sinkBehindBranches);
  expect(entry).toEqual(["call", "binary", "condbr"]);
});
