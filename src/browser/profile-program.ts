/** Profiles a CUDA program, in a dedicated worker of the page: what `heddle profile` does. */
import type { OptionNames } from "../base/options.ts";
import { demangle } from "../base/demangle.ts";
import { bug } from "../base/diagnostics.ts";
import { profilePage } from "../profile/profile-page.ts";
import type { ProfileReport } from "../profile/profile-report.ts";
import { profileText } from "../profile/profile-text.ts";
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

export interface BrowserProfileOptions extends BrowserProgramOptions {
  /** Add the annotated source to `text`. Default false. */
  readonly lines?: boolean;
  /** Model the caches: hit rates of L1 and L2, and what DRAM moves beyond the first touch. Default false. */
  readonly caches?: boolean;
}

const PROFILE_NAMES: OptionNames<BrowserProfileOptions> = { ...PROGRAM_NAMES, lines: true, caches: true };

/** What the kernels of a program make a GPU do, and how the program ended. */
export interface ProfiledProgram extends ProfileReport, Omit<ProgramOutcome, "launches"> {
  /** The summary and the hints, as `heddle profile` prints them, without colour. */
  readonly text: string;
  /** The same as a page that needs no other file, for an iframe or a download. */
  readonly page: string;
}

/**
 * Counts what each kernel of a program makes a GPU do, under NVIDIA's metric names, and says what to change by line.
 *
 *     import { profileProgram } from "heddle/browser";
 *
 *     const { launches, page } = await profileProgram(source, { clang: "/node_modules/@yowasp/clang/gen/" });
 *     launches[0].hints[0]?.what;
 *     document.querySelector("iframe").srcdoc = page;
 *
 * @throws what `runProgram` throws.
 */
export async function profileProgram(source: string, options: BrowserProfileOptions): Promise<ProfiledProgram> {
  checkBrowserOptions("profileProgram", options, PROFILE_NAMES);
  const { lines = false, caches = false, path = "program.cu" } = options;
  options.signal?.throwIfAborted();
  const run = openBrowserSession(absoluteLocations(options)).start(
    programRequest(source, options, { profile: true, caches }),
    outputListener(options.onOutput),
  );
  const exit = await exitOf(run, options);
  const report = exit.profiled ?? bug("a profile was asked for, and there is none");
  const style = { readable: demangle, linesOf: linesOfProgram(source, options) };
  return {
    ...outcomeOf(exit),
    ...report,
    text: profileText(report, { ...style, color: false, lines }),
    page: profilePage(report, { ...style, title: path }),
  };
}
