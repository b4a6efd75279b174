/** A kernel's part of the profile page: Nsight Compute's sections, with hints in front and the source behind. */
import { dim3Volume } from "../base/dim3.ts";
import { bars } from "../report/bars.ts";
import { markup, type Html } from "../report/markup.ts";
import { byteCount, percentText, shortNumber, timeText } from "../report/numbers.ts";
import { shareCurve } from "../report/plots.ts";
import { sourceView, type SourceLine } from "../report/source-view.ts";
import { table, tiles, type Tile } from "../report/table.ts";
import { accessPictures } from "./access-pictures.ts";
import { L1_HIT_RATE, L2_HIT_RATE } from "./caches/hit-rates.ts";
import { barrierFigures } from "./barriers-text.ts";
import { gainText, type Hint } from "./hints/hint.ts";
import type { AccessProfile, LineProfile, Metrics } from "./line-profile.ts";
import { activeThreads, extents, type PageKernel, type ProfilePageOptions } from "./page-kernel.ts";
import { localText } from "./profile-text.ts";
import { transfersIn } from "./transfers.ts";
import type { ProfiledLaunch, ProfileReport } from "./profile-report.ts";

export function kernelSection(
  { id, name, count, first }: PageKernel,
  gpu: ProfileReport["gpu"],
  { readable, linesOf }: ProfilePageOptions,
): Html {
  const { hints } = first;
  const times = count === 1 ? "" : ` · ${count} launches with the same counters`;
  const fault = first.fault === null ? null : markup`<p class="bad">The launch ended by a fault: ${first.fault}.</p>`;
  return markup`<section id="${id}">
    <h2>${name}</h2>
    <p class="mono muted">
      ${readable(first.kernel)} · grid ${extents(first.grid)} · block ${extents(first.block)}${times}
    </p>
    ${fault}
    <h3>Hints</h3>
    ${hintList(hints, id)}
    <h3>Speed of light</h3>
    ${speedOfLight(first)}
    <div class="columns">
      <div>
        <h3>Launch statistics</h3>
        ${launchStatistics(first)}
      </div>
      <div>
        <h3>Occupancy</h3>
        ${occupancySection(first)}
      </div>
    </div>
    <div class="columns">
      <div>
        <h3>Memory workload</h3>
        ${memoryTable(first)}
      </div>
      <div>
        <h3>Compute workload</h3>
        ${computeBars(first.metrics)}
      </div>
    </div>
    ${barrierTable(first)} ${accessPictures(first)}
    <h3>Source counters</h3>
    ${sources(first, { id, hints, linesOf })}
  </section> `;
}

function hintList(hints: readonly Hint[], id: string): Html {
  if (hints.length === 0) return markup`<p class="none">Nothing stands out.</p>`;
  const items = hints.map((hint) => {
    const { place, what, cure, link } = hint;
    const where =
      place === null
        ? null
        : markup`<a href="#${lineId(id, place.file)}-${place.line}">${place.file}:${place.line}</a> `;
    return markup`<li>${where}${what}<span class="cure">${cure}${gainText(hint)}; more in ${link}</span></li> `;
  });
  return markup`<ol class="hints">
    ${items}
  </ol> `;
}

/** Files are told apart by their names alone, which a fragment may hold in part. */
function lineId(id: string, file: string): string {
  return `${id}-${file.replaceAll(/[^\w.-]+/g, "-")}`;
}

function speedOfLight({ predicted }: ProfiledLaunch): Html {
  const rows = predicted.units
    .filter(({ share }) => share >= 0.01)
    .map(({ unit, microseconds, share }) => ({
      name: unit,
      value: share,
      text: `${percentText(share)}, ${timeText(microseconds)}`,
    }));
  return markup`<p>
      A model of the GPU expects <b>${timeText(predicted.microseconds)}</b>, limited by <b>${predicted.limiter}</b>. A
      bar is the time that one unit would need by itself.
    </p>
    ${bars(rows, { label: "Time that each unit needs", most: 1 })}`;
}

function launchStatistics({ grid, block, facts, dynamicSharedBytes, metrics }: ProfiledLaunch): Html {
  const active = activeThreads(metrics);
  const all: Tile[] = [
    { name: "threads", value: shortNumber(dim3Volume(grid) * dim3Volume(block)) },
    {
      name: "waves",
      value: facts.waves.toFixed(2),
      more: facts.waves > 1 && facts.lastWave < 1 ? `the last is ${percentText(facts.lastWave)} full` : null,
    },
    {
      name: "registers a thread",
      value: facts.registersPerThread,
      more:
        REGISTERS_FROM[facts.registersFrom] + ((facts.spillBytes ?? 0) === 0 ? "" : `, ${facts.spillBytes} B spilled`),
    },
    {
      name: "shared memory a block",
      value: `${facts.staticSharedBytes + dynamicSharedBytes} B`,
      more: dynamicSharedBytes === 0 ? null : `${dynamicSharedBytes} B of it dynamic`,
    },
    { name: "active threads a warp", value: active === null ? "none" : active.toFixed(1), more: "of 32" },
    {
      name: "divergent branches",
      value: shortNumber(metrics["smsp__sass_branch_targets_threads_divergent.sum"] ?? 0),
    },
    { name: "barriers a warp", value: barriersText(metrics) },
  ];
  return tiles(all);
}

const REGISTERS_FROM = { estimate: "estimate", ptxas: "from ptxas", driver: "from the driver" } as const;

function barriersText(metrics: ProfiledLaunch["metrics"]): string {
  const warps = metrics["smsp__warps_launched.sum"] ?? 0;
  const barriers = (metrics["smsp__inst_executed_op_barrier.sum"] ?? 0) / Math.max(1, warps);
  return barriers === 0 ? "none" : shortNumber(Number(barriers.toPrecision(3)));
}

function occupancySection({ block, facts }: ProfiledLaunch): Html {
  const { occupancy, byBlockSize } = facts;
  return markup`<p>
      ${percentText(occupancy.part)} in theory: ${occupancy.blocks} blocks (${occupancy.warps} warps) a multiprocessor,
      limited by ${occupancy.limit}.
    </p>
    ${shareCurve(
      byBlockSize.map(({ threads, part }) => ({ x: threads, y: part })),
      { label: "Occupancy by block size", xTitle: "threads a block", at: dim3Volume(block) },
    )}
    ${table({
      columns: [{ title: "limit", isText: true }, { title: "blocks a multiprocessor" }],
      rows: Object.entries(occupancy.blocksByLimit).map(([limit, blocks]) => [limit, blocks]),
    })}`;
}

const OPERATIONS: Readonly<Record<AccessProfile["operation"], string>> = {
  load: "loads",
  store: "stores",
  atomic: "atomics",
  reduction: "reductions",
  copy: "copies",
};

function memoryTable({ lines, metrics }: ProfiledLaunch): Html {
  const sums = new Map<string, { requests: number; transactions: number; ideal: number }>();
  for (const { space, operation, requests, transactions, ideal } of lines.flatMap(({ accesses }) => accesses)) {
    const name = `${space} ${OPERATIONS[operation]}`;
    const sum = sums.get(name) ?? { requests: 0, transactions: 0, ideal: 0 };
    sums.set(name, {
      requests: sum.requests + requests,
      transactions: sum.transactions + transactions,
      ideal: sum.ideal + ideal,
    });
  }
  const transfers = transfersIn(metrics).map(({ direction, instructions, sectors }) => [
    `TMA ${OPERATIONS[direction]}`,
    shortNumber(instructions),
    shortNumber(sectors),
    (sectors / instructions).toFixed(1),
    "",
  ]);
  if (sums.size + transfers.length === 0) return markup`<p>The kernel accesses no memory.</p>`;
  const rows = [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { requests, transactions, ideal }]) => [
      name,
      shortNumber(requests),
      shortNumber(transactions),
      { show: (transactions / requests).toFixed(1), sort: 0, ...(transactions > 1.25 * ideal ? BAD : {}) },
      (ideal / requests).toFixed(1),
    ]);
  const read = metrics["dram__bytes_read.sum"] ?? 0;
  const written = metrics["dram__bytes_write.sum"] ?? 0;
  const [l1, l2] = [metrics[L1_HIT_RATE], metrics[L2_HIT_RATE]];
  const bytesText =
    l1 === undefined || l2 === undefined
      ? "Different bytes of DRAM:"
      : `By a model of the caches, L1 has ${l1.toFixed(1)} % of the sectors${localText(metrics)}, and L2 ` +
        `${l2.toFixed(1)} % of what it is ` +
        "asked for. DRAM:";
  return markup`${table({
    caption: "Sectors of 32 bytes; of shared memory wavefronts, of constants different addresses",
    columns: [
      { title: "access", isText: true },
      { title: "requests" },
      { title: "sectors" },
      { title: "a request" },
      { title: "ideally" },
    ],
    rows: [...rows, ...transfers],
  })}
    <p>${bytesText} ${byteCount(read)} read, ${byteCount(written)} written.</p>`;
}

const BAD = { tone: "bad" } as const;

/** How far apart warps arrive, by barrier. */
function barrierTable({ lines }: ProfiledLaunch): Html | null {
  const rows = lines.flatMap(({ file, line, metrics }) => {
    const figures = barrierFigures(metrics);
    if (figures === null) return [];
    const { barriers, mean, worst } = figures;
    return [[`${file}:${line}`, shortNumber(barriers), shortNumber(Number(mean.toPrecision(3))), shortNumber(worst)]];
  });
  if (rows.length === 0) return null;
  return markup`<h3>Barriers</h3>
    ${table({
      caption: "Warp instructions between the first warp of a block that arrives and the last",
      columns: [
        { title: "barrier", isText: true },
        { title: "in all blocks" },
        { title: "apart on average" },
        { title: "at worst" },
      ],
      rows,
    })}`;
}

const CLASSES: readonly (readonly [metric: string, name: string])[] = [
  ["ffma", "fp32 multiply-add"],
  ["fadd", "fp32 add"],
  ["fmul", "fp32 multiply"],
  ["dfma", "fp64 multiply-add"],
  ["dadd", "fp64 add"],
  ["dmul", "fp64 multiply"],
  ["hfma", "fp16 multiply-add"],
  ["hadd", "fp16 add"],
  ["hmul", "fp16 multiply"],
  ["integer", "integer"],
  ["conversion", "conversion"],
  ["memory", "memory"],
  ["control", "control"],
  ["inter_thread_communication", "between lanes"],
];

function computeBars(metrics: Metrics): Html {
  const rows = CLASSES.flatMap(([metric, name]) => {
    const value = metrics[`smsp__sass_thread_inst_executed_op_${metric}_pred_on.sum`] ?? 0;
    return value === 0 ? [] : [{ name, value, text: shortNumber(value) }];
  }).sort((a, b) => b.value - a.value);
  return (
    bars(rows, { label: "Instructions of all threads by kind", narrow: true }) ??
    markup`<p>The kernel computes nothing.</p>`
  );
}

interface SourceContext {
  readonly id: string;
  readonly hints: readonly Hint[];
  readonly linesOf: ProfilePageOptions["linesOf"];
}

/** Lines of source around an executed one that are shown, too. */
const CONTEXT = 2;

function sources({ lines }: ProfiledLaunch, { id, hints, linesOf }: SourceContext): Html[] {
  const files = new Map<string, LineProfile[]>();
  for (const line of lines) files.set(line.file, [...(files.get(line.file) ?? []), line]);
  const most = { warps: 1, sectors: 1, wavefronts: 1, idle: 1 };
  for (const figures of lines.map(lineFigures))
    for (const what of Object.keys(most) as (keyof typeof most)[]) most[what] = Math.max(most[what], figures[what]);
  return [...files].map(([file, executed]) => {
    const text = linesOf(file);
    const byNumber = new Map(executed.map((line) => [line.line, line]));
    const shown = new Set(
      executed.flatMap(({ line }) => Array.from({ length: 2 * CONTEXT + 1 }, (_, i) => line - CONTEXT + i)),
    );
    const numbers = [...shown]
      .filter((number) => byNumber.has(number) || (number >= 1 && number <= (text?.length ?? 0)))
      .sort((a, b) => a - b);
    return sourceView({
      id: lineId(id, file),
      file,
      columns: ["warp instr.", "threads", "sectors", "wavefronts"],
      heats: ["instructions", "sectors", "wavefronts", "idle threads"],
      lines: numbers.map((number): SourceLine => {
        const line = byNumber.get(number);
        const notes = hints
          .filter(({ place }) => place?.file === file && place.line === number)
          .map(({ what, cure }) => `${what}: ${cure}`);
        const source = text?.[number - 1]?.trimEnd() ?? "";
        if (line === undefined) return { number, text: source, figures: ["", "", "", ""], heat: [0, 0, 0, 0], notes };
        const { warps, threads, sectors, wavefronts, idle } = lineFigures(line);
        return {
          number,
          text: source,
          figures: [
            shortNumber(warps),
            warps === 0 ? "" : (threads / warps).toFixed(1),
            sectors === 0 ? "" : shortNumber(sectors),
            wavefronts === 0 ? "" : shortNumber(wavefronts),
          ],
          heat: [warps / most.warps, sectors / most.sectors, wavefronts / most.wavefronts, idle / most.idle],
          notes,
        };
      }),
    });
  });
}

function lineFigures({ metrics, accesses }: LineProfile): {
  readonly warps: number;
  readonly threads: number;
  readonly sectors: number;
  readonly wavefronts: number;
  readonly idle: number;
} {
  const warps = metrics["smsp__inst_executed.sum"] ?? 0;
  const threads = metrics["smsp__thread_inst_executed.sum"] ?? 0;
  const sum = (...spaces: readonly AccessProfile["space"][]): number =>
    accesses.filter(({ space }) => spaces.includes(space)).reduce((total, { transactions }) => total + transactions, 0);
  return { warps, threads, sectors: sum("global", "local"), wavefronts: sum("shared"), idle: warps - threads / 32 };
}
