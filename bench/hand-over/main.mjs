#!/usr/bin/env node
// What the hand-over of a library's call costs Heddle, without a GPU. `node bench/hand-over/main.mjs --help`
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const HELP = `node bench/hand-over/main.mjs [options]

Runs a program on a driver that does nothing (driver.c) beside libraries that do nothing (library.c), and prints what a
call costs, in nanoseconds: all of it is Heddle's hand-over. "first" is the mean of the first thousand calls, when V8
has compiled nothing yet, "later" that of calls 6,000 to 10,000, "best" the best thousand. Each is the least of the
turns. It needs gcc, and the first run compiles the libraries.

  --against DIR   another checkout of Heddle, built; both take turns
  --turns N       how often each runs (3)
  --busy KIB      each call reads so much memory and runs 32 KiB of code, as the real libraries do to the caches (0);
                  what that costs alone is printed, and is to be taken off
  --help          this text`;

const ROOT = resolve(import.meta.dirname, "../..");
const LIBRARIES = [
  "libcublas.so.13",
  "libcublasLt.so.13",
  "libcufft.so.12",
  "libcusparse.so.12",
  "libcudnn.so.9",
  "libcusolver.so.12",
  "libnccl.so.2",
];
const LINKED = ["cublas", "cublasLt", "cudnn", "cufft", "cusolver", "cusparse", "nccl"].map((name) => `-l${name}`);
const LINE = /^(.*) first (\d+) later (\d+) best (\d+)$/;

const { values: options } = parseArgs({
  options: {
    against: { type: "string" },
    turns: { type: "string", default: "3" },
    busy: { type: "string", default: "0" },
    help: { type: "boolean" },
  },
});
if (options.help) {
  console.log(HELP);
  process.exit(0);
}
for (const name of ["turns", "busy"])
  if (!/^\d+$/.test(options[name]) || (name === "turns" && Number(options[name]) === 0)) {
    console.error(`--${name} takes a number, not "${options[name]}"`);
    process.exit(2);
  }

const folder = mkdtempSync(join(tmpdir(), "heddle-hand-over-"));
try {
  main();
} finally {
  rmSync(folder, { recursive: true });
}

function main() {
  const source = (name) => join(import.meta.dirname, name);
  const build = (from, to, ...more) =>
    execFileSync("gcc", ["-O1", "-w", "-o", to, from, ...more], { stdio: "inherit" });
  build(source("driver.c"), join(folder, "libcuda.so.1"), "-shared", "-fPIC");
  const [first, ...others] = LIBRARIES.map((name) => join(folder, name));
  build(source("library.c"), first, "-shared", "-fPIC");
  for (const other of others) copyFileSync(first, other);
  const env = {
    ...process.env,
    HEDDLE_CUDA_LIBRARIES: folder,
    HEDDLE_OPTIONS: "--device cuda --devices 2",
    HEDDLE_BUSY: options.busy,
  };
  if (options.busy !== "0") {
    build(source("alone.c"), join(folder, "alone"), first, `-Wl,-rpath,${folder}`);
    process.stdout.write(execFileSync(join(folder, "alone"), { env }));
  }
  const heddle = (checkout, ...args) =>
    execFileSync(process.execPath, [join(checkout, "dist/bin/main.js"), ...args], { env, encoding: "utf8" });
  const program = join(folder, "program");
  heddle(ROOT, "nvcc", "-o", program, ...LINKED, source("program.cu"));
  const checkouts = options.against === undefined ? [ROOT] : [resolve(options.against), ROOT];
  const least = checkouts.map(() => new Map());
  for (let turn = 0; turn < Number(options.turns); turn++)
    for (const [i, checkout] of checkouts.entries()) note(least[i], heddle(checkout, "exec", program));
  for (const [i, checkout] of checkouts.entries()) {
    console.log(`\n${checkout}`);
    console.log(["call", "first", "later", "best"].map(cell).join(""));
    for (const [name, figures] of least[i]) console.log([name, ...figures].map(cell).join(""));
  }
}

/** Keeps the least of each figure. */
function note(least, output) {
  for (const line of output.split("\n")) {
    const [, name, ...figures] = LINE.exec(line) ?? [];
    if (name === undefined) continue;
    const before = least.get(name) ?? figures.map(() => Infinity);
    least.set(
      name,
      figures.map((figure, i) => Math.min(Number(figure), before[i])),
    );
  }
}

function cell(value, column) {
  return column === 0 ? String(value).padEnd(28) : String(value).padStart(8);
}
