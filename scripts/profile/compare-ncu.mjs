#!/usr/bin/env node
// The profiler's counters beside Nsight Compute's, kernel by kernel.
//
//   node scripts/profile/compare-ncu.mjs --build FOLDER           on any machine: programs, and our counters of them
//   sh FOLDER/measure.sh                                          on a machine with a GPU, nvcc and ncu
//   node scripts/profile/compare-ncu.mjs --table FOLDER           writes docs/lab/profile-ncu.json and the page's table
//   node scripts/profile/compare-ncu.mjs                          writes the table anew (npm run docs)
//
// The programs are those of src/profile/suite, with a main() that launches both kernels, and the examples. Both sides
// run the same source: ours without a toolkit, nvcc's with -O3 -arch=sm_90.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SUITE = join(ROOT, "src", "profile", "suite");
const RESULT = join(ROOT, "docs", "lab", "profile-ncu.json");
const PAGE = join(ROOT, "docs", "profiling.md");
const EXAMPLES = ["softmax", "sum", "transpose", "vector-add"];
const N = 1024;

const OPERATIONS = ["ld", "st", "atom", "red"];
const FLOATS = ["fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "hadd", "hmul", "hfma"];
/** What is compared: counters, by NVIDIA's names. */
const COUNTERS = [
  ...["requests", "sectors"].flatMap((what) =>
    OPERATIONS.map((op) => `l1tex__t_${what}_pipe_lsu_mem_global_op_${op}.sum`),
  ),
  ...["ld", "st"].flatMap((op) => [
    `l1tex__t_requests_pipe_lsu_mem_local_op_${op}.sum`,
    `l1tex__t_sectors_pipe_lsu_mem_local_op_${op}.sum`,
    `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_${op}.sum`,
    `l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_${op}.sum`,
  ]),
  ...FLOATS.map((op) => `smsp__sass_thread_inst_executed_op_${op}_pred_on.sum`),
  "smsp__warps_launched.sum",
];
const LAUNCH = [
  "launch__registers_per_thread",
  "launch__waves_per_multiprocessor",
  "sm__maximum_warps_per_active_cycle_pct",
];

const { values: options } = parseArgs({
  options: { build: { type: "string" }, table: { type: "string" }, check: { type: "boolean" } },
});
if (options.build !== undefined) build(options.build);
else if (options.table !== undefined) table(options.table);
else writeTable(JSON.parse(readFileSync(RESULT, "utf8")));

/** A program that launches the kernels of a suite file. */
function programOf(source) {
  const launches = [...source.matchAll(/^\/\/ @(flawed|repaired) (\S+) (\S+)/gm)].map(
    ([, kernel, grid, block]) =>
      `  ${kernel}<<<dim3(${grid.split("x").join()}), dim3(${block.split("x").join()})>>>(out, in, ${N});`,
  );
  return `${source}
#include <cstdio>
int main() {
  float *out, *in;
  cudaMalloc(&out, ${N} * ${N} * sizeof(float));
  cudaMalloc(&in, ${N} * ${N} * sizeof(float));
  cudaMemset(in, 0, ${N} * ${N} * sizeof(float));
${launches.join("\n")}
  printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
`;
}

function build(folder) {
  mkdirSync(folder, { recursive: true });
  const names = [];
  for (const file of readdirSync(SUITE)) {
    writeFileSync(join(folder, file), programOf(readFileSync(join(SUITE, file), "utf8")));
    names.push(basename(file, ".cu"));
  }
  for (const name of EXAMPLES) {
    const own = `example-${name}`;
    writeFileSync(join(folder, `${own}.cu`), readFileSync(join(ROOT, "examples", `${name}.cu`)));
    names.push(own);
  }
  for (const name of names) {
    const args = ["dist/bin/main.js", "profile", "--gpu", "h200", `--json=${join(folder, `${name}.ours.json`)}`];
    const { status, stderr } = spawnSync(process.execPath, [...args, join(folder, `${name}.cu`)], {
      cwd: ROOT,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${name}: exit code ${status}\n${stderr}`);
  }
  const ncu = "ncu --clock-control none --csv";
  writeFileSync(
    join(folder, "measure.sh"),
    [
      "set -e",
      'cd "$(dirname "$0")"',
      'to="${1:-.}"',
      "build() { nvcc -O3 -arch=sm_90 -o $1.exe $1.cu; }",
      `metrics=${[...COUNTERS, ...LAUNCH].join()}`,
      `profile() { ${ncu} --metrics $metrics ./$1.exe > $to/$1.ncu.csv || cat $to/$1.ncu.csv; }`,
      `for name in ${names.join(" ")}; do build $name; profile $name; done`,
      `for name in ${names.join(" ")}; do cat $to/$name.ncu.csv | sed "s/^/$name: /"; done > $to/all.txt`,
      "",
    ].join("\n"),
  );
}

/** The rows of ncu's CSV: one for each launch and metric. */
function readCsv(text) {
  const lines = text.split("\n").filter((line) => line.startsWith('"'));
  const cells = (line) => [...line.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell]) => cell);
  const [head, ...rows] = lines.map(cells);
  return rows.map((row) => Object.fromEntries((head ?? []).map((name, index) => [name, row[index]])));
}

/** By launch, in their order: kernel and metrics. */
function ncuLaunches(text) {
  const launches = new Map();
  for (const row of readCsv(text)) {
    const launch = launches.get(row.ID) ?? { kernel: row["Kernel Name"], metrics: {} };
    launches.set(row.ID, launch);
    launch.metrics[row["Metric Name"]] = Number(row["Metric Value"].replaceAll(",", ""));
  }
  return [...launches.values()];
}

function table(folder) {
  const programs = {};
  const texts = existsSync(join(folder, "all.txt")) ? readFileSync(join(folder, "all.txt"), "utf8").split("\n") : [];
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".ours.json"))) {
    const name = basename(file, ".ours.json");
    const { launches } = JSON.parse(readFileSync(join(folder, file), "utf8"));
    const prefix = `${name}: `;
    const csv = texts.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length));
    const theirs = ncuLaunches(csv.join("\n"));
    if (theirs.length === 0) throw new Error(`${name}: no counters of ncu`);
    const seen = new Set();
    programs[name] = launches.flatMap((launch, index) => {
      const other = theirs[index];
      if (other === undefined) throw new Error(`${name}: ncu has ${theirs.length} launches, we ${launches.length}`);
      const key = JSON.stringify([launch.kernel, launch.grid, launch.block]);
      if (seen.has(key)) return [];
      seen.add(key);
      const pairs = [...COUNTERS, ...LAUNCH].flatMap((metric) => {
        const [ours, ncu] = [launch.metrics[metric] ?? 0, other.metrics[metric] ?? 0];
        return ours === 0 && ncu === 0 ? [] : [[metric, ours, ncu]];
      });
      return [{ kernel: launch.name.replace(/\(.*$/, ""), grid: launch.grid, block: launch.block, pairs }];
    });
  }
  writeFileSync(RESULT, `${JSON.stringify(programs, null, 1)}\n`);
  writeTable(programs);
}

/** The text between the page's marks. */
function tableOf(programs) {
  const kernels = Object.entries(programs).flatMap(([program, rows]) => rows.map((row) => ({ program, ...row })));
  const counters = kernels.flatMap(({ program, kernel, pairs }) =>
    pairs
      .filter(([metric]) => !LAUNCH.includes(metric))
      .map(([metric, ours, ncu]) => ({ program, kernel, metric, ours, ncu })),
  );
  const isClose = ({ ours, ncu }) => Math.abs(ours - ncu) <= 0.01 * Math.max(ours, ncu);
  const equal = counters.filter(({ ours, ncu }) => ours === ncu);
  const close = counters.filter(isClose);
  const percent = (part) => `${((100 * part) / counters.length).toFixed(1)} %`;
  // Launches of one kernel with other block sizes say the same again.
  const others = [
    ...new Map(
      counters.filter((pair) => !isClose(pair)).map((pair) => [`${pair.program} ${pair.kernel} ${pair.metric}`, pair]),
    ).values(),
  ];
  return [
    `${kernels.length} kernels, ${counters.length} counters that are not 0 on both sides: ${equal.length} are equal ` +
      `(${percent(equal.length)}), ${close.length} within 1 % (${percent(close.length)}). The others:`,
    "",
    "| program, kernel | counter | Heddle | Nsight Compute |",
    "| --- | --- | --- | --- |",
    ...others.map(
      ({ program, kernel, metric, ours, ncu }) => `| ${program}, ${kernel} | \`${metric}\` | ${ours} | ${ncu} |`,
    ),
  ].join("\n");
}

/** Puts the table into the page; with `--check`, only says that it differs. */
function writeTable(programs) {
  const page = readFileSync(PAGE, "utf8");
  const [from, to] = ["<!-- compare-ncu.mjs --table: from here -->", "<!-- to here -->"];
  const [head, rest] = page.split(from);
  if (rest === undefined) throw new Error(`${PAGE} has no place for the table`);
  const made = `${head}${from}\n${tableOf(programs)}\n${to}${rest.slice(rest.indexOf(to) + to.length)}`;
  if (made === page) return;
  console.log(`docs/profiling.md: the table ${options.check ? "differs" : "is written"}`);
  if (options.check) process.exitCode = 1;
  else writeFileSync(PAGE, made);
}
