// Figures as tables: plain text for a terminal, Markdown for docs/performance.md.
import { wrap } from "../../scripts/docs-pages.mjs";
import { geometricMean } from "./statistics.mjs";
import { BROWSER_TARGET, GROWTH_TARGET, MEAN_TARGET, WIDE_MEAN_TARGET, WIDE_TARGET, WORKERS_TARGET } from "./rows.mjs";

/** How much of a unit in a second: { unit: "GB/s", work: bytes } and milliseconds. */
export function rate({ unit, work }, ms) {
  return work / ms / (unit.startsWith("G") ? 1e6 : 1e3);
}

/** Our speed over a contestant's; null where one of them is not there. */
export function ratio(row, engine, rival) {
  const [ours, theirs] = [row.results[engine], row.results[rival]];
  return ours === undefined || theirs === undefined ? null : theirs.median / ours.median;
}

/** The geometric mean over PoCL; null without PoCL. */
export function meanRatio(report, engine) {
  const ratios = report.rows.map((row) => ratio(row, engine, "PoCL")).filter((value) => value !== null);
  return ratios.length === 0 ? null : geometricMean(ratios);
}

/** Head and cells of the main table. */
export function mainTable(report) {
  const [primary, ...others] = report.engines;
  const rivals = report.rivals.filter((name) => name !== "PoCL");
  const pocl = report.rivals.includes("PoCL");
  const head = [
    "kernel",
    "unit",
    primary,
    "±",
    "tier",
    ...(pocl ? ["PoCL", "ratio", "target", "met"] : []),
    ...rivals,
    ...others.flatMap((name) => [name, ...(pocl ? ["ratio"] : [])]),
  ];
  const cells = report.rows.map((row) => {
    const speed = (name) => (row.results[name] === undefined ? "" : number(rate(row, row.results[name].median)));
    const over = (engine) => times(ratio(row, engine, "PoCL"));
    const ours = row.results[primary];
    return [
      row.title,
      row.unit,
      speed(primary),
      ours === undefined ? "" : percent(ours.spread),
      ours?.tier ?? "",
      ...(pocl
        ? [speed("PoCL"), over(primary), `${row.target} ×`, verdict(ratio(row, primary, "PoCL"), row.target)]
        : []),
      ...rivals.map(speed),
      ...others.flatMap((name) => [speed(name), ...(pocl ? [over(name)] : [])]),
    ];
  });
  if (pocl && report.rows.length > 1) {
    const mean = meanRatio(report, primary);
    cells.push([
      "geometric mean",
      "",
      "",
      "",
      "",
      "",
      times(mean),
      `${MEAN_TARGET} ×`,
      verdict(mean, MEAN_TARGET),
      ...rivals.map(() => ""),
      ...others.flatMap((name) => ["", times(meanRatio(report, name))]),
    ]);
  }
  return [head, ...cells];
}

/** Two worker threads over one. */
export function workersTable(report) {
  const rows = report.rows.filter(({ results }) => results[TWO_WORKERS] !== undefined);
  const cells = rows.map((row) => {
    const gain = ratio(row, TWO_WORKERS, report.engines[0]);
    return [
      row.title,
      row.unit,
      ...[report.engines[0], TWO_WORKERS].map((name) => number(rate(row, row.results[name].median))),
      times(gain),
      `${WORKERS_TARGET} ×`,
      verdict(gain, WORKERS_TARGET),
    ];
  });
  return [["kernel", "unit", "one thread", "two threads", "gain", "target", "met"], ...cells];
}

/** The contestant with two threads. */
export const TWO_WORKERS = "two workers";

/**
 * The contestants in a browser: on a cross-origin isolated page, and on one that is not, where memory cannot be shared.
 */
export const IN_BROWSER = "Chromium";
export const IN_BROWSER_TWO_WORKERS = "Chromium, two workers";
export const IN_PLAIN_PAGE = "Chromium, page not isolated";

/** How much longer it takes in a browser than in Node.js. */
export function browserTable(report) {
  const [primary] = report.engines;
  const rows = report.rows.filter(({ results }) => results[IN_BROWSER] !== undefined);
  const cells = rows.map((row) => {
    const speed = (name) => (row.results[name] === undefined ? "" : number(rate(row, row.results[name].median)));
    // Node.js's speed over Chromium's is Chromium's time over Node.js's.
    const longer = ratio(row, primary, IN_BROWSER);
    return [
      row.title,
      row.unit,
      speed(primary),
      speed(IN_BROWSER),
      times(longer),
      `${BROWSER_TARGET} ×`,
      longer === null ? "" : yesNo(longer <= BROWSER_TARGET),
      speed(IN_PLAIN_PAGE),
      speed(TWO_WORKERS),
      speed(IN_BROWSER_TWO_WORKERS),
    ];
  });
  return [
    [
      "kernel",
      "unit",
      primary,
      IN_BROWSER,
      "time",
      "at most",
      "met",
      "page not isolated",
      `${primary}, two workers`,
      IN_BROWSER_TWO_WORKERS,
    ],
    ...cells,
  ];
}

/** The contestant whose kernels are those of 64-bit programs. */
export const WIDE = "lp64";

/** Kernels of 64-bit programs beside the same ones of 32-bit programs. */
export function modelsTable(report) {
  const [primary] = report.engines;
  const rows = report.rows.filter(({ results }) => results[WIDE] !== undefined && results[primary] !== undefined);
  const speed = (row, name) => number(rate(row, row.results[name].median));
  const over = (row) => ratio(row, WIDE, primary);
  const cells = rows.map((row) => [
    row.title,
    row.unit,
    speed(row, primary),
    percent(row.results[primary].spread),
    speed(row, WIDE),
    percent(row.results[WIDE].spread),
    times(over(row)),
    `${WIDE_TARGET} ×`,
    verdict(over(row), WIDE_TARGET),
  ]);
  if (rows.length > 1) {
    const mean = geometricMean(rows.map(over));
    const last = [times(mean), `${WIDE_MEAN_TARGET} ×`, verdict(mean, WIDE_MEAN_TARGET)];
    cells.push(["geometric mean", "", "", "", "", "", ...last]);
  }
  return [["kernel", "unit", "ilp32", "±", "lp64", "±", "ratio", "at least", "met"], ...cells];
}

/** What a block costs as the grid grows. */
export function growthTable(report) {
  const cells = report.growth.flatMap(({ title, sizes }) =>
    sizes.map(({ blocks, ms }, i) => {
      const perBlock = ms.median / blocks;
      const change = perBlock / (sizes[0].ms.median / sizes[0].blocks) - 1;
      return [
        title,
        String(blocks),
        number(ms.median),
        number(perBlock * 1000),
        i === 0 ? "" : `${change < 0 ? "−" : "+"}${percent(Math.abs(change))}`,
        i === sizes.length - 1 ? `+${percent(GROWTH_TARGET)}` : "",
        i === sizes.length - 1 ? yesNo(change <= GROWTH_TARGET) : "",
      ];
    }),
  );
  return [["kernel", "blocks", "ms", "µs a block", "change", "target", "met"], ...cells];
}

/** Columns side by side: the first to the left, the others to the right. */
export function asText(table) {
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  return table
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function asMarkdown([head, ...rows]) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

/** Replaces what is between the markers `<!-- NAME -->` and `<!-- /NAME -->`. */
export function replaceBetween(text, name, content) {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`there are no markers ${open} … ${close}`);
  return `${text.slice(0, start + open.length)}\n${content}\n${text.slice(end)}`;
}

/** How the figures were made, as a paragraph. */
export function circumstances(report) {
  const { machine, engineDescriptions, rivalDescriptions, samples, date } = report;
  const descriptions = [...engineDescriptions, ...rivalDescriptions].join(", ");
  return wrap(
    `Measured on ${date} on ${machine.cpu}, ${machine.cores} cores, ${machine.system}; ${descriptions}. One thread ` +
      `each, unless ` +
      `said; medians of ${samples} rounds in which all contestants take turns, ± half the distance of the quartiles.`,
  );
}

function number(value) {
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
}

function times(value) {
  return value === null ? "" : `${number(value)} ×`;
}

function percent(part) {
  return `${(100 * part).toFixed(part < 0.0995 ? 1 : 0)} %`;
}

function verdict(value, target) {
  return value === null ? "" : yesNo(value >= target);
}

function yesNo(isMet) {
  return isMet ? "yes" : "NO";
}
