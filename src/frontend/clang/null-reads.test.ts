import { beforeAll, describe, expect, test } from "vitest";
import { openNodeDevice } from "../../device/emulated/open-device-node.ts";
import { MemoryFiles, MemoryStreams } from "../../runtime/host/host-files-memory.ts";
import { runProgram } from "../../runtime/host-program.ts";
import { sha256 } from "../../store/sha256.ts";
import { clangForTests } from "./clang-resources.test-helper.ts";
import { createCompiler } from "./compile.ts";
import type { Compiler } from "./compiler.ts";
import { cachedDeviceLibrary } from "./device-library.ts";
import { checkNullReads } from "./null-reads.ts";
import { openNodeStore } from "./prebuilt-node.ts";

describe("checks in IR", () => {
  const checks = (body: string, name = "f"): string[] =>
    checkNullReads(`define i32 @${name}(ptr %0) {\n${body}\n}\n`)
      .split("\n")
      .filter((line) => line.includes("call void @__heddle_check_read"));

  test("the pointer that an address starts from is checked, once in a block, with the read's place", () => {
    const read = (at: number): string =>
      `  %${at} = getelementptr float, ptr %2, i32 %n\n  %${at + 1} = load float, ptr %${at}, align 4, !dbg !7`;
    const body = `  %2 = load ptr, ptr %1, align 4\n${read(3)}\n${read(5)}\n7:\n${read(8)}`;
    expect(checks(body)).toEqual(Array(2).fill("  call void @__heddle_check_read(ptr %2), !dbg !7"));
  });

  test("a function's result and the source of a copy, too", () => {
    const copy = "call void @llvm.memcpy.p0.p0.i32(ptr align 4 %1, ptr align 4 %2, i32 8, i1 false)";
    expect(checks(`  %2 = call ptr @find()\n  ${copy}`)).toHaveLength(1);
  });

  test("references, variables and the library's functions have none", () => {
    expect(checks("  %2 = load ptr, ptr %1, align 4, !nonnull !3\n  %3 = load i32, ptr %2, align 4")).toEqual([]);
    expect(checks("  %2 = call noundef nonnull align 4 ptr @get()\n  %3 = load i32, ptr %2, align 4")).toEqual([]);
    expect(checks("  %2 = alloca i32, align 4\n  %3 = load i32, ptr %2, align 4")).toEqual([]);
    const library = "  %2 = load ptr, ptr %1, align 4\n  %3 = load i32, ptr %2, align 4";
    expect(checks(library, "_ZNSt3__16vectorIfEixEj")).toEqual([]);
    expect(checks(library, "_ZN6matrixIfEixEj")).toHaveLength(1);
  });
});

describe("programs", () => {
  let compiler: Compiler;
  let library: string;
  beforeAll(async () => {
    const store = openNodeStore();
    compiler = await createCompiler({ resources: clangForTests(), store });
    library = await cachedDeviceLibrary(compiler, store, sha256);
  });

  async function run(body: string): Promise<{ stdout: string; stderr: string; exitCode: number }> {
    const text =
      `#include <cstdio>\n#include <cstdlib>\nstruct Pair { int key; float value[3]; Pair *next; };\n` + body;
    const program = await compiler.compileProgram([{ path: "a.cu", text }], {}, null);
    const device = openNodeDevice({ workers: 1, library });
    const streams = new MemoryStreams();
    const { exitCode } = runProgram({
      program,
      devices: [device],
      argv: ["a"],
      env: {},
      files: new MemoryFiles(),
      streams,
    });
    device.close();
    return { stdout: streams.stdout, stderr: streams.stderr, exitCode };
  }

  test.each([
    ["the first element", "float *p = (float *)get(); return (int)*p;"],
    ["an element", "float *p = (float *)get(); return (int)p[100];"],
    ["elements in a loop", "float *p = (float *)get(), s = 0; for (int i = 9; i < 99; i++) s += p[i]; return (int)s;"],
    ["a member", "Pair *p = (Pair *)get(); return (int)p->value[2];"],
    ["a member's member", "Pair pair = {1, {}, (Pair *)get()}; return pair.next->key;"],
    ["a whole structure", "Pair copy = *(Pair *)get(); return copy.key;"],
    ["a row of rows", "float **rows = (float **)calloc(4, sizeof(float *)); return (int)rows[1][2];"],
    ["a function's result", "return *get();"],
  ])("reads %s through a null pointer: the report says where and why", async (_, body) => {
    const { stdout, stderr, exitCode } = await run(
      `int *__attribute__((noinline)) get() {\n  return (int *)malloc(3000000000u);\n}\n` +
        `int main() { puts("begun"); int *volatile first = get();\n  if (first) return 1;\n  ${body} }\n`,
    );
    expect(stdout).toBe("begun\n");
    expect(stderr).toMatch(
      /segmentation fault: the host program read through a null pointer\n {2}at \.?\/?a\.cu:9:\d+, in main\n/,
    );
    expect(stderr).toMatch(/an allocation of 3000000000 bytes had failed before, at \.?\/?a\.cu:5:/);
    expect(exitCode).toBe(134);
  });

  test("pointers that are tested before they are read, and addresses of members, are no reads", async () => {
    const { stdout, stderr, exitCode } = await run(`int main(int argc, char **) {
  Pair *list = nullptr;
  for (int i = 0; i < 3; i++) list = new Pair{i, {}, list};
  int sum = 0;
  for (Pair *p = list; p; p = p->next) sum += p->key;
  Pair *none = argc > 5 ? list : nullptr;
  size_t offset = (size_t)&none->value[1];
  printf("%d %d %d\\n", sum, none != nullptr && none->key == 7, (int)offset);
}
`);
    expect(stderr).toBe("");
    expect(stdout).toBe("3 0 8\n");
    expect(exitCode).toBe(0);
  });
});
