/**
 * What emitted PTX computes, without a GPU: each operation of IR becomes a kernel, whose PTX runs by the tables of the
 * PTX ISA (ptx-instructions.test-helper.ts) and whose IR runs in the interpreter. Every operand is one at which
 * operations differ: at the ends of ranges, halfway between two floats, subnormal, NaN. A wrong comparison, rounding,
 * conversion, sign or order of operands is a different result.
 */
import { describe, expect, test } from "vitest";
import { Harness } from "../engine/harness.ts";
import { createInterpreter } from "../engine/interpreter/interpreter.ts";
import { USER_BASE } from "../machine/memory-map.ts";
import { parseModule } from "../ir/text/parse.ts";
import { EMITTED, type EmittedOperation } from "./emitted-operations.test-data.ts";
import { emitPtxModule } from "./emit-module.ts";
import { PtxEvaluator } from "./ptx-evaluator.test-helper.ts";
import { assemble, PTXAS } from "./ptxas.test-helper.ts";
import { shown, tuplesOf } from "./telling-operands.test-helper.ts";
import { TEST_TARGET } from "./test-target.test-helper.ts";

/** Bytes for each operand, and for the result and the cell that atomic operations change. */
const SLOT = 8;
const IN_BYTES = 3 * SLOT;
const OUT_BYTES = 2 * SLOT;

/** Memory has no i1: a byte, of which the lowest bit counts. */
const stored = (type: string): string => (type === "i1" ? "i8" : type);

function kernelOf({ operands, result }: EmittedOperation, ir: string): string {
  const loads = operands.map((type, i) => {
    const name = "abc"[i] as string;
    const load = `  %p${name} = getelementptr i8, ptr %in, i32 ${i * SLOT}\n`;
    return type === "i1"
      ? `${load}  %l${name} = load i8, ptr %p${name}, align 8\n  %${name} = trunc i8 %l${name} to i1`
      : `${load}  %${name} = load ${type}, ptr %p${name}, align 8`;
  });
  const declarations = [...ir.matchAll(/call (\S+) @(\S+?)\((.*)\)$/gm)].map(
    ([, type, name, args]) =>
      `declare ${type} @${name}(${(args as string).replace(/ (?:%\w+|true|false|-?\d+)/g, "")})`,
  );
  return `target triple = "nvptx-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
${declarations.join("\n")}
define ptx_kernel void @k(ptr %out0, ptr %in0) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inAt = mul i32 %t, ${IN_BYTES}
  %outAt = mul i32 %t, ${OUT_BYTES}
  %in = getelementptr i8, ptr %in0, i32 %inAt
  %out = getelementptr i8, ptr %out0, i32 %outAt
  %cell = getelementptr i8, ptr %out, i32 ${SLOT}
${loads.join("\n")}
  ${ir}
${result === "i1" ? "  %z = zext i1 %r to i8\n" : ""}
  store ${stored(result)} ${result === "i1" ? "%z" : "%r"}, ptr %out, align 8
  ret void
}`;
}

function wordsOf(bytes: Uint8Array): bigint[] {
  return [...new BigUint64Array(bytes.slice().buffer)];
}

function differences(operation: EmittedOperation): string[] {
  const tuples = tuplesOf(operation);
  const input = new BigUint64Array(tuples.flatMap((tuple) => [0, 1, 2].map((i) => tuple[i] ?? 0n)));
  const ir = kernelOf(operation, operation.ir);
  const emitted = kernelOf(operation, operation.emitted ?? operation.ir);
  const h = new Harness(1 << 20);
  const [inAt, outAt] = [h.place(input), h.place(new Uint8Array(tuples.length * OUT_BYTES))];
  const memory = h.read(USER_BASE, outAt - USER_BASE + tuples.length * OUT_BYTES);
  const { fault } = h.run(createInterpreter(), h.load(ir), "k", { grid: 1, block: tuples.length }, [outAt, inAt]);
  expect(fault).toBeNull();
  const expected = wordsOf(h.read(outAt, tuples.length * OUT_BYTES));
  const evaluator = new PtxEvaluator(emitPtxModule(parseModule(emitted, "test.ll"), TEST_TARGET), memory, USER_BASE);
  tuples.forEach((_, thread) => evaluator.run([BigInt(outAt), BigInt(inAt)], thread));
  const found = wordsOf(memory.slice(outAt - USER_BASE));
  return found.flatMap((bits, i) => {
    const type = i % 2 === 0 ? operation.result : (operation.operands[0] as string);
    const [got, wanted] = [shown(bits, type), shown(expected[i] as bigint, type)];
    const tuple = (tuples[Math.floor(i / 2)] as bigint[]).map((value) => value.toString(16)).join(", ");
    return got === wanted ? [] : [`${i % 2 === 0 ? "" : "memory: "}${tuple}: ${got}, not ${wanted}`];
  });
}

describe.each(Object.entries(EMITTED))("%s", (_, operations) => {
  test.each(operations.map((operation) => [operation.name, operation] as const))("%s", (__, operation) => {
    expect(differences(operation).slice(0, 4)).toEqual([]);
  });

  test.skipIf(PTXAS === null)("are PTX that NVIDIA's assembler takes", () => {
    const texts = operations.map((operation, i) =>
      kernelOf(operation, operation.emitted ?? operation.ir).replace("@k(", `@k${i}(`),
    );
    const lines = texts.flatMap((text) => text.split("\n"));
    const isOfModule = (line: string): boolean => /^(?:declare|target)/.test(line);
    const ir = [...new Set(lines.filter(isOfModule)), ...lines.filter((line) => !isOfModule(line))].join("\n");
    expect(assemble(emitPtxModule(parseModule(ir, "test.ll"), TEST_TARGET).text)).toBe("");
  });
});

/** The first instruction with a dot in it that is neither a load nor a store, where subnormal floats are flushed. */
test.each([
  ["fadd float %a, %b", "add.rn.ftz.f32"],
  ["fsub float %a, %b", "sub.rn.ftz.f32"],
  ["fmul float %a, %b", "mul.rn.ftz.f32"],
  ["fdiv float %a, %b", "div.approx.ftz.f32"],
  ["fdiv float 1.0, %b", "rcp.approx.ftz.f32"],
  ["fdiv float 3.0, %b", "div.approx.ftz.f32"],
  ["fneg float %a", "neg.f32"],
  ["call float @llvm.fma.f32(float %a, float %b, float %a)", "fma.rn.ftz.f32"],
  ["call float @llvm.sqrt.f32(float %a)", "sqrt.approx.ftz.f32"],
  ["call float @llvm.minnum.f32(float %a, float %b)", "min.ftz.f32"],
  ["call float @llvm.maxnum.f32(float %a, float %b)", "max.ftz.f32"],
  ["call float @llvm.fabs.f32(float %a)", "abs.f32"],
  ["fptrunc double %d to float", "cvt.rn.ftz.f32.f64"],
  ["sitofp i32 %n to float", "cvt.rn.f32.s32"],
])("with flushing, %s is %s", (ir, expected) => {
  const { text } = emitPtxModule(
    parseModule(
      `target triple = "nvptx-nvidia-cuda"
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.sqrt.f32(float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.fabs.f32(float)
define ptx_kernel void @k(ptr %out, float %a, float %b, double %d, i32 %n) #0 {
  %r = ${ir}
  store float %r, ptr %out, align 4
  ret void
}
attributes #0 = { "denormal-fp-math-f32"="preserve-sign,preserve-sign" }`,
      "test.ll",
    ),
    TEST_TARGET,
  );
  const lines = text
    .slice(text.indexOf("\n{\n"))
    .split("\n")
    .map((line) => line.trim());
  const words = lines.map((line) => line.split(" ")[0] as string);
  expect(words.filter((word) => /^[a-z]\w*\./.test(word) && !/^(?:ld|st|mov)\./.test(word))).toEqual([expected]);
});

test.each([
  ["fcmp ult float %a, %b", "setp.ltu.ftz.f32"],
  ["fcmp one float %a, %b", "setp.ne.ftz.f32"],
  ["fcmp olt double %d, 0.0", "setp.lt.f64"],
])("with flushing, %s is %s", (ir, expected) => {
  const { text } = emitPtxModule(
    parseModule(
      `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %out, float %a, float %b, double %d) #0 {
  %c = ${ir}
  %r = zext i1 %c to i32
  store i32 %r, ptr %out, align 4
  ret void
}
attributes #0 = { "denormal-fp-math-f32"="preserve-sign,preserve-sign" }`,
      "test.ll",
    ),
    TEST_TARGET,
  );
  expect(text).toContain(`${expected} %p1, `);
});
