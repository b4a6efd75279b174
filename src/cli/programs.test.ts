/**
 * Whole programs through the built command line: what they print, how they end. Needs dist/ (npm test builds it first).
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = new URL("../../", import.meta.url).pathname;
const main = join(root, "dist/bin/main.js");
const programs = new URL("./test-programs/", import.meta.url).pathname;

interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

function heddle(
  args: readonly string[],
  options: { input?: string; cwd?: string; env?: Record<string, string> } = {},
): Ended {
  if (!existsSync(main)) throw new Error("dist/bin/main.js is not there: run npm run build first");
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    encoding: "utf8",
    cwd: options.cwd ?? root,
    input: options.input ?? "",
    env: { ...process.env, NO_COLOR: "1", ...options.env },
  });
  return { status, stdout, stderr };
}

const program = (name: string): string => join(programs, name);

describe("programs", () => {
  test("C that calls what it does not declare: results and arguments that one side does not know", () => {
    const directory = mkdtempSync(join(tmpdir(), "heddle-undeclared-"));
    try {
      writeFileSync(
        join(directory, "main.c"),
        `
        #include <stdio.h>
        int main(void) { train(3, 4.5, "x"); extra(7, 8); printf("%d\\n", count(5)); return 0; }`,
      );
      writeFileSync(
        join(directory, "wrong.c"),
        `
        #include <stdio.h>
        int count(double); int main(void) { puts("before"); fflush(stdout); return count(5); }`,
      );
      writeFileSync(
        join(directory, "kernels.cu"),
        `
        #include <cstdio>
        extern "C" void train(int n, double x, const char *s) { printf("%d %g %s\\n", n, x, s); }
        extern "C" void extra(int a) { train(a, 0.5, "extra"); }
        extern "C" int count(int a) { return a + 1; }`,
      );
      for (const how of ["run", "check"])
        expect(heddle([how, "main.c", "kernels.cu", "--"], { cwd: directory })).toMatchObject({
          status: 0,
          stdout: "3 4.5 x\n7 0.5 extra\n6\n",
          stderr: how === "run" ? "" : expect.not.stringContaining("mismatch"),
        });
      // Where an argument is of another type, no machine would do what was meant.
      expect(heddle(["run", "wrong.c", "kernels.cu", "--"], { cwd: directory })).toMatchObject({
        status: 134,
        stdout: "before\n",
        stderr: expect.stringContaining("function signature mismatch: count"),
      });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
  test("the runtime API", () =>
    expect(heddle(["run", program("runtime-api.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("integer intrinsics", () =>
    expect(heddle(["run", program("integer-intrinsics.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("races that GPUs let pass", () =>
    expect(heddle(["run", program("unsynchronised.cu")])).toMatchObject({
      stdout: "cleared: 0 wrong\nwritten: 0 wrong\n",
      status: 0,
    }));
  test("what public programs do", () =>
    expect(heddle(["run", program("public-code.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("texture references", () =>
    expect(heddle(["run", program("texture-references.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("cuBLAS and cuBLASLt of every kind of factor", () =>
    expect(heddle(["run", program("blas-library.cu")])).toMatchObject({ stdout: "all right\n", status: 0 }));
  test("two devices", () =>
    expect(heddle(["run", "--devices", "2", program("peers.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("a __constant__ variable's address as an argument", () =>
    expect(heddle(["run", program("constant-address.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
  test("clusters of one block, where there are no larger ones", () =>
    expect(heddle(["run", program("clusters.cu")])).toMatchObject({ stdout: "without clusters\nPASSED\n", status: 0 }));
  test("a kernel that is made for clusters is not run without them", () => {
    const directory = mkdtempSync(join(tmpdir(), "heddle-clusters-"));
    try {
      writeFileSync(
        join(directory, "pairs.cu"),
        "__global__ void __cluster_dims__(2, 1, 1) pairs(int *out) { *out = 1; }\n" +
          "int main() { pairs<<<2, 32>>>(nullptr); cudaDeviceSynchronize(); }\n",
      );
      expect(heddle(["run", "-arch=sm_90", "pairs.cu"], { cwd: directory })).toMatchObject({
        stderr: expect.stringMatching(/pairs.*clusters of 2 blocks/),
      });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
  test("cuBLAS", () =>
    expect(heddle(["run", program("blas.cu")])).toMatchObject({
      stdout: expect.stringMatching(/PASSED\n$/),
      status: 0,
    }));
});

describe("heddle check", () => {
  const check = (...args: string[]): Ended => heddle(["check", ...args], { cwd: programs });

  test("reports what a kernel does wrong, once, and lets the program go on", () => {
    expect(check("check.cu", "wrong")).toEqual({
      status: 72,
      stdout: "no error\n",
      stderr: [
        "memcheck: out of bounds: read of 4 bytes",
        "  --> ./check.cu:9:12, in shift",
        "   |",
        "9  |   out[i] = tile[i + n];",
        "   |            ^",
        "   by thread (63, 0, 0) of block (0, 0, 0), and 1 more",
        "   0 bytes past the end of the shared array tile of 256 bytes",
        "   launch 1: shift<<<(2, 1, 1), (64, 1, 1)>>>, at ./check.cu:17:40",
        "   help: compare the index with the number of elements before the access, and the number of threads with " +
          "the size of the data",
        "",
        "heddle check: 1 error in 3 kernel launches; 1 allocation of 512 bytes in all never freed",
        "  never freed: 512 bytes, from ./check.cu:15:3",
        "",
      ].join("\n"),
    });
  });

  test("says so when nothing is wrong", () => {
    expect(check("check.cu")).toEqual({
      status: 0,
      stdout: "no error\n",
      stderr:
        "heddle check: no errors in 3 kernel launches; 1 allocation of 512 bytes in all never freed\n" +
        "  never freed: 512 bytes, from ./check.cu:15:3\n",
    });
  });

  test("accuses no correct program", () => {
    for (const name of ["cooperative-groups.cu", "public-code.cu", "half.cu"])
      expect(check(name).stderr).toMatch(/^heddle check: no errors in \d+ kernel launches/m);
  });

  test("findings as JSON", () => {
    const { status, stderr } = check("--json", "check.cu", "wrong");
    expect(status).toBe(72);
    const json = JSON.parse(stderr.trim().split("\n").at(-1) as string) as { checked: { findings: unknown[] } };
    expect(json.checked.findings).toMatchObject([
      {
        checker: "memcheck",
        kind: "out-of-bounds",
        details: { access: "read", bytes: 4 },
        count: 2,
        location: { line: 9 },
        launch: { ordinal: 1 },
      },
    ]);
  });

  test("findings for other tools: SARIF, annotations, JSON in a file", () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-check-"));
    const [sarif, json] = [join(folder, "found.sarif"), join(folder, "found.json")];
    const { status, stderr } = heddle(
      ["check", "--sarif", sarif, `--json=${json}`, "--annotations", "github", "check.cu", "wrong"],
      { cwd: programs, env: { GITHUB_WORKSPACE: join(programs, "..") } },
    );
    expect(status).toBe(72);
    expect(stderr).toMatch(
      /^::error file=test-programs\/check\.cu,line=9,col=12,title=memcheck%3A out of bounds::read of 4 bytes, by thread/m,
    );
    expect(
      (JSON.parse(readFileSync(sarif, "utf8")) as { runs: { results: unknown[] }[] }).runs[0]?.results,
    ).toMatchObject([{ ruleId: "memcheck/out-of-bounds" }, { ruleId: "api/leak", level: "note" }]);
    expect(JSON.parse(readFileSync(json, "utf8"))).toMatchObject({
      checked: {
        findings: [{ kind: "out-of-bounds" }],
        leaked: [{ bytes: 512, count: 1, location: { line: 15 } }],
        suppressions: [],
      },
    });
    expect(
      heddle(["check", "--annotations", "none", "check.cu", "wrong"], {
        cwd: programs,
        env: { GITHUB_ACTIONS: "true" },
      }).stderr,
    ).not.toContain("::error");
    expect(heddle(["check", "check.cu", "wrong"], { cwd: programs, env: { GITHUB_ACTIONS: "true" } }).stderr).toContain(
      "::error",
    );
    rmSync(folder, { recursive: true });
  });

  test("what a file of suppressions takes out is counted, and entries without use are told", () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-check-"));
    const file = join(folder, "known.txt");
    writeFileSync(
      file,
      "memcheck out-of-bounds in shift at check.cu:9   # the tile is padded\nracecheck *\napi leak at check.cu:15\n",
    );
    const { status, stderr } = check("--suppressions", file, "check.cu", "wrong");
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr:
        `heddle check: no errors in 3 kernel launches\n  suppressed by ${file}: 2\n` +
        `  ${file}:2: nothing was suppressed by "racecheck *"\n`,
    });
    writeFileSync(file, "memcheck\n");
    expect(check("--suppressions", file, "check.cu")).toMatchObject({
      status: 64,
      stdout: "",
      stderr: expect.stringContaining(`${file}:1:1: "memcheck" suppresses nothing`),
    });
    expect(check("--suppressions", join(folder, "none"), "check.cu")).toMatchObject({ status: 66 });
    expect(check("--tool", "memcheck,nothing", "check.cu")).toMatchObject({
      status: 64,
      stderr: expect.stringContaining('there is no checker "nothing"'),
    });
    expect(heddle(["run", "--sarif", file, "check.cu"], { cwd: programs })).toMatchObject({
      status: 64,
      stderr: expect.stringContaining("--sarif is an option of heddle check"),
    });
    rmSync(folder, { recursive: true });
  });

  test("the same fault in 10,000 threads is one report, and all of them are counted", () => {
    const { stderr } = check("many-faults.cu", "threads");
    expect(stderr.match(/^memcheck:/gm)).toHaveLength(1);
    expect(stderr).toMatch(/, and 9999 more$/m);
  });

  test("very many faults: so many are shown, the others are counted", () => {
    const { stderr } = check("--max-reports", "3", "many-faults.cu", "places");
    expect(stderr.match(/^memcheck:/gm)).toHaveLength(3);
    expect(stderr).toMatch(/^and 5 more$/m);
    expect(stderr).toMatch(/^heddle check: 8 errors in 1 kernel launch/m);
  });
});

describe("ends", () => {
  const end = (how: number, options?: Parameters<typeof heddle>[1]): Ended =>
    heddle(["run", program("abort.cu"), String(how)], options);

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
      break;
    }
  });

  test("standard input", () => {
    expect(end(10, { input: "a\nb\n" }).stdout).toBe("read a\nread b\n");
    const lines = Array.from({ length: 30_000 }, (_, i) => `line ${i}\n`);
    expect(end(10, { input: lines.join("") }).stdout).toBe(lines.map((line) => `read ${line}`).join(""));
  });
});

describe("nvcc", () => {
  let directory = "";
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "heddle-nvcc-"));
    const files = {
      "a.cu":
        '#include "c.h"\n#include <cstdio>\n__global__ void k(int *p) { *p = helper(20) + variable; }\n' +
        "int main() {\n  int *p, h;\n  cudaMalloc(&p, 4);\n  k<<<1, 1>>>(p);\n" +
        '  cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);\n  printf("%d %s\\n", h, name());\n}\n',
      "b.cu": '#include "c.h"\n__device__ int variable = 7;\n__device__ int helper(int x) { return x * 2; }\n',
      "c.h": "extern __device__ int variable;\n__device__ int helper(int);\nconst char *name();\n",
      "d.cpp": 'const char *name() { return "host"; }\n',
      Makefile:
        "OBJS = a.o b.o d.o\nprogram: $(OBJS)\n\t$(NVCC) -O3 -rdc=true -o $@ $^\n%.o: %.cu\n" +
        "\t$(NVCC) -arch=sm_70 -dc -MD -o $@ $<\n%.o: %.cpp\n\t$(NVCC) -O2 -c -o $@ $<\n",
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  test("a Makefile builds a program of several files with device code linked across them", () => {
    const made = spawnSync("make", ["-s", `NVCC=${process.execPath} ${main} nvcc`], {
      cwd: directory,
      encoding: "utf8",
    });
    expect(made).toMatchObject({ status: 0, stderr: "" });
    expect(readFileSync(join(directory, "a.d"), "utf8")).toBe("a.o: a.cu \\\n  c.h\n");
    const ran = spawnSync("./program", [], {
      cwd: directory,
      encoding: "utf8",
      env: { ...process.env, HEDDLE_NODE: process.execPath },
    });
    expect(ran).toMatchObject({ status: 0, stdout: "47 host\n" });
  });

  test("device code in a library is linked, too", () => {
    expect(heddle(["nvcc", "-lib", "b.cu", "d.cpp", "-o", "libbd.a"], { cwd: directory })).toMatchObject({
      status: 0,
      stderr: "",
    });
    expect(heddle(["nvcc", "-run", "-L.", "a.cu", "-lbd"], { cwd: directory })).toMatchObject({
      status: 0,
      stdout: "47 host\n",
    });
  });

  test("compile errors are Clang's, on the user's file", () => {
    writeFileSync(join(directory, "bad.cu"), "int main() { return nothing; }\n");
    const { status, stderr } = heddle(["nvcc", "-c", "bad.cu"], { cwd: directory });
    expect(status).toBe(65);
    expect(stderr).toMatch(/^bad\.cu:1:21: error: use of undeclared identifier 'nothing'/);
  });

  test("a function of the user that is nowhere defined does not link, on host and device", () => {
    writeFileSync(join(directory, "host.cu"), "int other(int x);\nint main() { return other(1); }\n");
    expect(heddle(["nvcc", "host.cu"], { cwd: directory })).toMatchObject({
      status: 65,
      stderr: expect.stringContaining("host.cu: undefined reference to `other(int)'"),
    });
    writeFileSync(
      join(directory, "device.cu"),
      "__device__ int other(int x);\n__global__ void k(int *p) { *p = other(*p); }\n" +
        "int main() { k<<<1, 1>>>(nullptr); return cudaDeviceSynchronize(); }\n",
    );
    expect(heddle(["run", "device.cu"], { cwd: directory })).toMatchObject({
      status: 65,
      stderr: expect.stringMatching(
        /device\.cu:2:\d+: it is called here[^]*undefined reference to the device function .*other/,
      ),
    });
  });
});

describe("the command line itself", () => {
  test("help, version, devices", () => {
    expect(heddle(["--help"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("heddle run vector-add.cu"),
    });
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
