/** Compiles a program and runs it, with or without checkers. */
import type { Compiler } from "../frontend/clang/compiler.ts";
import type { DeviceProgram } from "../program/device-program.ts";
import type { SourceReader } from "../store/source-reader.ts";
import { buildProgram } from "./build-program.ts";
import type { Emit, ProgramEnd, ProgramExit } from "./events.ts";
import type { ProgramRequest, RunSettings } from "./request.ts";

export interface OpenCompiler {
  readonly compiler: Compiler;
  /** IR text of the device library. */
  deviceLibrary(): Promise<string>;
}

/** What a program runs in. It is opened before the program is compiled, and gets ready meanwhile. */
export interface ProgramThread {
  /** The device code of the program that is being compiled: it is loaded while the host code still compiles. */
  preload(program: DeviceProgram, deviceLibrary: () => Promise<string>): void;
  /** At most once. */
  run(order: ThreadOrder, emit: Emit): Promise<ThreadEnd>;
  /** Stops the program where it is; `run` resolves then. Without effect when no program runs. */
  stop(by: "caller" | "timeout"): void;
  /** Ends the thread, whatever it does. */
  discard(): void;
}

export interface ThreadOrder {
  readonly wasm: Uint8Array;
  /** IR text of the device library. */
  readonly library: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>> | null;
}

export type ThreadEnd = Exclude<ProgramEnd, ProgramExit> | Omit<ProgramExit, "compileMs">;

export interface ProgramPlatform {
  openThread(settings: RunSettings): ProgramThread;
  openCompiler(): Promise<OpenCompiler>;
  /** Reads what sources include. @param settings with the files of a request that brings its own. */
  reader(settings: RunSettings): SourceReader;
  /** Work that can wait until the program runs. */
  whileRunning?(): Promise<void>;
}

export async function performProgram(
  request: ProgramRequest,
  platform: ProgramPlatform,
  emit: Emit,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  const { program, settings, argv, env, timeout } = request;
  const started = performance.now();
  const thread = platform.openThread(settings);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => thread.stop("caller");
  try {
    const { compiler, deviceLibrary } = await platform.openCompiler();
    const { wasm, warnings } = await buildProgram(program, {
      compiler,
      reader: platform.reader(settings),
      onDevice: (device) => thread.preload(device, deviceLibrary),
    });
    const library = await deviceLibrary();
    if (warnings !== "") emit({ kind: "diagnostic", text: warnings });
    const compileMs = performance.now() - started;
    if (signal.aborted) return exit(emit, { how: "stopped", by: "caller", activity: null });
    emit({ kind: "started", compileMs });
    signal.addEventListener("abort", stop);
    if (timeout !== null) timer = setTimeout(() => thread.stop("timeout"), timeout * 1000);
    const running = thread.run({ wasm, library, argv, env }, emit);
    await Promise.all([running, platform.whileRunning?.()]);
    const end = await running;
    return exit(emit, end.how === "exited" ? { ...end, compileMs } : end);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    thread.discard();
  }
}

function exit(emit: Emit, end: ProgramEnd): ProgramEnd {
  if (end.how === "exited") {
    for (const finding of end.checked?.findings ?? []) emit({ kind: "finding", finding });
    for (const launch of end.profiled?.launches ?? []) emit({ kind: "profiled", launch });
  }
  emit({ kind: "exit", end });
  return end;
}
