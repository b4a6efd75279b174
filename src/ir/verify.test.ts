import { expect, test } from "vitest";
import { constInt } from "./model/build.ts";
import type { IrFunction } from "./model/ir.ts";
import { I64 } from "./model/types.ts";
import { verifyModule } from "./verify.ts";
import { parse, named } from "./passes/pass-test.test-helper.ts";

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
