/** Compiles a program and runs it, with or without checkers. */
import type { DataModel } from "../base/data-model.ts";
import type { Compiler } from "../frontend/clang/compiler.ts";
import type { DeviceProgram } from "../program/device-program.ts";
import type { SourceReader } from "../store/source-reader.ts";
import { needsWideMemory } from "../device/common/wide-memory.ts";
import { hasWideMemory } from "../wasm/import-types.ts";
import { buildProgram } from "./build-program.ts";
import type { Emit, ProgramEnd, ProgramExit } from "./events.ts";
import type { ProgramRequest, RunSettings } from "./request.ts";

export interface OpenCompiler {
  readonly compiler: Compiler;
  /** IR text of the device library. @param model of its pointers; default: 32 bits, which an emulated device has */
  deviceLibrary(model?: DataModel["name"]): Promise<string>;
}

/** The device library as IR text, a megabyte or two each. */
export interface DeviceLibraryTexts {
  /** With pointers of 32 bits. */
  readonly narrow: string;
  /** With pointers of 64 bits, for a 64-bit program on a GPU or a device with more than 4 GiB of memory; else null. */
  readonly wide: string | null;
}

/** What a program runs in. It is opened before the program is compiled, and gets ready meanwhile. */
export interface ProgramThread {
  /** The device code of the program that is being compiled: it is loaded while the host code still compiles. */
  preload(program: DeviceProgram, deviceLibrary: () => Promise<DeviceLibraryTexts>): void;
  /** At most once. */
  run(order: ThreadOrder, emit: Emit): Promise<ThreadEnd>;
  /** Stops the program where it is; `run` resolves then. Without effect when no program runs. */
  stop(by: "caller" | "timeout"): void;
  /** Ends the thread, whatever it does. */
  discard(): void;
}

export interface ThreadOrder {
  readonly wasm: Uint8Array;
  readonly library: DeviceLibraryTexts;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>> | null;
}

export type ThreadEnd = Exclude<ProgramEnd, ProgramExit> | Omit<ProgramExit, "compileMs">;

export interface ProgramPlatform {
  openThread(settings: RunSettings): ProgramThread;
  openCompiler(): Promise<OpenCompiler>;
  /** Reads what sources include. @param settings with the files of a request that brings its own. */
  reader(settings: RunSettings): SourceReader;
  /** Whether a program with these settings may run on a GPU. Absent: never. */
  mayUseGpu?(settings: RunSettings): boolean;
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
    const isWide = "wasm" in program ? hasWideMemory(program.wasm) : program.compile.model === "lp64";
    let texts: Promise<DeviceLibraryTexts> | null = null;
    const mayBeWide = needsWideMemory(settings.deviceMemory ?? null) || platform.mayUseGpu?.(settings) === true;
    const libraryTexts = async (): Promise<DeviceLibraryTexts> => ({
      narrow: await deviceLibrary(),
      wide: isWide && mayBeWide ? await deviceLibrary("lp64") : null,
    });
    const { wasm, warnings } = await buildProgram(program, {
      compiler,
      reader: platform.reader(settings),
      onDevice: (device) => thread.preload(device, () => (texts ??= libraryTexts())),
    });
    const library = await (texts ??= libraryTexts());
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
