/** A comparison of two profiles as text for a terminal. */
import { counted } from "../../base/counted.ts";
import { shortNumber, timeText } from "../../report/numbers.ts";
import { bold } from "../profile-text.ts";
import type { KernelComparison, LineComparison, ProfileComparison } from "./compare-profiles.ts";
import type { MetricChange } from "./metric-change.ts";

export interface ComparisonTextOptions {
  /** The name of the former result. */
  readonly baseline: string;
  readonly color: boolean;
}

const MOST_METRICS = 8;
const MOST_LINES = 8;
const MOST_METRICS_OF_LINE = 2;

export function comparisonText(comparison: ProfileComparison, options: ComparisonTextOptions): string {
  const { gpu, kernels, onlyBefore, onlyAfter } = comparison;
  const names = (verdict: KernelComparison["verdict"]): string[] => [
    ...new Set(kernels.filter((kernel) => kernel.verdict === verdict).map(({ name }) => name)),
  ];
  const sums = (["better", "worse", "mixed", "same"] as const).flatMap((verdict) => {
    const found = names(verdict);
    if (found.length === 0) return [];
    const words = { better: "better", worse: "worse", mixed: "better and worse", same: "the same" }[verdict];
    return [`  ${words}: ${found.join(", ")}`];
  });
  return [
    `compared with ${options.baseline}: ${kernels.length === 0 ? "no kernel has launches in both" : ""}`.trimEnd(),
    ...sums,
    ...onlyRow("not there any more", onlyBefore),
    ...onlyRow("new", onlyAfter),
    ...(gpu.before === gpu.after
      ? []
      : [`  the baseline is by the rules of an ${gpu.before}, this profile by those of an ${gpu.after}`]),
    "",
    ...kernels.filter(({ metrics }) => metrics.length > 0).flatMap((kernel) => [...kernelLines(kernel, options), ""]),
  ].join("\n");
}

function onlyRow(what: string, found: ProfileComparison["onlyAfter"]): string[] {
  if (found.length === 0) return [];
  const each = found.map(({ name, launches }) => `${name} (${counted(launches, "launch", "launches")})`);
  return [`  ${what}: ${each.join(", ")}`];
}

function kernelLines(kernel: KernelComparison, options: ComparisonTextOptions): string[] {
  const { name, launches, predictedMicroseconds: time, metrics, lines } = kernel;
  const model =
    time === null
      ? ""
      : `  time (model) ${timeText(time.before)} → ${timeText(time.after)} (${changeText(time.before, time.after)})`;
  return [
    `${bold(name, options)}${launches === 1 ? "" : `, ${launches} launches`}${model}`,
    ...table(metrics.slice(0, MOST_METRICS)).map((row) => `  ${row}`),
    ...more(metrics.length - MOST_METRICS, "further counter", "  "),
    ...(lines.length === 0 ? [] : ["  by line"]),
    ...lines.slice(0, MOST_LINES).flatMap((line) => lineRows(line, options)),
    ...more(lines.length - MOST_LINES, "further line", "    "),
  ];
}

function lineRows(line: LineComparison, options: ComparisonTextOptions): string[] {
  const { file, before, after, text, metrics } = line;
  const place =
    after === null ? `${file}:${before as number}, not executed any more` : `${file}:${after}${origin(line)}`;
  return [
    `    ${bold(place, options)}${text === null ? "" : `  ${text}`}`,
    ...table(metrics.slice(0, MOST_METRICS_OF_LINE)).map((row) => `      ${row}`),
  ];
}

function origin({ before, after }: LineComparison): string {
  if (before === null) return ", not executed before";
  return before === after ? "" : `, before :${before}`;
}

function table(metrics: readonly MetricChange[]): string[] {
  const rows = metrics.map(({ metric, before, after, verdict }) => [
    verdict === "different" ? "" : verdict,
    changeText(before, after),
    `${shortNumber(before)} → ${shortNumber(after)}`,
    metric,
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => (row[column] as string).length)));
  return rows.map(([verdict = "", change = "", values = "", metric = ""]) =>
    [
      verdict.padEnd("better".length),
      change.padStart(widths[1] as number),
      values.padEnd(widths[2] as number),
      metric,
    ].join("  "),
  );
}

function more(count: number, what: string, indent: string): string[] {
  return count <= 0 ? [] : [`${indent}and ${counted(count, what)} (--json)`];
}

/** 200, 100 → −50 %; 100, 1000 → 10 × */
function changeText(before: number, after: number): string {
  if (before === 0) return "new";
  const change = (after - before) / before;
  if (change >= 2) return `${(after / before).toPrecision(3)} ×`;
  const percent = 100 * Math.abs(change);
  return `${change < 0 ? "−" : "+"}${percent >= 10 ? percent.toFixed(0) : percent.toPrecision(2)} %`;
}
