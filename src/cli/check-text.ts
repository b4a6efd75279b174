/** What `heddle check` prints when the program has ended: the findings, and a line that sums up. */
import { readFileSync } from "node:fs";
import { formatFindings } from "../check/report-text.ts";
import { readableName } from "../runtime/symbol-names.ts";
import type { CheckResult } from "./program-worker-node.ts";
import { useColor } from "./terminal.ts";

export function checkText({ findings, leaked }: CheckResult, launches: number): string {
  const files = new Map<string, readonly string[] | null>();
  const linesOf = (file: string): readonly string[] | null => {
    let lines = files.get(file);
    if (lines === undefined) files.set(file, (lines = readLines(file)));
    return lines;
  };
  const reports = formatFindings(findings, { color: useColor(process.stderr), linesOf, readable: readableName });
  const found = findings.length === 0 ? "no errors" : `${findings.length} error${findings.length === 1 ? "" : "s"}`;
  const leaks = leaked.count === 0 ? "" : `; ${leaked.count} allocation${leaked.count === 1 ? "" : "s"} of ${leaked.bytes} bytes in all never freed`;
  return `${reports}${reports === "" ? "" : "\n"}heddle check: ${found} in ${launches} kernel launch${launches === 1 ? "" : "es"}${leaks}\n`;
}

/** Sources of the program's own; headers that came with Heddle are not on disk under their names. */
function readLines(file: string): readonly string[] | null {
  try {
    return readFileSync(file, "utf8").split(/\r?\n/);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}
