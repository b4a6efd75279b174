/** Results as one HTML file that needs nothing else: a table, the ladder as bars, each sweep as dots. */
import { mainTiming, type LadderResult, type ResultRecord, type RivalResult, type VersionResult } from "./results.ts";
import { shapeText } from "../kernel-library/ladder.ts";
import { formatMs, percent } from "../measure/format-times.ts";
import { throttledBy } from "../measure/gpu-clocks.ts";
import { clocksText, errorText, formatSurroundings, gainsOf, rateOf } from "./report-table.ts";
import { keyOf } from "../kernel-library/search-space.ts";

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const STYLE = `
:root { color-scheme: light dark; --line: #8886; --bar: #3a78c9; --limit: #c0392b; --muted: #777 }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100% }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: right }
th:first-child, td:first-child, td.text { text-align: left }
.muted { color: var(--muted) }
.bad { color: var(--limit) }
svg { width: 100%; height: auto; margin: .5rem 0 1rem }
svg text { font: 12px system-ui, sans-serif; fill: currentColor }
rect.bar, circle { fill: var(--bar) }
line.limit { stroke: var(--limit); stroke-dasharray: 4 3 }
line.range { stroke: currentColor }`;

const WIDTH = 900;
const LABEL = 220;
const ROW = 24;
const SWEEP_ROW = 18;

export function htmlReport(records: readonly ResultRecord[]): string {
  const [first] = records;
  const about =
    first === undefined ? "" : muted(`${formatSurroundings(first.surroundings)}; ${first.surroundings.time}`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Ladders</title><style>${STYLE}</style></head>
<body><h1>Ladders</h1>${about}
${records.map((record) => section(record)).join("\n")}
</body></html>
`;
}

const muted = (text: string): string => `<p class="muted">${escape(text)}</p>`;

function section(result: LadderResult): string {
  const { ladder, summary, shape, versions, rivals, checkedShapes, seed } = result;
  const isCold = [...versions, ...rivals].some(({ timings }) => timings.some(({ cache }) => cache === "cold"));
  const gains = gainsOf(versions);
  const about =
    `${shapeText(shape)}; right at ${checkedShapes} shapes before it is timed; ` +
    `inputs of timed launches: --seed ${seed}`;
  const rows = [
    ...versions.map((version, i) => {
      const { version: name, idea, configuration } = version;
      const text = { name, idea, configuration: keyOf(configuration ?? {}), gain: gains[i] ?? "" };
      return tableRow(result, text, version, isCold);
    }),
    ...rivals.map((rival) => {
      const text = { name: rival.rival, idea: "", configuration: rival.description ?? "", gain: "" };
      return tableRow(result, text, rival, isCold);
    }),
  ];
  const sweeps = versions.filter(({ trials }) => trials.length > 1).map((version) => sweepPlot(version));
  return `<section><h2>${escape(ladder)}</h2><p>${escape(summary)}. <span class="muted">${escape(about)}</span></p>
${ladderPlot(result)}
<table>${headerRow(isCold)}
${rows.join("\n")}</table>
${notes(result)}
${sweeps.join("\n")}</section>`;
}

function headerRow(isCold: boolean): string {
  const names = ["version", "idea", "configuration", "median", "spread", "95 % of the median"];
  if (isCold) names.push("hot");
  names.push("rate", "of the limit", "× before", "error / allowed");
  return `<tr>${names.map((name) => `<th>${name}</th>`).join("")}</tr>`;
}

interface RowText {
  readonly name: string;
  readonly idea: string;
  readonly configuration: string;
  readonly gain: string;
}

function tableRow(
  result: LadderResult,
  { name, idea, configuration, gain }: RowText,
  { verdict, problem, timings, comparison }: VersionResult | RivalResult,
  isCold: boolean,
): string {
  const [timing] = timings;
  const begin = `<tr><td>${escape(name)}</td><td class="text">${escape(idea)}</td>`;
  if (timing === undefined || verdict !== "ok") {
    const text = escape(problem === null ? verdict : `${verdict}: ${problem}`);
    const style = verdict === "absent" ? "muted" : "bad";
    return `${begin}<td class="text ${style}" colspan="${isCold ? 9 : 8}">${text}</td></tr>`;
  }
  const hot = timings.find(({ cache }) => cache === "hot");
  const cells = [
    escape(configuration),
    formatMs(timing.ms.median),
    `± ${percent(timing.ms.spread)}`,
    `${formatMs(timing.ms.low)} – ${formatMs(timing.ms.high)} (n = ${timing.ms.samples})`,
    ...(isCold ? [hot === undefined ? "" : formatMs(hot.ms.median)] : []),
    rateOf(result, { timings }),
    percent(timing.limitMs / timing.ms.median),
    gain,
    errorText(comparison),
  ];
  return `${begin}${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

/** What limits, and the state of the GPU. */
function notes(result: LadderResult): string {
  const timing = [...result.versions, ...result.rivals].map(mainTiming).find((candidate) => candidate !== null) ?? null;
  const clocks = clocksText(result);
  const said: string[] = [];
  if (timing !== null) said.push(`physical floor ${formatMs(timing.floorMs)}`);
  if (clocks !== null) said.push(`clocks: ${clocks}`);
  const throttled = throttledBy(result);
  const warning = throttled === null ? "" : `; <span class="bad">throttled (${escape(throttled)})</span>`;
  return `<p class="muted">${escape(said.join("; "))}${warning}</p>`;
}

/** Times as bars, with the interval of the median, and the limit as a line. */
function ladderPlot({ versions, rivals }: LadderResult): string {
  const rows = [
    ...versions.map((result) => ({ name: result.version, result })),
    ...rivals.map((result) => ({ name: result.rival, result })),
  ].flatMap(({ name, result }) => {
    const timing = mainTiming(result);
    return timing === null || result.verdict !== "ok" ? [] : [{ name, timing }];
  });
  if (rows.length === 0) return "";
  const most = Math.max(...rows.map(({ timing }) => timing.ms.high));
  const x = (ms: number): number => LABEL + (ms / most) * (WIDTH - LABEL - 110);
  const bars = rows.map(({ name, timing: { ms } }, i) => {
    const y = i * ROW + 4;
    const [low, high] = [x(ms.low).toFixed(1), x(ms.high).toFixed(1)];
    const width = (x(ms.median) - LABEL).toFixed(1);
    return [
      `<text x="0" y="${y + 13}">${escape(name)}</text>`,
      `<rect class="bar" x="${LABEL}" y="${y}" width="${width}" height="${ROW - 8}"/>`,
      `<line class="range" x1="${low}" x2="${high}" y1="${y + 8}" y2="${y + 8}"/>`,
      `<text x="${(x(ms.high) + 8).toFixed(1)}" y="${y + 13}">${formatMs(ms.median)}</text>`,
    ].join("");
  });
  const limit = rows[0]?.timing.limitMs ?? 0;
  const at = x(limit).toFixed(1);
  const height = rows.length * ROW + 18;
  return [
    `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="time of each version">`,
    ...bars,
    `<line class="limit" x1="${at}" x2="${at}" y1="0" y2="${height - 16}"/>`,
    `<text x="${at}" y="${height - 3}">limit ${formatMs(limit)}</text></svg>`,
  ].join("");
}

/** Every configuration that was tried as a dot, fastest first. */
function sweepPlot({ version, trials }: VersionResult): string {
  const usable = trials
    .flatMap(({ configuration, medianMs }) => (medianMs === null ? [] : [{ name: keyOf(configuration), ms: medianMs }]))
    .toSorted((a, b) => a.ms - b.ms);
  if (usable.length === 0) return "";
  const most = Math.max(...usable.map(({ ms }) => ms));
  const dots = usable.map(({ name, ms }, i) => {
    const [x, y] = [LABEL + (ms / most) * (WIDTH - LABEL - 110), i * SWEEP_ROW + 10];
    return [
      `<text x="0" y="${y + 4}">${escape(name)}</text>`,
      `<circle cx="${x.toFixed(1)}" cy="${y}" r="4"><title>${escape(name)}: ${formatMs(ms)}</title></circle>`,
      `<text x="${(x + 9).toFixed(1)}" y="${y + 4}">${formatMs(ms)}</text>`,
    ].join("");
  });
  const unusable = trials.length - usable.length;
  const count = `${trials.length} configurations${unusable === 0 ? "" : `, ${unusable} of them cannot be used`}`;
  const height = usable.length * SWEEP_ROW + 8;
  return [
    `<details><summary>sweep of ${escape(version)}: ${count}</summary>`,
    `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="sweep">${dots.join("")}</svg></details>`,
  ].join("");
}
