/**
 * The reader of PTX templates: what it makes of each form, and that no text makes it fail in another way than by name.
 */
import fc from "../../base/properties.test-helper.ts";
import { describe, expect, test } from "vitest";
import { HeddleError } from "../../base/diagnostics.ts";
import { newBlock, newInstruction } from "../model/build.ts";
import { newFunction, newModule } from "../model/build-module.ts";
import type { CallInstruction, IrType, RetInstruction } from "../model/ir.ts";
import { lowerInlinePtx } from "./pass-inline-ptx.ts";
import { parsePtx } from "./syntax.ts";
import { F32, I32, I64, PTR, VOID, functionType, structType } from "../model/types.ts";
import { verifyModule } from "../verify.ts";

describe("parsePtx", () => {
  test("operands of every kind", () => {
    const { statements } = parsePtx("@!$2 ld.global.nc.v2.u32 {$0, _}, [$1 + 16 - 4]; // comment\n");
    expect(statements).toMatchObject([
      {
        guard: { operand: { kind: "asm", index: 2 }, negated: true },
        opcode: ["ld", "global", "nc", "v2", "u32"],
        operands: [
          { kind: "vector", elements: [{ kind: "asm", index: 0 }, { kind: "sink" }] },
          { kind: "address", base: { kind: "asm", index: 1 }, offset: 12n },
        ],
      },
    ]);
  });
  test("inner scopes hide outer registers", () => {
    const { registers, statements } = parsePtx(
      "{ .reg .b32 t; mov.b32 t, $0; { .reg .b64 t; mov.b64 t, $1; } mov.b32 $2, t; }",
    );
    expect(registers.map((register) => register.type)).toEqual(["b32", "b64"]);
    expect(statements[2]).toMatchObject({ operands: [{}, { kind: "register", register: { type: "b32" } }] });
  });
  test("members of a vector are registers of their own; its name means all of them", () => {
    const { registers, statements } = parsePtx("{ .reg .v2 .f32 v; ld.v2.f32 v, [$1]; add.f32 $0, v.x, v.g; }");
    expect(registers.map(({ name, type }) => name + type)).toEqual(["v.xf32", "v.yf32"]);
    const [x, y] = registers.map((register) => ({ kind: "register", register }));
    expect(statements).toMatchObject([
      { operands: [{ kind: "vector", elements: [x, y] }, { kind: "address" }] },
      { operands: [{ kind: "asm" }, x, y] },
    ]);
  });
  test("labels of two scopes with one name differ", () => {
    const { statements } = parsePtx("{ L: bra L; } { L: bra L; }");
    expect(new Set(statements.filter((statement) => statement.kind === "label").map((label) => label.name)).size).toBe(
      2,
    );
  });
  test("numbers", () => {
    const { statements } = parsePtx("mov.b32 $0, 0x1FU; mov.b32 $0, 017; mov.f32 $0, -0f3F800000; mov.f64 $0, 1.5;");
    expect(
      statements.map((statement) => (statement.kind === "instruction" ? statement.operands[1] : null)),
    ).toMatchObject([
      { value: 31n },
      { value: 15n },
      { width: 32, bits: 0xbf800000n },
      { width: 64, bits: 0x3ff8000000000000n },
    ]);
  });
  test.each(["mov.b32 $0, $1", "", ";;", "{ }", "{ mov.b32 $0, 1; }"])("accepts %j", (text) => {
    expect(() => parsePtx(text)).not.toThrow();
  });
  test.each(["mov.b32 $0,", "{", "}", "mov.b32 $0 $1;", ".shared .b32 x;", "@p", "ld.u32 $0, [$1+$2];", "\u0000"])(
    "refuses %j by name",
    (text) => {
      expect(() => parsePtx(text)).toThrow(/inline PTX/);
    },
  );
});

const WORDS = [
  "mov",
  "add",
  "mad",
  "setp",
  "selp",
  "ld",
  "st",
  "atom",
  "red",
  "shfl",
  "vote",
  "bar",
  "cvt",
  "bfe",
  "prmt",
  "lop3",
  "mma",
  "cp",
  "bra",
  "ex2",
  ".reg",
  "@",
  "!",
  ".b32",
  ".u32",
  ".s64",
  ".f32",
  ".f16x2",
  ".pred",
  ".lo",
  ".wide",
  ".sync",
  ".v4",
  ".global",
  ".sat",
  ".cc",
  ".rzi",
  "$0",
  "$1",
  "$2",
  "$7",
  "{",
  "}",
  "[",
  "]",
  "(",
  ",",
  ";",
  ":",
  "|",
  "-",
  "+",
  "p",
  "t",
  "L",
  "%laneid",
  "_",
  "0x12",
  "0f3F800000",
  "1.5",
  "31",
  "//",
  "/*",
  "*/",
  "\n",
  " ",
  " ",
  " ",
  "::",
  "$",
  "$$",
  "${0}",
  "${:uid}",
  "<",
  ">",
];
const wordSoup = fc.array(fc.constantFrom(...WORDS), { maxLength: 40 }).map((words) => words.join(""));

/** Statements that are well formed, of instructions that may or may not exist. */
const register = fc.constantFrom("$0", "$1", "$2", "t", "w", "p", "7", "-3", "0f40000000", "%laneid");
const opcode = fc
  .tuple(
    fc.constantFrom(
      "mov",
      "add",
      "sub",
      "mul",
      "mad",
      "fma",
      "min",
      "abs",
      "and",
      "not",
      "shl",
      "shr",
      "bfe",
      "bfi",
      "popc",
      "cvt",
      "setp",
      "selp",
      "ld",
      "st",
      "atom",
      "shfl",
      "vote",
      "lop3",
      "prmt",
      "div",
      "ex2",
      "slct",
      "shf",
      "set",
    ),
    fc.array(
      fc.constantFrom(
        "lo",
        "hi",
        "wide",
        "sync",
        "rn",
        "rz",
        "rzi",
        "sat",
        "lt",
        "eq",
        "global",
        "shared",
        "add",
        "cas",
        "bfly",
        "ballot",
        "wrap",
        "l",
        "r",
        "cc",
        "v2",
      ),
      { maxLength: 2 },
    ),
    fc.array(fc.constantFrom("u8", "s16", "b32", "u32", "s32", "u64", "s64", "f16", "bf16x2", "f32", "f64", "pred"), {
      minLength: 1,
      maxLength: 2,
    }),
  )
  .map(([word, modifiers, types]) => [word, ...modifiers, ...types].join("."));
const statement = fc
  .tuple(
    fc.constantFrom("", "", "@p ", "@!p "),
    opcode,
    fc.array(
      fc.oneof(
        register,
        register.map((r) => `[${r}+4]`),
      ),
      { minLength: 1, maxLength: 5 },
    ),
  )
  .map(([guard, word, operands]) => `${guard}${word} ${operands.join(", ")};`);
const program = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: statement },
      { weight: 1, arbitrary: fc.constantFrom("L:", "@p bra L;", "bra M;", "M:") },
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((lines) => `{ .reg .b32 t; .reg .b64 w; .reg .pred p; ${lines.join(" ")} }`);

/** Only HeddleError("unsupported") may come out; what is accepted must be valid IR. */
function lowers(template: string): void {
  const module = newModule("fuzz");
  const params: readonly IrType[] = [PTR, I64];
  const fn = newFunction("f", functionType(I32, params));
  module.functions.set("f", fn);
  const entry = newBlock(fn, "entry");
  fn.blocks.push(entry);
  const place = { block: entry, location: null };
  const type = functionType(structType([I32, F32]), params);
  const call = newInstruction<CallInstruction>(place, {
    op: "call",
    type: type.result,
    name: "r",
    functionType: type,
    args: [...fn.params],
    fastMath: null,
    attributes: new Set(),
    byval: [null, null],
    callee: {
      kind: "inline-asm",
      type: PTR,
      functionType: type,
      template,
      constraints: "=r,=f,l,l,~{memory}",
      sideEffect: true,
    },
  });
  const field = newInstruction(place, {
    op: "extractvalue" as const,
    type: I32,
    name: "x",
    aggregate: call,
    indices: [0],
  });
  entry.instructions.push(
    call,
    field as never,
    newInstruction<RetInstruction>(place, { op: "ret", type: VOID, name: "", value: field as never }),
  );
  try {
    lowerInlinePtx(module);
  } catch (error) {
    if (!(error instanceof HeddleError) || error.code !== "unsupported") throw error;
    return;
  }
  expect(verifyModule(module)).toEqual([]);
}

describe("fuzzing the templates", () => {
  test("any soup of words is read, or refused by name", () => {
    fc.assert(fc.property(wordSoup, lowers), { numRuns: 3000 });
  });
  test("any text is read, or refused by name", () => {
    fc.assert(fc.property(fc.string({ maxLength: 60 }), lowers), { numRuns: 1000 });
  });
  test("any well-formed statements become valid IR, or are refused by name", () => {
    fc.assert(fc.property(program, lowers), { numRuns: 5000 });
  });
});
