/**
 * The options of `heddle run` (and of the programs that `heddle nvcc` makes): ours first, then whatever nvcc would
 * take.
 */
import { availableParallelism } from "node:os";
import { HeddleError } from "../../base/diagnostics.ts";
import type { CheckerName } from "../../check/finding.ts";
import { parseDeviceKind } from "../../device/common/device-kind.ts";
import { DEFAULT_DEVICE, type DeviceRequest } from "../../session/request.ts";
import { newNvccDraft, type NvccCommand, type NvccDraft } from "./nvcc-command.ts";
import { applyNvccFlag, finishNvccDraft, isSource } from "./nvcc-flags.ts";
import { profileOutput, type ProfileOutput } from "./profile-outputs.ts";

/** What becomes of the findings of heddle check, besides the text on stderr. */
export interface ReportOptions {
  /** Pages and traces. */
  readonly outputs: readonly ProfileOutput[];
  /** SARIF, to this file. */
  readonly sarif: string | null;
  /** Annotations for the continuous integration of; null: where the environment says so. */
  readonly annotations: "github" | "none" | null;
  /** A file that lists the findings to leave out. */
  readonly suppressions: string | null;
  /** Reports in the text; the others are counted. */
  readonly maxReports: number;
}

export interface RunOptions extends DeviceRequest, ReportOptions {
  /** Seconds; null: no limit. */
  readonly timeout: number | null;
  /** Directories that the program may use besides its working directory. */
  readonly directories: readonly string[];
  /** The program is a stranger's: docs/security.md. */
  readonly isolated: boolean;
  /** Files and folders that an isolated program gets copies of. */
  readonly namedFiles: readonly string[];
  /** NAME or NAME=value: variables that the program gets in any case. */
  readonly variables: readonly string[];
  /** Memory that an isolated run may hold, the compiler's included. */
  readonly memoryBytes: number;
  /** Seconds that an isolated compilation may take. */
  readonly compileTimeout: number;
  /** Output that an isolated run may write. */
  readonly maxOutputBytes: number;
  readonly summary: boolean;
  /** The summary as JSON, to this file; "-" is stderr. */
  readonly json: string | null;
  readonly verbose: boolean;
  /** heddle: 71 for a program that ends with 0 although a kernel failed; program: always the program's own. */
  readonly exitCode: "heddle" | "program";
  readonly cache: boolean;
  /** Processes that run the program as ranks of one world; null: one process, without a world. */
  readonly processes: number | null;
  /** This process is one of those, and others start the rest; null: this one starts all. */
  readonly rank: number | null;
  /** The name of the world, where its processes are started one by one. */
  readonly world: string | null;
  /** Lines of output begin with the rank, also where they go to no terminal. */
  readonly tag: boolean;
  /** Compile and run again whenever a file of the program is saved. */
  readonly watch: boolean;
  /** Print the annotated source; heddle profile. */
  readonly lines: boolean;
  /** A former result to compare with; heddle profile. */
  readonly baseline: string | null;
  /** Nsight Compute's counters of the program, as CSV; heddle profile. */
  readonly ncu: string | null;
}

type RunDraft = { -readonly [K in keyof RunOptions]: RunOptions[K] } & { devicesGiven: boolean };

const MAX_REPORTS = 100;

function defaults(): RunDraft {
  return {
    ...DEFAULT_DEVICE,
    timeout: null,
    sarif: null,
    annotations: null,
    suppressions: null,
    maxReports: MAX_REPORTS,
    directories: [],
    isolated: false,
    namedFiles: [],
    variables: [],
    memoryBytes: 4 * 2 ** 30,
    maxOutputBytes: 16 * 2 ** 20,
    compileTimeout: 120,
    summary: false,
    json: null,
    verbose: false,
    exitCode: "heddle",
    cache: true,
    processes: null,
    rank: null,
    world: null,
    tag: false,
    devicesGiven: false,
    watch: false,
    lines: false,
    outputs: [],
    baseline: null,
    ncu: null,
  };
}

function positive(flag: string, text: string, whole: boolean): number {
  const value = Number(text);
  if (!(value > 0) || (whole && !Number.isInteger(value)))
    throw new HeddleError("bad-arguments", `${flag} needs a ${whole ? "whole " : ""}number above 0, not "${text}"`);
  return value;
}

/** `4G`, `512M`, `100k` or a number of bytes. */
function byteCount(flag: string, text: string): number {
  const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)([kKmMgG]?)(?:i?B)?$/.exec(text) ?? [];
  const bytes = Number(digits) * 1024 ** ["", "k", "m", "g"].indexOf(unit.toLowerCase());
  if (!(bytes >= 1)) throw new HeddleError("bad-arguments", `${flag} needs a size, such as 2G or 512M, not "${text}"`);
  return Math.floor(bytes);
}

/** An option of isolated runs only. */
function forIsolated(
  flag: string,
  set: (draft: RunDraft, value: string) => void,
): (draft: RunDraft, value: string) => void {
  return (draft, value) => {
    if (!draft.isolated)
      throw new HeddleError("bad-arguments", `${flag} is an option of isolated runs; name --isolated before it`, {
        notes: [`heddle run --isolated ${flag} … FILE.cu`],
      });
    set(draft, value);
  };
}

/** An option that only heddle check has. */
function forCheck(
  flag: string,
  set: (draft: RunDraft, value: string) => void,
): (draft: RunDraft, value: string) => void {
  return (draft, value) => {
    if (draft.check === null)
      throw new HeddleError("bad-arguments", `${flag} is an option of heddle check; this is no check`, {
        notes: [`heddle check ${flag} … FILE.cu`],
      });
    set(draft, value);
  };
}

/** An option that only heddle profile has. */
function forProfile(
  flag: string,
  set: (draft: RunDraft, value: string) => void,
): (draft: RunDraft, value?: string) => void {
  return (draft, value = "") => {
    if (!draft.profile)
      throw new HeddleError("bad-arguments", `${flag} is an option of heddle profile; this is no profile`, {
        notes: [`heddle profile ${flag}${value === "" ? "" : " …"} FILE.cu`],
      });
    set(draft, value);
  };
}

const VALUED: Readonly<Record<string, (draft: RunDraft, value: string) => void>> = {
  "--device": (d, v) => void (d.device = parseDeviceKind(v)),
  "--gpu": (d, v) => void (d.gpu = v),
  "--devices": (d, v) => {
    d.devices = positive("--devices", v, true);
    d.devicesGiven = true;
  },
  "--processes": (d, v) => void (d.processes = positive("--processes", v, true)),
  "--rank": (d, v) => void (d.rank = /^\d+$/.test(v) ? Number(v) : NaN),
  "--world": (d, v) => {
    if (!/^[a-z0-9.-]{1,60}$/i.test(v))
      throw new HeddleError("bad-arguments", `--world is a name of letters, digits, dots and hyphens, not "${v}"`);
    d.world = `world-${v}`;
  },
  "--workers": (d, v) => void (d.workers = positive("--workers", v, true)),
  "--timeout": (d, v) => void (d.timeout = positive("--timeout", v, false)),
  // names are tested where the checkers are (check.ts)
  "--tool": forCheck("--tool", (d, v) => void (d.check = v.split(",") as CheckerName[])),
  "--sarif": forCheck("--sarif", (d, v) => void (d.sarif = v)),
  "--annotations": forCheck("--annotations", (d, v) => {
    if (v !== "github" && v !== "none")
      throw new HeddleError("bad-arguments", `--annotations is github or none, not "${v}"`);
    d.annotations = v;
  }),
  "--suppressions": forCheck("--suppressions", (d, v) => void (d.suppressions = v)),
  "--max-reports": forCheck("--max-reports", (d, v) => void (d.maxReports = positive("--max-reports", v, true))),
  "--exit-code": (d, v) => {
    if (v !== "heddle" && v !== "program")
      throw new HeddleError("bad-arguments", `--exit-code is heddle or program, not "${v}"`);
    d.exitCode = v;
  },
  "--dir": (d, v) => void (d.directories = [...d.directories, v]),
  "--file": forIsolated("--file", (d, v) => void (d.namedFiles = [...d.namedFiles, v])),
  "--memory": forIsolated("--memory", (d, v) => void (d.memoryBytes = byteCount("--memory", v))),
  "--max-output": forIsolated("--max-output", (d, v) => void (d.maxOutputBytes = byteCount("--max-output", v))),
  "--compile-timeout": forIsolated(
    "--compile-timeout",
    (d, v) => void (d.compileTimeout = positive("--compile-timeout", v, false)),
  ),
  "--baseline": forProfile("--baseline", (d, v) => void (d.baseline = v)),
  "--ncu": forProfile("--ncu", (d, v) => void (d.ncu = v)),
  "--device-memory": (d, v) => void (d.deviceMemory = byteCount("--device-memory", v)),
  "--env": (d, v) => void (d.variables = [...d.variables, v]),
  "--engine": (d, v) => {
    if (v !== "auto" && v !== "interpreter" && v !== "thread" && v !== "warp")
      throw new HeddleError("bad-arguments", `--engine is auto, interpreter, thread or warp, not "${v}"`);
    d.engine = v;
  },
};
/** Seconds that an isolated program may run, unless --timeout says otherwise. */
const ISOLATED_SECONDS = 60;

const SWITCHES: Readonly<Record<string, (draft: RunDraft) => void>> = {
  "--isolated": (d) => {
    d.isolated = true;
    d.timeout ??= ISOLATED_SECONDS;
  },
  "--no-reuse": (d) => void (d.reuse = false),
  "--no-cache": (d) => void (d.cache = false),
  "--summary": (d) => void (d.summary = true),
  "--verbose": (d) => void (d.verbose = d.summary = true),
  "--json": (d) => void (d.json = "-"),
  "--trace": (d) => void (d.trace = true),
  "--tag": (d) => void (d.tag = true),
  "--watch": (d) => void (d.watch = true),
  "--lines": forProfile("--lines", (d) => void (d.lines = true)),
  "--caches": forProfile("--caches", (d) => void (d.caches = true)),
};

/** Takes one option of ours; returns how many arguments it used, 0 when it is not ours. */
function applyRunFlag(draft: RunDraft, args: readonly string[], at: number): number {
  const argument = args[at] as string;
  const equals = argument.indexOf("=");
  const name = equals > 0 ? argument.slice(0, equals) : argument;
  if (name === "--json" && equals > 0) {
    draft.json = argument.slice(equals + 1);
    return 1;
  }
  const toggle = SWITCHES[argument];
  if (toggle !== undefined) {
    toggle(draft);
    return 1;
  }
  const valued = VALUED[name];
  if (valued === undefined) return 0;
  const value = equals > 0 ? argument.slice(equals + 1) : args[at + 1];
  if (value === undefined) throw new HeddleError("bad-arguments", `${name} needs a value`);
  valued(draft, value);
  return equals > 0 ? 1 : 2;
}

/** What several processes share: each sees a device for every process, and has its part of the cores. */
function finished({ devicesGiven, ...options }: RunDraft): RunOptions {
  const { processes, workers } = options;
  if (processes === null) return options;
  const cores = Number(process.env["HEDDLE_WORKERS"] ?? availableParallelism());
  return {
    ...options,
    devices: devicesGiven ? options.devices : processes,
    workers: workers ?? Math.max(1, Math.floor(cores / processes)),
  };
}

export interface RunCommand {
  readonly options: RunOptions;
  readonly nvcc: NvccCommand;
  readonly programArguments: readonly string[];
}

/**
 * `[options] FILE.cu [program arguments]`: what follows the first source is the program's. With `--`, everything before
 * it is ours, so that several sources and options in any order can be given.
 */
export function parseRunCommand(
  args: readonly string[],
  tools: Partial<Pick<RunOptions, "check" | "profile">> = {},
): RunCommand {
  const draft = { ...defaults(), ...tools };
  const nvcc: NvccDraft = newNvccDraft();
  const separator = args.indexOf("--");
  const firstSource = args.findIndex(
    (argument, index) => !argument.startsWith("-") && isSource(argument) && !takesValue(args[index - 1]),
  );
  const ownEnd =
    separator >= 0 &&
    (firstSource < 0 ||
      args
        .slice(firstSource + 1, separator)
        .every((argument) => argument.startsWith("-") || isSource(argument) || isObject(argument)))
      ? separator
      : args.length;
  const several = ownEnd === separator && separator >= 0;
  let programArguments: readonly string[] = several ? args.slice(separator + 1) : [];
  for (let at = 0; at < ownEnd;) {
    const argument = args[at] as string;
    if (argument.startsWith("-") && argument !== "-") {
      const used = applyRunFlag(draft, args, at) || applyNvccFlag(nvcc, args, at);
      if (used === 0)
        throw new HeddleError("bad-arguments", `unknown option ${argument}`, {
          notes: [`heddle ${nameOf(tools)} --help shows the options; arguments for the program come after the file`],
        });
      at += used;
      if (draft.profile && nvcc.output !== null) {
        draft.outputs = [...draft.outputs, profileOutput(nvcc.output)];
        nvcc.output = null;
      }
      // Any other name is what nvcc would call the program.
      if (draft.check !== null && nvcc.output?.endsWith(".html")) {
        draft.outputs = [...draft.outputs, { format: "page", file: nvcc.output }];
        nvcc.output = null;
      }
    } else if (isObject(argument)) {
      nvcc.objects.push(argument);
      at++;
    } else {
      nvcc.sources.push(argument);
      at++;
      if (!several) {
        programArguments = args.slice(at);
        break;
      }
    }
  }
  return { options: finished(draft), nvcc: finishNvccDraft(nvcc), programArguments };
}

/** The command that these tools belong to. */
function nameOf({ check = null, profile = false }: Partial<Pick<RunOptions, "check" | "profile">>): string {
  if (profile) return "profile";
  return check === null ? "run" : "check";
}

function isObject(path: string): boolean {
  return /\.(o|a|wasm)$/.test(path);
}

function takesValue(previous: string | undefined): boolean {
  return (
    previous !== undefined &&
    (previous in VALUED || ["-o", "--output-file", "-I", "-include", "-isystem", "-D", "-L"].includes(previous)) &&
    !previous.includes("=")
  );
}

/** Options for a program that is already compiled: from HEDDLE_OPTIONS, since its command line is its own. */
export function optionsFromEnvironment(text: string | undefined): RunOptions {
  const draft = defaults();
  const args = (text ?? "").split(/\s+/).filter((word) => word !== "");
  for (let at = 0; at < args.length;) {
    const used = applyRunFlag(draft, args, at);
    if (used === 0)
      throw new HeddleError("bad-arguments", `HEDDLE_OPTIONS: unknown option ${args[at]}`, {
        notes: ["heddle run --help shows the options"],
      });
    at += used;
  }
  if (draft.watch)
    throw new HeddleError("bad-arguments", "HEDDLE_OPTIONS: --watch compiles, and this program is compiled already", {
      notes: ["heddle run --watch FILE.cu"],
    });
  return finished(draft);
}
