import { beforeAll, describe, expect, test } from "vitest";
import { openNodeDevice } from "../../device/emulated/open-device-node.ts";
import { MemoryFiles, MemoryStreams } from "../../runtime/host/host-files-memory.ts";
import { runProgram } from "../../runtime/host-program.ts";
import { sha256 } from "../../store/sha256.ts";
import { clangForTests } from "./clang-resources.test-helper.ts";
import { createCompiler } from "./compile.ts";
import type { Compiler } from "./compiler.ts";
import { cachedDeviceLibrary } from "./device-library.ts";
import { keepChecksOutsideLoops } from "./overflow-checks.ts";
import { openNodeStore } from "./prebuilt-node.ts";

/** A check that branches to HANDLER, and goes on at CONT. */
const check = (cont: number, handler: number): string => `  br i1 %ok, label %${cont}, label %${handler}, !prof !1`;
const handler = (label: number, cont: number): string =>
  `${label}:\n  call void @__ubsan_handle_mul_overflow(ptr @1, i32 1, i32 2)\n  br label %${cont}`;

describe("checks in IR", () => {
  test("stay outside of loops, and go inside of them", () => {
    const straight = `define i32 @main() {\n${check(2, 1)}\n${handler(1, 2)}\n2:\n  ret i32 0\n}\n`;
    expect(keepChecksOutsideLoops(straight)).toBe(straight);
    const loop = `define i32 @main() {\n  br label %1\n1:\n${check(3, 2)}\n${handler(2, 3)}\n3:\n  br label %1\n}\n`;
    expect(keepChecksOutsideLoops(loop)).toContain("1:\n  br label %3\n2:\n");
  });

  test("a function that a loop calls, directly or not, is a loop", () => {
    const leaf = `define i32 @leaf() {\n${check(2, 1)}\n${handler(1, 2)}\n2:\n  ret i32 0\n}\n`;
    const middle = "define i32 @middle() {\n  call i32 @leaf()\n  ret i32 0\n}\n";
    const once = "define i32 @main() {\n  call i32 @middle()\n  ret i32 0\n}\n";
    const often = "define i32 @main() {\n  br label %1\n1:\n  call i32 @middle()\n  br label %1\n}\n";
    expect(keepChecksOutsideLoops(leaf + middle + once)).toBe(leaf + middle + once);
    expect(keepChecksOutsideLoops(leaf + middle + often)).toContain("@leaf() {\n  br label %2\n");
  });

  test("other branches stay, whatever their blocks are called", () => {
    const ir =
      'define void @f() {\n  br label %"a b"\n"a b":\n  br i1 %x, label %"a b", label %end\nend:\n  ret void\n}\n';
    expect(keepChecksOutsideLoops(ir)).toBe(ir);
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
      "#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n#include <new>\n#include <vector>\n" +
      `volatile int side = 50000;\n${body}`;
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

  const lost = /bits are lost at \.\/a\.cu:8:\d+.*\n *2500000000 \* 4 is 10000000000, but .* has 32 bits/;
  test.each([
    ["malloc", 'printf("%p", malloc(bytes));', "(nil)|0x0|0"],
    ["cudaMalloc", 'void *p; printf("%d", cudaMalloc(&p, bytes));', "2"],
    ["cudaMallocManaged", 'void *p; printf("%d", cudaMallocManaged(&p, bytes));', "2"],
    ["cudaMallocHost", 'void *p; printf("%d", cudaMallocHost(&p, bytes));', "2"],
    ["new", 'char *volatile p = new (std::nothrow) char[bytes]; printf("%d", p == nullptr);', "1"],
    [
      "vector",
      "try { std::vector<char> v(bytes); v[side] = 1; putchar(v[side]); } catch (std::bad_alloc &) { putchar(50); }",
      "2",
    ],
  ])("%s of a size that has lost bits fails, with the line", async (_, statement, printed) => {
    const { stdout, stderr, exitCode } = await run(
      `int main() {\n  size_t n = side, bytes = n * n * sizeof(float);\n  ${statement}\n}\n`,
    );
    expect(stdout).toMatch(new RegExp(`^(?:${printed})$`));
    expect(stderr).toMatch(lost);
    expect(stderr).toMatch(/the size has lost bits at \.\/a\.cu:8:/);
    expect(exitCode).toBe(0);
  });

  test("a pointer from an allocation that failed and is used: the report says so, and the program ends", async () => {
    const { stderr, exitCode } = await run(`float *p;
int main() {
  size_t n = side;
  p = (float *)malloc(n * n * 4);
  for (int i = 0; i < 5000000; i++) p[i] = i;
  printf("%f\\n", p[7]);
}
`);
    expect(stderr).toMatch(/segmentation fault: the host program wrote through a null pointer\n.*a\.cu:10:/);
    expect(exitCode).toBe(134);
  });

  test("results that are the same on a 64-bit machine have no line, and loops are not looked at", async () => {
    const { stderr } = await run(`
unsigned int hash(unsigned int x) { return (x ^ 61) * 0x27d4eb2du + (x << 20); }
int main() {
  size_t n = side, i = 0;
  uint64_t wide = (uint64_t)n * n * 4;
  long sum = 0;
  for (int k = 0; k < side * 2; k++) sum += k;
  std::vector<float> v(n);
  printf("%u %llu %ld %zu %f\\n", hash(n), (unsigned long long)wide, sum, i - 1 + n, v[(i + n - 1) % n]);
}
`);
    expect(stderr).toBe("");
  });
});
