/**
 * 64-bit programs (--model lp64): `heddle setup` builds their library, if this machine does not have it, and programs
 * run as on a 64-bit machine. Needs dist/ (npm run test:exhaustive builds it), npm for the sources, and g++.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { heddle, program, root } from "./heddle-process.test-helper.ts";
import { layoutProgram } from "./lp64-layouts.test-helper.ts";

const MINUTES = 60_000;
const directory = mkdtempSync(join(tmpdir(), "heddle-lp64-"));
const run = (model: string, ...args: string[]): ReturnType<typeof heddle> =>
  heddle(["run", "--model", model, ...args], { cwd: directory });

beforeAll(() => {
  const { status, stdout, stderr } = heddle(["setup"]);
  expect([status, stdout, stderr]).toEqual([0, expect.stringContaining("64-bit programs"), ""]);
}, 40 * MINUTES);
afterAll(() => rmSync(directory, { recursive: true }));

test(
  "host and device exchange pointers, long and size_t of 8 bytes",
  () => {
    const expected = `42949672970 24 two e 200000004 end
managed 42949672970
by value 7 3004 4294967296000
rows 299
functions 3 4 9
constant 1029
atomics 70368744177664 64
sizes 8 8 1 5 1
host function 4294967296000
callback 0 1
attributes 2 1
100 GB: cudaErrorMemoryAllocation
`;
    expect(run("lp64", program("lp64.cu"))).toMatchObject({ status: 0, stdout: expected });
    expect(heddle(["check", "--model", "lp64", program("lp64.cu")])).toMatchObject({ stdout: expected });
  },
  10 * MINUTES,
);

test(
  "the C and C++ library does what that of 32-bit programs does",
  () => {
    const [narrow, wide] = ["ilp32", "lp64"].map((model) => run(model, program("lp64-host.cpp"), "argument"));
    expect(wide).toEqual(narrow);
    expect(wide).toMatchObject({ status: 7, stderr: "", stdout: expect.stringContaining("thrown by the library") });
  },
  10 * MINUTES,
);

test(
  "long jumps leave the variables of the function that they return to",
  () => {
    execFileSync("g++", ["-w", "-O1", "-o", "jumps", program("long-jumps.cpp")], { cwd: directory });
    const native = execFileSync(join(directory, "jumps"), { encoding: "utf8" });
    for (const model of ["ilp32", "lp64"])
      expect(run(model, program("long-jumps.cpp"))).toMatchObject({ status: 0, stdout: native, stderr: "" });
  },
  10 * MINUTES,
);

test(
  "exit destroys no variables of functions, and nothing catches it",
  () => {
    execFileSync("g++", ["-w", "-O1", "-o", "exit", program("exit.cpp")], { cwd: directory });
    const native = spawnSync(join(directory, "exit"), { encoding: "utf8" });
    for (const model of ["ilp32", "lp64"])
      expect(run(model, program("exit.cpp"))).toMatchObject({
        status: native.status,
        stdout: native.stdout,
        stderr: "",
      });
  },
  10 * MINUTES,
);

test(
  "sizes, alignments and offsets of 200 structs are those of g++",
  () => {
    writeFileSync(join(directory, "layouts.cpp"), layoutProgram(200));
    execFileSync("g++", ["-w", "-std=c++17", "-o", "layouts", "layouts.cpp"], { cwd: directory });
    const native = execFileSync(join(directory, "layouts"), { encoding: "utf8" });
    expect(native.split("\n").length).toBeGreaterThan(200);
    expect(run("lp64", "layouts.cpp").stdout).toBe(native);
  },
  10 * MINUTES,
);

test(
  "types, constants and formats of the headers are those of g++",
  () => {
    execFileSync("g++", ["-w", "-std=c++17", "-o", "limits", program("limits.cpp")], { cwd: directory });
    const native = execFileSync(join(directory, "limits"), { encoding: "utf8" });
    expect(native.split("\n").length).toBeGreaterThan(140);
    expect(run("lp64", program("limits.cpp")).stdout).toBe(native);
  },
  10 * MINUTES,
);

describe("examples print what they print as 32-bit programs", () => {
  // softmax.cu prints times.
  const names = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".cu") && name !== "softmax.cu");
  test.each(names)(
    "%s",
    (name) => {
      const path = join(root, "examples", name);
      expect(readFileSync(path, "utf8")).toContain("__global__");
      expect(heddle(["run", "--model", "lp64", path])).toEqual(heddle(["run", path]));
    },
    5 * MINUTES,
  );
});

const GCC = spawnSync("gcc", ["--version"]).status === 0;
test.runIf(GCC)(
  "structs of public headers are as docs/lab/struct-layouts.json has them, where this machine has the headers",
  () => {
    const { status, stdout, stderr } = spawnSync("node", [`${root}scripts/compat/struct-layouts.mjs`, "--check"], {
      encoding: "utf8",
    });
    expect({ status, stdout, stderr }).toMatchObject({ status: 0, stderr: "" });
  },
  10 * MINUTES,
);
