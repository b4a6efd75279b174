/**
 * `heddle run`, `check` and `profile` of a Python file without `--launch`: the whole script runs, by CPython as
 * WebAssembly.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve, dirname } from "node:path";
import { tmpdir } from "node:os";
import { HeddleError } from "../../base/diagnostics.ts";
import { counted } from "../../base/counted.ts";
import { SCRIPT_GPU, type ScriptEnd, type ScriptTool } from "../../python/script-request.ts";
import { refuseWrongCheckers } from "../checker-names.ts";
import { parseDeviceKind, type DeviceKind } from "../../device/common/device-kind.ts";
import { packageRoot } from "../../frontend/clang/clang-loader-node.ts";
import { startScript } from "../../python/run-script-node.ts";
import { reportOf } from "../../session/error-report.ts";
import { ExitCode } from "../exit-codes.ts";
import { programEnvironment } from "../program-environment.ts";
import { parseTimeout } from "../python-files.ts";
import { printError } from "../terminal.ts";

export type ScriptCommand = "run" | "check" | "profile";

const TOOLS: Readonly<Record<ScriptCommand, ScriptTool | null>> = {
  run: null,
  check: { kind: "check", checkers: null },
  profile: { kind: "profile", lines: false },
};
const TAKEN: Readonly<Record<ScriptCommand, string>> = { run: "--device, ", check: "--tool, ", profile: "--lines, " };

interface ScriptOptions {
  readonly tool: ScriptTool | null;
  readonly file: string;
  readonly args: readonly string[];
  readonly device: DeviceKind;
  readonly gpu: string;
  /** Seconds; null: no limit. */
  readonly timeout: number | null;
  /** Further folders that the script may use. */
  readonly directories: readonly string[];
  /** Variables that the script gets also if they look like secrets. */
  readonly variables: readonly string[];
}

/** Options stand before the file; what follows is for the script. */
function parse(command: ScriptCommand, args: readonly string[]): ScriptOptions {
  const options = {
    tool: TOOLS[command],
    device: parseDeviceKind(process.env["HEDDLE_DEVICE"]),
    gpu: process.env["HEDDLE_GPU"] || SCRIPT_GPU,
    timeout: null as number | null,
    directories: [] as string[],
    variables: [] as string[],
  };
  for (let i = 0; i < args.length; i++) {
    const argument = args[i] as string;
    if (!argument.startsWith("-")) return { ...options, file: argument, args: args.slice(i + 1) };
    if (argument === "--lines" && options.tool?.kind === "profile") {
      options.tool = { kind: "profile", lines: true };
      continue;
    }
    const [, flag = argument, given] = /^(--[\w-]+)=([\s\S]*)$/.exec(argument) ?? [];
    const value = given ?? args[++i] ?? "";
    if (value === "") throw new HeddleError("bad-arguments", `${flag} needs a value`);
    if (flag === "--tool" && options.tool?.kind === "check") options.tool = checkersNamed(value);
    else if (flag === "--device" && command === "run") options.device = parseDeviceKind(value);
    else if (flag === "--gpu") options.gpu = value;
    else if (flag === "--timeout") options.timeout = parseTimeout(value);
    else if (flag === "--dir") options.directories.push(value);
    else if (flag === "--env") options.variables.push(value);
    else
      throw new HeddleError("bad-arguments", `heddle ${command} of a Python script does not take ${flag}`, {
        notes: [
          `it takes ${TAKEN[command]}--gpu, --timeout, --dir and --env; arguments for the script come after the file`,
          `heddle ${command} --help shows more`,
        ],
      });
  }
  throw new HeddleError("bad-arguments", "no source file is given", { notes: [`heddle ${command} FILE.py`] });
}

function checkersNamed(list: string): ScriptTool {
  const checkers = list.split(",");
  refuseWrongCheckers(checkers);
  return { kind: "check", checkers };
}

/** So long a script may take to tell in which kernel its time ran out. */
const TRACEBACK_MS = 5000;

export async function scriptCommand(command: ScriptCommand, args: readonly string[]): Promise<number> {
  const options = parse(command, args);
  if (!existsSync(options.file)) throw new HeddleError("file-not-found", `there is no file ${options.file}`);
  return runScript(options);
}

async function runScript(options: ScriptOptions): Promise<number> {
  const { file, args, device, gpu, timeout, tool } = options;
  const folders = [
    process.cwd(),
    dirname(resolve(file)),
    tmpdir(),
    ...options.directories.map((path) => resolve(path)),
  ];
  const inKernel = new Int32Array(new SharedArrayBuffer(4));
  const script = startScript({
    file,
    args,
    device,
    gpu,
    tool,
    timeoutMs: timeout === null ? null : timeout * 1000,
    inKernel,
    directories: outermost(folders),
    environment: programEnvironment(process.env, { isolated: false, asked: options.variables }),
    modules: join(packageRoot(), "python", "modules"),
  });
  return new Promise((settle) => {
    let timer: NodeJS.Timeout | null = null;
    let limit = Infinity;
    if (timeout !== null)
      void script.begins.then(() => {
        limit = performance.now() + timeout * 1000;
        const stop = (): void => {
          if (Atomics.load(inKernel, 0) === 0) end("timeout");
          else timer = setTimeout(() => end("timeout"), TRACEBACK_MS);
        };
        timer = setTimeout(stop, timeout * 1000);
      });
    const finish = (code: number): void => {
      if (timer !== null) clearTimeout(timer);
      process.off("SIGINT", interrupt).off("SIGTERM", terminate);
      settle(code);
    };
    const end = (why: "timeout" | "interrupted" | "terminated"): void => {
      const text = why === "timeout" ? `stopped after ${timeout} s (--timeout)` : why;
      process.stderr.write(`heddle: ${text} in ${file}\n`);
      void script.stop();
      finish(ExitCode[why]);
    };
    const interrupt = (): void => end("interrupted");
    const terminate = (): void => end("terminated");
    process.on("SIGINT", interrupt).on("SIGTERM", terminate);
    script.end.then(
      (ended) => {
        const code = conclude(ended, options);
        // A kernel that took too long has ended the script.
        if (performance.now() > limit && ended.exitCode !== 0) end("timeout");
        else finish(code);
      },
      (error: unknown) => finish(printError(reportOf(error))),
    );
  });
}

/** Prints the tool's report, and returns the exit code. */
function conclude({ exitCode, launches, report }: ScriptEnd, { tool, file }: ScriptOptions): number {
  process.stderr.write(report);
  if (tool === null) {
    if (launches === 0 && exitCode === 0 && hasKernelsAlone(readFileSync(file, "utf8")))
      process.stderr.write(`heddle: ${file} launched no kernel; --launch launches one of its kernels\n`);
    return exitCode;
  }
  if (launches === 0)
    process.stderr.write(`heddle: ${file} launched no kernel; --launch launches one of its kernels\n`);
  else if (tool.kind === "check" && report === "")
    process.stderr.write(`heddle: nothing found in ${counted(launches, "launch", "launches")}\n`);
  return tool.kind === "check" && report !== "" && exitCode === 0 ? ExitCode.found : exitCode;
}

/** Such a file is no script: it defines kernels, and does nothing with them. */
function hasKernelsAlone(text: string): boolean {
  return /^@(?:triton\.)?jit\b/m.test(text) && !/^(?:for|while|with|if|try|assert|[\w.]+ ?[([])/m.test(text);
}

/** Without folders that lie in another one, and without the root, where CPython has its own files. */
function outermost(folders: readonly string[]): string[] {
  const isInside = (path: string, folder: string): boolean => path !== folder && path.startsWith(`${folder}/`);
  return [...new Set(folders)].filter((path) => path !== "/" && !folders.some((folder) => isInside(path, folder)));
}
