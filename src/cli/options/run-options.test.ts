import { expect, test } from "vitest";
import { optionsFromEnvironment, parseRunCommand } from "./run-options.ts";

test("what follows the file is the program's", () => {
  const { options, nvcc, programArguments } = parseRunCommand([
    "--gpu",
    "h100",
    "-O3",
    "-lcublas",
    "--timeout=2.5",
    "a.cu",
    "--gpu",
    "-x",
    "b.cu",
  ]);
  expect(options).toMatchObject({ gpu: "h100", timeout: 2.5, devices: 1, reuse: true, engine: "auto" });
  expect(nvcc.sources).toEqual(["a.cu"]);
  expect(programArguments).toEqual(["--gpu", "-x", "b.cu"]);
});

test("with -- files and options come in any order", () => {
  const { options, nvcc, programArguments } = parseRunCommand([
    "a.cu",
    "b.cpp",
    "-DX",
    "--no-reuse",
    "--",
    "1",
    "--",
    "2",
  ]);
  expect(nvcc.sources).toEqual(["a.cu", "b.cpp"]);
  expect(nvcc.compile.defines).toEqual(["X"]);
  expect(options.reuse).toBe(false);
  expect(programArguments).toEqual(["1", "--", "2"]);
});

test("a -- among the program's own arguments is the program's", () => {
  expect(parseRunCommand(["a.cu", "-n", "5", "--", "x"]).programArguments).toEqual(["-n", "5", "--", "x"]);
});

test("values are checked", () => {
  expect(() => parseRunCommand(["--devices", "0", "a.cu"])).toThrow(/--devices needs a whole number/);
  for (const workers of ["0", "-1", "1.5", "many", ""])
    expect(() => parseRunCommand(["--workers", workers, "a.cu"])).toThrow(/--workers needs a whole number/);
  expect(parseRunCommand(["--workers=3", "a.cu"]).options.workers).toBe(3);
  expect(parseRunCommand(["a.cu"]).options.workers).toBe(null);
  expect(() => parseRunCommand(["--engine", "fast", "a.cu"])).toThrow(/--engine is auto/);
  expect(() => parseRunCommand(["--nonsense", "a.cu"])).toThrow(/unknown option --nonsense/);
});

test("options of a program that is already built", () => {
  expect(optionsFromEnvironment("--gpu t4  --summary")).toMatchObject({ gpu: "t4", summary: true });
  expect(() => optionsFromEnvironment("--watch")).toThrow(/--watch compiles/);
  expect(() => optionsFromEnvironment("-O3")).toThrow(/HEDDLE_OPTIONS/);
});

test("-o names a profile's files by their endings", () => {
  const { options, nvcc } = parseRunCommand(["-o", "t.json", "-ou.json", "--output-file=v.json", "a.cu", "-o", "x"], {
    profile: true,
  });
  expect(options.outputs).toEqual(["t.json", "u.json", "v.json"].map((file) => ({ format: "trace", file })));
  expect(nvcc).toMatchObject({ sources: ["a.cu"], output: null });
  for (const file of ["report.pdf", "trace", ".json"])
    expect(() => parseRunCommand(["-o", file, "a.cu"], { profile: true })).toThrow(/ends in .*\.json/);
  expect(parseRunCommand(["-o", "a.out", "a.cu"]).options.outputs).toEqual([]);
});
