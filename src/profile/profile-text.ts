/** A profile as text for a terminal: a summary for each kernel, hints, and on request the annotated source. */
import { counted } from "../base/counted.ts";
import { dim3Volume, type Dim3 } from "../base/dim3.ts";
import { byteCount, percentText, shortNumber, timeText } from "../report/numbers.ts";
import { barrierFigures, skewText, worstBarrier } from "./barriers-text.ts";
import { flopsOf } from "./flops.ts";
import type { KernelFacts } from "./launch-facts.ts";
import { gainText, type Hint } from "./hints/hint.ts";
import { L1_HIT_RATE, L2_HIT_RATE, LOCAL_HIT_RATES } from "./caches/hit-rates.ts";
import type { AccessProfile, CallProfile, Metrics } from "./line-profile.ts";
import type { ProfiledLaunch, ProfileReport } from "./profile-report.ts";
import { sameLaunches, type SameLaunches } from "./same-launches.ts";
import { transfersIn } from "./transfers.ts";
import { PRODUCT_BYTES, PRODUCT_INSTRUCTIONS } from "./warpgroup-products.ts";

export interface ProfileTextOptions {
  /** A mangled name as a programmer reads it. */
  readonly readable: (name: string) => string;
  readonly color: boolean;
  /** Print the source of the lines that were executed, with their counters. */
  readonly lines: boolean;
  /** A source file's lines, or null where it cannot be read. */
  readonly linesOf: (file: string) => readonly string[] | null;
}

const MOST_HINTS = 5;

export function profileText(report: ProfileReport, options: ProfileTextOptions): string {
  const { gpu, launches, notRecorded } = report;
  const groups = sameLaunches(launches);
  const head =
    `heddle profile: ${counted(launches.length, "kernel launch", "kernel launches")}, ` +
    `by the rules of an ${gpu.name} (${gpu.computeCapability}, ${gpu.multiprocessors} multiprocessors)\n`;
  const text = groups.map((group) => groupText(group, gpu.multiprocessors, options)).join("\n");
  const rest =
    notRecorded === 0 ? "" : `\n${counted(notRecorded, "further launch", "further launches")} not recorded\n`;
  return `${head}${launches.length === 0 ? "" : "\n"}${text}${rest}`;
}

function groupText({ first, count }: SameLaunches, multiprocessors: number, options: ProfileTextOptions): string {
  const { kernel, grid, block, fault } = first;
  const title = bold(options.readable(kernel), options);
  const times = count === 1 ? "" : `, ${count} launches with the same counters`;
  const ended = fault === null ? "" : `, ended by a fault (${fault})`;
  const rows = [
    occupancyRow(first),
    resourcesRow(first),
    wavesRow(first),
    workRow(first.metrics),
    ...memoryRows(first),
    ...transferRows(first.metrics),
    barriersRow(first),
    intensityRow(first),
    timeRow(first),
    cachesRow(first),
  ].filter((row) => row !== null);
  const width = Math.max(...rows.map(([name]) => name.length));
  const { hints } = first;
  return [
    `${title}  grid ${extents(grid)}, block ${extents(block)}${times}${ended}`,
    ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`),
    ...hintLines(hints, options),
    ...(options.lines ? sourceLines(first, options) : []),
    "",
  ].join("\n");
}

export type Row = readonly [name: string, text: string];

export function occupancyRow({ facts }: Pick<ProfiledLaunch, "facts">): Row {
  const { part, blocks, limit } = facts.occupancy;
  return [
    "occupancy",
    `${percentText(part)} in theory: ${counted(blocks, "block")} a multiprocessor, limited by ${limit}`,
  ];
}

export function resourcesRow({ facts, dynamicSharedBytes }: Pick<ProfiledLaunch, "facts" | "dynamicSharedBytes">): Row {
  const { registersPerThread, registersFrom, staticSharedBytes } = facts;
  const shared = staticSharedBytes + dynamicSharedBytes;
  return [
    "resources",
    `${registersPerThread} registers a thread${registersFrom === "driver" ? "" : ` (${registersFrom})`}, ` +
      `${spilled(facts)}${shared === 0 ? "no" : `${shared} bytes of`} shared memory a block`,
  ];
}

/** "64 bytes of them spilled, " */
export function spilled({ spillBytes }: Pick<KernelFacts, "spillBytes">): string {
  return spillBytes === null || spillBytes === 0 ? "" : `${spillBytes} bytes a thread spilled, `;
}

export function wavesRow({ facts }: Pick<ProfiledLaunch, "facts">): Row {
  const last = facts.waves > 1 && facts.lastWave < 1 ? `; the last one is ${percentText(facts.lastWave)} full` : "";
  return ["waves", `${facts.waves.toFixed(facts.waves < 10 ? 2 : 1)}${last}`];
}

const FLOATS: readonly (readonly [string, string])[] = [
  ["ffma", "fma"],
  ["fadd", "add"],
  ["fmul", "mul"],
  ["dfma", "fp64 fma"],
  ["dadd", "fp64 add"],
  ["dmul", "fp64 mul"],
  ["hfma", "fp16 fma"],
  ["hadd", "fp16 add"],
  ["hmul", "fp16 mul"],
  ["integer", "integer"],
];

function workRow(metrics: Metrics): Row {
  const parts = FLOATS.flatMap(([name, text]) => {
    const threads = metrics[`smsp__sass_thread_inst_executed_op_${name}_pred_on.sum`] ?? 0;
    return threads === 0 ? [] : [`${shortNumber(threads)} ${text}`];
  });
  const warps = metrics["smsp__inst_executed.sum"] ?? 0;
  const threads = metrics["smsp__thread_inst_executed.sum"] ?? 0;
  const divergent = metrics["smsp__sass_branch_targets_threads_divergent.sum"] ?? 0;
  const active = warps === 0 ? "" : `; ${(threads / warps).toFixed(1)} of 32 threads active`;
  return [
    "work",
    `${parts.length === 0 ? "no arithmetic" : parts.join(", ")}${active}` +
      (divergent === 0 ? "" : `; ${counted(divergent, "divergent branch", "divergent branches")}`),
  ];
}

function memoryRows({ lines }: ProfiledLaunch): Row[] {
  const sums = new Map<string, { -readonly [K in "requests" | "transactions" | "ideal"]: number }>();
  for (const access of lines.flatMap(({ accesses }) => accesses)) {
    const name = `${access.space} ${OPERATIONS[access.operation]}`;
    const sum = sums.get(name) ?? { requests: 0, transactions: 0, ideal: 0 };
    for (const count of ["requests", "transactions", "ideal"] as const) sum[count] += access[count];
    sums.set(name, sum);
  }
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { requests, transactions, ideal }]): Row => {
      const unit = UNITS[name.split(" ")[0] ?? ""] ?? "sectors";
      const per = (value: number): string => (value / requests).toFixed(1);
      return [
        name,
        `${shortNumber(requests)} ${requests === 1 ? "request" : "requests"}, ${shortNumber(transactions)} ${unit}: ` +
          `${per(transactions)} a request` +
          (transactions > ideal ? `, ideally ${per(ideal)}` : ""),
      ];
    });
}

/** Tiles and bulk copies, and products of warpgroups. */
function transferRows(metrics: Metrics): Row[] {
  const rows = transfersIn(metrics).map(({ direction, instructions, sectors }): Row => {
    const each = shortNumber(Number((sectors / instructions).toPrecision(3)));
    return [
      `TMA ${OPERATIONS[direction]}`,
      `${counted(instructions, "instruction")}, ${shortNumber(sectors)} sectors: ${each} each`,
    ];
  });
  const products = metrics[PRODUCT_INSTRUCTIONS] ?? 0;
  if (products === 0) return rows;
  const bytes = metrics[PRODUCT_BYTES] ?? 0;
  return [...rows, ["wgmma", `${shortNumber(products)} warp instructions read ${byteCount(bytes)} of shared memory`]];
}

const UNITS: Readonly<Record<string, string>> = { shared: "wavefronts", constant: "addresses" };
const OPERATIONS: Readonly<Record<AccessProfile["operation"], string>> = {
  load: "loads",
  store: "stores",
  atomic: "atomics",
  reduction: "reductions",
  copy: "copies",
};

/** null: the kernel has no barriers of a block. */
function barriersRow({ metrics, lines }: ProfiledLaunch): Row | null {
  const figures = barrierFigures(metrics);
  if (figures === null) return null;
  const worst = worstBarrier(lines);
  const where = worst === null ? "" : ` (line ${worst.line})`;
  return ["barriers", `${shortNumber(figures.barriers)} in all blocks; ${skewText(figures)}${where}`];
}

/** Floating-point operations over the different bytes that the kernel reads and writes. */
function intensityRow({ metrics }: ProfiledLaunch): Row | null {
  const { half, single, double } = flopsOf(metrics);
  const operations = half + single + double;
  const bytes = (metrics["dram__bytes_read.sum"] ?? 0) + (metrics["dram__bytes_write.sum"] ?? 0);
  if (bytes === 0 || operations === 0) return null;
  return ["intensity", `${(operations / bytes).toFixed(2)} floating-point operations for each byte of DRAM`];
}

/** null: the caches were not modelled. */
function cachesRow({ metrics }: ProfiledLaunch): Row | null {
  const [l1, l2] = [metrics[L1_HIT_RATE], metrics[L2_HIT_RATE]];
  if (l1 === undefined || l2 === undefined) return null;
  const read = byteCount(metrics["dram__bytes_read.sum"] ?? 0);
  const written = byteCount(metrics["dram__bytes_write.sum"] ?? 0);
  return [
    "caches (model)",
    `L1 has ${l1.toFixed(1)} % of the sectors${localText(metrics)}, L2 ${l2.toFixed(1)} % of what it is asked for; ` +
      `DRAM: ${read} read, ${written} written`,
  ];
}

/** The hit rates of local memory, where there is any. */
export function localText(metrics: Metrics): string {
  const parts = (["load", "store"] as const).flatMap((operation) => {
    const rate = metrics[LOCAL_HIT_RATES[operation]];
    return rate === undefined ? [] : [`${rate.toFixed(1)} % of ${operation}s`];
  });
  return parts.length === 0 ? "" : ` (of local memory ${parts.join(", ")})`;
}

/** The model's time, and what DRAM must move at least. */
function timeRow({ metrics, predicted }: ProfiledLaunch): Row {
  const time = `${timeText(predicted.microseconds)}, limited by ${predicted.limiter}`;
  if (metrics[L1_HIT_RATE] !== undefined) return ["time (model)", time];
  const read = metrics["dram__bytes_read.sum"] ?? 0;
  const written = metrics["dram__bytes_write.sum"] ?? 0;
  return ["time (model)", `${time}; at least ${byteCount(read)} of DRAM read, ${byteCount(written)} written`];
}

function hintLines(hints: readonly Hint[], options: ProfileTextOptions): string[] {
  if (hints.length === 0) return [];
  const more = hints.length > MOST_HINTS ? [`  and ${counted(hints.length - MOST_HINTS, "more hint")} (--json)`] : [];
  return [
    "  hints",
    ...hints.slice(0, MOST_HINTS).flatMap((hint, index) => {
      const { place, what, cure } = hint;
      const where = place === null ? "" : `${place.file}:${place.line}: `;
      return [`    ${index + 1}. ${bold(where, options)}${what}`, `       ${cure}${gainText(hint)}`];
    }),
    ...more,
  ];
}

/** Each executed line: warp instructions, active threads, sectors and wavefronts, then its text. */
function sourceLines({ lines }: ProfiledLaunch, { linesOf, readable }: ProfileTextOptions): string[] {
  const out: string[] = [];
  let file = "";
  for (const { file: own, line, metrics, accesses, calls } of lines) {
    if (own !== file) {
      file = own;
      out.push(`  ${file}`, "      warp instr.  threads   sectors  wavefronts");
    }
    const warps = metrics["smsp__inst_executed.sum"] ?? 0;
    const threads = metrics["smsp__thread_inst_executed.sum"] ?? 0;
    const sum = (of: (access: AccessProfile) => boolean): string => {
      const all = accesses.filter(of).reduce((total, { transactions }) => total + transactions, 0);
      return all === 0 ? "" : shortNumber(all);
    };
    out.push(
      `      ${shortNumber(warps).padStart(11)}  ${(warps === 0 ? "" : (threads / warps).toFixed(1)).padStart(7)}  ` +
        `${sum(({ space }) => space === "global" || space === "local").padStart(8)}  ` +
        `${sum(({ space }) => space === "shared").padStart(10)}  ` +
        `${String(line).padStart(4)}  ${linesOf(own)?.[line - 1]?.trimEnd() ?? ""}`.trimEnd(),
      ...barrierLine(metrics),
      ...calls.map((call) => callLine(call, readable)),
    );
  }
  return out;
}

function barrierLine(metrics: Metrics): string[] {
  const figures = barrierFigures(metrics);
  return figures === null ? [] : [`${" ".repeat(47)}${skewText(figures)}`];
}

/** A place that the line above was inlined into, with its part of the warp instructions. */
function callLine({ function: name, from, metrics }: CallProfile, readable: (name: string) => string): string {
  const warps = shortNumber(metrics["smsp__inst_executed.sum"] ?? 0).padStart(11);
  const called = from.map(({ file, line }) => `${file}:${line}`).join(", from ");
  return `      ${warps}  ${name === null ? "" : readable(name)}${called === "" ? "" : `, called at ${called}`}`;
}

export function extents({ x, y, z }: Dim3): string {
  const all = [x, ...(y > 1 || z > 1 ? [y] : []), ...(z > 1 ? [z] : [])];
  return all.length === 1 ? String(x) : `${all.join(" × ")} (${dim3Volume({ x, y, z })})`;
}

export function bold(text: string, { color }: Pick<ProfileTextOptions, "color">): string {
  return color && text !== "" ? `\u001b[1m${text}\u001b[0m` : text;
}
