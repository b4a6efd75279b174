/** A program that runs in a session, as the command line shows it: what is printed, Ctrl-C, the exit code. */
import { counted } from "../base/counted.ts";
import { demangle } from "../base/demangle.ts";
import { formatLocation } from "../base/diagnostics.ts";
import { userLocation } from "../base/source-places.ts";
import { errorString } from "../runtime/cuda/errors.ts";
import { reportOf } from "../session/error-report.ts";
import type { Activity, ProgramEnd, ProgramExit, SessionEvent } from "../session/events.ts";
import type { ProgramRequest, ProgramSource } from "../session/request.ts";
import type { SessionRun } from "../session/session-run.ts";
import type { Session } from "../session/session.ts";
import { ExitCode } from "./exit-codes.ts";
import { readNamedFiles } from "./named-files.ts";
import type { RunOptions } from "./options/run-options.ts";
import { programEnvironment } from "./program-environment.ts";
import { printError } from "./terminal.ts";
import { writeOutput } from "./write-output.ts";

/** @param includes what isolated sources may include from. */
export function programRequest(
  program: ProgramSource,
  argv: readonly string[],
  options: RunOptions,
  includes: readonly string[] = [],
): ProgramRequest {
  const { check, profile, timeout, directories, summary, json, isolated } = options;
  const fileBytes = Math.floor(options.memoryBytes / 8);
  const checkOrRun = check === null ? "run" : "check";
  return {
    kind: profile ? "profile" : checkOrRun,
    program,
    argv,
    env: programEnvironment(process.env, { isolated, asked: options.variables }),
    timeout,
    settings: {
      ...options,
      ...(isolated ? { device: "emulated" as const } : {}),
      // An isolated program leaves nothing behind.
      keepsCode: options.cache && !isolated,
      directories,
      files: isolated ? readNamedFiles(options.namedFiles, fileBytes) : {},
      isolation: isolated ? { includes, fileBytes } : null,
      stdin: null,
      timeLaunches: summary || (json !== null && !profile),
      launchEvents: false,
    },
  };
}

export class PrintedRun {
  readonly #options: RunOptions;
  /** What reports call the program. */
  readonly #title: string;
  readonly #run: SessionRun<ProgramEnd>;
  /** Why the program is being stopped, and the exit code for it. */
  #stopped: { readonly why: string; readonly exitCode: number };
  #isStarted = false;
  #onStart: () => void = () => undefined;
  /** Resolves when the program begins to run; never where it does not compile. */
  readonly started: Promise<void> = new Promise((resolve) => (this.#onStart = resolve));
  /** Ctrl-C or SIGTERM ended the program. */
  interrupted = false;
  /** How long compiling took. */
  compileMs = 0;
  /** Resolves with the exit code for the process. Rejects with what does not compile. */
  readonly exitCode: Promise<number>;

  constructor(session: Session, request: ProgramRequest, options: RunOptions) {
    this.#options = options;
    const { program, argv } = request;
    const path = "sources" in program ? program.sources[0]?.path : argv[0];
    this.#title = path?.split("/").at(-1) ?? "a program";
    this.#stopped = { why: `stopped after ${options.timeout} s (--timeout)`, exitCode: ExitCode.timeout };
    this.#run = session.start(request, (event) => this.#print(event));
    this.exitCode = this.#conclude();
  }

  /** Stops the program where it is, prints why, and makes `exitCode` resolve with this code. */
  stop(why: string, exitCode: number): void {
    this.#stopped = { why, exitCode };
    this.#run.stop();
  }

  readonly #interrupt = (): void => {
    this.interrupted = true;
    this.stop("interrupted", ExitCode.interrupted);
  };

  readonly #terminate = (): void => {
    this.interrupted = true;
    this.stop("terminated", ExitCode.terminated);
  };

  #print(event: SessionEvent): void {
    if (event.kind === "diagnostic") process.stderr.write(event.text);
    if (event.kind !== "started") return;
    this.#isStarted = true;
    this.compileMs = event.compileMs ?? 0;
    this.#onStart();
    // Not before: compiling blocks this thread, and a signal then ends the process as signals do.
    process.on("SIGINT", this.#interrupt).on("SIGTERM", this.#terminate);
  }

  async #conclude(): Promise<number> {
    try {
      return await this.#exitCodeOf(await this.#run.result);
    } catch (error) {
      if (!this.#isStarted) throw error;
      return printError(reportOf(error));
    } finally {
      process.off("SIGINT", this.#interrupt).off("SIGTERM", this.#terminate);
    }
  }

  async #exitCodeOf(end: ProgramEnd): Promise<number> {
    if (end.how === "exited") return conclude(end, this.#options, this.#title);
    if (end.how === "output-closed") return ExitCode.brokenPipe;
    const { why, exitCode } = this.#stopped;
    process.stderr.write(`heddle: ${why} ${whereText(end.activity)}\n`);
    return exitCode;
  }
}

function whereText(activity: Activity | null): string {
  const { kernel, seconds, launches, loop } = activity ?? { kernel: null, seconds: 0, launches: 0, loop: null };
  if (kernel === null) return `in the host program, after ${counted(launches, "kernel launch", "kernel launches")}`;
  const place = userLocation(loop);
  return (
    `in the kernel ${demangle(kernel)}, which had been running for ${seconds.toFixed(1)} s` +
    (place === null ? "" : `\n  in the loop at ${formatLocation(place)}`)
  );
}

async function conclude(end: ProgramExit, options: RunOptions, title: string): Promise<number> {
  const { status, checked, timeline } = end;
  const report =
    checked === null ? null : (await import("./check-report.ts")).reportCheck(checked, status, options, title);
  const profile = timeline === null ? null : await import("./profile-report.ts");
  profile?.reportProfile(end, options, title);
  if (options.summary) process.stderr.write(summaryText(end));
  if (options.json !== null) {
    const json = profile === null ? jsonText(end, report) : `${JSON.stringify(profile.profileJson(end, options))}\n`;
    if (options.json === "-") process.stderr.write(json);
    else writeOutput(options.json, json, "--json");
  }
  // A fault that a checker has reported is among the findings.
  if (report !== null && report.findings.length > 0 && status.exitCode === 0) return ExitCode.found;
  const failure = status.exitCode === 0 && options.exitCode === "heddle" ? deviceFailure(status) : null;
  if (failure !== null) {
    process.stderr.write(`heddle: exit code ${ExitCode.deviceFault}: ${failure}\n`);
    return ExitCode.deviceFault;
  }
  return status.exitCode & 0xff;
}

/** What went wrong on the device, for a program that ended as if nothing had. */
function deviceFailure({ deviceError, launchError }: ProgramExit["status"]): string | null {
  if (deviceError !== 0) return `a kernel failed (${errorString(deviceError)}), and the program ended with 0`;
  if (launchError === 0) return null;
  const refused = `a kernel launch was refused (${errorString(launchError)})`;
  return `${refused}, and the program did not ask for the error and ended with 0`;
}

function jsonText({ status, compileMs, setupMs, runMs, kernels }: ProgramExit, checked: object | null): string {
  const { exitCode, trap, deviceError, launches } = status;
  return `${JSON.stringify({
    exitCode,
    trap,
    deviceError,
    launches,
    compileMs,
    setupMs,
    runMs,
    ...(checked === null ? {} : { checked }),
    kernels: kernels.map((row) => ({ ...row, name: demangle(row.kernel) })),
  })}\n`;
}

/** Names of CUTLASS's kernels have thousands of letters: template arguments become "<…>" where a name is long. */
export function foldedName(name: string, most = 100): string {
  if (name.length <= most) return name;
  let depth = 0;
  let folded = "";
  for (const letter of name) {
    if (letter === "<" && depth++ === 0) folded += "<…>";
    else if (letter === ">" && depth > 0) depth--;
    else if (depth === 0) folded += letter;
  }
  return folded.length <= most ? folded : `${folded.slice(0, most - 1)}…`;
}

function summaryText({ kernels, status, compileMs, setupMs, runMs }: ProgramExit): string {
  const rows = kernels
    .toSorted((a, b) => b.milliseconds - a.milliseconds)
    .map((row) => [
      foldedName(demangle(row.kernel)),
      String(row.launches),
      row.reused === 0 ? "" : String(row.reused),
      row.milliseconds.toFixed(2),
    ]);
  const table = [["kernel", "launches", "reused", "ms"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => (row[column] as string).length)));
  const lines = table.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] as number) : cell.padStart(widths[column] as number),
      )
      .join("  ")
      .trimEnd(),
  );
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
  const head =
    `heddle: compiled in ${seconds(compileMs)}, device ready in ${seconds(setupMs)}, ran ${seconds(runMs)}, ` +
    `${counted(status.launches, "launch", "launches")}, exit code ${status.exitCode}`;
  return `${head}\n${rows.length === 0 ? "" : `${lines.map((line) => `  ${line}`).join("\n")}\n`}`;
}
