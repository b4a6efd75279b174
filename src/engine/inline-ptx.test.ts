/**
 * Inline PTX, instruction by instruction: lowered to IR and run by the interpreter, against values worked out by hand
 * from the PTX ISA.
 */
import { describe, expect, test } from "vitest";
import { parseModule } from "../ir/text/parse.ts";
import { lowerInlinePtx } from "../ir/inline-ptx/pass-inline-ptx.ts";
import { assertValid } from "../ir/verify.ts";
import { Harness } from "./harness.ts";
import { createInterpreter } from "./interpreter/interpreter.ts";

type IrType = "i16" | "i32" | "i64" | "float" | "double";
const LETTER: Readonly<Record<IrType, string>> = { i16: "h", i32: "r", i64: "l", float: "f", double: "d" };
const BYTES: Readonly<Record<IrType, number>> = { i16: 2, i32: 4, i64: 8, float: 4, double: 8 };

function bitsOf(type: IrType, value: number | bigint): bigint {
  if (type === "float") return BigInt(new Uint32Array(new Float32Array([Number(value)]).buffer)[0] as number);
  if (type === "double") return new BigUint64Array(new Float64Array([Number(value)]).buffer)[0] as bigint;
  return BigInt.asUintN(BYTES[type] * 8, BigInt(value));
}

/** The result's bits; `args` are loaded from memory, so that nothing is folded. */
function evaluate(
  template: string,
  result: IrType,
  args: readonly (readonly [IrType, number | bigint])[],
  threads = 1,
  tied: readonly number[] = [],
): bigint[] {
  const params = args.map((_, i) => `ptr %p${i}`).join(", ");
  const loads = args.map(([type], i) => `  %v${i} = load ${type}, ptr %p${i}, align ${BYTES[type]}`).join("\n");
  const constraints = [
    `=${LETTER[result]}`,
    ...args.map(([type], i) => (tied.includes(i) ? "0" : LETTER[type])),
    "~{memory}",
  ].join(",");
  const operands = args.map(([type], i) => `${type} %v${i}`).join(", ");
  const escaped = template.replaceAll("\n", "\\0A").replaceAll('"', "\\22");
  const ir = `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %out${params === "" ? "" : `, ${params}`}) {
entry:
${loads}
  %tid = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = tail call ${result} asm sideeffect "${escaped}", "${constraints}"(${operands})
  %at = getelementptr ${result}, ptr %out, i32 %tid
  store ${result} %r, ptr %at, align ${BYTES[result]}
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
`;
  const module = parseModule(ir, "ptx.ll");
  lowerInlinePtx(module);
  assertValid(module, "lowerInlinePtx");
  const harness = new Harness(1 << 20);
  const program = harness.load(module);
  const out = harness.place(new Uint8Array(threads * 8));
  const places = args.map(([type, value]) => harness.place(new BigUint64Array([bitsOf(type, value)])));
  const { fault } = harness.run(createInterpreter(), program, "k", { grid: 1, block: threads }, [out, ...places]);
  expect(fault).toBeNull();
  const bytes = new DataView(harness.read(out, threads * 8).buffer);
  return Array.from({ length: threads }, (_, i) => {
    let value = 0n;
    for (let b = BYTES[result] - 1; b >= 0; b--) value = (value << 8n) | BigInt(bytes.getUint8(i * BYTES[result] + b));
    return value;
  });
}

type Case = readonly [
  template: string,
  result: IrType,
  args: readonly (readonly [IrType, number | bigint])[],
  expected: number | bigint,
];
const u = (value: number | bigint): readonly [IrType, number | bigint] => ["i32", value];
const l = (value: number | bigint): readonly [IrType, number | bigint] => ["i64", value];
const h = (value: number): readonly [IrType, number] => ["i16", value];
const f = (value: number): readonly [IrType, number] => ["float", value];
const d = (value: number): readonly [IrType, number] => ["double", value];

const CASES: readonly Case[] = [
  // integers
  ["add.u32 $0, $1, $2;", "i32", [u(7), u(-9)], -2],
  ["sub.s32 $0, $1, 5;", "i32", [u(3)], -2],
  ["add.sat.s32 $0, $1, $2;", "i32", [u(0x7ffffff0), u(100)], 0x7fffffff],
  ["mul.hi.u32 $0, $1, $2;", "i32", [u(0xffffffff), u(0xffffffff)], 0xfffffffe],
  ["mul.hi.s32 $0, $1, $2;", "i32", [u(-2), u(3)], -1],
  ["mul.wide.s16 $0, $1, $2;", "i32", [h(-3), h(5)], -15],
  ["mul.wide.u32 $0, $1, $2;", "i64", [u(0xffffffff), u(2)], 0x1fffffffen],
  ["mad.lo.s32 $0, $1, $2, $3;", "i32", [u(-3), u(5), u(20)], 5],
  ["mad.wide.s32 $0, $1, $2, $3;", "i64", [u(-3), u(5), l(20)], 5],
  ["mul24.lo.u32 $0, $1, $2;", "i32", [u(0xff000003), u(5)], 15],
  ["{ .reg .u32 t; add.cc.u32 t, $1, $2; addc.u32 $0, 0, 0; }", "i32", [u(0xffffffff), u(1)], 1],
  ["{ .reg .u32 t; sub.cc.u32 t, $1, $2; subc.u32 $0, 10, 0; }", "i32", [u(1), u(2)], 9],
  ["{ .reg .u32 t; mad.lo.cc.u32 t, $1, $2, $3; madc.hi.u32 $0, $1, $2, 0; }", "i32", [u(0xffffffff), u(2), u(2)], 2],
  ["div.s32 $0, $1, $2;", "i32", [u(-7), u(2)], -3],
  ["rem.u32 $0, $1, $2;", "i32", [u(17), u(5)], 2],
  ["abs.s32 $0, $1;", "i32", [u(-5)], 5],
  ["neg.s64 $0, $1;", "i64", [l(5)], -5n],
  ["min.s32 $0, $1, $2;", "i32", [u(-5), u(3)], -5],
  ["max.u32 $0, $1, $2;", "i32", [u(-5), u(3)], -5],
  ["sad.u32 $0, $1, $2, $3;", "i32", [u(3), u(10), u(100)], 107],
  ["sad.s32 $0, $1, $2, $3;", "i32", [u(-3), u(10), u(100)], 113],
  // video instructions where an H100 does other than the ISA says
  ["vadd.u32.u32.u32 $0.h1, $1.b1, $2.b3, $3;", "i32", [u(0x8000), u(0x66000000), u(0x1234d245)], 0x00e6d245],
  ["vsub.u32.s32.s32.sat $0.b2, $1.b1, $2.h1, $3;", "i32", [u(0x8000), u(0x66a70000), u(0xdfb6d245)], 0xdf00d245],
  ["vadd.s32.s32.s32.sat $0.b0, $1, $2.b1, $3;", "i32", [u(-1000), u(0), u(0x80007fff)], 0x80007f80],
  ["vadd.u32.u32.u32.sat $0, $1.b1, $2;", "i32", [u(0x5900), u(-1)], 0xffffffff],
  ["vmad.s32.u32.u32.sat $0, $1.h0, $2, $3;", "i32", [u(0x36a4), u(0), u(0x8bf19e8c)], 0x8bf19e8c],
  ["vmad.u32.u32.s32.po.sat.shr15 $0, $1, $2, $3;", "i32", [u(65536), u(-3), u(0)], -6],
  ["vshl.u32.s32.u32.sat.clamp $0, $1, $2;", "i32", [u(-43), u(32)], 0],
  [
    "{ .reg .u32 t; mov.u32 t, $1; vabsdiff4.u32.u32.u32.add $0, t, $2, $3; }",
    "i32",
    [u(0x01020304), u(0x04030201), u(100)],
    108,
  ],
  // logic, shifts, fields
  ["and.b32 $0, $1, 0xff00;", "i32", [u(0x12345678)], 0x5600],
  ["not.b32 $0, $1;", "i32", [u(0)], -1],
  ["cnot.b32 $0, $1;", "i32", [u(0)], 1],
  ["lop3.b32 $0, $1, $2, $3, 0x96;", "i32", [u(0xf0f0), u(0xff00), u(0xaaaa)], 0xf0f0 ^ 0xff00 ^ 0xaaaa],
  [
    "lop3.b32 $0, $1, $2, $3, 0xE8;",
    "i32",
    [u(0xf0f0), u(0xff00), u(0xaaaa)],
    (0xf0f0 & 0xff00) | (0xf0f0 & 0xaaaa) | (0xff00 & 0xaaaa),
  ],
  ["lop3.b32 $0, $1, $2, $3, 0xC0;", "i32", [u(0xf0f0), u(0xff00), u(0xaaaa)], 0xf000],
  ["shl.b32 $0, $1, $2;", "i32", [u(3), u(4)], 48],
  ["shl.b32 $0, $1, $2;", "i32", [u(3), u(32)], 0],
  ["shr.s32 $0, $1, $2;", "i32", [u(-8), u(100)], -1],
  ["shr.u64 $0, $1, 60;", "i64", [l(-1n)], 15],
  ["shf.l.wrap.b32 $0, $1, $2, $3;", "i32", [u(0x80000000), u(1), u(33)], 3],
  ["shf.r.clamp.b32 $0, $1, $2, $3;", "i32", [u(0x12345678), u(0x9abcdef0), u(40)], 0x9abcdef0],
  ["shf.r.wrap.b32 $0, $1, $2, 8;", "i32", [u(0x12345678), u(0x9abcdef0)], 0xf0123456],
  ["bfe.u32 $0, $1, 4, 8;", "i32", [u(0x12345678)], 0x67],
  ["bfe.s32 $0, $1, $2, $3;", "i32", [u(0x12348678), u(8), u(8)], 0xffffff86],
  ["bfe.s32 $0, $1, $2, $3;", "i32", [u(0x80000000), u(40), u(8)], -1],
  ["bfe.u32 $0, $1, $2, $3;", "i32", [u(-1), u(0), u(0)], 0],
  ["bfe.u64 $0, $1, 32, 16;", "i64", [l(0x123456789abcdef0n)], 0x5678],
  ["bfi.b32 $0, $1, $2, 8, 4;", "i32", [u(0xff), u(0x12345678)], 0x12345f78],
  ["bfi.b32 $0, $1, $2, $3, $4;", "i32", [u(0xff), u(0x12345678), u(0), u(32)], 0xff],
  ["bfind.u32 $0, $1;", "i32", [u(0x00010000)], 16],
  ["bfind.s32 $0, $1;", "i32", [u(-1)], -1],
  ["bfind.shiftamt.u32 $0, $1;", "i32", [u(1)], 31],
  ["bfind.u64 $0, $1;", "i32", [l(1n << 40n)], 40],
  ["brev.b32 $0, $1;", "i32", [u(1)], 0x80000000],
  ["popc.b64 $0, $1;", "i32", [l(0xff00ff00ff00ff00n)], 32],
  ["clz.b32 $0, $1;", "i32", [u(0)], 32],
  ["prmt.b32 $0, $1, $2, 0x5410;", "i32", [u(0x11112222), u(0x33334444)], 0x44442222],
  ["prmt.b32 $0, $1, $2, $3;", "i32", [u(0x80000000), u(0), u(0xbbbb)], -1],
  ["dp4a.s32.s32 $0, $1, $2, $3;", "i32", [u(0x01ff02fe), u(0x01010101), u(10)], 10 + 1 - 1 + 2 - 2],
  ["dp4a.u32.u32 $0, $1, $2, $3;", "i32", [u(0xff000000), u(0xff000000), u(1)], 65026],
  ["dp2a.lo.u32.u32 $0, $1, $2, $3;", "i32", [u(0x00020003), u(0x04030201), u(0)], 3 * 1 + 2 * 2],
  // comparison
  ["{ .reg .pred p; setp.lt.s32 p, $1, $2; selp.b32 $0, 1, 2, p; }", "i32", [u(-1), u(0)], 1],
  ["{ .reg .pred p; setp.lo.u32 p, $1, $2; selp.b32 $0, 1, 2, p; }", "i32", [u(-1), u(0)], 2],
  ["{ .reg .pred p, q; setp.eq.and.s32 p|q, $1, $2, 1; selp.b32 $0, 1, 2, q; }", "i32", [u(4), u(4)], 2],
  [
    "{ .reg .pred %p<3>; setp.gt.f32 %p1, $1, $2; not.pred %p2, %p1; selp.u32 $0, 1, 0, %p2; }",
    "i32",
    [f(1), f(NaN)],
    1,
  ],
  ["set.lt.u32.f32 $0, $1, $2;", "i32", [f(1), f(2)], -1],
  ["slct.s32.s32 $0, $1, $2, $3;", "i32", [u(10), u(20), u(-1)], 20],
  // guards
  [
    "{ .reg .pred p; setp.ne.s32 p, $1, 0; mov.s32 $0, 1; @p mov.s32 $0, 2; @!p add.s32 $0, $0, 10; }",
    "i32",
    [u(0)],
    11,
  ],
  // moves
  ["mov.b64 $0, {$1, $2};", "i64", [u(1), u(2)], 0x200000001n],
  ["{ .reg .b32 lo, hi; mov.b64 {lo, hi}, $1; add.u32 $0, lo, hi; }", "i32", [l(0x200000001n)], 3],
  ["{ .reg .b16 x; mov.b32 {_, x}, $1; cvt.u32.u16 $0, x; }", "i32", [u(0x12345678)], 0x1234],
  ["mov.f32 $0, 0f3FC00000;", "float", [], 1.5],
  ["mov.f64 $0, 0d3FF8000000000000;", "double", [], 1.5],
  ["mov.b32 $0, 0b101;", "i32", [], 5],
  // floating point
  ["add.f32 $0, $1, $2;", "float", [f(0.5), f(0.25)], 0.75],
  ["add.rz.f32 $0, $1, $2;", "float", [f(1), f(-(2 ** -30))], 1 - 2 ** -24],
  ["add.rp.f32 $0, $1, $2;", "float", [f(1), f(2 ** -30)], 1 + 2 ** -23],
  ["fma.rn.f32 $0, $1, $2, $3;", "float", [f(1 + 2 ** -12), f(1 + 2 ** -12), f(-1)], 2 ** -11 + 2 ** -24],
  ["fma.rn.f64 $0, $1, $2, $3;", "double", [d(3), d(4), d(5)], 17],
  ["mul.sat.f32 $0, $1, $2;", "float", [f(3), f(4)], 1],
  ["div.rn.f32 $0, $1, $2;", "float", [f(1), f(3)], Math.fround(1 / 3)],
  ["div.full.f32 $0, $1, $2;", "float", [f(6), f(3)], 2],
  ["abs.f32 $0, $1;", "float", [f(-2)], 2],
  ["neg.f32 $0, $1;", "float", [f(-2)], 2],
  ["min.f32 $0, $1, $2;", "float", [f(NaN), f(2)], 2],
  ["max.NaN.f32 $0, $1, $2;", "float", [f(1), f(2)], 2],
  ["rcp.approx.ftz.f32 $0, $1;", "float", [f(4)], 0.25],
  ["sqrt.rn.f32 $0, $1;", "float", [f(16)], 4],
  ["copysign.f32 $0, $1, $2;", "float", [f(-1), f(3)], -3],
  ["{ .reg .pred p; testp.infinite.f32 p, $1; selp.u32 $0, 1, 0, p; }", "i32", [f(-Infinity)], 1],
  ["{ .reg .pred p; testp.subnormal.f32 p, $1; selp.u32 $0, 1, 0, p; }", "i32", [f(1e-40)], 1],
  ["add.f16x2 $0, $1, $2;", "i32", [u(0x3c004000), u(0x40003c00)], 0x42004200],
  ["fma.rn.bf16x2 $0, $1, $2, $3;", "i32", [u(0x3f804000), u(0x40003f80), u(0)], 0x40004000],
  ["add.f16 $0, $1, $2;", "i16", [h(0x3c00), h(0x4000)], 0x4200],
  // conversions
  ["cvt.rni.s32.f32 $0, $1;", "i32", [f(2.5)], 2],
  ["cvt.rzi.s32.f32 $0, $1;", "i32", [f(-2.9)], -2],
  ["cvt.rzi.u8.f32 $0, $1;", "i32", [f(300)], 255],
  ["cvt.rzi.s8.f32 $0, $1;", "i32", [f(-300)], -128],
  ["cvt.rzi.s16.f64 $0, $1;", "i16", [d(70000)], 0x7fff],
  ["cvt.rzi.s8.f32 $0, $1;", "i32", [f(NaN)], 0],
  ["cvt.rzi.u8.f64 $0, $1;", "i32", [d(NaN)], 0x80],
  ["cvt.rzi.s8.f64 $0, $1;", "i32", [d(NaN)], -128],
  ["cvt.rzi.s16.f64 $0, $1;", "i16", [d(NaN)], 0x8000],
  ["cvt.rni.u32.f64 $0, $1;", "i32", [d(NaN)], 0x80000000],
  ["cvt.rzi.u64.f32 $0, $1;", "i64", [f(NaN)], 0x8000000000000000n],
  ["cvt.rn.f32.s32 $0, $1;", "float", [u(-7)], -7],
  ["cvt.rz.f32.u32 $0, $1;", "float", [u(0xffffffff)], 4294967040],
  ["cvt.rn.f16.f32 $0, $1;", "i16", [f(1.5)], 0x3e00],
  ["cvt.f32.f16 $0, $1;", "float", [h(0x3e00)], 1.5],
  ["cvt.rn.bf16.f32 $0, $1;", "i16", [f(1.5)], 0x3fc0],
  ["cvt.rn.f16x2.f32 $0, $1, $2;", "i32", [f(1), f(2)], 0x3c004000],
  ["cvt.rn.bf16x2.f32 $0, $1, $2;", "i32", [f(1), f(2)], 0x3f804000],
  ["cvt.s32.s8 $0, $1;", "i32", [u(0xff)], -1],
  ["cvt.u64.u32 $0, $1;", "i64", [u(-1)], 0xffffffffn],
  ["cvt.sat.u8.s32 $0, $1;", "i32", [u(-5)], 0],
  ["cvt.sat.s8.s32 $0, $1;", "i32", [u(1000)], 127],
  ["cvt.rna.tf32.f32 $0, $1;", "i32", [f(1 + 2 ** -11)], 0x3f802000],
  ["cvt.rmi.f32.f32 $0, $1;", "float", [f(-1.5)], -2],
  ["cvt.rz.f32.f64 $0, $1;", "float", [d(1 + 2 ** -23 - 2 ** -40)], 1],
  ["cvt.pack.sat.s16.s32 $0, $1, $2;", "i32", [u(70000), u(-70000)], 0x7fff8000],
  ["cvt.sat.f32.f32 $0, $1;", "float", [f(-3)], 0],
];

describe("inline PTX", () => {
  test.each(CASES)("%s", (template, result, args, expected) => {
    expect(evaluate(template, result, args)[0]).toBe(bitsOf(result, expected));
  });

  test.each([
    ["ex2", "exp2"],
    ["lg2", "log2"],
    ["sin", "sin"],
    ["cos", "cos"],
    ["tanh", "tanh"],
    ["rsqrt", "rsqrt"],
  ])("%s is a function of the device library, in float or double", (word, name) => {
    const called = (suffix: string, type: string, letter: string): string[] => {
      const module = parseModule(
        `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %p, ${type} %a) {
  %r = call ${type} asm "${word}.approx.${suffix} $0, $1;", "=${letter},${letter}"(${type} %a)
  store ${type} %r, ptr %p
  ret void
}`,
        "ptx.ll",
      );
      lowerInlinePtx(module);
      assertValid(module, "lowerInlinePtx");
      return [...module.functions.keys()].filter((fn) => fn !== "k");
    };
    expect(called("f32", "float", "f")).toEqual([`__nv_${name}f`]);
    expect(called("f16", "half", "h")).toEqual([`__nv_${name}f`]);
    expect(called("f64", "double", "d")).toEqual([`__nv_${name}`]);
  });

  test("a loop with a label, twice in one kernel", () => {
    const loop =
      "{ .reg .pred p; .reg .s32 i; mov.s32 $0, 0; mov.s32 i, 0;\n" +
      "L: add.s32 $0, $0, i; add.s32 i, i, 1; setp.lt.s32 p, i, $1; @p bra L; }";
    expect(evaluate(loop, "i32", [u(10)])[0]).toBe(45n);
  });
  test("registers that are vectors", () => {
    const product = "{ .reg .v2 .u32 v; add.u32 v.x, $1, 1; add.u32 v.g, $1, 2; mul.lo.u32 $0, v.r, v.y; }";
    expect(evaluate(product, "i32", [u(5)])[0]).toBe(42n);
  });
  test("branches forward over a read and write operand", () => {
    const skip =
      "{ .reg .pred p; setp.gt.s32 p, $1, 5; @p bra BIG; add.s32 $0, $1, 100; bra END;\n" +
      "BIG: add.s32 $0, $1, 1000;\nEND: }";
    expect(evaluate(skip, "i32", [u(3)])[0]).toBe(103n);
    expect(evaluate(skip, "i32", [u(6)])[0]).toBe(1006n);
  });
  test("a guarded load does not touch memory where the guard is false", () => {
    const load = "{ .reg .pred p; setp.ne.b32 p, $2, 0; @p ld.global.u32 $0, [$1]; }";
    expect(evaluate(load, "i32", [u(7), l(0), u(0)], 1, [0])[0]).toBe(7n);
  });
  test("a guarded effect happens in the threads whose guard is true, and the others keep what they had", () => {
    const masks = (guard: string): bigint[] =>
      evaluate(
        "{ .reg .pred p; .reg .u32 t; mov.u32 t, %laneid; setp.lt.u32 p, t, 4; mov.u32 $0, 77; " +
          `${guard} activemask.b32 $0; }`,
        "i32",
        [],
        8,
      );
    const [few, rest, old] = [0xfn, 0xf0n, 77n];
    expect(masks("@p")).toEqual([few, few, few, few, old, old, old, old]);
    expect(masks("@!p")).toEqual([old, old, old, old, rest, rest, rest, rest]);
  });
  test("a vector reduction changes each of its words", () => {
    const module = parseModule(
      `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %p) {
  %a = ptrtoint ptr %p to i64
  call void asm sideeffect "red.global.add.v4.f32 [$0], {$1, $2, $3, $4};", "l,f,f,f,f,~{memory}"(i64 %a,
    float 1.0, float 2.0, float 3.0, float 4.0)
  ret void
}`.replace(/,\n +/g, ", "),
      "ptx.ll",
    );
    lowerInlinePtx(module);
    const harness = new Harness(1 << 20);
    const at = harness.place(new Float32Array([10, 20, 30, 40, 50]));
    harness.run(createInterpreter(), harness.load(module), "k", { grid: 1, block: 2 }, [at]);
    expect([...harness.readF32(at, 5)]).toEqual([12, 24, 36, 48, 50]);
  });
  test("special registers", () => {
    expect(evaluate("mov.u32 $0, %laneid;", "i32", [], 64)).toEqual(
      Array.from({ length: 64 }, (_, i) => BigInt(i % 32)),
    );
    expect(evaluate("mov.u32 $0, %lanemask_lt;", "i32", [], 32)[31]).toBe(0x7fffffffn);
    expect(evaluate("mov.u32 $0, %ntid.x;", "i32", [], 40)[0]).toBe(40n);
    expect(evaluate("mov.u32 $0, %nwarpid;", "i32", [], 40)[0]).toBe(2n);
    expect(evaluate("mov.u32 $0, %cluster_nctaid.x;", "i32", [])[0]).toBe(1n);
  });
  test.each([
    ["clock", "clock"],
    ["clock_hi", "clock64"],
    ["globaltimer_lo", "globaltimer"],
    ["globaltimer_hi", "globaltimer"],
  ])("the register %s is read from %s", (name, register) => {
    const module = parseModule(
      `target triple = "nvptx-nvidia-cuda"
define i32 @f() {
  %r = call i32 asm sideeffect "mov.u32 $0, %${name};", "=r"()
  ret i32 %r
}`,
      "ptx.ll",
    );
    lowerInlinePtx(module);
    assertValid(module, "lowerInlinePtx");
    const read = [...module.functions.values()].filter((fn) => fn.name !== "f");
    expect(read.map((fn) => fn.name)).toEqual([`llvm.nvvm.read.ptx.sreg.${register}`]);
    const isWide = register === "clock64" || register === "globaltimer";
    expect(read.map((fn) => fn.functionType.result)).toEqual([{ kind: "int", bits: isWide ? 64 : 32 }]);
  });
  test("warp communication", () => {
    const lanes = (template: string): bigint[] => evaluate(template, "i32", [], 32);
    expect(lanes("{ .reg .u32 t; mov.u32 t, %laneid; shfl.sync.bfly.b32 $0, t, 1, 31, 0xffffffff; }")[4]).toBe(5n);
    expect(
      lanes(
        "{ .reg .u32 t; .reg .pred p; mov.u32 t, %laneid; shfl.sync.up.b32 t|p, t, 1, 0, -1; selp.u32 $0, t, 99, p; }",
      ).slice(0, 3),
    ).toEqual([99n, 0n, 1n]);
    expect(
      lanes(
        "{ .reg .u32 t; .reg .pred p; mov.u32 t, %laneid; setp.lt.u32 p, t, 4; " +
          "vote.sync.ballot.b32 $0, p, 0xffffffff; }",
      )[9],
    ).toBe(15n);
    expect(lanes("{ .reg .u32 t; mov.u32 t, %laneid; redux.sync.add.s32 $0, t, 0xffffffff; }")[0]).toBe(496n);
    expect(lanes("{ .reg .u32 t; mov.u32 t, %laneid; and.b32 t, t, 3; match.any.sync.b32 $0, t, -1; }")[1]).toBe(
      0x22222222n,
    );
    expect(lanes("activemask.b32 $0;")[0]).toBe(0xffffffffn);
  });
  test("what is not there is named", () => {
    for (const template of [
      "tcgen05.wait::ld.sync.aligned;",
      "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {$0,$0,$0,$0}, {$0,$0,$0,$0}, {$0,$0,$0,$0}, " +
        "{$0,$0,$0,$0}, $0, 2;",
      "cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes " +
        "[$0], [$0, {$0, $0, $0}], [$0], {$0};",
    ])
      expect(() => evaluate(template, "i32", [])).toThrow(/inline PTX '(?:tcgen05|mma\.sp|cp\.async\.bulk)/);
    expect(() => evaluate("mov.u32 $0, %nosuch;", "i32", [])).toThrow(/%nosuch/);
  });
});
