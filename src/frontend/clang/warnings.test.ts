import { beforeAll, expect, test } from "vitest";
import type { HeddleError } from "../../base/diagnostics.ts";
import type { CompileOptions } from "../../program/compiled-program.ts";
import { nodeStore } from "../../store/disk-store-node.ts";
import { memoryStore } from "../../store/store.ts";
import { clangForTests } from "./clang-resources.test-helper.ts";
import { createCompiler } from "./compile.ts";
import type { Compiler } from "./compiler.ts";
import { prebuiltDirectory } from "./prebuilt-node.ts";
import { storeOver } from "./prebuilt.ts";
import { onlyErrors, readableReport } from "./warnings.ts";
import { DEFAULT_OPTIONS } from "./flags.ts";

let compiler: Compiler;
const store = storeOver(nodeStore(prebuiltDirectory()), memoryStore());
beforeAll(async () => {
  compiler = await createCompiler({ resources: clangForTests(), store });
});

async function warnings(body: string, options: Partial<CompileOptions> = {}): Promise<string[]> {
  const text = `#include <cstdio>\n#include <cstdint>\n#include <cstdlib>\n#include <climits>\n${body}`;
  const { warnings: said } = await compiler.compileObject({ path: "a.cu", text }, options, null);
  return said.split("\n").filter((line) => line !== "");
}

/** Statements that a 64-bit machine computes right, and the words of the warning about them. */
const DIFFERENT: readonly (readonly [statement: string, warning: string])[] = [
  ["long x = 5000000000; use(&x);", "5000000000 does not fit into long"],
  ["const size_t x = 8LL << 30; use(&x);", "8589934592 does not fit into size_t"],
  ["unsigned long x = n; x = x << 32; use(&x);", "the shift count is not smaller than the bits of the type"],
  ["long x = 50000L * 50000L; use(&x);", "this overflows long, which has 32 bits here: the result is -1794967296"],
  ["size_t x = n; if (x > 5000000000) use(&x);", "the comparison with 5000000000 is always false"],
  ['int64_t x = n; printf("%ld", x);', "the format is for long, which has 32 bits here, the argument is int64_t"],
  ['uint64_t x = n; printf("%zu", x);', "the argument is uint64_t"],
  ['size_t x = n; printf("%llu", x);', "the format is for unsigned long long"],
  ['int64_t x; sscanf("7", "%ld", &x); use(&x);', "the argument is int64_t *"],
];

/** Statements that mean the same in both models, or that are wrong in both. */
const SAME: readonly string[] = [
  'long x = n; printf("%ld %lu %zu", x, (unsigned long)x, (size_t)x);',
  'size_t x = n; int y = (int)x; y = x; printf("%d %d", y, (int)x);',
  'size_t x = n; printf("%d %u", x, x);',
  "int64_t x = n; size_t y = x; use(malloc(y * sizeof(float)));",
  "uint32_t h = 5381; h = h * 33u + 4000000000u; use(&h);",
  "size_t x = -1; x = SIZE_MAX; long y = LONG_MAX; unsigned long z = ULONG_MAX; use(&x); use(&y); use(&z);",
  'long long x = 5000000000; x <<= 40; printf("%lld", x);',
  "int x = 5000000000LL; use(&x);",
  "int x = 1 + (n ? 0x7fffffff : 3); use(&x); char c = 300; use(&c);",
  'void *p = &n; uintptr_t x = (uintptr_t)p; printf("%p %lx", p, x); int unused;',
];
const inMain = (statement: string): string =>
  `void use(const void *p);\nint f(int n) {\n  ${statement}\n  return n;\n}\n`;

test.each(DIFFERENT)("%s", async (statement, warning) => {
  const said = await warnings(inMain(statement));
  expect(said[0]).toMatch(/^a\.cu:7:\d+: warning: /);
  expect(said[0]).toContain(warning);
  expect(said.at(-1)).toContain("-w hides these warnings");
  expect(said).toHaveLength(2);
});

test("what is the same on a 64-bit machine has no warning", async () => {
  expect(await warnings(SAME.map((statement, i) => inMain(statement).replaceAll(/\bf\(/g, `f${i}(`)).join(""))).toEqual(
    [],
  );
});

test("more lines than a few are counted, and -w hides all", async () => {
  const many = inMain("long x;\n".concat("x = 5000000000; use(&x);\n".repeat(20)));
  const said = await warnings(many);
  expect(said).toHaveLength(10);
  expect(said[8]).toBe("  and 12 more lines of this kind");
  expect(await warnings(many, { warnings: ["-w"] })).toEqual([]);
});

test("cached results have their warnings, and kernels are looked at, too", async () => {
  const text = "__global__ void k(unsigned long *p) { p[0] = p[1] << 40; }\n";
  const first = await warnings(text);
  expect(first[0]).toContain("a.cu:5:");
  expect(await warnings(text)).toEqual(first);
});

test("who asks for warnings gets the text of Clang", async () => {
  const said = (await warnings(inMain("long x = 5000000000; use(&x); int y;"), { warnings: ["-Wall"] })).join("\n");
  expect(said).toContain("[-Wconstant-conversion]");
  expect(said).toContain("[-Wunused-variable]");
  expect(said).not.toContain("docs/run.md");
});

test("the report of an error has no warnings that nobody asked for", async () => {
  const error = (await compiler
    .compileObject(
      { path: "a.cu", text: "long x = 5000000000;\nint main() { return missing; }\n" },
      { color: true },
      null,
    )
    .catch((reason: unknown) => reason)) as HeddleError;
  expect(error.message).toContain("missing");
  expect(error.notes[0]).not.toContain("5000000000");
  expect(error.notes[0]).toContain("return missing");
});

test("includes that lead to a diagnostic stay with it", () => {
  const report =
    "In file included from a.cu:1:\n./b.h:3:1: warning: unused [-Wunused]\n  3 | x\n" +
    "In file included from a.cu:2:\n./c.h:4:2: error: no\n  4 | y\n1 warning and 1 error generated.\n";
  expect(onlyErrors(report, DEFAULT_OPTIONS)).toBe(
    "In file included from a.cu:2:\n./c.h:4:2: error: no\n  4 | y\n1 error generated.\n",
  );
  expect(readableReport(report, DEFAULT_OPTIONS)).toBe("");
});
