// npm run bench:gpu: what Heddle costs on a GPU beside C++, on this machine and in this run. Needs a GPU, and nvcc for
// the rival.
//
//   node bench/gpu/main.mjs [--rounds N] [--rival PATH]
//
// The two take turns, a process each, so that what the machine does meanwhile hits both; every figure is the median of
// the rounds' medians, the ratio that of the rounds' ratios. Times in microseconds, copies of 256 MB of pinned memory
// in GB/s.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" }, rival: { type: "string" } } });
const here = import.meta.dirname;
const rival = values.rival ?? build();
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

function build() {
  const path = join(mkdtempSync(join(tmpdir(), "heddle-bench-")), "rival");
  execFileSync("nvcc", ["-O3", "-std=c++17", "-arch=native", "-o", path, join(here, "rival.cu")], { stdio: "inherit" });
  return path;
}

function ask(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}

const rounds = [];
for (let round = 0; round < Number(values.rounds); round++)
  rounds.push({ cpp: ask(rival, []), ours: ask(process.execPath, [join(here, "ours.mjs")]) });
const first = Array.from({ length: 5 }, () => ask(process.execPath, [join(here, "ours.mjs"), "first"]).firstLaunchMs);

const ROWS = [
  ["launch, 3 arguments", "launch3Us", "us"],
  ["launch, 10 arguments", "launch10Us", "us"],
  ["launch, 20000 in a row", "pacedUs", "us"],
  ["graph of 100 kernels, the call", "graphLaunchUs", "us"],
  ["graph of 100 kernels, to its end", "graphUs", "us"],
  ["pinned memory to the device", "toDeviceGBs", "GB/s"],
  ["device to pinned memory", "toHostGBs", "GB/s"],
];
console.log("what                               C++      Heddle   ratio");
for (const [label, key, unit] of ROWS) {
  const [cpp, ours] = ["cpp", "ours"].map((side) => median(rounds.map((round) => round[side][key])));
  const ratio = median(rounds.map((round) => round.ours[key] / round.cpp[key]));
  console.log(
    `${label.padEnd(34)} ${cpp.toFixed(2).padStart(7)}  ${ours.toFixed(2).padStart(7)}  ${ratio.toFixed(3)}  ${unit}`,
  );
}
console.log(`from the process's start to the first launch of a kept module: ${median(first).toFixed(0)} ms`);
