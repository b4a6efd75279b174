#!/usr/bin/env node
// The profiler's counters beside Nsight Compute's, kernel by kernel.
//
//   node scripts/profile/compare-ncu.mjs --build FOLDER [--llmc CHECKOUT]
//                                                                 on any machine: programs
//   sh FOLDER/ours.sh                                             on any machine, in this folder: our counters
//   bash FOLDER/measure.sh [TO [SECONDS]]                         on a machine with a GPU, nvcc and ncu
//   node scripts/profile/compare-ncu.mjs --table FOLDER           writes docs/lab/profile-ncu.json and the page's table
//   node scripts/profile/compare-ncu.mjs --recount FOLDER         the same with what Nsight Compute said as it is there
//   node scripts/profile/compare-ncu.mjs                          writes the table anew (npm run docs)
//
// The programs are those of src/profile/suite, with a main() that launches both kernels, the examples, and the forward
// programs of karpathy/llm.c with the sizes of scripts/compat/llmc.json and one launch for each time. Both sides run
// the same source: ours without a toolkit, nvcc's with -O3 -arch=sm_90 and the program's own flags.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { wrap } from "../docs-pages.mjs";
import { gpuProperties } from "../../dist/device/emulated/gpus.js";
import { parseNcuCsv } from "../../dist/profile/compare/ncu-csv.js";
import { occupancyOf, wavesOf } from "../../dist/profile/occupancy.js";
import { replaced, timedProgram, uncheckedHeader } from "../compat/llmc-copies.mjs";
import { SUITE_N, suiteLaunches } from "./suite-launches.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SUITE = join(ROOT, "src", "profile", "suite");
const RESULT = join(ROOT, "docs", "lab", "profile-ncu.json");
const PAGE = join(ROOT, "docs", "profiling-accuracy.md");
const EXAMPLES = ["softmax", "sum", "transpose", "vector-add"];
const N = SUITE_N;

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
/** What we have from models. */
const HIT_RATES = ["l1tex__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct"];
const MODELLED = ["dram__bytes_read.sum", "dram__bytes_write.sum", "gpu__time_duration.sum", ...HIT_RATES];
const LAUNCH = [
  "launch__registers_per_thread",
  "launch__waves_per_multiprocessor",
  "sm__maximum_warps_per_active_cycle_pct",
];
const COMPARED = [...COUNTERS, ...LAUNCH, ...MODELLED];

const { values: options } = parseArgs({
  options: {
    build: { type: "string" },
    llmc: { type: "string" },
    table: { type: "string" },
    recount: { type: "string" },
    check: { type: "boolean" },
  },
});
if (options.build !== undefined) build(options.build, options.llmc);
else if (options.table !== undefined) table(options.table);
else if (options.recount !== undefined) recount(options.recount);
else writeTable(JSON.parse(readFileSync(RESULT, "utf8")));

/** A program that launches the kernels of a suite file, on the data of suiteInput(). */
function programOf(source) {
  const launches = suiteLaunches(source).map(
    ({ kernel, grid, block }) => `  ${kernel}<<<dim3(${grid.join()}), dim3(${block.join()})>>>(out, in, ${N});`,
  );
  return `${source}
#include <cstdio>
#include <cstdlib>
int main() {
  float *out, *in, *host = (float*)malloc(${N} * ${N} * sizeof(float));
  for (unsigned i = 0; i < ${N} * ${N}; i++) host[i] = (((i ^ (i >> 9)) * 2654435761u >> 8) & 0xffff) / 65536.0f;
  // Some kernels write a few elements more.
  cudaMalloc(&out, (${N} * ${N} + 8) * sizeof(float));
  cudaMalloc(&in, ${N} * ${N} * sizeof(float));
  cudaMemcpy(in, host, ${N} * ${N} * sizeof(float), cudaMemcpyHostToDevice);
${launches.join("\n")}
  printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
`;
}

/** The forward programs of llm.c, written into the folder. @returns a run for each version */
function llmcRuns(folder, checkout) {
  const dir = join(checkout, "dev", "cuda");
  writeFileSync(join(folder, "common.h"), uncheckedHeader(readFileSync(join(dir, "common.h"), "utf8")));
  const { programs } = JSON.parse(readFileSync(join(ROOT, "scripts", "compat", "llmc.json"), "utf8"));
  return programs
    .filter(({ file }) => /_forward\.cu$/.test(file))
    .flatMap(({ file, versions, flags = [], reduced = [] }) => {
      const text = reduced.reduce(
        (edited, [from, to]) => replaced(edited, from, to, file),
        readFileSync(join(dir, file), "utf8"),
      );
      const program = `llmc-${basename(file, ".cu")}`;
      writeFileSync(join(folder, `${program}.cu`), timedProgram(text, file, 1));
      return versions.map((version) => ({
        name: `${program}-${version}`,
        program,
        args: [String(version)],
        flags: [...flags.filter((flag) => !/^-O|^-Xcompiler|^-fopenmp/.test(flag)), "-lcublas", "-lcublasLt"],
      }));
    });
}

function build(folder, checkout) {
  mkdirSync(folder, { recursive: true });
  const runs = [];
  const add = (name) => runs.push({ name, program: name, args: [], flags: [] });
  for (const file of readdirSync(SUITE)) {
    writeFileSync(join(folder, file), programOf(readFileSync(join(SUITE, file), "utf8")));
    add(basename(file, ".cu"));
  }
  for (const name of EXAMPLES) {
    const own = `example-${name}`;
    writeFileSync(join(folder, `${own}.cu`), readFileSync(join(ROOT, "examples", `${name}.cu`)));
    add(own);
  }
  if (checkout !== undefined) runs.push(...llmcRuns(folder, checkout));
  // What was never measured first: time on such a machine is short.
  const known = JSON.parse(readFileSync(RESULT, "utf8"));
  runs.sort((a, b) => (a.name in known) - (b.name in known));
  // From the repository's root: what Heddle counts.
  writeFileSync(
    join(folder, "ours.sh"),
    [
      'from="$(dirname "$0")"; to="${1:-$from}"',
      "xargs -P 8 -L 1 node dist/bin/main.js profile -w --caches --workers 2 --gpu h200 <<END",
      ...runs.map(({ name, program, args, flags }) =>
        [`--json=$to/${name}.ours.json`, ...flags, `$from/${program}.cu`, ...args].join(" "),
      ),
      "END",
      "",
    ].join("\n"),
  );
  const ncu = "ncu --clock-control none --csv";
  const programs = new Map(runs.map(({ program, flags }) => [program, flags]));
  writeFileSync(
    join(folder, "measure.sh"),
    [
      "set -e",
      'cd "$(dirname "$0")"',
      'to="${1:-.}"',
      'seconds="${2:-3600}"',
      'build() { program=$1; shift; nvcc -O3 -arch=sm_90 -o $program.exe $program.cu "$@"; }',
      `metrics=${[...COUNTERS, ...LAUNCH, ...MODELLED].join()}`,
      "profile() {",
      '  [ "$SECONDS" -lt "$seconds" ] || return 0',
      "  name=$1; program=$2; shift 2",
      "  csv=$to/$name.ncu.csv",
      `  timeout 30 ${ncu} --metrics $metrics ./$program.exe "$@" > $csv 2>&1 || tail -3 $csv`,
      '  sed "s/^/$name: /" $csv >> $to/all.txt',
      "}",
      ": > $to/all.txt",
      ...[...programs].map(([program, flags]) => `build ${[program, ...flags].join(" ")} &`),
      "wait",
      ...runs.map(({ name, program, args }) => `profile ${[name, program, ...args].join(" ")}`),
      "gzip -c $to/all.txt > $to/all.txt.gz",
      "",
    ].join("\n"),
  );
}

/** Without parameters and template arguments. */
function baseName(name) {
  return name.replace(/^(?:void|static void) /, "").replace(/[(<].*$/s, "");
}

function sizeText({ x, y, z }) {
  return `(${x}, ${y}, ${z})`;
}

function table(folder) {
  // What was not measured this time stays.
  const programs = JSON.parse(readFileSync(RESULT, "utf8"));
  const texts = readFileSync(join(folder, "all.txt"), "utf8").split("\n");
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".ours.json"))) {
    const name = basename(file, ".ours.json");
    const { launches } = JSON.parse(readFileSync(join(folder, file), "utf8"));
    const prefix = `${name}: `;
    const csv = texts.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length));
    // Not measured.
    if (csv.length === 0) continue;
    const theirs = parseNcuCsv(csv.join("\n"), name);
    const keyOf = (launch, { grid, block }) => [baseName(launch), sizeText(grid), sizeText(block)].join(" ");
    const seen = new Set();
    programs[name] = launches.flatMap((launch) => {
      const key = keyOf(launch.name, launch);
      const others = theirs.filter((candidate) => keyOf(candidate.kernel, candidate) === key);
      const [other] = others;
      // Kernels of NVIDIA's libraries are others than ours.
      if (seen.has(key) || other === undefined) return [];
      seen.add(key);
      const pairs = COMPARED.flatMap((metric) => {
        const [ours, ncu] = [oursOf(launch, metric), other.metrics[metric] ?? 0];
        if (ours === 0 && ncu === 0) return [];
        // Nsight Compute's other values, where launches of the same program differ.
        const again = others.map(({ metrics }) => metrics[metric] ?? 0).filter((value) => value !== ncu);
        return [again.length > 0 && COUNTERS.includes(metric) ? [metric, ours, ncu, again] : [metric, ours, ncu]];
      });
      const { grid, block } = launch;
      return [{ kernel: baseName(launch.name), grid, block, occupancy: occupancyWith(launch, other.metrics), pairs }];
    });
  }
  save(programs);
}

/** What was measured stays; our side is counted anew. */
function recount(folder) {
  const programs = JSON.parse(readFileSync(RESULT, "utf8"));
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".ours.json"))) {
    const name = basename(file, ".ours.json");
    const { launches } = JSON.parse(readFileSync(join(folder, file), "utf8"));
    for (const row of programs[name] ?? []) {
      const launch = launches.find(
        (one) =>
          baseName(one.name) === row.kernel &&
          sizeText(one.grid) === sizeText(row.grid) &&
          sizeText(one.block) === sizeText(row.block),
      );
      if (launch === undefined) throw new Error(`${name}: no launch of ${row.kernel} as it was measured`);
      const measured = new Map(row.pairs.map(([metric, , ncu, again]) => [metric, { ncu, again }]));
      const registers = measured.get("launch__registers_per_thread")?.ncu;
      row.occupancy = occupancyWith(launch, { launch__registers_per_thread: registers });
      row.pairs = COMPARED.flatMap((metric) => {
        const { ncu, again } = measured.get(metric) ?? { ncu: 0 };
        const ours = oursOf(launch, metric);
        if (ours === 0 && ncu === 0) return [];
        return [again === undefined ? [metric, ours, ncu] : [metric, ours, ncu, again]];
      });
    }
  }
  save(programs);
}

function oursOf({ metrics, predicted }, metric) {
  return metric === "gpu__time_duration.sum" ? 1e3 * predicted.microseconds : (metrics[metric] ?? 0);
}

function save(programs) {
  // A line for each launch.
  const lines = Object.entries(programs).map(
    ([name, rows]) => `${JSON.stringify(name)}: [\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]`,
  );
  writeFileSync(RESULT, `{\n${lines.join(",\n")}\n}\n`);
  writeTable(programs);
}

/** Occupancy and waves with the registers that NVIDIA's compiler took, and the limiting resource with either. */
function occupancyWith({ grid, block, dynamicSharedBytes, facts }, metrics) {
  const gpu = gpuProperties("h200");
  const resources = { ...facts, dynamicSharedBytes, registersPerThread: metrics.launch__registers_per_thread };
  const given = occupancyOf(block, resources, gpu);
  return {
    percent: 100 * given.part,
    waves: wavesOf(grid, given, gpu),
    limit: given.limit,
    estimatedLimit: facts.occupancy.limit,
  };
}

/** The text between the page's marks. */
function tableOf(programs) {
  const kernels = Object.entries(programs).flatMap(([program, rows]) => rows.map((row) => ({ program, ...row })));
  const counters = kernels.flatMap(({ program, kernel, pairs }) =>
    pairs
      // Without arithmetic of halves, hfma and hadd are how NVIDIA's compiler loads constants.
      .filter(([metric, ours]) => COUNTERS.includes(metric) && (ours > 0 || !/op_h(?:fma|add|mul)_/.test(metric)))
      .map(([metric, ours, ncu, again = []]) => ({ program, kernel, metric, ours, ncu, again })),
  );
  const isClose = ({ ours, ncu }) => Math.abs(ours - ncu) <= 0.01 * Math.max(ours, ncu);
  const isEqual = ({ ours, ncu }) => ours === ncu;
  const equal = counters.filter(isEqual);
  const close = counters.filter(isClose);
  const percentOf = (part, all) => `${((100 * part.length) / all.length).toFixed(1)} %`;
  const steady = counters.filter(({ again }) => again.length === 0);
  const rows = COUNTERS.flatMap((metric) => {
    const own = counters.filter((pair) => pair.metric === metric);
    if (own.length === 0) return [];
    const same = own.filter(isEqual).length;
    return [`| \`${metric}\` | ${own.length} | ${same} | ${own.filter(isClose).length} |`];
  });
  const counterText = [
    `**Counters** of ${kernels.length} launches: of ${counters.length} that are not 0 on both sides`,
    `${equal.length} are equal (${percentOf(equal, counters)}), ${close.length} within 1 %`,
    `(${percentOf(close, counters)}).`,
    `Of these, Nsight Compute itself counts ${counters.length - steady.length} differently in two launches of`,
    `one kernel with the same data. Of the other ${steady.length}, ${percentOf(steady.filter(isEqual), steady)} are`,
    `equal and ${percentOf(steady.filter(isClose), steady)} within 1 %.`,
  ];
  return [
    ...[counterText, ...modelText(kernels), occupancyText(kernels)].map((text) => wrap(text.join(" "), "  ", "- ")),
    "",
    "| counter | compared | equal | within 1 % |",
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

function occupancyText(kernels) {
  const of = (pairs, name) => pairs.find(([metric]) => metric === name) ?? [name, 0, 0];
  const part = (accept) => `${((100 * kernels.filter(accept).length) / kernels.length).toFixed(1)} %`;
  // Nsight Compute prints two digits.
  const isSame = (ours, ncu) => Math.abs(ours - ncu) <= 0.0051;
  const [occupancy, waves] = ["sm__maximum_warps_per_active_cycle_pct", "launch__waves_per_multiprocessor"];
  const sameOccupancy = part((one) => isSame(one.occupancy.percent, of(one.pairs, occupancy)[2]));
  const sameWaves = part((one) => isSame(one.occupancy.waves, of(one.pairs, waves)[2]));
  const sameLimit = part((one) => one.occupancy.limit === one.occupancy.estimatedLimit);
  return [
    "**Occupancy**: with the registers that NVIDIA's compiler took, the theoretical occupancy is that of Nsight",
    `Compute in ${sameOccupancy} of the launches, and the waves are in ${sameWaves}. By the estimate of registers,`,
    `the limiting resource is right in ${sameLimit}.`,
  ];
}

/** How far the models are from what was measured. */
function modelText(kernels) {
  const pairsOf = (metric) =>
    kernels.flatMap(({ program, pairs }) =>
      pairs.filter(([name]) => name === metric).map(([, ours, ncu]) => ({ program, ours, ncu })),
    );
  const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
  const deviation = ({ ours, ncu }) => Math.abs(ours - ncu) / Math.max(1, ncu);
  const percent = (part) => `${(100 * part).toFixed(0)} %`;
  const dram = [...pairsOf("dram__bytes_read.sum"), ...pairsOf("dram__bytes_write.sum")].map(deviation);
  // Of rates near 0 a percent of the sectors is the measure.
  const rate = ({ ours, ncu }) => Math.abs(ours - ncu) / Math.max(10, ncu);
  const [l1, l2] = HIT_RATES.map((metric) => pairsOf(metric).map(rate));
  const times = pairsOf("gpu__time_duration.sum");
  if (times.length === 0) return [];
  const factor = times.map(({ ours, ncu }) => Math.max(ours / ncu, ncu / ours));
  const families = new Map();
  for (const pair of times) {
    const family = pair.program.replace(/-\d+$/, "");
    families.set(family, [...(families.get(family) ?? []), pair]);
  }
  const orders = [...families.values()].filter((all) => all.length >= 8).map((all) => rankCorrelation(all));
  const within = (all, most) => percent(all.filter((one) => one <= most).length / all.length);
  return [
    [
      "**Caches and DRAM** (`--caches`): the bytes that DRAM reads and writes are within 10 % of what was measured",
      `in ${within(dram, 0.1)} of the figures (median deviation ${percent(median(dram))}), the hit rates of L1 in`,
      `${within(l1, 0.1)} (${percent(median(l1))}), and those of L2 in ${within(l2, 0.1)} (${percent(median(l2))}).`,
    ],
    [
      `**Times**: the model's time is off by a factor of ${median(factor).toFixed(2)} in the median, and within a`,
      `factor of 2 in ${within(factor, 2)}. How well the`,
      `model orders versions and block sizes of a program (${orders.length}`,
      "programs with at least eight): Spearman's rank correlation with the measured order is",
      `${median(orders).toFixed(2)} in the median, ${Math.min(...orders).toFixed(2)} at worst.`,
    ],
  ];
}

/** Spearman, "The Proof and Measurement of Association between Two Things" (1904); ties share their mean rank. */
function rankCorrelation(pairs) {
  const ranks = (values) => {
    const sorted = values.toSorted((a, b) => a - b);
    return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2);
  };
  const [a, b] = [ranks(pairs.map(({ ours }) => ours)), ranks(pairs.map(({ ncu }) => ncu))];
  const mean = (pairs.length - 1) / 2;
  const sum = (of) => a.reduce((total, _, i) => total + of(i), 0);
  const [x, y] = [(i) => a[i] - mean, (i) => b[i] - mean];
  return sum((i) => x(i) * y(i)) / Math.sqrt(sum((i) => x(i) ** 2) * sum((i) => y(i) ** 2));
}

/** Puts the table into the page; with `--check`, only says that it differs. */
function writeTable(programs) {
  const page = readFileSync(PAGE, "utf8");
  const [from, to] = ["<!-- compare-ncu.mjs --table: from here -->", "<!-- to here -->"];
  const [head, rest] = page.split(from);
  if (rest === undefined) throw new Error(`${PAGE} has no place for the table`);
  const made = `${head}${from}\n${tableOf(programs)}\n${to}${rest.slice(rest.indexOf(to) + to.length)}`;
  if (made === page) return;
  console.log(`docs/profiling-accuracy.md: the table ${options.check ? "differs" : "is written"}`);
  if (options.check) process.exitCode = 1;
  else writeFileSync(PAGE, made);
}
