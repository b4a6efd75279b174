/** Results as one HTML file that needs nothing else: a table, the ladder as bars, each sweep as dots. */
import { mainTiming, type LadderResult, type ResultRecord, type RivalResult, type VersionResult } from "./results.ts";
import { shapeText } from "../kernel-library/ladder.ts";
import { formatMs, percent } from "../measure/format-times.ts";
import { throttledBy } from "../measure/gpu-clocks.ts";
import { errorText, formatSurroundings, gainsOf, rateOf } from "./report-table.ts";
import { keyOf } from "../kernel-library/search-space.ts";

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const STYLE = `
:root { color-scheme: light dark; --line: #8886; --bar: #3a78c9; --limit: #c0392b; --muted: #777 }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100% } th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: right }
th:first-child, td:first-child, td.text { text-align: left } .muted { color: var(--muted) } .bad { color: var(--limit) }
svg { width: 100%; height: auto; margin: .5rem 0 1rem } svg text { font: 12px system-ui, sans-serif; fill: currentColor } rect.bar, circle { fill: var(--bar) }
line.limit { stroke: var(--limit); stroke-dasharray: 4 3 } line.range { stroke: currentColor }`;

const WIDTH = 900;
const LABEL = 220;
const ROW = 24;

export function htmlReport(records: readonly ResultRecord[]): string {
  const first = records[0];
  const body = records.map((record) => section(record)).join("\n");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Ladders</title><style>${STYLE}</style></head>
<body><h1>Ladders</h1>${first === undefined ? "" : `<p class="muted">${escape(formatSurroundings(first.surroundings))}; ${escape(first.surroundings.time)}</p>`}
${body}
</body></html>
`;
}

function section(result: LadderResult): string {
  const { ladder, summary, shape, versions, rivals } = result;
  const isCold = [...versions, ...rivals].some(({ timings }) => timings.some(({ cache }) => cache === "cold"));
  const gains = gainsOf(versions);
  return `<section><h2>${escape(ladder)}</h2><p>${escape(summary)}. <span class="muted">${escape(shapeText(shape))}; right at ${result.checkedShapes} shapes before it is timed; inputs of timed launches: --seed ${result.seed}</span></p>
${ladderPlot(result)}
<table><tr><th>version</th><th>idea</th><th>configuration</th><th>median</th><th>spread</th><th>95 % of the median</th>${isCold ? "<th>hot</th>" : ""}<th>rate</th><th>of the limit</th><th>× before</th><th>error / allowed</th></tr>
${versions.map((version, i) => tableRow(result, { name: version.version, idea: version.idea, configuration: keyOf(version.configuration ?? {}), gain: gains[i] ?? "" }, version, isCold)).join("\n")}
${rivals.map((rival) => tableRow(result, { name: rival.rival, idea: "", configuration: rival.description ?? "", gain: "" }, rival, isCold)).join("\n")}</table>
${notes(result)}
${versions
  .filter(({ trials }) => trials.length > 1)
  .map((version) => sweepPlot(version))
  .join("\n")}</section>`;
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
  if (timing === undefined || verdict !== "ok")
    return `${begin}<td class="text ${verdict === "absent" ? "muted" : "bad"}" colspan="${isCold ? 9 : 8}">${escape(`${verdict}${problem === null ? "" : `: ${problem}`}`)}</td></tr>`;
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
  const {
    clocks: { before, after },
    versions,
    rivals,
  } = result;
  const timing = [...versions, ...rivals].map(mainTiming).find((candidate) => candidate !== null);
  const said = timing === undefined || timing === null ? [] : [`physical floor ${formatMs(timing.floorMs)}`];
  const throttled = throttledBy(result);
  if (after !== null)
    said.push(
      `clocks: SM ${before?.smMHz ?? "?"} → ${after.smMHz} MHz, memory ${after.memoryMHz} MHz, ${after.temperatureC} °C`,
    );
  return `<p class="muted">${escape(said.join("; "))}${throttled === null ? "" : `; <span class="bad">throttled (${escape(throttled)})</span>`}</p>`;
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
    return `<text x="0" y="${y + 13}">${escape(name)}</text><rect class="bar" x="${LABEL}" y="${y}" width="${(x(ms.median) - LABEL).toFixed(1)}" height="${ROW - 8}"/><line class="range" x1="${x(ms.low).toFixed(1)}" x2="${x(ms.high).toFixed(1)}" y1="${y + 8}" y2="${y + 8}"/><text x="${(x(ms.high) + 8).toFixed(1)}" y="${y + 13}">${formatMs(ms.median)}</text>`;
  });
  const limit = rows[0]?.timing.limitMs ?? 0;
  const height = rows.length * ROW + 18;
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="time of each version">${bars.join("")}<line class="limit" x1="${x(limit).toFixed(1)}" x2="${x(limit).toFixed(1)}" y1="0" y2="${height - 16}"/><text x="${x(limit).toFixed(1)}" y="${height - 3}">limit ${formatMs(limit)}</text></svg>`;
}

/** Every configuration that was tried as a dot, fastest first. */
function sweepPlot({ version, trials }: VersionResult): string {
  const usable = trials
    .filter(({ medianMs }) => medianMs !== null)
    .toSorted((a, b) => (a.medianMs as number) - (b.medianMs as number));
  if (usable.length === 0) return "";
  const most = Math.max(...usable.map(({ medianMs }) => medianMs as number));
  const dots = usable.map(({ configuration, medianMs }, i) => {
    const [cx, cy] = [LABEL + ((medianMs as number) / most) * (WIDTH - LABEL - 110), i * 18 + 10];
    return `<text x="0" y="${cy + 4}">${escape(keyOf(configuration))}</text><circle cx="${cx.toFixed(1)}" cy="${cy}" r="4"><title>${escape(keyOf(configuration))}: ${formatMs(medianMs as number)}</title></circle><text x="${(cx + 9).toFixed(1)}" y="${cy + 4}">${formatMs(medianMs as number)}</text>`;
  });
  const unusable = trials.length - usable.length;
  return `<details><summary>sweep of ${escape(version)}: ${trials.length} configurations${unusable === 0 ? "" : `, ${unusable} of them cannot be used`}</summary><svg viewBox="0 0 ${WIDTH} ${usable.length * 18 + 8}" role="img" aria-label="sweep">${dots.join("")}</svg></details>`;
}
