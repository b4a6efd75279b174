/** What programs in a browser are run with. */
import type { CheckerName } from "../check/finding.ts";
import type { EngineChoice } from "../device/emulated/engines.ts";
import type { CompileOptions } from "../program/compiled-program.ts";
import type { SessionEvent } from "../session/events.ts";
import { DEFAULT_DEVICE, type ProgramRequest } from "../session/request.ts";
import type { PackageLocations } from "./locations.ts";

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
  /** Stops the program: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** @param check the checkers that watch; null: none. */
export function programRequest(
  source: string,
  options: BrowserProgramOptions,
  check: readonly CheckerName[] | null,
): ProgramRequest {
  const { path = "program.cu" } = options;
  return {
    kind: check === null ? "run" : "check",
    program: {
      sources: [{ path, text: source }],
      objects: [],
      compile: { ...options.compile, ...(check === null ? {} : { observed: true }) },
      name: path,
    },
    argv: [path.replace(/\.[^./]*$/, ""), ...(options.args ?? [])],
    env: options.env ?? {},
    timeout: null,
    settings: {
      ...DEFAULT_DEVICE,
      gpu: options.gpu ?? null,
      workers: options.workers ?? null,
      engine: options.engine ?? DEFAULT_DEVICE.engine,
      reuse: options.reuse ?? true,
      check,
      directories: [],
      files: options.files ?? {},
      isolation: null,
      stdin: options.stdin ?? "",
      timeLaunches: false,
      launchEvents: false,
    },
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
