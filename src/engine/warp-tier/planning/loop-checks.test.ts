/** Which accesses of a loop share one test in front of it, and what their addresses are as sums. */
import { describe, expect, test } from "vitest";
import { dim3 } from "../../../base/dim3.ts";
import type { IrFunction, IrInstruction, IrValue } from "../../../ir/model/ir.ts";
import { simplifyLoops } from "../../../ir/passes/pass-loop-simplify.ts";
import { Harness } from "../../harness.ts";
import { analyzeWarp } from "../../../analysis/divergence/divergence.ts";
import { buildFlowGraph } from "../../../analysis/loops/flow-graph.ts";
import { MODULO_2_32, affineForm, leafForm, type AffineRules } from "../../../analysis/loops/affine-forms.ts";
import { planLoopChecks } from "./loop-checks.ts";
import { RangeChecks } from "./in-bounds-accesses.ts";

const HEADER = `
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
`;

function kernelOf(ir: string) {
  const program = new Harness(64 * 1024).load(HEADER + ir);
  const kernel = program.kernels.get("k")!;
  simplifyLoops(kernel.function);
  return kernel;
}

function valueOf(fn: IrFunction, name: string): IrInstruction {
  return fn.blocks.flatMap((b) => b.instructions).find((i) => i.name === name)!;
}

/** The groups in front of all loops: bytes of the hull, accesses, and what bounds the turns. */
function planned(ir: string, suspends: readonly string[] = []) {
  const kernel = kernelOf(ir);
  const flow = buildFlowGraph(kernel.function)!;
  const block = dim3(64);
  const analysis = analyzeWarp(flow, block, 0);
  const checks = new RangeChecks(analysis, kernel, block, {
    global: () => null,
    functionAddress: () => 0,
  });
  const blocks = new Set(flow.blocks.flatMap((b, n) => (suspends.includes(b.name) ? [n] : [])));
  return [...planLoopChecks(analysis, checks, blocks).values()].flat().map((g) => ({
    bytes: g.bytes,
    accesses: g.accesses.length,
    bound: g.bounded === null ? null : `${g.bounded.test.tested} ${g.bounded.test.stays}`,
    isAfterTest: g.isAfterTest,
  }));
}

const loop = (
  body: string,
  latch = "%next = add i32 %i, 1\n  %c = icmp slt i32 %next, %n",
  init = "0",
): string => `define ptx_kernel void @k(ptr %x, i32 %n, i32 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ ${init}, %entry ], [ %next, %loop ]
  ${body}
  ${latch}
  br i1 %c, label %loop, label %done
done:
  ret void
}`;
/** Eight accesses of the same element: eight comparisons a turn. */
const READ =
  "%a = add i32 %i, %t\n  %p = getelementptr i32, ptr %x, i32 %a\n  %v = load i32, ptr %p, align 4" +
  "\n  store i32 %i, ptr %p, align 4".repeat(7);

describe("groups", () => {
  test("one access, and several at constant distances", () => {
    expect(planned(loop(READ))).toEqual([{ bytes: 4, accesses: 8, bound: "next slt", isAfterTest: false }]);
    expect(
      planned(
        loop(
          `${READ}\n  %p2 = getelementptr i8, ptr %p, i32 12\n  %w = load i32, ptr %p2, align 4\n` +
            "  store i32 %v, ptr %p, align 4",
        ),
      ),
    ).toEqual([{ bytes: 16, accesses: 10, bound: "next slt", isAfterTest: false }]);
  });

  test("other strides are other groups", () => {
    const body =
      `${READ}\n  %s = mul i32 %i, %m\n  %p2 = getelementptr i32, ptr %x, i32 %s\n` +
      `  %w = load i32, ptr %p2, align 4${"\n  store i32 %w, ptr %p2, align 4".repeat(7)}`;
    expect(planned(loop(body)).map((g) => g.accesses)).toEqual([8, 8]);
  });

  test("single comparisons stay where they are, tests of all lanes do not", () => {
    expect(planned(loop(READ.replaceAll(/\n.*store.*/g, "")))).toEqual([]);
    const apart =
      "%s = mul i32 %t, %m\n  %a = add i32 %i, %s\n  %p = getelementptr i32, ptr %x, i32 %a\n" +
      "  %v = load i32, ptr %p, align 4";
    // The product is of the loop's invariants: a term of its own.
    expect(planned(loop(apart)).map((g) => g.accesses)).toEqual([1]);
  });

  test("no group without a bound, a line, or a way through without waiting", () => {
    expect(planned(loop(READ, "%next = add i32 %i, 1\n  %c = icmp sgt i32 %next, %n"))).toEqual([]);
    expect(planned(loop(READ, "%next = add i32 %i, %m\n  %c = icmp ne i32 %next, %n"))).toEqual([]);
    expect(planned(loop(READ, "%next = mul i32 %i, 3\n  %c = icmp slt i32 %next, %n"))).toEqual([]);
    expect(planned(loop(READ, "%next = add i32 %i, 1\n  %c = icmp slt i32 %next, %v"))).toEqual([]);
    expect(planned(loop(READ, "%next = add i32 %i, 1\n  %c = icmp ne i32 %next, %n", "%t"))).toEqual([]);
    expect(planned(loop(READ.replace("%a = add", "%a = xor")))).toEqual([]);
    expect(planned(loop(READ), ["loop"])).toEqual([]);
    expect(planned(loop(READ), ["entry"])).toEqual([]);
  });

  test("a second variable counts the turns of the first", () => {
    const body = `%j = phi i32 [ %m, %entry ], [ %j2, %loop ]\n  %j2 = add i32 %j, 12\n  ${READ.replace("%i", "%j")}`;
    expect(planned(loop(body)).map((g) => g.bound)).toEqual(["next slt"]);
    // turns would need a division
    expect(planned(loop(body, "%next = add i32 %i, 3\n  %c = icmp slt i32 %next, %n"))).toEqual([]);
  });
});

describe("sums", () => {
  const fn = kernelOf(`define ptx_kernel void @k(ptr %x, i32 %n, i32 %m) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = add i32 %t, 5
  %b = mul i32 %a, %n
  %c = shl i32 %b, 3
  %d = sub i32 %c, %t
  %e = getelementptr i32, ptr %x, i32 %d
  %q = mul i32 %b, %m
  %r = xor i32 %t, 1
  %z = sub i32 %a, %a
  ret void
}`).function;
  const rules: AffineRules = {
    arithmetic: MODULO_2_32,
    accepts: () => true,
    leafOf: (v) => (v.kind === "param" || v === valueOf(fn, "t") ? leafForm(v) : null),
    looksThrough: () => false,
    isScale: (v) => v.kind === "param",
    isSum: () => false,
    maxTerms: 8,
  };
  const text = (name: string): string | null => {
    const form = affineForm(valueOf(fn, name), rules);
    const nameOf = (v: IrValue): string => (v.kind === "param" || v.kind === "instruction" ? v.name : v.kind);
    return (
      form &&
      [
        form.constant,
        ...form.terms.map((t) => `${t.factor}${t.scale === null ? "" : nameOf(t.scale)}${nameOf(t.value)}`),
      ].join(" + ")
    );
  };

  test("are distributed over products", () => {
    expect(text("a")).toBe("5 + 1t");
    expect(text("b")).toBe("0 + 1nt + 5n");
    expect(text("e")).toBe("0 + 1x + 32nt + 160n + -4t");
    expect(text("z")).toBe("0");
  });

  test("end at products of three and at other operators", () => {
    expect(text("q")).toBeNull();
    expect(text("r")).toBeNull();
  });
});
