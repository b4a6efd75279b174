import { expect, test } from "vitest";
import { linkModules } from "./link.ts";
import { parseModule, parseModuleLazily } from "./text/parse.ts";
import { printModule } from "./text/print.ts";
import { assertValid } from "./verify.ts";
import type { IrModule } from "./model/ir.ts";

function link(units: readonly string[], library: string | null = null): IrModule {
  const module = linkModules(
    units.map((text, i) => parseModule(text, `unit${i}.ll`)),
    library === null ? null : parseModuleLazily(library, "lib.ll"),
  );
  assertValid(module, "linking");
  return module;
}

test("internal symbols of two units stay apart, declarations find their definitions", () => {
  const module = link([
    `@state = internal global i32 1
define internal i32 @helper() {
  %v = load i32, ptr @state
  ret i32 %v
}
declare i32 @other()
define i32 @main1() {
  %a = call i32 @helper()
  %b = call i32 @other()
  ret i32 %a
}`,
    `@state = internal global i32 2
define internal i32 @helper() {
  %v = load i32, ptr @state
  ret i32 %v
}
define i32 @other() {
  %a = call i32 @helper()
  ret i32 %a
}`,
  ]);
  expect([...module.functions.keys()]).toEqual(["helper", "main1", "helper.1", "other"]);
  expect([...module.globals.keys()]).toEqual(["state", "state.1"]);
  expect(printModule(module)).toMatch(/@helper\.1\(\) \{\n0:\n {2}%v = load i32, ptr @state\.1/);
});

test("an internal symbol makes way for a public one of the same name", () => {
  const module = link([
    "define internal i32 @f() {\n  ret i32 1\n}\ndefine i32 @use() {\n  %a = call i32 @f()\n  ret i32 %a\n}",
    "define i32 @f() {\n  ret i32 2\n}",
  ]);
  expect(printModule(module)).toContain("call i32 @f.1()");
});

test("of several weak definitions one stays, a strong one wins", () => {
  const weak = (n: number): string =>
    `define linkonce_odr i32 @f() {\n  ret i32 ${n}\n}\ndefine i32 @use${n}() {\n  %a = call i32 @f()\n  ret i32 %a\n}`;
  expect(printModule(link([weak(1), weak(1).replace("use1", "use2")]))).toContain("ret i32 1");
  const module = link([weak(1), "define i32 @f() {\n  ret i32 9\n}"]);
  expect(printModule(module)).toContain("ret i32 9");
  expect(printModule(module)).not.toContain("ret i32 1\n");
});

test("kernels that are instances of a template are one, others are not", () => {
  const unit = (name: string): string => `define ptx_kernel void @${name}(ptr %p) {\n  ret void\n}`;
  for (const name of ["_Z4fillIiEvPT_", "_ZN2ns5inner4fillIiEEvPT_"])
    expect([...link([unit(name), unit(name)]).functions.keys()]).toEqual([name]);
  for (const name of ["_Z4fillPi", "_Z4Iillv", "_ZN2ns5IinneEvPi", "fill"])
    expect(() => link([unit(name), unit(name)]), name).toThrow("is defined more than once");
});

test("one symbol defined twice is an error", () => {
  expect(() => link(["@x = global i32 1", "@x = global i32 2"])).toThrow(
    "the device symbol x is defined more than once (unit1.ll)",
  );
  expect(() => link(["@x = global i32 1", "define void @x() {\n  ret void\n}"])).toThrow(
    "is a function in one file and a variable in another",
  );
});

test("extern shared arrays of all units are one", () => {
  const unit = (n: number): string =>
    `@dyn = external addrspace(3) global [0 x i8], align 16
define ptr addrspace(3) @f${n}() {
  ret ptr addrspace(3) @dyn
}`;
  expect([...link([unit(1), unit(2)]).globals.keys()]).toEqual(["dyn"]);
});

test("types of one name and different bodies stay apart", () => {
  const unit = (n: number, type: string): string => `%T = type { ${type} }\n@g${n} = global %T zeroinitializer`;
  const module = link([unit(1, "i32"), unit(2, "i64")]);
  expect([...module.structTypes.keys()]).toEqual(["T", "T.1"]);
  expect(printModule(parseModule(printModule(module), "again.ll"))).toBe(printModule(module));
});

const LIBRARY = `@lut = internal addrspace(4) constant [2 x float] zeroinitializer
define float @used(float %x) {
  %y = call float @inner(float %x)
  ret float %y
}
define internal float @inner(float %x) {
  %v = load float, ptr addrspacecast (ptr addrspace(4) @lut to ptr)
  %w = call float @llvm.fabs.f32(float %v)
  ret float %w
}
define float @unused(float %x) {
  this is never parsed
}
declare float @llvm.fabs.f32(float)`;

test("of the library only what is called comes in, and the library serves again", () => {
  const lazy = parseModuleLazily(LIBRARY, "lib.ll");
  const text =
    "declare float @used(float)\ndefine float @f(float %x) {\n  %y = call float @used(float %x)\n  ret float %y\n}";
  const modules = [1, 2].map(() => linkModules([parseModule(text, "u.ll")], lazy));
  for (const module of modules) {
    assertValid(module, "linking");
    expect([...module.functions.keys()].sort()).toEqual(["f", "inner", "llvm.fabs.f32", "used"]);
    expect([...module.globals.keys()]).toEqual(["lut"]);
  }
  expect(modules[0]?.functions.get("inner")).not.toBe(modules[1]?.functions.get("inner"));
});

test("a program's own function is preferred, and its internal names do not disturb the library", () => {
  const module = link(
    [
      `declare float @used(float)
define internal float @inner(float %x) {
  ret float 1.0
}
define float @f(float %x) {
  %y = call float @used(float %x)
  %z = call float @inner(float %y)
  ret float %z
}`,
    ],
    LIBRARY,
  );
  const inner = [...module.functions.keys()].filter((name) => name.startsWith("inner"));
  expect(inner.sort()).toEqual(["inner", "inner.1"]);
  expect(printModule(link(["define float @used(float %x) {\n  ret float 3.0\n}"], LIBRARY))).not.toContain("@inner");
});
