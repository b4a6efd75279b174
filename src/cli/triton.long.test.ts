/** `heddle run`, `check`, `profile` and `compile` of files with Triton kernels. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { heddle } from "./heddle-process.test-helper.ts";

const EXAMPLE = "examples/triton/softmax.py";
const GOOD = "softmax[2](float32[3, 5], float32[3, 5], 5, 3, 5, BLOCK=8, num_warps=2)";
const BAD = "softmax[2](float32[3, 5], float32[3, 5], 5, 4, 5, BLOCK=8)";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-triton-"));
  mkdirSync(join(folder, "kernels"));
  writeFileSync(
    join(folder, "helpers.py"),
    "import triton\n\nFAST = False\n\n@triton.jit\ndef twice(x):\n    return x * 2\n",
  );
  writeFileSync(
    join(folder, "kernels", "k.py"),
    `import triton
import triton.language as tl
from helpers import twice, FAST

@triton.jit
def k(p, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    if FAST:
        tl.store(p + at, twice(twice(at)), mask=at < n)
    else:
        tl.store(p + at, twice(at), mask=at < n)
`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a file with Triton kernels", () => {
  it("runs, with what it imports and with names that are set", () => {
    const file = join(folder, "kernels", "k.py");
    const launch = "k[1](int32[4], 4, BLOCK=8)";
    expect(heddle(["run", file, "--launch", launch])).toEqual({
      status: 0,
      stdout: "k\n  int32[4]: 0 2 4 6\n",
      stderr: "",
    });
    const { stdout } = heddle(["run", file, `--launch=${launch}`, "--set", "FAST=True"]);
    expect(stdout).toBe("k\n  int32[4]: 0 4 8 12\n");
  });

  it("is checked: an access out of bounds is found, with its line and column", () => {
    expect(heddle(["check", EXAMPLE, "--launch", GOOD])).toMatchObject({ status: 0, stdout: "" });
    const { status, stderr } = heddle(["check", EXAMPLE, "--launch", BAD]);
    expect(status).toBe(72);
    expect(stderr).toContain("memcheck: out of bounds: read of 4 bytes");
    expect(stderr).toMatch(/softmax\.py:11:13, in softmax/);
    expect(stderr).toContain("the parameter in_ptr points into");
  });

  it("is profiled by line", () => {
    const { status, stderr } = heddle(["profile", "--lines", EXAMPLE, "--launch", GOOD]);
    expect(status).toBe(0);
    expect(stderr).toMatch(/11 {2,}x = tl\.load/);
  });

  it.each([
    ["blocks", /reduce %\d+ axis=0 : float/],
    ["ir", /define .*void @softmax\(/],
    ["ptx", /\.entry softmax\(/],
  ])("is shown as %s", (emit, pattern) => {
    const { status, stdout } = heddle(["compile", "--emit", emit, "--gpu", "h100", EXAMPLE, "--launch", GOOD]);
    expect(status).toBe(0);
    expect(stdout).toMatch(pattern);
  });

  it("a parameter may have the name of an option; errors have their place first; a loop without end is named", () => {
    const file = join(folder, "stages.py");
    writeFileSync(
      file,
      `import triton
import triton.language as tl

@triton.jit
def k(p, num_stages: tl.constexpr, N: tl.constexpr):
    tl.store(p + tl.arange(0, N), num_stages)

@triton.jit
def forever(p, n):
    while n > 0:
        n = n + 1 - 1
    tl.store(p, n)
`,
    );
    const run = (launch: string, ...more: string[]): ReturnType<typeof heddle> =>
      heddle(["run", file, "--launch", launch, ...more]);
    expect(run("k[1](int32[2], N=2, num_stages=3)").stdout).toBe("k\n  int32[2]: 3 3\n");
    expect(run("k[1](int32[2], N=3, num_stages=3)").stderr).toMatch(
      /^heddle: arange's range must be a power of 2\n {2}at .*:6:18\n {2}6 \| .*\n {4}\| *\^~+\n {2}it is 3\n/,
    );
    const { status, stderr } = run("forever[1](int32[1], 1)", "--timeout", "1");
    expect(status).toBe(124);
    expect(stderr).toMatch(/stages\.py:10:\d+: kernel forever failed: the kernel did not end within 1000 ms/);
  });

  it("says what is wrong with a launch", () => {
    const error = (...args: string[]): string => heddle(args).stderr;
    expect(error("compile", EXAMPLE)).toContain("has kernels, and no launch is given");
    expect(error("check", EXAMPLE)).toContain("launched no kernel; --launch launches one of its kernels");
    expect(error("check", EXAMPLE, "--launch", "softmax(1)")).toContain("a launch is KERNEL[GRID](ARGUMENTS)");
    expect(error("check", EXAMPLE, "--launch", "sofmax[1](1)")).toContain('did you mean "softmax"?');
    expect(error("check", EXAMPLE, "--launch", "softmax[1](float32[0])")).toContain("a shape of numbers above 0");
    expect(error("check", EXAMPLE, "--launch", "softmax[1.5](3)")).toContain("a whole number is needed");
    expect(error("check", EXAMPLE, "--frob", "--launch", GOOD)).toContain("does not take --frob");
    expect(error("compile", "--emit", "wasm", EXAMPLE, "--launch", GOOD)).toContain("blocks, ir or ptx");
    expect(heddle(["run", "no-such.py", "--launch", GOOD]).status).toBe(66);
    expect(error("compile", EXAMPLE)).toContain("--launch 'softmax[4](float32[1024], float32[1024], 1024, 1024, 1024");
  });
});
