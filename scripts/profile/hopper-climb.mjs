#!/usr/bin/env node
// What the profiler counts of the versions of matmul-bf16: the picture and the table of docs/hopper.md.
//
//   node scripts/profile/hopper-climb.mjs --measure        profiles them (minutes), writes docs/lab/hopper-climb.json
//   node scripts/profile/hopper-climb.mjs --ncu FOLDER     adds what Nsight Compute counted: FOLDER/VERSION.ncu.csv
//   node scripts/profile/hopper-climb.mjs                  writes the picture and the table (npm run docs)
//
// Each is hopper-climb.cu, which nvcc compiles as it is: nvcc -O3 -std=c++17 -arch=sm_90a, with the options below and
// -lcuda; then ncu --csv --metrics with the names of COUNTERS.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parseNcuCsv } from "../../dist/profile/compare/ncu-csv.js";
import { climbPicture } from "./climb-picture.mjs";
import { writeOrCheck } from "../docs-pages.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const RESULT = join(ROOT, "docs/lab/hopper-climb.json");
const PAGE = "docs/hopper.md";
export const SIZE = 512;

const tiles = { TILE_M: 128, TILE_N: 128 };
const persistent = { KIND: 2, GROUP: 8, OUT_N: 128, CLUSTER: 1 };
/** One configuration of each, with the same tiles where that is possible. */
export const VERSIONS = {
  "3-mma": { KIND: 0, ...tiles, WARP_N: 32, DEPTH: 32, STAGES: 1 },
  "4-pipelined": { KIND: 0, ...tiles, WARP_N: 32, DEPTH: 32, STAGES: 4 },
  "6-wgmma": { KIND: 1, ...tiles, STAGES: 4, GRID_X: "n/TILE_N", GRID_Y: "m/TILE_M", BLOCK: 256 },
  "7-specialised": { KIND: 1, ...tiles, STAGES: 4, GROUP: 8, GRID_X: "(n/TILE_N)*(m/TILE_M)", GRID_Y: 1, BLOCK: 384 },
  "8-persistent": { ...persistent, TILE_N: 256, ROWS: 64, STAGES: 4 },
  "9-ping-pong": { ...persistent, TILE_N: 128, ROWS: 128, STAGES: 6 },
  "10-clusters": { ...persistent, TILE_N: 256, ROWS: 64, STAGES: 4, CLUSTER: 2 },
};
/** What the page shows, by NVIDIA's names. */
export const COUNTERS = [
  "smsp__inst_executed_pipe_tensor.sum",
  "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
  "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
  "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
  "smsp__sass_inst_executed_op_tma_ld.sum",
  "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum",
  "heddle__l2_sectors_sent_op_tma_ld.sum",
  "smsp__sass_inst_executed_op_tma_st.sum",
  "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum",
  "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
  "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
  "smsp__inst_executed_pipe_tensor_op_gmma.sum",
  "sm__sass_data_bytes_mem_shared_op_gmma.sum",
  "dram__bytes_read.sum",
  "dram__bytes_write.sum",
];

export function defines(version) {
  const values = { VERSION: `"${version}.cu"`, SIZE, ...VERSIONS[version] };
  return ["-Ikernels/matmul-bf16", ...Object.entries(values).map(([name, value]) => `-D${name}=${value}`)];
}

/** Our counters of a version, by name. */
export function profiled(version) {
  const json = join(tmpdir(), `heddle-climb-${process.pid}.json`);
  const args = ["dist/bin/main.js", "profile", "--gpu", "h200", "-O3", "-arch=sm_90a", `--json=${json}`];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...args, ...defines(version), "scripts/profile/hopper-climb.cu"],
    { cwd: ROOT, encoding: "utf8", env: { ...process.env, HEDDLE_PTXAS: "none" } },
  );
  if (status !== 0) throw new Error(`${version}: ${stderr}`);
  const { metrics } = JSON.parse(readFileSync(json, "utf8")).launches[0];
  return { result: stdout.trim(), counters: Object.fromEntries(COUNTERS.map((name) => [name, metrics[name] ?? 0])) };
}

function measure() {
  const known = existsSync(RESULT) ? JSON.parse(readFileSync(RESULT, "utf8")).versions : {};
  const versions = {};
  for (const version of Object.keys(VERSIONS)) {
    const { result, counters } = profiled(version);
    const { ncu = null } = known[version] ?? {};
    versions[version] = { result, counters, ncu };
    console.log(`${version}: ${result}`);
  }
  if (new Set(Object.values(versions).map(({ result }) => result)).size !== 1)
    throw new Error("versions compute different results");
  write(versions);
}

function addNcu(folder) {
  const { versions } = JSON.parse(readFileSync(RESULT, "utf8"));
  for (const version of Object.keys(versions)) {
    const file = join(folder, `${version}.ncu.csv`);
    if (!existsSync(file)) continue;
    const [launch] = parseNcuCsv(readFileSync(file, "utf8"), version);
    versions[version].ncu = Object.fromEntries(
      COUNTERS.flatMap((name) => (launch?.metrics[name] === undefined ? [] : [[name, launch.metrics[name]]])),
    );
  }
  write(versions);
}

function write(versions) {
  writeFileSync(RESULT, `${JSON.stringify({ size: SIZE, versions }, null, 1)}\n`);
}

/** Columns of the picture: what a version needs for the same product. */
function columnsOf({ counters: c }) {
  const sectors = c["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] + c["heddle__l2_sectors_sent_op_tma_ld.sum"];
  return [
    c["smsp__inst_executed_pipe_tensor_op_gmma.sum"] || c["smsp__inst_executed_pipe_tensor.sum"],
    c["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] + c["smsp__sass_inst_executed_op_tma_ld.sum"],
    32 * sectors,
    128 * c["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] + c["sm__sass_data_bytes_mem_shared_op_gmma.sum"],
  ];
}

function count(value) {
  if (value >= 1e6) return `${(value / 1e6).toFixed(2)} M`;
  return value >= 1e4 ? `${Math.round(value / 1e3)} k` : String(value);
}
const mebibytes = (value) => `${(value / 2 ** 20).toFixed(1)} MiB`;

function tableOf(versions) {
  const rows = Object.entries(versions).map(([version, one]) => {
    const [instructions, loads, loaded, shared] = columnsOf(one);
    return `| ${[version, count(instructions), count(loads), mebibytes(loaded), mebibytes(shared)].join(" | ")} |`;
  });
  return [
    "| version | tensor-core instructions | loads of global memory | they bring | operands from shared memory |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

function writePages() {
  const { size, versions } = JSON.parse(readFileSync(RESULT, "utf8"));
  const page = readFileSync(join(ROOT, PAGE), "utf8");
  const [begin, end] = ["<!-- climb -->\n", "<!-- /climb -->"];
  const [from, to] = [page.indexOf(begin) + begin.length, page.indexOf(end)];
  if (from < begin.length || to < 0) throw new Error(`${PAGE} has no place for the table`);
  writeOrCheck({
    [PAGE]: `${page.slice(0, from)}\n${tableOf(versions)}\n${page.slice(to)}`,
    "docs/images/hopper-climb.svg": climbPicture({
      title: `A product of ${size}³, as heddle profile counts it`,
      columns: ["products", "loads", "they bring", "operands"],
      rows: Object.entries(versions).map(([name, one]) => {
        const values = columnsOf(one);
        return { name, values, texts: values.map((value, i) => (i < 2 ? count(value) : mebibytes(value))) };
      }),
    }),
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values: options } = parseArgs({
    options: { measure: { type: "boolean" }, ncu: { type: "string" }, check: { type: "boolean" } },
  });
  if (options.measure) measure();
  else if (options.ncu !== undefined) addNcu(options.ncu);
  else writePages();
}
