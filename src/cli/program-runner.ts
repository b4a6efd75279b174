/**
 * The main thread's side of a running program: starts its thread, stops it on Ctrl-C or when its time is up, prints
 * summaries, decides the exit code.
 */
import { writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { DeviceProgram } from "../program/device-program.ts";
import { errorString } from "../runtime/cuda/errors.ts";
import { demangle } from "../base/demangle.ts";
import { createActivityMemory, readActivity } from "./activity.ts";
import { reportOf } from "./error-report.ts";
import { ExitCode } from "./exit-codes.ts";
import { OutputBuffer, createOutputMemory } from "./output-buffer.ts";
import type { ProgramMessage, ProgramOrder, ProgramWorkerData } from "./program-worker-node.ts";
import type { RunOptions } from "./options/run-options.ts";
import { createInputMemory, standardInput } from "./standard-input.ts";
import { printError } from "./terminal.ts";

/** Text of the program that lies in the buffer is written at least so often. */
const FLUSH_MS = 50;
const STACK_MB = 64;

export interface ProgramToRun {
  readonly wasm: Uint8Array;
  readonly library: string | null;
  /** argv[0] and the program's arguments. */
  readonly argv: readonly string[];
  /** How long compiling took, for the summary. */
  readonly compileMs: number;
}

/**
 * A thread for one program. It is started before the program is compiled, so that it loads the runtime and the engine
 * meanwhile; `run` gives it the program, `discard` ends it when there is none.
 */
export class ProgramThread {
  readonly #options: RunOptions;
  readonly #outputMemory = createOutputMemory();
  readonly #inputMemory = createInputMemory();
  readonly #activityMemory = createActivityMemory();
  readonly #worker: Worker;
  /** The device library that the thread has already. */
  #library: string | null = null;
  /** How the thread ended before it was given a program. */
  #failure: Error | null = null;
  #stop: ((why: string, exitCode: number) => void) | null = null;
  /** Ctrl-C or SIGTERM ended the program. */
  interrupted = false;

  /** @param idle the program will be there later, and perhaps never: the thread may use the time. */
  constructor(options: RunOptions, { idle = false }: { readonly idle?: boolean } = {}) {
    this.#options = options;
    const data: ProgramWorkerData = {
      directories: options.directories,
      devices: options,
      output: this.#outputMemory,
      input: this.#inputMemory,
      activity: this.#activityMemory,
      summary: options.summary || options.json !== null,
      idle,
    };
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    this.#worker = new Worker(new URL(`./program-worker-node.${extension}`, import.meta.url), {
      workerData: data,
      name: "heddle program",
      resourceLimits: { stackSizeMb: STACK_MB, maxOldGenerationSizeMb: 8192 },
    });
    this.#worker.on(
      "error",
      (error) => void (this.#failure ??= error instanceof Error ? error : new Error(String(error))),
    );
  }

  /**
   * The device code of the program that is being compiled: the thread loads it meanwhile. A library that cannot be had
   * is told by who asks for it to run the program.
   */
  async expect(program: DeviceProgram, deviceLibrary: () => Promise<string>): Promise<void> {
    // What is checked depends on the host program, too (program-worker-node.ts).
    if (this.#options.check !== null) return;
    const library = await deviceLibrary().catch(() => null);
    if (library === null) return;
    this.#library = library;
    this.#worker.postMessage({ kind: "expect", program, library } satisfies ProgramOrder);
  }

  discard(): void {
    void this.#worker.terminate();
  }

  /**
   * Stops the program where it is, says so, and makes `run` resolve with `exitCode`. Without effect when no program
   * runs.
   */
  stop(why: string, exitCode: number): void {
    this.#stop?.(why, exitCode);
  }

  /** At most once. Resolves with the exit code for the process. */
  run({ wasm, library, argv, compileMs }: ProgramToRun): Promise<number> {
    const [worker, options, output] = [this.#worker, this.#options, new OutputBuffer(this.#outputMemory)];
    return new Promise((resolve) => {
      const flushing = setInterval(() => output.tryFlush(), FLUSH_MS);
      let ended = false;
      const finish = (exitCode: number): void => {
        ended = true;
        this.#stop = null;
        standardInput.cancel(this.#inputMemory);
        clearInterval(flushing);
        if (timer !== undefined) clearTimeout(timer);
        process.off("SIGINT", interrupt).off("SIGTERM", terminate);
        void worker.terminate();
        resolve(exitCode);
      };
      const stop = (why: string, exitCode: number): void => {
        if (ended) return;
        const { kernel, seconds, launches } = readActivity(this.#activityMemory);
        void worker.terminate();
        output.rescue();
        const where =
          kernel === null
            ? `in the host program, after ${launches} kernel launch${launches === 1 ? "" : "es"}`
            : `in the kernel ${demangle(kernel)}, which had been running for ${seconds.toFixed(1)} s`;
        process.stderr.write(`heddle: ${why} ${where}\n`);
        finish(exitCode);
      };
      this.#stop = stop;
      const interrupt = (): void => {
        this.interrupted = true;
        stop("interrupted", ExitCode.interrupted);
      };
      const terminate = (): void => {
        this.interrupted = true;
        stop("terminated", 143);
      };
      const timer =
        options.timeout === null
          ? undefined
          : setTimeout(
              () => stop(`stopped after ${options.timeout} s (--timeout)`, ExitCode.timeout),
              options.timeout * 1000,
            );
      process.on("SIGINT", interrupt).on("SIGTERM", terminate);
      worker.on("message", (message: ProgramMessage) => {
        if (ended) return;
        if (message.kind === "input") return standardInput.request(this.#inputMemory);
        output.flush();
        if (message.kind === "broken-pipe") finish(ExitCode.brokenPipe);
        else if (message.kind === "failed") finish(printError(message.report));
        else {
          ended = true;
          void conclude(message, options, compileMs)
            .catch((error: unknown) => printError(reportOf(error)))
            .then(finish);
        }
      });
      const died = (error: Error): void => {
        if (ended) return;
        output.rescue();
        finish(printError({ code: "bug", message: error.message, place: null, notes: [], stack: error.stack ?? null }));
      };
      worker.on("error", (error) => died(error instanceof Error ? error : new Error(String(error))));
      worker.on("exit", (code) =>
        died(
          Object.assign(new Error(`the program's thread ended with code ${code} and said nothing`), {
            stack: undefined,
          }),
        ),
      );
      if (this.#failure !== null) return died(this.#failure);
      const order: ProgramOrder = {
        kind: "run",
        wasm,
        library: library !== null && library === this.#library ? "expected" : { ir: library },
        argv,
        workingDirectory: process.cwd(),
        env: Object.fromEntries(
          Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
        ),
      };
      worker.postMessage(order);
    });
  }
}

async function conclude(
  message: Extract<ProgramMessage, { kind: "ended" }>,
  options: RunOptions,
  compileMs: number,
): Promise<number> {
  const { status, checked } = message;
  const report =
    checked === null ? null : (await import("./check-report.ts")).reportCheck(checked, status.launches, options);
  if (options.summary) process.stderr.write(summaryText(message, compileMs));
  if (options.json !== null) {
    const json = `${JSON.stringify({ exitCode: status.exitCode, trap: status.trap, deviceError: status.deviceError, launches: status.launches, compileMs, setupMs: message.setupMs, runMs: message.runMs, ...(report === null ? {} : { checked: report }), kernels: message.kernels.map((row) => ({ ...row, name: demangle(row.kernel) })) })}\n`;
    if (options.json === "-") process.stderr.write(json);
    else writeFileSync(options.json, json);
  }
  if (status.deviceError !== 0 && !status.deviceErrorNoticed && status.exitCode === 0) {
    process.stderr.write(
      `heddle: the program ended without having asked for the error of its kernel (${errorString(status.deviceError)})\n`,
    );
    return ExitCode.deviceFault;
  }
  if (report !== null && report.findings.length > 0 && status.exitCode === 0) return ExitCode.found;
  return status.exitCode & 0xff;
}

function summaryText(
  { kernels, status, setupMs, runMs }: Extract<ProgramMessage, { kind: "ended" }>,
  compileMs: number,
): string {
  const rows = kernels
    .toSorted((a, b) => b.milliseconds - a.milliseconds)
    .map((row) => [
      demangle(row.kernel),
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
  const head = `heddle: compiled in ${(compileMs / 1000).toFixed(2)} s, device ready in ${(setupMs / 1000).toFixed(2)} s, ran ${(runMs / 1000).toFixed(2)} s, ${status.launches} launches, exit code ${status.exitCode}`;
  return `${head}\n${rows.length === 0 ? "" : `${lines.map((line) => `  ${line}`).join("\n")}\n`}`;
}
