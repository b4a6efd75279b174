/** What a check has found, without what was suppressed, as data and as text. */
import { counted } from "../base/counted.ts";
import { demangle } from "../base/demangle.ts";
import { formatLocation, type SourceLocation } from "../base/diagnostics.ts";
import { checkPage } from "../check/check-page.ts";
import type { Finding } from "../check/finding.ts";
import type { LeakRow } from "../check/report-sarif.ts";
import { formatFindings } from "../check/report-text.ts";
import { suppressionOf, type Suppressible, type Suppression } from "../check/suppressions.ts";
import type { SteppedAside } from "../check/checks.ts";
import type { CheckResult } from "./events.ts";

/** `checked` of `heddle check --json`. */
export interface ProgramCheckReport {
  /** Checkers that stopped because the program needed their memory; null: none. */
  readonly steppedAside: SteppedAside | null;
  /** In the order they were found. */
  readonly findings: readonly Finding[];
  /** By line, the most bytes first. */
  readonly leaked: readonly LeakRow[];
  /** Entries of the suppressions file, with the number of findings that each has taken out. */
  readonly suppressions: readonly {
    readonly entry: string;
    readonly line: number;
    readonly why: string | null;
    readonly suppressed: number;
  }[];
}

/** Takes out what the entries suppress. */
export function checkReport(
  { findings, leaked, steppedAside }: CheckResult,
  entries: readonly Suppression[],
): ProgramCheckReport {
  const used = new Map<Suppression, number>(entries.map((entry) => [entry, 0]));
  const stays = (finding: Suppressible): boolean => {
    const entry = suppressionOf(finding, entries, demangle);
    if (entry !== null) used.set(entry, (used.get(entry) ?? 0) + 1);
    return entry === null;
  };
  return {
    steppedAside,
    findings: findings.filter(stays),
    leaked: leakRows(
      leaked.filter(({ location }) => stays({ checker: "api", kind: "leak", function: null, location })),
    ),
    suppressions: entries.map((entry) => ({
      entry: entry.text,
      line: entry.line,
      why: entry.why,
      suppressed: used.get(entry) ?? 0,
    })),
  };
}

function leakRows(leaked: CheckResult["leaked"]): LeakRow[] {
  const rows = new Map<string, { bytes: number; count: number; location: SourceLocation | null }>();
  for (const { bytes, location } of leaked) {
    const key = location === null ? "" : formatLocation(location);
    const row = rows.get(key) ?? { bytes: 0, count: 0, location };
    row.bytes += bytes;
    row.count++;
    rows.set(key, row);
  }
  return [...rows.values()].sort((a, b) => b.bytes - a.bytes);
}

const LEAK_LINES = 10;

export interface CheckTextOptions {
  /** Kernel launches of the program. */
  readonly launches: number;
  /** The program did not end by itself. */
  readonly died: boolean;
  readonly color: boolean;
  /** A source file's lines, or null where it cannot be read. */
  readonly linesOf: (file: string) => readonly string[] | null;
  /** What messages call the suppressions. */
  readonly suppressionsFile: string | null;
  /** Reports in the text; the others are counted. */
  readonly maxReports: number;
}

export interface CheckReportPageOptions extends Pick<CheckTextOptions, "died" | "linesOf"> {
  /** The program's name. */
  readonly title: string;
  /** Kernel launches of the program; null: they were not counted. */
  readonly launches: number | null;
}

/** The page of `heddle check -o`. */
export function checkReportPage(
  { findings, leaked, steppedAside, suppressions }: ProgramCheckReport,
  { title, launches, died, linesOf }: CheckReportPageOptions,
): string {
  const suppressed = suppressions.reduce((sum, entry) => sum + entry.suppressed, 0);
  return checkPage({
    title,
    summary: `${launches === null ? countsText(findings) : summary(findings, launches, died)}${leakText(leaked)}.`,
    notes: [
      ...(steppedAside === null
        ? []
        : [
            `${steppedAsideLines(steppedAside, launches ?? steppedAside.launches)
              .join(";")
              .trim()}.`,
          ]),
      ...(suppressed > 0 ? [`${counted(suppressed, "finding")} left out by the suppressions file.`] : []),
    ],
    findings,
    leaked,
    linesOf: cached(linesOf),
    readable: demangle,
  });
}

export function checkText(report: ProgramCheckReport, options: CheckTextOptions): string {
  const { launches, died, color, linesOf, suppressionsFile: file, maxReports } = options;
  const { findings, leaked, steppedAside, suppressions } = report;
  const reports = formatFindings(findings, { color, linesOf: cached(linesOf), readable: demangle }, maxReports);
  const places = leaked.filter(({ location }) => location !== null);
  const suppressed = suppressions.reduce((sum, entry) => sum + entry.suppressed, 0);
  const lines = [
    `heddle check: ${summary(findings, launches, died)}${leakText(leaked)}`,
    ...(steppedAside === null ? [] : steppedAsideLines(steppedAside, launches)),
    ...places.slice(0, LEAK_LINES).map(leakLine),
    ...(places.length > LEAK_LINES ? [`  and from ${places.length - LEAK_LINES} more places`] : []),
    ...(suppressed > 0 ? [`  suppressed by ${file}: ${suppressed}`] : []),
    ...suppressions
      .filter((entry) => entry.suppressed === 0)
      .map(({ entry, line }) => `  ${file}:${line}: nothing was suppressed by "${entry}"`),
  ];
  return `${reports}${reports === "" ? "" : "\n"}${lines.join("\n")}\n`;
}

function launchesText(launches: number): string {
  return launches === 0 ? "; no kernel was launched" : ` in ${counted(launches, "kernel launch", "kernel launches")}`;
}

function cached(linesOf: CheckTextOptions["linesOf"]): CheckTextOptions["linesOf"] {
  const files = new Map<string, readonly string[] | null>();
  return (path) => {
    let lines = files.get(path);
    if (lines === undefined) files.set(path, (lines = linesOf(path)));
    return lines;
  };
}

/** A program that died is never said to have no errors. */
function summary(findings: readonly Finding[], launches: number, died: boolean): string {
  const where = counted(launches, "kernel launch", "kernel launches");
  if (!died) return `${countsText(findings)}${launchesText(launches)}`;
  const when = launches === 0 ? "before its first kernel launch" : `after ${where}`;
  return findings.length === 0
    ? `the program died ${when}, and nothing was reported before`
    : `${countsText(findings)}${launchesText(launches)}, and the program died`;
}

function countsText(findings: readonly Finding[]): string {
  const warnings = findings.filter(({ level }) => level === "warning").length;
  const errors = findings.length - warnings;
  const parts: string[] = [];
  if (errors > 0 || warnings === 0) parts.push(counted(errors, "error"));
  if (warnings > 0) parts.push(counted(warnings, "warning"));
  return parts.join(" and ");
}

/** What was not checked, why, and what to do. */
function steppedAsideLines(aside: SteppedAside, launches: number): string[] {
  const { checkers, launches: watched, bytes, location, before } = aside;
  const names = new Intl.ListFormat("en", { type: "conjunction" }).format(checkers);
  const which = watched === 0 ? "no launch" : `the first ${watched} of ${counted(launches, "launch", "launches")}`;
  const place = location === null ? "" : ` at ${formatLocation(location)}`;
  const [its, it] = checkers.length === 1 ? ["its", "it"] : ["their", "them"];
  return [
    ...(before === null ? [] : steppedAsideLines(before, launches)),
    `  ${names} watched ${which}: the program needed ${its} memory for an allocation of ${bytes} bytes${place}`,
    `  to check with ${it}, make the data smaller, or run ` +
      `${checkers.map((name) => `--tool ${name}`).join(" or ")} alone: it has room for more data then`,
  ];
}

function leakText(leaked: readonly LeakRow[]): string {
  const allocations = leaked.reduce((sum, { count }) => sum + count, 0);
  if (allocations === 0) return "";
  const bytes = leaked.reduce((sum, row) => sum + row.bytes, 0);
  return `; ${counted(allocations, "allocation")} of ${bytes} bytes in all never freed`;
}

function leakLine({ bytes, count, location }: LeakRow): string {
  const place = formatLocation(location as SourceLocation);
  return count === 1
    ? `  never freed: ${bytes} bytes, from ${place}`
    : `  never freed: ${count} allocations of ${bytes} bytes in all, from ${place}`;
}
