import { expect, test } from "vitest";
import { constInt } from "./model/build.ts";
import type { IrFunction, IrInstruction, IrType } from "./model/ir.ts";
import { floatType, I64, I8 } from "./model/types.ts";
import { verifyModule } from "./verify.ts";
import { parse, named } from "./passes/pass-test.test-helper.ts";

const [HALF, DOUBLE] = [floatType("half"), floatType("double")];

test("the verifier names what is wrong", () => {
  const problems = (change: (fn: IrFunction) => void): string[] => {
    const module = parse(
      `define i32 @f(i32 %a) {
entry:
  %x = add i32 %a, 1
  %y = mul i32 %x, %x
  br label %end
end:
  %p = phi i32 [ %y, %entry ]
  ret i32 %p
}`,
    );
    change(named(module, "f"));
    return verifyModule(module);
  };
  expect(problems(() => undefined)).toEqual([]);
  expect(problems((fn) => fn.blocks[0]?.instructions.reverse())[0]).toMatch(/no terminator/);
  expect(problems((fn) => fn.blocks[0]?.instructions.splice(0, 1))[0]).toMatch(/i32 %x is not in the function/);
  expect(
    problems((fn) => {
      const i = fn.blocks[0]?.instructions;
      if (i) [i[0], i[1]] = [i[1] as never, i[0] as never];
    })[0],
  ).toMatch(/i32 %x is not there yet/);
  expect(
    problems((fn) => {
      const phi = fn.blocks[1]?.instructions[0];
      if (phi?.op === "phi") phi.incoming = [];
    })[0],
  ).toMatch(/no value for %entry/);
  expect(
    problems((fn) => {
      Object.assign(fn.blocks[0]?.instructions[1] ?? {}, { name: "x" });
    })[0],
  ).toMatch(/taken twice/);
  expect(
    problems((fn) => {
      Object.assign(fn.blocks[0]?.instructions[0] ?? {}, { rhs: constInt(I64, 1) });
    })[0],
  ).toMatch(/types do not fit/);
});

test("casts and parts of aggregates are of the types that they must be", () => {
  const problemsOf = (line: string, change: (i: IrInstruction) => void): string[] => {
    const module = parse(`define void @f(float %x, i32 %n) {\n  %v = ${line}\n  ret void\n}`);
    change(named(module, "f").blocks[0]?.instructions[0] as IrInstruction);
    return verifyModule(module);
  };
  const casts: readonly (readonly [string, IrType])[] = [
    ["fpext float %x to double", HALF],
    ["fptrunc float %x to half", DOUBLE],
    ["zext i32 %n to i64", I8],
    ["sext i32 %n to i64", I8],
    ["trunc i32 %n to i8", I64],
    ["fpext float %x to double", I64],
    ["fptrunc float %x to half", I8],
    ["zext i32 %n to i64", DOUBLE],
  ];
  for (const [line, type] of casts) {
    expect(
      problemsOf(line, () => undefined),
      line,
    ).toEqual([]);
    expect(
      problemsOf(line, (i) => void Object.assign(i, { type })),
      line,
    ).toEqual([expect.stringMatching(/: \w+ from \w+ to \w+$/)]);
  }
  const insert = "insertvalue { i32, float } poison, i32 %n, 0";
  expect(problemsOf(insert, () => undefined)).toEqual([]);
  expect(problemsOf(insert, (i) => void Object.assign(i, { indices: [1] }))).toHaveLength(1);
  expect(problemsOf(insert, (i) => void Object.assign(i, { indices: [2] }))).toHaveLength(1);
});
