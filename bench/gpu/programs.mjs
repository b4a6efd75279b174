// Programs of this folder on a GPU, built by nvcc and run by Heddle, in turns.
//
//   node bench/gpu/programs.mjs [--rounds N] [--only kernels,addresses,thrust,host] [--binaries FOLDER]
//
// Each prints lines "name microseconds"; a figure is the median of the rounds, the ratio that of the medians.
// FOLDER may hold what was built elsewhere: by nvcc as NAME, by `heddle nvcc` as NAME.heddle, which needs no compiler.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    only: { type: "string", default: "kernels,addresses,thrust,host" },
    binaries: { type: "string" },
  },
});
const here = import.meta.dirname;
const heddle = join(here, "../../dist/bin/main.js");
const folder = values.binaries ?? mkdtempSync(join(tmpdir(), "heddle-bench-"));
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

function ask(command, args, environment = {}) {
  const env = { ...process.env, ...environment };
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stderr}${stdout}`);
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.split(" "));
}

for (const name of values.only.split(",")) {
  const [source, binary] = [join(here, `${name}.cu`), join(folder, name)];
  if (!existsSync(binary))
    execFileSync("nvcc", ["-O3", "-std=c++17", "-arch=native", "-o", binary, source], { stdio: "inherit" });
  const built = `${binary}.heddle`;
  const [heddleArgs, options] = existsSync(built)
    ? [["exec", built], { HEDDLE_OPTIONS: "--device cuda" }]
    : [["run", "--device", "cuda", source], {}];
  const times = new Map();
  for (let round = 0; round < Number(values.rounds); round++) {
    const sides = { nvcc: ask(binary, []), ours: ask(process.execPath, [heddle, ...heddleArgs], options) };
    for (const [side, lines] of Object.entries(sides))
      for (const [what, time] of lines) {
        const row = times.get(what) ?? times.set(what, { nvcc: [], ours: [] }).get(what);
        row[side].push(Number(time));
      }
  }
  console.log(`${name.padEnd(34)}      nvcc    Heddle   ratio`);
  let logarithms = 0;
  for (const [what, row] of times) {
    const [nvcc, ours] = [median(row.nvcc), median(row.ours)];
    logarithms += Math.log(ours / nvcc);
    console.log(
      `${what.padEnd(34)} ${nvcc.toFixed(1).padStart(9)} ${ours.toFixed(1).padStart(9)}  ${(ours / nvcc).toFixed(3)}`,
    );
  }
  const mean = Math.exp(logarithms / times.size);
  console.log(`${"geometric mean".padEnd(54)}  ${mean.toFixed(3)}`);
}
