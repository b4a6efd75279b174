import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ModuleText } from "./excerpt.ts";
import { linkModules } from "../link.ts";
import { parseModule, parseModuleLazily } from "./parse.ts";
import { printModule } from "./print.ts";

test("linking with an excerpt is linking with the whole library", () => {
  const text = readFileSync(new URL("../../engine/suite/suite.ll", import.meta.url), "utf8");
  for (const library of [text, printModule(parseModule(text, "library.ll"))]) {
    const whole = parseModule(library, "library.ll");
    const cut = new ModuleText(library);
    const lazy = parseModuleLazily(library, "library");
    const defined = [...whole.functions.values()].filter((fn) => fn.blocks.length > 0 && fn.linkage !== "internal");
    expect(defined.length).toBeGreaterThan(20);
    for (const fn of defined) {
      const unit = (): ReturnType<typeof parseModule> => parseModule(`declare void @${fn.name}()`, "unit.ll");
      const excerpt = cut.excerpt([fn.name]);
      expect(excerpt.length).toBeLessThan(library.length);
      expect(printModule(linkModules([unit()], parseModuleLazily(excerpt, "library")))).toBe(
        printModule(linkModules([unit()], lazy)),
      );
    }
  }
});

const LIBRARY = `; a comment
%pair = type { i32, i32 }
@"odd name" = internal constant [2 x i32] [i32 1, i32 2], align 4
@table = global [2 x ptr] [ptr @"odd name", ptr @leaf], align 4
@alias = alias i32 (), ptr @leaf
define i32 @leaf() #0 {
define:
  ret i32 1
}

define i32 @user() {
  %v = load i32, ptr @table
  ret i32 %v
}
define i32 @brief() { ret i32 3 }
declare float @llvm.fabs.f32(float)
attributes #0 = { nounwind }
!0 = !{}`;

test("an excerpt holds what is referred to, and all types, attributes and metadata", () => {
  const cut = new ModuleText(LIBRARY);
  const functions = (names: string[]): string[] => [...parseModule(cut.excerpt(names), "excerpt").functions.keys()];
  expect(functions(["leaf"])).toEqual(["leaf"]);
  expect(functions(["user", "leaf"])).toEqual(["leaf", "user"]);
  expect(functions(["brief"])).toEqual(["brief"]);
  expect(functions(["alias"])).toEqual(["leaf"]);
  expect(functions(["nobody has this"])).toEqual([]);
  const module = parseModule(cut.excerpt(["user"]), "excerpt");
  expect([...module.globals.keys()]).toEqual(["odd name", "table"]);
  expect([...module.structTypes.keys()]).toEqual(["pair"]);
  expect([...(module.functions.get("leaf")?.attributes ?? [])]).toEqual(["nounwind"]);
});

const DESCRIBED = `define void @first() !dbg !4 {
  ret void, !dbg !6
}
define void @second() !dbg !7 {
  ret void, !dbg !8
}
!llvm.dbg.cu = !{!0}
!llvm.ident = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1)
!1 = !DIFile(filename: "a.cu", directory: "")
!2 = !{!"a compiler"}
!3 = !DISubroutineType(types: !5)
!4 = distinct !DISubprogram(name: "first", scope: !1, file: !1, line: 1, type: !3, unit: !0)
!5 = !{}
!6 = !DILocation(line: 2, scope: !4)
!7 = distinct !DISubprogram(name: "second", scope: !1, file: !1, line: 3, type: !3, unit: !0)
!8 = !DILocation(line: 4, scope: !7)
`;

test("an excerpt holds the metadata that it refers to", () => {
  const nodes = (names: string[]): string[] =>
    Array.from(new ModuleText(DESCRIBED).excerpt(names).matchAll(/^!\d+/gm), ([node]) => node);
  expect(nodes(["first"])).toEqual(["!0", "!1", "!2", "!3", "!4", "!5", "!6"]);
  expect(nodes(["second"])).toEqual(["!0", "!1", "!2", "!3", "!5", "!7", "!8"]);
  expect(new ModuleText(DESCRIBED).symbols()).toEqual(["first", "second"]);
});
