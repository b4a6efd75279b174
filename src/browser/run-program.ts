/** Compiles a CUDA program, main() and all, and runs it, in a dedicated worker of the page. */
import { HeddleError } from "../base/diagnostics.ts";
import { demangle } from "../base/demangle.ts";
import type { Activity, ProgramExit } from "../session/events.ts";
import { openBrowserSession } from "../session/session-browser.ts";
import type { SessionRun } from "../session/session-run.ts";
import type { ProgramEnd } from "../session/events.ts";
import { absoluteLocations } from "./locations.ts";
import { checkBrowserOptions } from "./option-names.ts";
import { outputListener, programRequest, PROGRAM_NAMES, type BrowserProgramOptions } from "./program-options.ts";

export { HeddleError, type ErrorCode } from "../base/diagnostics.ts";
export type { BrowserProgramOptions } from "./program-options.ts";

/** How a program ended. */
export interface ProgramOutcome {
  /** What main returned or the program gave to exit; 134 after an abort. */
  readonly exitCode: number;
  /** The CUDA error of a kernel's fault, or 0. */
  readonly deviceError: number;
  readonly launches: number;
  readonly compileMs: number;
  readonly runMs: number;
  /** Whether blocks ran on several threads: it takes a cross-origin isolated page. */
  readonly parallel: boolean;
}

/**
 * Runs a program. Resolves when it has ended, whatever its exit code.
 *
 *     import { runProgram } from "heddle/browser";
 *
 *     const { exitCode } = await runProgram(source, {
 *       clang: "/node_modules/@yowasp/clang/gen/",
 *       onOutput: (text) => (page.textContent += text),
 *     });
 *
 * @throws HeddleError "compile-error", "link-error" with the compiler's report in `notes`; "unsupported"; "timeout";
 * "file-not-found" when the packages' files are not where `clang` and `heddle` say.
 */
export async function runProgram(source: string, options: BrowserProgramOptions): Promise<ProgramOutcome> {
  checkBrowserOptions("runProgram", options, PROGRAM_NAMES);
  const session = openBrowserSession(absoluteLocations(options));
  options.signal?.throwIfAborted();
  const run = session.start(programRequest(source, options, {}), outputListener(options.onOutput));
  return outcomeOf(await exitOf(run, options));
}

/** @throws the signal's reason, when it stopped the program; HeddleError "timeout" */
export async function exitOf(
  run: SessionRun<ProgramEnd>,
  { signal, timeout }: Pick<BrowserProgramOptions, "signal" | "timeout">,
): Promise<ProgramExit> {
  const stop = (): void => run.stop();
  signal?.addEventListener("abort", stop);
  try {
    const end = await run.result;
    if (end.how === "exited") return end;
    if (end.how === "stopped" && end.by === "timeout") throw timedOut(timeout ?? 0, end.activity);
    throw (signal?.reason as Error | undefined) ?? new Error("the program was stopped");
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

function timedOut(seconds: number, activity: Activity | null): HeddleError {
  const kernel = activity?.kernel ?? null;
  return new HeddleError("timeout", `the program did not end within ${seconds} s`, {
    notes: kernel === null ? [] : [`it was running the kernel ${demangle(kernel)}`],
  });
}

export function outcomeOf({ status, setupMs, compileMs, runMs, parallel }: ProgramExit): ProgramOutcome {
  const { exitCode, deviceError, launches } = status;
  return { exitCode, deviceError, launches, compileMs: compileMs + setupMs, runMs, parallel };
}
