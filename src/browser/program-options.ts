/** What programs in a browser are run with. */
import type { OptionNames } from "../base/options.ts";
import type { CheckerName } from "../check/finding.ts";
import type { EngineChoice } from "../device/emulated/engines.ts";
import type { CompileOptions } from "../program/compiled-program.ts";
import type { RecordingChoice } from "../recording/recording-choice.ts";
import type { SessionEvent } from "../session/events.ts";
import { memorySourceReader } from "../frontend/clang/memory-source-reader.ts";
import { DEFAULT_DEVICE, type ProgramRequest } from "../session/request.ts";
import type { PackageLocations } from "./locations.ts";
import { LOCATION_NAMES } from "./option-names.ts";

export interface BrowserProgramOptions extends PackageLocations {
  /** What diagnostics call the source, and, without its ending, argv[0]; default "program.cu". */
  readonly path?: string;
  /** The program's arguments, without argv[0]. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Files that the source includes and that the program opens, by path relative to its working directory. */
  readonly files?: Readonly<Record<string, Uint8Array | string>>;
  readonly compile?: Partial<CompileOptions>;
  /** The real GPU whose limits and properties the device follows; default "a100". */
  readonly gpu?: string;
  readonly engine?: EngineChoice;
  /** Threads that run blocks; default one for each core. */
  readonly workers?: number;
  /** Whether a launch whose result is already in memory may be skipped; default true. */
  readonly reuse?: boolean;
  /** Receives what the program prints, as it prints it. */
  readonly onOutput?: (text: string, stream: "stdout" | "stderr") => void;
  /** Seconds that the program may run, compilation not counted; default: no limit. */
  readonly timeout?: number;
  /** Stops the program: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export const PROGRAM_NAMES: OptionNames<BrowserProgramOptions> = {
  ...LOCATION_NAMES,
  path: true,
  args: true,
  env: true,
  stdin: true,
  files: true,
  compile: true,
  gpu: true,
  engine: true,
  workers: true,
  reuse: true,
  onOutput: true,
  timeout: true,
  signal: true,
};

/** What watches a program: checkers, the profiler, or nothing. */
export interface Watchers {
  readonly check?: readonly CheckerName[] | undefined;
  readonly profile?: boolean;
  /** Of the profiler: model the caches, too. */
  readonly caches?: boolean;
  /** Record a block. */
  readonly record?: RecordingChoice | null;
}

export function programRequest(
  source: string,
  options: BrowserProgramOptions,
  { check, profile = false, caches = false, record = null }: Watchers,
): ProgramRequest {
  const { path = "program.cu" } = options;
  return {
    kind: kindOf({ check, profile }),
    program: {
      sources: [{ path, text: source }],
      objects: [],
      compile: {
        ...options.compile,
        nvccForm: profile,
        keepsVariables: record !== null,
        ...(check === undefined ? {} : { observed: true }),
      },
      name: path,
    },
    argv: [path.replace(/\.[^./]*$/, ""), ...(options.args ?? [])],
    env: options.env ?? {},
    timeout: options.timeout ?? null,
    settings: {
      ...DEFAULT_DEVICE,
      gpu: options.gpu ?? null,
      workers: options.workers ?? null,
      engine: options.engine ?? DEFAULT_DEVICE.engine,
      reuse: options.reuse ?? true,
      check: check ?? null,
      profile,
      caches,
      record,
      directories: [],
      files: options.files ?? {},
      isolation: null,
      stdin: options.stdin ?? "",
      timeLaunches: false,
      launchEvents: false,
    },
  };
}

function kindOf({ check, profile }: Watchers): ProgramRequest["kind"] {
  if (check !== undefined) return "check";
  return profile ? "profile" : "run";
}

/** What reports show of the source and of the files that it includes. */
export function linesOfProgram(
  source: string,
  { path = "program.cu", files }: BrowserProgramOptions,
): (file: string) => readonly string[] | null {
  const reader = memorySourceReader({ ...files, [path]: source });
  return (file) => {
    const bytes = reader.readFile(file);
    return bytes === null ? null : new TextDecoder().decode(bytes).split(/\r?\n/);
  };
}

/** Hands a program's output on as text, and what the compiler warns of as lines of stderr. */
export function outputListener(onOutput: BrowserProgramOptions["onOutput"]): (event: SessionEvent) => void {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  return (event) => {
    if (event.kind === "diagnostic") onOutput?.(event.text, "stderr");
    if (event.kind === "output") onOutput?.(decoders[event.stream].decode(event.bytes, { stream: true }), event.stream);
  };
}
