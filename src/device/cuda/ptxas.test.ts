/** Registers by NVIDIA's assembler, with a stand-in for it: a program that says what ptxas says. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openPtxas, registersIn } from "./ptxas.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-ptxas-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Gives each kernel 10 registers for each letter of its name, and refuses what names `poison`. It writes a log. */
function standIn(place: string, release = "12.4"): string {
  mkdirSync(place, { recursive: true });
  const file = join(place, "ptxas");
  writeFileSync(
    file,
    `#!${process.execPath}
const { appendFileSync, readFileSync } = require("node:fs");
appendFileSync(${JSON.stringify(join(folder, "log"))}, process.argv.slice(2, 4).join(" ") + "\\n");
if (process.argv[2] === "--version") console.log("Cuda compilation tools, release ${release}, V${release}.1");
else {
  const text = readFileSync(process.argv.at(-1), "utf8");
  if (text.includes("poison")) process.exit(255);
  for (const [, name] of text.matchAll(/\\.entry (\\w+)/g))
    console.error("ptxas info    : Compiling entry function '" + name + "' for 'sm_90'\\n" +
      "ptxas info    : Function properties for " + name + "\\n" +
      "    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\\n" +
      "ptxas info    : Used " + 10 * name.length + " registers, used 1 barriers, 64 bytes smem");
}
`,
  );
  chmodSync(file, 0o755);
  return file;
}

const log = (): string[] => readFileSync(join(folder, "log"), "utf8").trim().split("\n");

function program(...kernels: readonly string[]) {
  const text = kernels.map((name) => `define ptx_kernel void @${name}(ptr %out) {\n  ret void\n}\n`).join("\n");
  return [{ name: "test.cu", ir: text, options: { fmad: true } }];
}

const H100 = { major: 9, minor: 0 };

test("PATH has it; the kernels of a program are assembled together, once", () => {
  standIn(folder);
  const registers = openPtxas("", { PATH: folder });
  const both = program("one", "three");
  expect(registers?.(both, "one", H100)).toEqual({ registersPerThread: 30, spillBytes: 20 });
  expect(registers?.(both, "three", H100)).toEqual({ registersPerThread: 50, spillBytes: 20 });
  expect(registers?.(both, "none", H100)).toBeNull();
  expect(log().slice(0, 2)).toEqual(["--version", "-v -arch=sm_90"]);
  expect(log().filter((line) => line.startsWith("--version"))).toHaveLength(1);
});

test("a kernel that it refuses leaves the others their registers", () => {
  standIn(folder);
  const registers = openPtxas("", { PATH: folder });
  const both = program("poison", "sound");
  expect(registers?.(both, "poison", H100)).toBeNull();
  expect(registers?.(both, "sound", H100)).toEqual({ registersPerThread: 50, spillBytes: 20 });
});

test("a toolkit has it, and Python's Triton; HEDDLE_PTXAS names one, or none", () => {
  standIn(join(folder, "toolkit", "bin"));
  const made = { registersPerThread: 30, spillBytes: 20 };
  expect(openPtxas("", { CUDA_HOME: join(folder, "toolkit") })?.(program("one"), "one", H100)).toEqual(made);
  const python = join(folder, "venv", "lib", "python3.12", "site-packages", "triton", "backends", "nvidia", "bin");
  const file = standIn(python);
  // The machine that tests run on may have a toolkit, which comes first.
  expect(openPtxas("", { VIRTUAL_ENV: join(folder, "venv") })?.(program("one"), "one", H100)).not.toBeNull();
  expect(openPtxas("", { HEDDLE_PTXAS: file })?.(program("one"), "one", H100)).toEqual(made);
  expect(openPtxas("", { HEDDLE_PTXAS: "none", CUDA_HOME: join(folder, "toolkit") })).toBeNull();
});

test("what is no ptxas, or too old a one, is passed over", () => {
  standIn(folder, "11.8");
  expect(openPtxas("", { HEDDLE_PTXAS: join(folder, "ptxas") })?.(program("one"), "one", H100)).toBeNull();
  expect(openPtxas("", { HEDDLE_PTXAS: join(folder, "nothing") })?.(program("one"), "one", H100)).toBeNull();
});

test("what ptxas 13.0 says of two kernels", () => {
  const report = `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z4copyPfPKf' for 'sm_90'
ptxas info    : Function properties for _Z4copyPfPKf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers
ptxas info    : Compile time = 2.345 ms
ptxas info    : Compiling entry function '_Z5tilesILi16EEvPf' for 'sm_90'
ptxas info    : Function properties for _Z5tilesILi16EEvPf
    48 bytes stack frame, 44 bytes spill stores, 60 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 48 bytes cumulative stack size, 4096 bytes smem
`;
  expect([...registersIn(report)]).toEqual([
    ["_Z4copyPfPKf", { registersPerThread: 12, spillBytes: 0 }],
    ["_Z5tilesILi16EEvPf", { registersPerThread: 255, spillBytes: 104 }],
  ]);
});
