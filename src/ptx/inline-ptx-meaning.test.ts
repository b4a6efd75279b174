/**
 * What inline PTX means without a GPU: lowered to IR and run by the interpreter, against the tables of the PTX ISA
 * (ptx-instructions.test-helper.ts), at operands at which instructions differ.
 */
import { describe, expect, test } from "vitest";
import { Harness } from "../engine/harness.ts";
import { createInterpreter } from "../engine/interpreter/interpreter.ts";
import { lowerInlinePtx } from "../ir/inline-ptx/pass-inline-ptx.ts";
import { parseModule } from "../ir/text/parse.ts";
import { assertValid } from "../ir/verify.ts";
import { low, OPERATIONS, widthOf } from "./ptx-instructions.test-helper.ts";
import { shown, tuplesOf } from "./telling-operands.test-helper.ts";

const LETTER: Readonly<Record<string, string>> = { i16: "h", i32: "r", i64: "l", half: "h", float: "f", double: "d" };
const SLOT = 8;

interface Statement {
  /** With `.rn` and the like: what comes behind the first word is its words. */
  readonly name: string;
  readonly operands: readonly string[];
  readonly result: string;
  /** Constants behind the operands. */
  readonly constants: readonly number[];
}

/** The type of IR in whose register a value of a type of PTX lies. */
function held(type: string): string {
  const floats: Readonly<Record<string, string>> = { f16: "half", f32: "float", f64: "double" };
  return floats[type] ?? `i${Math.max(16, widthOf(type))}`;
}
const statement = (
  name: string,
  count: number,
  result?: string,
  operands?: readonly string[],
  constants: readonly number[] = [],
): Statement => {
  const own = held(name.split(".").at(-1) as string);
  return {
    name,
    operands: operands ?? Array.from({ length: count }, () => own),
    result: result ?? own,
    constants,
  };
};
const all = (words: string, types: string, count: number): Statement[] =>
  words.split(" ").flatMap((word) => types.split(" ").map((type) => statement(`${word}.${type}`, count)));

const WHOLE = "s16 u16 s32 u32 s64 u64";
const MODES = ["rn", "rz", "rm", "rp"];
const WHOLE_MODES = ["rni", "rzi", "rmi", "rpi"];
const wider = (type: string): string => `i${2 * widthOf(type)}`;

const INTEGERS: readonly Statement[] = [
  ...all("add sub mul.lo mul.hi min max", WHOLE, 2),
  ...all("div rem", WHOLE, 2),
  ...all("add.sat sub.sat", "s32", 2),
  ...["s16", "u16", "s32", "u32"].flatMap((type) => [
    statement(`mul.wide.${type}`, 2, wider(type)),
    statement(`mad.wide.${type}`, 3, wider(type), [held(type), held(type), wider(type)]),
  ]),
  ...all("mad.lo mad.hi sad", WHOLE, 3),
  ...all("mul24.lo mul24.hi", "s32 u32", 2),
  ...all("abs neg", "s16 s32 s64", 1),
  ...["popc", "clz"].flatMap((word) => [statement(`${word}.b32`, 1, "i32"), statement(`${word}.b64`, 1, "i32")]),
  ...all("brev", "b32 b64", 1),
  ...["s.s", "s.u", "u.s", "u.u"].flatMap((signs) => {
    const types = signs.replace(/\w/g, (sign) => `${sign}32`);
    return ["dp4a", "dp2a.lo", "dp2a.hi"].map((word) => statement(`${word}.${types}`, 3));
  }),
  ...all("bmsk.wrap bmsk.clamp", "b32", 2),
  ...all("and or xor", "b16 b32 b64", 2),
  ...all("not cnot", "b16 b32 b64", 1),
  ...["b16", "b32", "b64", "s16", "u16", "s32", "u32", "s64", "u64"].flatMap((type) =>
    ["shl", "shr"]
      .filter((word) => word === "shr" || type.startsWith("b"))
      .map((word) => statement(`${word}.${type}`, 2, undefined, [held(type), "i32"])),
  ),
  ...all("shf.l.wrap shf.l.clamp shf.r.wrap shf.r.clamp", "b32", 3),
  statement("prmt.b32", 3),
  ...["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"].map((mode) =>
    statement(`prmt.b32.${mode}`, 3, "i32", ["i32", "i32", "i32"]),
  ),
  statement("slct.s32.s32", 3),
  statement("slct.u64.s32", 3, "i64", ["i64", "i64", "i32"]),
  statement("slct.f32.f32", 3),
  ...[0x96, 0xe8, 0x1b, 0xca].map((table) => statement("lop3.b32", 3, undefined, undefined, [table])),
];

const FLOATS: readonly Statement[] = [
  ...["f32", "f64"].flatMap((type) => [
    ...MODES.flatMap((mode) => [
      ...all(`add.${mode} sub.${mode} mul.${mode} div.${mode}`, type, 2),
      ...all(`sqrt.${mode} rcp.${mode}`, type, 1),
      statement(`fma.${mode}.${type}`, 3),
    ]),
    ...all("min max", type, 2),
    ...all("abs neg", type, 1),
    statement(`copysign.${type}`, 2),
  ]),
  ...all("min.NaN max.NaN mul.rn.sat add.rn.sat", "f32", 2),
  statement("fma.rn.sat.f32", 3),
];

const CONVERSIONS: readonly Statement[] = [
  ...["f32", "f64"].flatMap((from) => [
    ...WHOLE.split(" ").flatMap((to) =>
      WHOLE_MODES.map((mode) => statement(`cvt.${mode}.${to}.${from}`, 1, held(to), [held(from)])),
    ),
    ...WHOLE_MODES.map((mode) => statement(`cvt.${mode}.${from}.${from}`, 1)),
  ]),
  ...WHOLE.split(" ").flatMap((from) => [
    // Below 32 bits the lowering knows rn alone: such numbers are exact.
    ...["f32", "f64"].flatMap((to) =>
      MODES.filter((mode) => mode === "rn" || widthOf(from) > 16).map((mode) =>
        statement(`cvt.${mode}.${to}.${from}`, 1, held(to)),
      ),
    ),
    ...WHOLE.split(" ")
      .filter((to) => to !== from)
      .map((to) => statement(`cvt.${to}.${from}`, 1, held(to))),
  ]),
  ...MODES.map((mode) => statement(`cvt.${mode}.f32.f64`, 1, "float")),
  statement("cvt.f64.f32", 1, "double"),
  statement("cvt.f32.f16", 1, "float"),
  statement("cvt.f64.f16", 1, "double"),
  statement("cvt.sat.f32.f32", 1),
];

const COMPARISONS: readonly Statement[] = [
  ..."eq ne lt le gt ge".split(" ").flatMap((word) => all(word, WHOLE, 2)),
  ..."eq ne lt le gt ge equ neu ltu leu gtu geu num nan".split(" ").flatMap((word) => all(word, "f32 f64", 2)),
].map((one) => ({ ...one, name: `setp.${one.name}`, result: "i32" }));

function textOf({ name, operands, constants }: Statement): string {
  const inputs = [...operands.map((_, i) => `$${i + 1}`), ...constants].join(", ");
  return name.startsWith("setp.")
    ? `{ .reg .pred p; ${name} p, ${inputs}; selp.b32 $0, 1, 0, p; }`
    : `${name} $0, ${inputs};`;
}

/** Division by zero, which a GPU answers with anything; the sign of a NaN, which the interpreter does not keep. */
function isUndefined({ name, result }: Statement, [a, b]: readonly bigint[]): boolean {
  if (name.startsWith("copysign")) return shown(a as bigint, result) === "NaN";
  return /^(?:div|rem)\.[su]/.test(name) && b === 0n;
}

function differences(one: Statement): string[] {
  const { name, operands, result, constants } = one;
  const tuples = tuplesOf({ operands, without: (values) => isUndefined(one, values) });
  const words = operands.map((_, i) => i);
  const loads = words.map(
    (i) => `  %p${i} = getelementptr i8, ptr %in, i32 ${i * SLOT}\n  %v${i} = load ${operands[i]}, ptr %p${i}`,
  );
  const ir = `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %out0, ptr %in0) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inAt = mul i32 %t, ${operands.length * SLOT}
  %outAt = mul i32 %t, ${SLOT}
  %in = getelementptr i8, ptr %in0, i32 %inAt
  %out = getelementptr i8, ptr %out0, i32 %outAt
${loads.join("\n")}
  %r = call ${result} asm "${textOf(one)}", "=${[result, ...operands].map((type) => LETTER[type]).join(",")}"(${words
    .map((i) => `${operands[i]} %v${i}`)
    .join(", ")})
  store ${result} %r, ptr %out, align 8
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()`;
  const module = parseModule(ir, "ptx.ll");
  lowerInlinePtx(module);
  assertValid(module, "lowerInlinePtx");
  const h = new Harness(1 << 20);
  const [inAt, outAt] = [h.place(new BigUint64Array(tuples.flat())), h.place(new BigUint64Array(tuples.length))];
  const { fault } = h.run(createInterpreter(), h.load(module), "k", { grid: 1, block: tuples.length }, [outAt, inAt]);
  expect(fault).toBeNull();
  const found = [...new BigUint64Array(h.read(outAt, tuples.length * SLOT).buffer)];
  const [first, ...rest] = name.split(".") as [string, ...string[]];
  const width = { half: 16, float: 32, double: 64 }[result] ?? Number(result.slice(1));
  return found.flatMap((bits, i) => {
    const tuple = tuples[i] as bigint[];
    const wanted = OPERATIONS[first]?.(rest, [...tuple, ...constants.map(BigInt)]) as bigint;
    const [got, expected] = [shown(bits, result), shown(low(wanted, width), result)];
    return got === expected ? [] : [`${tuple.map((v) => v.toString(16)).join(", ")}: ${got}, not ${expected}`];
  });
}

describe.each([
  ["integers", INTEGERS],
  ["floats", FLOATS],
  ["conversions", CONVERSIONS],
  ["comparisons", COMPARISONS],
])("%s", (_, statements) => {
  test.each(statements.map((one) => [[one.name, ...one.constants].join(" "), one] as const))("%s", (__, one) => {
    expect(differences(one).slice(0, 3)).toEqual([]);
  });
});
