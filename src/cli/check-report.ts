/** What `heddle check` tells when the program has ended: text on stderr, and what other tools read. */
import { readFileSync, writeFileSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { SourceLocation } from "../base/diagnostics.ts";
import { HeddleError, formatLocation } from "../base/diagnostics.ts";
import type { Finding } from "../check/finding.ts";
import { formatAnnotations } from "../check/report-annotations.ts";
import { formatSarif, type LeakRow } from "../check/report-sarif.ts";
import { formatFindings } from "../check/report-text.ts";
import { parseSuppressions, suppressionOf, type Suppression } from "../check/suppressions.ts";
import { sourceLines } from "../library/source-lines-node.ts";
import { demangle } from "../base/demangle.ts";
import type { CheckResult } from "./program-worker-node.ts";
import type { ReportOptions } from "./options/run-options.ts";
import { useColor } from "./terminal.ts";
import { version } from "./version.ts";

/** `checked` of `heddle check --json`. */
export interface CheckReport {
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

export function readSuppressions(path: string): Suppression[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new HeddleError("file-not-found", `${path} (--suppressions) cannot be read: ${(error as Error).message}`);
  }
  return parseSuppressions(text, path);
}

/** Writes the reports that the options ask for. @returns what is left when suppressed findings are taken out */
export function reportCheck({ findings, leaked }: CheckResult, launches: number, options: ReportOptions): CheckReport {
  const entries = options.suppressions === null ? [] : readSuppressions(options.suppressions);
  const used = new Map<Suppression, number>(entries.map((entry) => [entry, 0]));
  const keeps = (finding: Parameters<typeof suppressionOf>[0]): boolean => {
    const entry = suppressionOf(finding, entries, demangle);
    if (entry !== null) used.set(entry, (used.get(entry) ?? 0) + 1);
    return entry === null;
  };
  const report: CheckReport = {
    findings: findings.filter(keeps),
    leaked: leakRows(
      leaked.filter(({ location }) => keeps({ checker: "api", kind: "leak", function: null, location })),
    ),
    suppressions: entries.map((entry) => ({
      entry: entry.text,
      line: entry.line,
      why: entry.why,
      suppressed: used.get(entry) ?? 0,
    })),
  };
  process.stderr.write(checkText(report, launches, options));
  const annotate = options.annotations ?? (process.env["GITHUB_ACTIONS"] === "true" ? "github" : "none");
  writeOthers(report, annotate === "github", options.sarif);
  return report;
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

function checkText(
  { findings, leaked, suppressions }: CheckReport,
  launches: number,
  { suppressions: file, maxReports }: ReportOptions,
): string {
  const files = new Map<string, readonly string[] | null>();
  const linesOf = (path: string): readonly string[] | null => {
    let lines = files.get(path);
    if (lines === undefined) files.set(path, (lines = sourceLines(path)));
    return lines;
  };
  const reports = formatFindings(
    findings,
    { color: useColor(process.stderr), linesOf, readable: demangle },
    maxReports,
  );
  const warnings = findings.filter(({ level }) => level === "warning").length;
  const parts = [
    ...(findings.length > warnings || warnings === 0 ? [counted(findings.length - warnings, "error")] : []),
    ...(warnings === 0 ? [] : [counted(warnings, "warning")]),
  ];
  const allocations = leaked.reduce((sum, { count }) => sum + count, 0);
  const leaks =
    allocations === 0
      ? ""
      : `; ${counted(allocations, "allocation")} of ${leaked.reduce((sum, { bytes }) => sum + bytes, 0)} bytes in all never freed`;
  const places = leaked.filter(({ location }) => location !== null);
  const suppressed = suppressions.reduce((sum, entry) => sum + entry.suppressed, 0);
  const lines = [
    `heddle check: ${parts.join(" and ")} in ${counted(launches, "kernel launch", "kernel launches")}${leaks}`,
    ...places
      .slice(0, LEAK_LINES)
      .map(
        ({ bytes, count, location }) =>
          `  never freed: ${count === 1 ? "" : `${count} allocations of `}${bytes} bytes${count === 1 ? "" : " in all"}, from ${formatLocation(location as SourceLocation)}`,
      ),
    ...(places.length > LEAK_LINES ? [`  and from ${places.length - LEAK_LINES} more places`] : []),
    ...(suppressed > 0 ? [`  suppressed by ${file}: ${suppressed}`] : []),
    ...suppressions
      .filter((entry) => entry.suppressed === 0)
      .map(({ entry, line }) => `  ${file}:${line}: nothing was suppressed by "${entry}"`),
  ];
  return `${reports}${reports === "" ? "" : "\n"}${lines.join("\n")}\n`;
}

function counted(count: number, one: string, several = `${one}s`): string {
  return `${count === 0 ? "no" : count} ${count === 1 ? one : several}`;
}

/**
 * For other tools. Paths are told below the repository, where GitHub Actions says where that is, else below the working
 * directory.
 */
function writeOthers(report: CheckReport, annotate: boolean, sarif: string | null): void {
  const root = process.env["GITHUB_WORKSPACE"] ?? process.cwd();
  const pathOf = (file: string): string => {
    const path = relative(root, resolve(file));
    return path.startsWith("..") ? resolve(file) : path.split(sep).join("/");
  };
  // GitHub reads workflow commands from both streams; stdout is the program's.
  if (annotate) process.stderr.write(formatAnnotations(report.findings, { pathOf, readable: demangle }));
  if (sarif === null) return;
  try {
    writeFileSync(
      sarif,
      formatSarif(report.findings, report.leaked, {
        version: version(),
        pathOf,
        root: `${pathToFileURL(root).href}/`,
        readable: demangle,
      }),
    );
  } catch (error) {
    throw new HeddleError("io-error", `${sarif} (--sarif) cannot be written: ${(error as Error).message}`);
  }
}
