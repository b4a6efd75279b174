import { expect, test } from "vitest";
import { parseModule } from "./parse.ts";
import { printInstruction, printModule } from "./print.ts";
import { SAMPLE } from "../model/sample.test-data.ts";
import { verifyModule } from "../verify.ts";

test("printed IR reads back to itself", () => {
  const first = printModule(parseModule(SAMPLE, "sample.ll"));
  const again = parseModule(first, "printed.ll");
  expect(verifyModule(again)).toEqual([]);
  expect(printModule(again)).toBe(first);
});

test("nothing of the program is lost", () => {
  const a = parseModule(SAMPLE, "sample.ll");
  const b = parseModule(printModule(a), "printed.ll");
  expect([...b.functions.keys()]).toEqual([...a.functions.keys()]);
  for (const [name, fn] of a.functions) {
    const other = b.functions.get(name);
    expect(other?.blocks.flatMap((block) => block.instructions.map((i) => [printInstruction(i), i.location]))).toEqual(
      fn.blocks.flatMap((block) => block.instructions.map((i) => [printInstruction(i), i.location])),
    );
    expect(other?.attributes).toEqual(fn.attributes);
    expect(other?.params.map((param) => [param.name, param.attributes, param.align])).toEqual(
      fn.params.map((param) => [param.name, param.attributes, param.align]),
    );
  }
  for (const [name, global] of a.globals)
    expect(b.globals.get(name)).toMatchObject({
      align: global.align,
      isConstant: global.isConstant,
      linkage: global.linkage,
    });
});

test("names and strings that need quotes", () => {
  const text =
    '@"a b\\22" = global i32 1, align 4\n' +
    'define void @"f g"(i32 %"x y") {\n"the block":\n  %"1x" = add i32 %"x y", 1\n  ret void\n}\n';
  const printed = printModule(parseModule(text, "t.ll"));
  expect(printed).toContain('@"a b\\22"');
  expect(printModule(parseModule(printed, "p.ll"))).toBe(printed);
});
