import { beforeAll, describe, expect, test } from "vitest";
import { MemoryFiles, MemoryStreams } from "../../../runtime/host/host-files-memory.ts";
import { openNodeDevice } from "../../../device/emulated/open-device-node.ts";
import { runProgram } from "../../../runtime/host-program.ts";
import { sha256 } from "../../../store/sha256.ts";
import { clangForTests } from "../clang-resources.test-helper.ts";
import { createCompiler } from "../compile.ts";
import type { Compiler } from "../compiler.ts";
import { cachedDeviceLibrary } from "../device-library.ts";
import { openNodeStore } from "../prebuilt-node.ts";
import { ConstantReader } from "./constant-reader.ts";
import { lostConstants } from "./lost-constants.ts";
import { expandMacros, readTokens, type Macros } from "./source-tokens.ts";

/** Lines "line: text" of what a source loses. */
function lostIn(text: string, headers: Readonly<Record<string, string>> = {}, defines: string[] = []): string[] {
  const reader = {
    readFile: (path: string) => (headers[path] === undefined ? null : new TextEncoder().encode(headers[path])),
    isDirectory: () => false,
  };
  return lostConstants({ path: "a.cu", text }, { defines, includePaths: [], model: "ilp32" }, reader).map(
    ({ location, text: said, left, exact }) => {
      expect(BigInt(left)).toBe(BigInt.asUintN(32, exact));
      return `${location.file}:${location.line}:${location.column} ${said}`;
    },
  );
}

const AREA = "2500000000 * 4 is 10000000000, but size_t has 32 bits here: 1410065408 is left";

describe("constants that lose bits", () => {
  test.each([
    ["of a file", "static const size_t n = (size_t)50000*50000*4;"],
    ["of a function", "int main() { constexpr std::size_t n = static_cast<size_t>(50000)*50000*4; }"],
    ["in braces", "const size_t n{size_t(50000)*50000*4};"],
    ["without a type of their own", "constexpr auto n = size_t{50000}*50000*sizeof(float);"],
    ["of macros", "#define SIDE 50000\n#define AREA (size_t)SIDE*SIDE*4\nconst size_t n = AREA;"],
    ["of other constants", "const size_t side = 50'000; const size_t area = side * side, n = area * 4;"],
    ["after a label, in a class", "class A { public: static constexpr size_t n = (size_t)50000*50000*4; };"],
    ["of an enumeration", "enum : size_t { one = 1, n = (size_t)50000*50000*4 };"],
    ["of a class's constant", "struct A { enum { side = 50000 }; };\nconst size_t n = (size_t)A::side*A::side*4;"],
    [
      "after code that is not understood",
      "const auto f = [](int x) { return x; }; const size_t n = (size_t)50000*50000*4;",
    ],
  ])("%s", (_, text) => expect(lostIn(text).map((line) => line.replace(/^\S+ /, ""))).toEqual([AREA]));

  test("other operations, with their types", () => {
    expect(lostIn("const unsigned long n = 3ul << 31;")).toEqual([
      "a.cu:1:21 3 << 31 is 6442450944, but unsigned long has 32 bits here: 2147483648 is left",
    ]);
    expect(lostIn("const long n = 2000000000l + 2000000000l;")).toEqual([
      "a.cu:1:12 2000000000 + 2000000000 is 4000000000, but long has 32 bits here: -294967296 is left",
    ]);
    expect(lostIn("using index = size_t; const index n = 1e10;")).toEqual([
      "a.cu:1:35 10000000000 does not fit into index, which has 32 bits here: 1410065408 is left",
    ]);
  });

  test("of headers and of the command line", () => {
    const text = '#include "sizes.h"\n#ifndef SIDE\n#define SIDE 10\n#endif\nconst size_t n = bytes * SIDE * SIDE;';
    const headers = { "sizes.h": "const size_t bytes = 4;\nconst size_t big = bytes << 31;" };
    expect(lostIn(text, headers, ["SIDE=50000"])).toEqual([
      "sizes.h:2:14 4 << 31 is 8589934592, but size_t has 32 bits here: 0 is left",
      "a.cu:5:14 200000 * 50000 is 10000000000, but size_t has 32 bits here: 1410065408 is left",
    ]);
  });

  test.each([
    "const size_t most = (size_t)-1, half = most / 2, none = ~0ul, next = (size_t)-1 + 1;",
    "const unsigned long long n = 50000ull * 50000 * 4; const uint64_t m = (uint64_t)1 << 40;",
    "const unsigned hash = 2654435769u * 31; const int wraps = 50000 * 50000;",
    "const size_t bytes = 1000000 * sizeof(void *) * sizeof(long);",
    "const size_t n = 50000; void f(size_t n) { const size_t m = n * n * 4; }",
    "const size_t n = 50000; template <size_t n> struct A { static constexpr size_t m = n * n * 4; };",
    "#ifdef A\nconst size_t n = 50000;\n#else\nconst size_t n = 5;\n#endif\nconst size_t m = n * n * 4;",
    '// const size_t n = (size_t)50000*50000*4;\nconst char *s = "const size_t n = (size_t)50000*50000*4;";',
    "size_t n = side(); const size_t m = n * 50000ul * 50000;",
    "const size_t m = f(50000)[50000ul * 50000 * 4];",
  ])("nothing is lost, or known: %s", (text) => expect(lostIn(text)).toEqual([]));
});

describe("programs", () => {
  let compiler: Compiler;
  let library: string;
  beforeAll(async () => {
    const store = openNodeStore();
    compiler = await createCompiler({ resources: clangForTests(), store });
    library = await cachedDeviceLibrary(compiler, store, sha256);
  });

  async function run(text: string): Promise<{ stdout: string; stderr: string; warnings: string }> {
    const program = await compiler.compileProgram([{ path: "a.cu", text }], {}, null);
    const device = openNodeDevice({ workers: 1, library });
    const streams = new MemoryStreams();
    runProgram({ program, devices: [device], argv: ["a"], env: {}, files: new MemoryFiles(), streams });
    device.close();
    return { stdout: streams.stdout, stderr: streams.stderr, warnings: program.warnings };
  }

  test("an allocation of such a size fails, and the compiler has a line about it", async () => {
    const { stdout, stderr, warnings } = await run(`#include <cstdio>
#include <cstdlib>
static const size_t n = (size_t)50000 * 50000 * 4;
int main() {
  float *p;
  void *volatile host = malloc(n);
  printf("%d %d", cudaMalloc(&p, n), host == nullptr);
}
`);
    expect(stdout).toBe("2 1");
    expect(stderr).toMatch(
      /cudaMalloc: 1410065408 bytes are not allocated: the size has lost bits at \.?\/?a\.cu:3:21/,
    );
    expect(stderr).toMatch(/an allocation of 1410065408 bytes on the host fails\n.*\n.*the size has lost bits/);
    expect(warnings).toMatch(/^a\.cu:3:21: warning: 2500000000 \* 4 is 10000000000, .*\n {2}here long, size_t/);
  });

  test("random expressions have the values that Clang computes", async () => {
    const expressions = Array.from({ length: 400 }, (_, seed) => randomExpression(seed + 1));
    const lines = expressions.map((text) => `  { const auto v = ${text}; printf("%lld\\n", (long long)v); }`);
    const source = `#include <cstdio>\n#include <cstddef>\n#include <cstdint>\nint main() {\n${lines.join("\n")}\n}\n`;
    const { stdout } = await run(source);
    const macros: Macros = new Map();
    const ours = expressions.map((text) => {
      const tokens = expandMacros(readTokens("a.cu", text, macros, new Set()).tokens, macros);
      const value = new ConstantReader(tokens, 0, { constant: () => null, type: () => null }).expression();
      return value === null ? `unknown: ${text}` : String(BigInt.asIntN(64, BigInt(value.here.value)));
    });
    expect(ours).toEqual(stdout.trimEnd().split("\n"));
  });
});

/** Of unsigned types, and small signed numbers: nothing overflows, which would make it no constant. */
function randomExpression(seed: number): string {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  const below = (n: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const leaf = (): string => {
    const number = pick(["1", "7", "0x1f", "255", "4096", "65'537", "50000", "017", "0b101"]);
    return pick([
      `${number}${pick(["u", "ul", "ull", "UL", "LLU"])}`,
      `(${pick(["size_t", "unsigned", "uint64_t", "unsigned long long"])})${number}`,
      `sizeof(${pick(["int", "double", "long", "unsigned char", "size_t", "void *", "long long"])})`,
      `size_t{${number}}`,
      `static_cast<unsigned long>(${number})`,
    ]);
  };
  const make = (depth: number): string => {
    if (depth === 0) return leaf();
    const [a, b] = [make(depth - 1), make(below(depth))];
    return pick([
      `(${a} ${pick(["+", "-", "*", "&", "|", "^"])} ${b})`,
      `${a} ${pick(["+", "-", "*"])} ${b}`,
      `(${a} ${pick(["<<", ">>"])} ${below(31)})`,
      `(${a} ${pick(["<", "<=", ">", ">=", "==", "!="])} ${b} ? ${a} : ${b})`,
      `(${a} ${pick(["/", "%"])} ${1 + below(99)}u)`,
      `(unsigned)(${a})`,
      `~(${a})`,
      `(size_t)(uint16_t)(${a})`,
    ]);
  };
  return make(1 + below(3));
}
