/** Instructions that other kernels of the tests do not have: barriers that count, loads that nobody writes, asm. */
import { expect, test } from "vitest";
import { parseModule } from "../../ir/text/parse.ts";
import { emitPtxModule } from "../emit-module.ts";
import { PtxEvaluator } from "../ptx-evaluator.test-helper.ts";
import type { PtxModule } from "../ptx-module.ts";
import { TEST_TARGET } from "../test-target.test-helper.ts";

const BASE = 0x1000;
/** Halves. */
const [TWO, THREE, TWELVE] = [0x4000, 0x4200, 0x4a00];

function emitted(declarations: string, body: string): PtxModule {
  return emitPtxModule(
    parseModule(
      `target triple = "nvptx-nvidia-cuda"
@shared = internal addrspace(3) global [8 x i32] undef, align 4
${declarations}
define ptx_kernel void @k(ptr %p, i32 %n, half %h) {
${body}
  ret void
}`,
      "test.ll",
    ),
    TEST_TARGET,
  );
}

/** Lines of a kernel, registers as underscores. */
function linesOf(declarations: string, body: string): string[] {
  const { text } = emitted(declarations, body);
  return text.split("\n").map((line) => line.trim().replace(/%[a-z]+\d+/g, "_"));
}

test.each([
  ["popc", ["barrier.red.popc.aligned.u32 _, 0, _;"]],
  ["and", ["barrier.red.and.aligned.pred _, 0, _;", "selp.b32 _, 1, 0, _;"]],
  ["or", ["barrier.red.or.aligned.pred _, 0, _;", "selp.b32 _, 1, 0, _;"]],
])("a barrier with %s", (word, expected) => {
  const lines = linesOf(
    `declare i32 @llvm.nvvm.barrier0.${word}(i32)`,
    `  %r = call i32 @llvm.nvvm.barrier0.${word}(i32 %n)\n  store i32 %r, ptr %p`,
  );
  expect(lines.filter((line) => /^(?:barrier|selp)/.test(line))).toEqual(expected);
});

test("a load that nobody writes goes through the read-only cache where it is global", () => {
  const lines = linesOf(
    "declare i32 @llvm.nvvm.ldg.global.i.i32.p1(ptr addrspace(1), i32)",
    "  %g = addrspacecast ptr %p to ptr addrspace(1)\n" +
      "  %r = call i32 @llvm.nvvm.ldg.global.i.i32.p1(ptr addrspace(1) %g, i32 4)\n  store i32 %r, ptr %p",
  );
  expect(lines.filter((line) => /^ld\.(?!param)/.test(line))).toEqual([expect.stringMatching(/^ld\.global\.nc\./)]);
});

test("inline PTX ends with a semicolon, its own or one that is added", () => {
  const added = (template: string): string[] => {
    const body = `  %r = call i32 asm sideeffect "${template}", "=r,r"(i32 %n)\n  store i32 %r, ptr %p`;
    return linesOf("", body).filter((line) => line.startsWith("not.b32"));
  };
  expect(added("not.b32 $0, $1")).toEqual(["not.b32 _, _;"]);
  expect(added("not.b32 $0, $1;")).toEqual(["not.b32 _, _;"]);
  const nothing = linesOf("", '  call void asm sideeffect "", "~{memory}"()');
  expect(nothing.filter((line) => line === ";")).toEqual([]);
});

test("a vector that an intrinsic takes is one register of both elements", () => {
  const module = emitted(
    "declare <2 x half> @llvm.nvvm.fma.rn.f16x2(<2 x half>, <2 x half>, <2 x half>)",
    `  %g = load half, ptr %p, align 2
  %a = insertelement <2 x half> poison, half %h, i32 0
  %b = insertelement <2 x half> %a, half %g, i32 1
  %v = call <2 x half> @llvm.nvvm.fma.rn.f16x2(<2 x half> %b, <2 x half> %b, <2 x half> %b)
  %e = extractelement <2 x half> %v, i32 1
  store half %e, ptr %p`,
  );
  // 3 · 3 + 3
  const memory = new Uint16Array([THREE, 0]);
  new PtxEvaluator(module, new Uint8Array(memory.buffer), BASE).run([BigInt(BASE), 0n, BigInt(TWO)], 0);
  expect(memory[0]).toBe(TWELVE);
});
