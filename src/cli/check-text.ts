/** What `heddle check` prints when the program has ended: the findings, and a line that sums up. */
import { formatFindings } from "../check/report-text.ts";
import { sourceLines } from "../library/source-lines-node.ts";
import { readableName } from "../runtime/symbol-names.ts";
import type { CheckResult } from "./program-worker-node.ts";
import { useColor } from "./terminal.ts";

export function checkText({ findings, leaked }: CheckResult, launches: number): string {
  const files = new Map<string, readonly string[] | null>();
  const linesOf = (file: string): readonly string[] | null => {
    let lines = files.get(file);
    if (lines === undefined) files.set(file, (lines = sourceLines(file)));
    return lines;
  };
  const reports = formatFindings(findings, { color: useColor(process.stderr), linesOf, readable: readableName });
  const found = findings.length === 0 ? "no errors" : `${findings.length} error${findings.length === 1 ? "" : "s"}`;
  const leaks = leaked.count === 0 ? "" : `; ${leaked.count} allocation${leaked.count === 1 ? "" : "s"} of ${leaked.bytes} bytes in all never freed`;
  return `${reports}${reports === "" ? "" : "\n"}heddle check: ${found} in ${launches} kernel launch${launches === 1 ? "" : "es"}${leaks}\n`;
}
