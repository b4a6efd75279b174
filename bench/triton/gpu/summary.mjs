// What run.py and ncu have measured, as docs/lab/triton-h200.json and the tables of docs/triton-results.md. `--help`
// says how.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wrap } from "../../../scripts/docs-pages.mjs";
import { ALL_COLUMNS, CASES } from "./cases.mjs";

const [times, counters] = process.argv.slice(2);
if (times === undefined) {
  console.log(`node bench/triton/gpu/summary.mjs TIMES.json [NCU.csv]

Writes docs/lab/triton-h200.json, and the tables between the marks in docs/triton-results.md. Cases, ladders and
counters that were not measured now stay what they are.`);
  process.exit(2);
}
const root = join(import.meta.dirname, "../../..");
const lab = join(root, "docs/lab/triton-h200.json");
const known = JSON.parse(readFileSync(lab, "utf8"));
const measured = JSON.parse(readFileSync(times, "utf8"));
const round = (value, digits = 2) => Number(value.toFixed(digits));
const micro = (side) => (side ? round(1000 * side.medianMs, 1) : null);

/** ncu's rows by launch: the launches of both sides take turns. */
function profiles(csv) {
  const launches = new Map();
  for (const line of csv.split("\n").filter((text) => /^"\d/.test(text))) {
    const cells = [...line.matchAll(/"([^"]*)"/g)].map(([, cell]) => cell);
    const id = cells[0];
    if (!launches.has(id)) launches.set(id, { kernel: cells[4], grid: cells[8] });
    launches.get(id)[cells[12]] = Number(cells[14].replaceAll(",", ""));
  }
  return [...launches.values()];
}

const NAMES = {
  "dram__bytes_read.sum": "dramRead",
  "dram__bytes_write.sum": "dramWritten",
  "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "loadRequests",
  "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "loadSectors",
  "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "storeRequests",
  "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "storeSectors",
  "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": "sharedWavefronts",
  "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active": "tensorPipePercent",
  "sm__warps_active.avg.pct_of_peak_sustained_active": "warpsActivePercent",
  launch__registers_per_thread: "registers",
  "smsp__inst_executed.sum": "instructions",
};
const all = counters === undefined ? [] : profiles(readFileSync(counters, "utf8"));
const pairs = counters === undefined ? known.counters : [];
for (let i = 0; i + 1 < all.length; i += 2) {
  const side = (launch) => Object.fromEntries(Object.entries(NAMES).map(([long, short]) => [short, launch[long]]));
  pairs.push({ kernel: all[i].kernel, grid: all[i].grid, heddle: side(all[i]), triton: side(all[i + 1]) });
}

const now = measured.cases.map(({ name, config, bytes, flops, ours, triton_: real, ...rest }) => ({
  name,
  config,
  bytes,
  flops,
  heddleUs: micro(ours),
  tritonUs: micro(real),
  heddleQuartilesUs: ours && [ours.q1Ms, ours.q3Ms].map((ms) => round(1000 * ms, 1)),
  tritonQuartilesUs: real && [real.q1Ms, real.q3Ms].map((ms) => round(1000 * ms, 1)),
  registers: rest.registers,
  spilledBytes: rest.localBytes,
  differs: rest.oursOff,
  wrong: rest.oursWrong ?? null,
}));
const order = CASES.map(({ group, config }) => `${group} ${config}`);
const place = ({ name, config }) => order.indexOf(`${name} ${config}`);
const names = new Set(now.map(({ name }) => name));
const cases = [...known.cases.filter(({ name }) => !names.has(name)), ...now].sort((a, b) => place(a) - place(b));
const ladders =
  measured.ladders.length === 0
    ? known.ladders
    : measured.ladders.map(({ name, medianMs }) => ({ name, us: round(1000 * medianMs, 1) }));
const { device, versions } = measured;
const about = "made by bench/triton/gpu: export.mjs, run.py on the GPU machine, summary.mjs";
const file = { about, device, versions, cases, ladders, counters: pairs };
writeFileSync(lab, `${JSON.stringify(file, null, 1)}\n`);

// ---------------------------------------------------------------- tables

const best = new Map();
for (const each of cases.filter(({ name }) => name !== ALL_COLUMNS)) {
  const entry = best.get(each.name) ?? { ...each, heddle: null, triton: null };
  for (const [side, key] of [
    ["heddle", "heddleUs"],
    ["triton", "tritonUs"],
  ])
    if (each[key] !== null && (entry[side] === null || each[key] < entry[side].us))
      entry[side] = { us: each[key], config: each.config };
  best.set(each.name, entry);
}
const speed = ({ bytes, flops }, us) =>
  flops ? `${Math.round(flops / us / 1e6)} TFLOP/s` : `${Math.round(bytes / us / 1e3)} GB/s`;
const isProduct = ({ flops }) => Boolean(flops);
const rows = [...best.values()].filter((each) => !isProduct(each));
const table = (head, lines) =>
  [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const plain = table(
  ["tutorial", "Triton", "Heddle", "Heddle's speed", "Triton / Heddle"],
  rows.map((each) => [
    each.name,
    `${each.triton.us} µs`,
    `${each.heddle.us} µs`,
    speed(each, each.heddle.us),
    (each.triton.us / each.heddle.us).toFixed(2),
  ]),
);
const ladderOf = ({ name }) => {
  if (name.startsWith("03")) return ladders.find((each) => each.name.includes("matmul"));
  const rest = name.slice("06 attention ".length);
  return ladders.find((each) => each.name === `ladder attention bf16 ${rest}`);
};
const products = table(
  ["tutorial", "Heddle", "its speed", "our CUDA ladder", "ladder / Heddle", "Triton (wgmma)", "Triton / Heddle"],
  [...best.values()].filter(isProduct).map((each) => {
    const ladder = ladderOf(each);
    return [
      each.name,
      `${each.heddle.us} µs`,
      speed(each, each.heddle.us),
      ladder ? `${ladder.us} µs` : "",
      ladder ? (ladder.us / each.heddle.us).toFixed(2) : "",
      `${each.triton.us} µs`,
      (each.triton.us / each.heddle.us).toFixed(2),
    ];
  }),
);
const ratio = (pair, key) => (pair.heddle[key] ? (pair.heddle[key] / pair.triton[key]).toFixed(2) : "");
const sectors = (side, kind) =>
  side[`${kind}Requests`] ? (side[`${kind}Sectors`] / side[`${kind}Requests`]).toFixed(1) : "none";
const counted = table(
  [
    "kernel, programs",
    "instructions",
    "DRAM bytes read",
    "sectors a load",
    "sectors a store",
    "shared wavefronts",
    "tensor pipe busy",
    "registers",
  ],
  pairs.map((pair) => {
    const both = (of) => `${of(pair.heddle)} / ${of(pair.triton)}`;
    return [
      `${pair.kernel} ${pair.grid}`,
      ratio(pair, "instructions"),
      ratio(pair, "dramRead"),
      both((side) => sectors(side, "load")),
      both((side) => sectors(side, "store")),
      pair.triton.sharedWavefronts ? ratio(pair, "sharedWavefronts") : "",
      both((side) => `${Math.round(side.tensorPipePercent)} %`),
      both((side) => side.registers),
    ];
  }),
);
const page = join(root, "docs/triton-results.md");
const marks = (name, text, body) => {
  const [begin, end] = [`<!-- from docs/lab/triton-h200.json: ${name} -->`, `<!-- end of ${name} -->`];
  if (!text.includes(begin)) throw new Error(`docs/triton-results.md has no ${begin}`);
  return text.slice(0, text.indexOf(begin) + begin.length) + `\n\n${body}\n\n` + text.slice(text.indexOf(end));
};
let text = readFileSync(page, "utf8");
const ratios = cases.filter(({ name }) => name === ALL_COLUMNS).map((each) => each.tritonUs / each.heddleUs);
const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
const columns = wrap(
  `Over all ${ratios.length} row lengths of tutorial 02 (4096 rows of 256 to 12672 elements), Triton / Heddle is ` +
    `${mean.toFixed(2)} in the geometric mean, at least ${Math.min(...ratios).toFixed(2)}, and below 0.97 for ` +
    `${ratios.filter((ratio) => ratio < 0.97).length}.`,
);
const bodies = { rows: plain, columns, products, counters: counted };
for (const [name, body] of Object.entries(bodies)) text = marks(name, text, body);
writeFileSync(page, text);
