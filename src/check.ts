/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Checked kernels, on Node.js.
 *
 *     import { check } from "heddle/check";
 */
import { createCheck, type Check, type CheckEnvironment, type CheckReport } from "./library/check.ts";
import { callerPlace } from "./library/caller-place-node.ts";
import { nodeEnvironment } from "./library/environment-node.ts";
import { sourceLines } from "./library/source-lines-node.ts";
import { checkReport, checkReportPage } from "./session/check-report.ts";

/** See Check. */
export const check: Check = createCheck(nodeEnvironment(), { linesOf: sourceLines, here: callerPlace });

/**
 * What was found as one HTML page that needs no other file.
 *
 *     writeFileSync("findings.html", checkPage(await check(run), { title: "softmax.cu" }));
 */
export function checkPage(
  { findings, leaked, steppedAside }: CheckReport,
  { title, linesOf = sourceLines }: { readonly title: string } & Partial<Pick<CheckEnvironment, "linesOf">>,
): string {
  const report = checkReport({ findings, leaked, steppedAside }, []);
  return checkReportPage(report, { title, launches: null, died: false, linesOf });
}

export type { Leak, SteppedAside } from "./check/checks.ts";
export type { CheckerName, Extent, Finding, LaunchName, Note } from "./check/finding.ts";
export type { MemoryDetails, MemoryFault } from "./check/memcheck/memory-checker.ts";
export type { Check, CheckOptions, CheckReport } from "./library/check.ts";
