/**
 * Whole programs through the built command line: what they print, how they end. Needs dist/ (npm test builds it first).
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { heddle, program, type Ended } from "./heddle-process.test-helper.ts";

describe("programs", () => {
  test("the runtime API", () =>
    expect(heddle(["run", program("runtime-api.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("-x says what a source is", () => {
    const directory = mkdtempSync(join(tmpdir(), "heddle-language-"));
    try {
      writeFileSync(
        join(directory, "kernel.cpp"),
        '#include <cstdio>\n__global__ void k() { printf("%d\\n", threadIdx.x); }\n' +
          "int main() { k<<<1, 2>>>(); cudaDeviceSynchronize(); }\n",
      );
      expect(heddle(["run", "-x", "cu", "kernel.cpp"], { cwd: directory })).toMatchObject({ stdout: "0\n1\n" });
      expect(heddle(["run", "-x", "fortran", "kernel.cpp"], { cwd: directory })).toMatchObject({
        status: 64,
        stderr: expect.stringContaining("unknown language -x fortran"),
      });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
  test("two devices", () =>
    expect(heddle(["run", "--devices", "2", program("peers.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
});

describe("ends", () => {
  const end = (how: number, options?: Parameters<typeof heddle>[1]): Ended =>
    heddle(["run", program("abort.cu"), String(how)], options);

  test.each(["warp", "thread", "interpreter"])("a device assert has CUDA's line on stderr: %s", (engine) => {
    const directory = mkdtempSync(join(tmpdir(), "heddle-assert-"));
    try {
      writeFileSync(
        join(directory, "a.cu"),
        "#include <cassert>\n__global__ void claim(int n) { assert(threadIdx.x < n); }\n" +
          "int main() { claim<<<2, 64>>>(40); return cudaDeviceSynchronize() == cudaErrorAssert ? 0 : 1; }\n",
      );
      const { stdout, stderr } = heddle(["run", "--engine", engine, "a.cu"], { cwd: directory });
      expect(stdout).toBe("");
      expect(stderr).toMatch(/^(?:\.\/)?a\.cu:2: claim: block: \[[01],0,0\], thread: \[\d+,0,0\] Assertion /);
      expect(stderr).toContain("Assertion `threadIdx.x < n` failed.\nheddle: kernel claim failed");
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
  test("abort, assert and exceptions are told in words, without a JavaScript stack", () => {
    for (const [how, words] of [
      [1, "the host program aborted"],
      [2, "Assertion failed: argc == 99"],
      [3, "nobody catches this"],
    ] as const) {
      const { status, stderr } = end(how);
      expect(status).toBe(134);
      expect(stderr).toContain(words);
      expect(stderr).not.toMatch(/\bat .*\.(js|ts):\d|wasm-function/);
    }
  });

  test("deep recursion works, endless recursion is named", () => {
    expect(end(4).status).toBe(0);
    expect(end(5)).toMatchObject({ status: 134, stderr: expect.stringContaining("overflowed its stack") });
  });

  test("the exit code is the program's, its last text is not lost", () =>
    expect(end(6)).toMatchObject({ status: 42, stdout: "no newline" }));

  test("a device pointer used on the host", () =>
    expect(end(7)).toMatchObject({ status: 134, stderr: expect.stringContaining("a pointer from cudaMalloc") }));

  test("a fault that the program does not look at", () => {
    const { status, stderr } = end(8);
    expect(status).toBe(71);
    expect(stderr).toMatch(/abort\.cu:8:\d+, in past_the_end/);
    expect(stderr).toMatch(/thread \(1, 0, 0\) of block \(0, 0, 0\)/);
    expect(stderr).toMatch(/399600 bytes past the end of the nearest allocation, .* of 400 bytes/);
  });

  test("a refused launch whose error nobody asks for is exit code 71", () => {
    const { status, stderr } = end(12);
    expect(status).toBe(71);
    expect(stderr).toContain("heddle: exit code 71: a kernel launch was refused (invalid configuration argument)");
    expect(end(13)).toMatchObject({ status: 0, stdout: "cudaErrorInvalidConfiguration\n" });
  });

  test("a fault that only an unchecked call has returned is exit code 71; --exit-code program", () => {
    const { status, stderr } = end(14);
    expect(status).toBe(71);
    expect(stderr).toContain("heddle: exit code 71: a kernel failed (an illegal memory access was encountered)");
    const own = heddle(["run", "--exit-code", "program", program("abort.cu"), "14"]);
    expect(own.status).toBe(0);
    expect(heddle(["run", "--exit-code", "mine", program("abort.cu")]).status).toBe(64);
  });

  test("a fault is sticky until the device is reset", () => {
    const illegal = "cudaErrorIllegalAddress";
    expect(end(11)).toMatchObject({
      status: 0,
      stdout: ["cudaSuccess", illegal, illegal, "cudaSuccess", "cudaSuccess", ""].join("\n"),
    });
  });

  test("--timeout stops a kernel, and what was printed before is there", () => {
    // A busy machine may need long to get to the kernel.
    for (let seconds = 2; ; seconds *= 4) {
      const { status, stdout, stderr } = heddle(["run", "--timeout", String(seconds), program("abort.cu"), "9"]);
      expect(status).toBe(124);
      if (seconds < 500 && stderr.includes("in the host program")) continue;
      expect(stdout).toBe("before\n");
      expect(stderr).toMatch(/^heddle: stopped after \d+ s \(--timeout\) in the kernel endless/);
      expect(stderr).toMatch(/in the loop at [^\n]*abort\.cu:10:/);
      break;
    }
  });

  test("standard input", () => {
    expect(end(10, { input: "a\nb\n" }).stdout).toBe("read a\nread b\n");
    const lines = Array.from({ length: 30_000 }, (_, i) => `line ${i}\n`);
    expect(end(10, { input: lines.join("") }).stdout).toBe(lines.map((line) => `read ${line}`).join(""));
  });
});

describe("the command line itself", () => {
  test("help, version, devices", () => {
    expect(heddle(["--help"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("heddle run vector-add.cu"),
    });
    for (const args of [["example"], ["example", "mnist"]])
      expect(heddle([...args, "--help"])).toMatchObject({ status: 0, stdout: expect.stringContaining("--resume") });
    expect(heddle(["nvcc", "--version"]).stdout).toMatch(/release 12\.\d, V12/);
    expect(heddle(["devices", "--gpu", "h100"]).stdout).toMatch(
      /Device 0: "NVIDIA H100[^]*CUDA Capability Major\/Minor version number: +9\.0/,
    );
  });
  test("mistakes have exit codes of their own", () => {
    expect(heddle(["run", "there-is-no.cu"])).toMatchObject({
      status: 66,
      stderr: expect.stringContaining("there-is-no.cu"),
    });
    expect(heddle(["run", "--bogus", "x.cu"])).toMatchObject({
      status: 64,
      stderr: expect.stringContaining("--bogus"),
    });
    expect(heddle(["devices", "--gpu", "voodoo2"]).status).toBe(64);
    const workers = heddle(["run", program("abort.cu"), "6"], { env: { HEDDLE_WORKERS: "some" } });
    expect(workers).toMatchObject({
      status: 64,
      stderr: expect.stringContaining('HEDDLE_WORKERS must be a whole number of at least 1, not "some"'),
    });
    expect(heddle(["frobnicate"]).status).toBe(64);
  });
});
