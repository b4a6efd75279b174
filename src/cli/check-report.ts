/** What `heddle check` reports when the program has ended: text on stderr, and what other tools read. */
import { readFileSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { demangle } from "../base/demangle.ts";
import { HeddleError } from "../base/diagnostics.ts";
import { formatAnnotations } from "../check/report-annotations.ts";
import { formatSarif } from "../check/report-sarif.ts";
import { parseSuppressions, type Suppression } from "../check/suppressions.ts";
import { sourceLines } from "../library/source-lines-node.ts";
import { checkReport, checkReportPage, checkText, type ProgramCheckReport } from "../session/check-report.ts";
import type { ExitStatus } from "../runtime/host-program.ts";
import type { CheckResult } from "../session/events.ts";
import type { ReportOptions } from "./options/run-options.ts";
import { useColor } from "./terminal.ts";
import { version } from "./version.ts";
import { writeOutput } from "./write-output.ts";

export function readSuppressions(path: string): Suppression[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new HeddleError("file-not-found", `${path} (--suppressions) cannot be read: ${(error as Error).message}`);
  }
  return parseSuppressions(text, path);
}

/**
 * Writes the reports that the options ask for.
 * @param title the program's name.
 * @returns what is left when suppressed findings are taken out
 */
export function reportCheck(
  checked: CheckResult,
  { launches, trap }: Pick<ExitStatus, "launches" | "trap">,
  options: ReportOptions,
  title: string,
): ProgramCheckReport {
  const { suppressions, maxReports } = options;
  const report = checkReport(checked, suppressions === null ? [] : readSuppressions(suppressions));
  process.stderr.write(
    checkText(report, {
      launches,
      died: trap !== null,
      color: useColor(process.stderr),
      linesOf: sourceLines,
      suppressionsFile: suppressions,
      maxReports,
    }),
  );
  const annotate = options.annotations ?? (process.env["GITHUB_ACTIONS"] === "true" ? "github" : "none");
  writeOthers(report, annotate === "github", options.sarif);
  for (const { file } of options.outputs) {
    const page = checkReportPage(report, { title, launches, died: trap !== null, linesOf: sourceLines });
    writeOutput(file, page, "-o");
    process.stderr.write(`heddle: ${file} has the findings as a page\n`);
  }
  return report;
}

/**
 * Reports for other tools. Paths are relative to the repository, where GitHub Actions says where that is, else to the
 * working directory.
 */
function writeOthers(report: ProgramCheckReport, annotate: boolean, sarif: string | null): void {
  const root = process.env["GITHUB_WORKSPACE"] ?? process.cwd();
  const pathOf = (file: string): string => {
    const path = relative(root, resolve(file));
    return path.startsWith("..") ? resolve(file) : path.split(sep).join("/");
  };
  // GitHub reads workflow commands from both streams; stdout is the program's.
  if (annotate) process.stderr.write(formatAnnotations(report.findings, { pathOf, readable: demangle }));
  if (sarif === null) return;
  writeOutput(
    sarif,
    formatSarif(report.findings, report.leaked, {
      version: version(),
      pathOf,
      root: `${pathToFileURL(root).href}/`,
      readable: demangle,
    }),
    "--sarif",
  );
}
