/** Runs a CUDA program under the checkers, in a dedicated worker of the page: what `heddle check` does. */
import type { OptionNames } from "../base/options.ts";
import { DEFAULT_CHECKERS } from "../check/checkers.ts";
import type { CheckerName } from "../check/finding.ts";
import { parseSuppressions } from "../check/suppressions.ts";
import { checkReport, checkText, type ProgramCheckReport } from "../session/check-report.ts";
import { openBrowserSession } from "../session/session-browser.ts";
import { absoluteLocations } from "./locations.ts";
import { checkBrowserOptions } from "./option-names.ts";
import {
  linesOfProgram,
  outputListener,
  programRequest,
  PROGRAM_NAMES,
  type BrowserProgramOptions,
} from "./program-options.ts";
import { exitOf, outcomeOf, type ProgramOutcome } from "./run-program.ts";

export interface BrowserCheckOptions extends BrowserProgramOptions {
  /** The checkers that watch; default: all but those that one has to ask for. */
  readonly tools?: readonly CheckerName[];
  /** Findings to leave out: the text of a suppressions file (docs/checking.md). */
  readonly suppressions?: string;
  /** Reports in the text; the others are counted. Default 100. */
  readonly maxReports?: number;
}

const CHECK_NAMES: OptionNames<BrowserCheckOptions> = {
  ...PROGRAM_NAMES,
  tools: true,
  suppressions: true,
  maxReports: true,
};

/** What a check has found, and how the program ended. */
export interface CheckedProgram extends ProgramCheckReport, ProgramOutcome {
  /** The findings and a summary, as `heddle check` prints them, without colour. */
  readonly text: string;
}

const MAX_REPORTS = 100;

/**
 * Checks a program: out-of-bounds accesses, races, barriers that some threads miss, misuse of the CUDA API and more.
 *
 *     import { checkProgram } from "heddle/browser";
 *
 *     const { findings, text } = await checkProgram(source, { clang: "/node_modules/@yowasp/clang/gen/" });
 *     page.textContent = text; // each finding with its source line
 *
 * @throws what `runProgram` throws.
 */
export async function checkProgram(source: string, options: BrowserCheckOptions): Promise<CheckedProgram> {
  checkBrowserOptions("checkProgram", options, CHECK_NAMES);
  const { tools = DEFAULT_CHECKERS, suppressions = "", maxReports = MAX_REPORTS } = options;
  const entries = parseSuppressions(suppressions, "suppressions");
  options.signal?.throwIfAborted();
  const run = openBrowserSession(absoluteLocations(options)).start(
    programRequest(source, options, { check: tools }),
    outputListener(options.onOutput),
  );
  const exit = await exitOf(run, options);
  const report = checkReport(exit.checked ?? { findings: [], leaked: [], steppedAside: null }, entries);
  return {
    ...outcomeOf(exit),
    ...report,
    text: checkText(report, {
      launches: exit.status.launches,
      died: exit.status.trap !== null,
      color: false,
      linesOf: linesOfProgram(source, options),
      suppressionsFile: "suppressions",
      maxReports,
    }),
  };
}
