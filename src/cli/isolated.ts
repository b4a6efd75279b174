/**
 * `--isolated`: the command runs in a process of its own, which gets no secrets in its environment, and which this
 * process ends when it takes too long, holds too much memory or writes too much. What compiles and runs inside is
 * confined by src/session (docs/security.md).
 */
import { spawn, execFile, type ChildProcess } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import type { DataModel } from "../base/data-model.ts";
import { HeddleError } from "../base/diagnostics.ts";
import { packageRoot } from "../frontend/clang/clang-loader-node.ts";
import { cacheDirectory } from "../store/disk-store-node.ts";
import { ExitCode } from "./exit-codes.ts";
import type { RunOptions } from "./options/run-options.ts";
import { useColor } from "./terminal.ts";

/** Set in the process that is watched. */
const INSIDE = "HEDDLE_ISOLATED_PROCESS";
const LOOK_MS = 50;
/** Variables that Heddle itself reads. */
const OWN_VARIABLES = new RegExp(
  "^(HEDDLE_(CACHE_DIR|GPU|WORKERS|ENGINE|REUSE|OPTIONS|CUDA_INCLUDE)" +
    "|HOME|XDG_CACHE_HOME|TMPDIR|NO_COLOR|TERM|LANG|GITHUB_(ACTIONS|WORKSPACE))$",
);

/** This process is the one that is watched. */
export function isInside(): boolean {
  return process.env[INSIDE] === "1";
}

/** In the watched process: it ends with the one that watches. */
export function endWithParent(): void {
  process.on("disconnect", () => process.exit(ExitCode.terminated));
  process.channel?.unref();
}

/** @throws HeddleError "bad-arguments" for options that would open what is closed. */
export function checkIsolation(options: RunOptions): void {
  const refuse = (what: string, note: string): never => {
    throw new HeddleError("bad-arguments", `${what} has no place in an isolated run`, { notes: [note] });
  };
  if (options.directories.length > 0) refuse("--dir", "--file PATH gives the program a copy of a file or folder");
  if (options.device !== null && options.device !== "emulated")
    refuse(`--device ${options.device}`, "a GPU's driver is no wall against a hostile program");
  if (options.watch) refuse("--watch", "leave one of the two out");
}

/**
 * Runs this process's command again, watched. @param named files and folders that it may read.
 *
 * @param model of the program, if it is compiled. @returns the exit code
 */
export async function runIsolated(
  options: RunOptions,
  named: readonly string[],
  model: DataModel["name"] | null = null,
): Promise<number> {
  const seconds = options.compileTimeout + (options.timeout ?? 0);
  const child = spawn(process.execPath, [...permissions(options, named), ...process.argv.slice(1)], {
    stdio: ["inherit", "pipe", "pipe", "ipc"],
    env: { ...environment(), ...(model === null ? {} : { HEDDLE_MODEL: model }) },
  });
  const watched = new WatchedProcess(child);
  const timer = setTimeout(
    () =>
      watched.stop(
        `heddle: stopped after ${seconds} s, compiling included (--compile-timeout, --timeout)`,
        ExitCode.timeout,
      ),
    seconds * 1000,
  );
  const memory = watchMemory(child, options.memoryBytes, (held) =>
    watched.stop(
      `heddle: stopped: the process holds ${mebibytes(held)} MiB, more than --memory allows`,
      ExitCode.memory,
    ),
  );
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on("SIGINT", forward).on("SIGTERM", forward);
  let left = options.maxOutputBytes;
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    from?.on("data", (chunk: Buffer) => {
      if (left <= 0) return;
      const taken = chunk.subarray(0, left);
      left -= chunk.length;
      // The reader sets the pace.
      if (!to.write(taken)) {
        from.pause();
        to.once("drain", () => from.resume());
      }
      if (left < 0)
        watched.stop(
          `\nheddle: stopped after ${options.maxOutputBytes} bytes of output (--max-output)`,
          ExitCode.output,
        );
    });
  }
  try {
    return await watched.exitCode;
  } finally {
    clearTimeout(timer);
    clearInterval(memory);
    process.off("SIGINT", forward).off("SIGTERM", forward);
  }
}

class WatchedProcess {
  readonly #child: ChildProcess;
  #reason: { readonly why: string; readonly exitCode: number } | null = null;
  /** Resolves when it has ended and all of its output is written. */
  readonly exitCode: Promise<number>;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.exitCode = new Promise((settle, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => {
        if (this.#reason !== null) process.stderr.write(`${this.#reason.why}\n`);
        settle(this.#reason?.exitCode ?? code ?? exitCodeOf(signal));
      });
    });
  }

  /** The first reason stays. */
  stop(why: string, exitCode: number): void {
    this.#reason ??= { why, exitCode };
    this.#child.kill("SIGKILL");
  }
}

function exitCodeOf(signal: NodeJS.Signals | null): number {
  if (signal === "SIGINT") return ExitCode.interrupted;
  return signal === "SIGTERM" ? ExitCode.terminated : ExitCode.memory;
}

/** What Heddle itself reads, and nothing else: no secret is in the process that compiles and runs. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => OWN_VARIABLES.test(name)));
  return { ...own, [INSIDE]: "1", ...(useColor(process.stderr) ? { FORCE_COLOR: "1" } : {}) };
}

/** Node.js's own permissions, a second wall, where this Node.js has them: of the disk it may read what is named. */
function permissions(
  { json, sarif, outputs, suppressions, namedFiles }: RunOptions,
  named: readonly string[],
): string[] {
  if (!process.allowedNodeEnvironmentFlags.has("--permission")) return [];
  const compiler = dirname(dirname(createRequire(import.meta.url).resolve("@yowasp/clang")));
  const readable = [packageRoot(), compiler, cacheDirectory(), ...named, ...namedFiles];
  const files = [json, sarif, ...outputs.map(({ file }) => file)];
  const writable = files.filter((path) => path !== null && path !== "-");
  return [
    "--permission",
    "--allow-worker",
    // It warns of this flag; threads here are Heddle's own.
    "--disable-warning=PERM0006",
    "--disable-warning=SecurityWarning",
    ...[...readable, ...(suppressions === null ? [] : [suppressions])].flatMap(allowed("read")),
    ...(writable as string[]).flatMap(allowed("write")),
  ];
}

function allowed(what: "read" | "write"): (path: string) => string[] {
  return (path) => {
    const full = resolve(path);
    let real = full;
    try {
      real = realpathSync(full);
    } catch {
      // What is not there yet is allowed by its name.
    }
    return [...new Set([full, real])].flatMap((each) => [`--allow-fs-${what}=${each}`]);
  };
}

/** Looks at the memory that a process holds, again and again. @returns what `clearInterval` ends */
function watchMemory(child: ChildProcess, limit: number, stop: (held: number) => void): NodeJS.Timeout {
  const judge = (held: number | null): void => {
    if (held !== null && held > limit) stop(held);
  };
  let asking = false;
  return setInterval(
    () => {
      if (child.pid === undefined || child.exitCode !== null) return;
      if (process.platform === "linux") return judge(residentBytes(child.pid));
      if (asking || process.platform === "win32") return;
      asking = true;
      execFile("ps", ["-o", "rss=", "-p", String(child.pid)], (error, text) => {
        asking = false;
        judge(error === null ? Number(text) * 1024 : null);
      });
    },
    process.platform === "linux" ? LOOK_MS : 10 * LOOK_MS,
  );
}

/** null: it has ended. */
function residentBytes(pid: number): number | null {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
