/**
 * Runs a host program: its module's imports are WASI and the CUDA runtime API, its kernels run on the devices given.
 *
 * Synchronous from beginning to end; it blocks the calling thread, so a user interface runs it in a worker. A trap or
 * an abort of the program becomes a message and an exit code, as in a shell. A feature that Heddle lacks throws
 * HeddleError.
 */
import { HeddleError, unsupported } from "../base/diagnostics.ts";
import { DATA_MODELS } from "../base/data-model.ts";
import { hasWideMemory, importedMemory } from "../wasm/import-types.ts";
import { describeLibrary, libraryOfSymbol } from "../libraries/libraries.ts";
import type { Device } from "../device/device.ts";
import type { RuntimeCompiler } from "../program/runtime-compiler.ts";
import { lostConstantsOf } from "../program/lost-constants.ts";
import type { CompiledProgram, HostModule } from "../program/compiled-program.ts";
import type { ApiObserver } from "./cuda/api-observer.ts";
import { bindApi } from "./cuda/api-functions/api-table.ts";
import type { AroundLaunch, LaunchRecord } from "./cuda/context.ts";
import { CudaContext } from "./cuda/context.ts";
import { CudaFailure } from "./cuda/errors.ts";
import { cudaApi } from "./cuda/api-functions/functions.ts";
import { closeExported } from "./cuda/api-functions/virtual-memory.ts";
import { waitForDevice } from "./cuda/work/waiting.ts";
import type { HostFiles, HostStreams } from "./host/host-files.ts";
import { HostMemory } from "./host/host-memory.ts";
import { HostThreads, type HostThreadSpawner } from "./host/host-threads.ts";
import { makeSharedMemory, withProgramMemory } from "./host/shared-program-memory.ts";
import { roomImports, type ProcessRooms } from "./host/process-rooms.ts";
import { OWNER } from "./host/thread-words.ts";
import { wideFunction, wideImports } from "./host/wide-calls.ts";
import { HostGuard } from "./host/host-guard.ts";
import { describeNullWrite, describeTrap } from "./host/host-trap.ts";
import { HostPlaces } from "./host/source-places.ts";
import type { WasmFunction } from "./wasi/wasi-model.ts";
import { createWasi, exitCodeOf } from "./wasi/wasi.ts";
import { RunningProgram, type HostExports } from "./running-program.ts";

export interface RunOptions {
  readonly program: CompiledProgram;
  /** The devices that the program sees, by ordinal. Emulated devices of one program share one memory. */
  readonly devices: readonly Device[];
  /** argv[0] first. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: HostFiles;
  readonly streams: HostStreams;
  /** Blocks the thread; in a browser's main thread it may only spin. */
  readonly sleepMs?: (milliseconds: number) => void;
  /** The start of Heddle's own lines on stderr. Default "heddle: ". */
  readonly prefix?: string;
  /** Takes Heddle's own lines instead. */
  readonly report?: (text: string) => void;
  readonly onLaunchStart?: (kernel: string) => void;
  readonly onLaunch?: (launch: LaunchRecord) => void;
  readonly aroundLaunch?: AroundLaunch;
  /** Launches that were pending have ended. */
  readonly onIdle?: () => void;
  /** Wait for every launch, so that its time is known. */
  readonly timeLaunches?: boolean;
  /** Starts threads of the program; without it each runs to its end when it is created. */
  readonly spawnThread?: HostThreadSpawner | undefined;
  /** Where the program meets other processes; null: nowhere. */
  readonly rooms?: ProcessRooms | null;
  /** Observes calls of the CUDA API; for checks. */
  readonly observer?: ApiObserver | null;
  /** For NVRTC. */
  readonly compileAtRunTime?: RuntimeCompiler | null;
}

export interface ExitStatus {
  /** What the program returned from main or gave to exit; 134 after an abort or a trap, as a shell shows SIGABRT. */
  readonly exitCode: number;
  /** Set when the program did not end by itself. */
  readonly trap: string | null;
  /** The CUDA error of a kernel's fault, or 0. A program that has reset the device has none. */
  readonly deviceError: number;
  /** The CUDA error of a launch that was refused and whose error the program never asked for, or 0. */
  readonly launchError: number;
  readonly launches: number;
}

/** 128 + SIGABRT */
export const TRAP_EXIT_CODE = 134;
const WASI_MODULE = "wasi_snapshot_preview1";

/** A host program that has its imports and its memory, and of which nothing has run yet. */
export interface OpenProgram {
  /** Functions of Heddle's own take and give numbers, in each data model. */
  readonly exports: Readonly<Record<string, unknown>>;
  readonly memory: HostMemory;
  readonly cuda: CudaContext;
  readonly guard: HostGuard;
  readonly threads: HostThreads;
  readonly places: () => HostPlaces;
  /** Prints a line of Heddle's own on stderr. */
  readonly report: (text: string) => void;
}

/**
 * Instantiates a host program.
 * @param more imports beside those of WASI and of the CUDA API, made when the program's memory is known
 */
export function openProgram(
  options: RunOptions,
  more: (memory: HostMemory) => Iterable<readonly [string, WasmFunction]> = () => [],
): OpenProgram {
  const { program, streams } = options;
  if (program.host === null) throw new HeddleError("bad-arguments", "the program was compiled without its host side");
  const prefix = options.prefix ?? "heddle: ";
  const encoder = new TextEncoder();
  const report =
    options.report ?? ((text: string): void => streams.write("stderr", encoder.encode(`${prefix}${text}\n`)));
  const said = new Set<string>();
  const note = (line: string): void => {
    if (said.has(line)) return;
    said.add(line);
    report(line);
  };
  const module = new WebAssembly.Module(program.host.wasm as BufferSource);
  const model = DATA_MODELS[hasWideMemory(program.host.wasm) ? "lp64" : "ilp32"];
  const memory = new HostMemory(model);
  const host = new RunningProgram(memory, module);
  let hostPlaces: HostPlaces | null = null;
  const places = (): HostPlaces => (hostPlaces ??= new HostPlaces((program.host as HostModule).wasm, module));
  const guard = new HostGuard(memory, places, report);
  const cuda = new CudaContext({
    host,
    guard,
    devices: options.devices,
    streams,
    note,
    report,
    onLaunch: options.onLaunch,
    onLaunchStart: options.onLaunchStart,
    aroundLaunch: options.aroundLaunch,
    onIdle: options.onIdle,
    timeLaunches: options.timeLaunches,
    observer: options.observer,
    compileAtRunTime: options.compileAtRunTime,
  });
  options.observer?.attach(cuda, program.host.wasm, module);
  const sleepMs = options.sleepMs ?? spin;
  const wasi = createWasi({
    memory,
    argv: options.argv,
    env: options.env,
    files: options.files,
    streams,
    note,
    sleepMs,
    closeOther: (fd) => closeExported(cuda, fd),
  });
  const imported = importedMemory(program.host.wasm);
  const shared = imported === null ? null : withProgramMemory(() => makeSharedMemory(imported));
  const threads = new HostThreads(shared === null ? null : (options.spawnThread ?? null));
  const imports = importsFor(
    module,
    wasi,
    new Map([
      ...bindApi(cuda, cudaApi),
      ...guard.imports,
      ...threads.imports,
      ...roomImports({ memory, rooms: options.rooms ?? null, sleepMs, flush: () => streams.flush(), report }),
      ...(options.observer?.imports ?? []),
      ...more(memory),
    ]),
    shared,
  );
  const isWide = model.pointerBytes === 8;
  const given = isWide ? wideImports(program.host.wasm, imports) : imports;
  const instance = withProgramMemory(() => new WebAssembly.Instance(module, given));
  host.exports = (isWide ? wideExports(instance.exports) : instance.exports) as unknown as HostExports;
  memory.attach(shared ?? host.exports.memory);
  if (shared !== null) openThreads(threads, { memory, cuda, module, wasm: program.host.wasm, imports });
  const { __heddle_malloc: malloc, __heddle_refuse: refuse } = host.exports;
  guard.start(malloc !== undefined, (bytes) => refuse?.(bytes));
  for (const constant of lostConstantsOf(module)) guard.remember(constant);
  if (options.observer !== undefined && options.observer !== null) host.exports.__heddle_observe?.();
  const exports = host.exports as unknown as OpenProgram["exports"];
  return { exports, memory, cuda, guard, threads, places, report };
}

function openThreads(
  threads: HostThreads,
  {
    memory,
    cuda,
    module,
    wasm,
    imports,
  }: {
    readonly memory: HostMemory;
    readonly cuda: CudaContext;
    readonly module: WebAssembly.Module;
    readonly wasm: Uint8Array;
    readonly imports: Readonly<Record<string, Readonly<Record<string, WebAssembly.ImportValue>>>>;
  },
): void {
  cuda.actAs(OWNER);
  threads.open(
    {
      wasm,
      module,
      memory: memory.memory,
      refresh: () => memory.refreshShared(),
      actAs: (thread) => cuda.actAs(thread),
    },
    WebAssembly.Module.imports(module).map(
      ({ module: from, name }) => imports[from]?.[name] as unknown as WasmFunction,
    ),
  );
}

/** Throws HeddleError for what Heddle does not support; the program's own failures are in the result. */
export function runProgram(options: RunOptions): ExitStatus {
  const { streams } = options;
  const { exports, cuda, guard, threads, places, report } = openProgram(options);
  const died = (trap: string): ExitStatus => {
    streams.flush();
    report(trap);
    return statusOf(cuda, TRAP_EXIT_CODE, trap);
  };
  const ended = (exitCode: number): ExitStatus => {
    finish(cuda);
    return guard.wroteNull
      ? died(describeNullWrite(null, { cuda, guard, places: places() }))
      : statusOf(cuda, exitCode, null);
  };
  try {
    (exports["_start"] as () => void)();
    return ended(0);
  } catch (thrown) {
    const error = threads.failure ?? thrown;
    const exitCode = exitCodeOf(error);
    if (exitCode !== null) return ended(exitCode);
    const trap = describeTrap(error, { cuda, guard, places: places() });
    if (trap === null) throw error;
    return died(trap);
  } finally {
    threads.close();
    options.rooms?.close();
    streams.flush();
  }
}

/** Waits for kernels that the program did not wait for, so that their output and their faults are reported. */
function finish(cuda: CudaContext): void {
  for (const state of cuda.devices) {
    try {
      waitForDevice(cuda, state);
    } catch (error) {
      if (!(error instanceof CudaFailure)) throw error;
    }
  }
  cuda.observer?.ended();
}

function statusOf(cuda: CudaContext, exitCode: number, trap: string | null): ExitStatus {
  const fault = cuda.devices.find((state) => state.fault !== null)?.fault ?? null;
  return {
    exitCode,
    trap,
    deviceError: fault?.code ?? 0,
    launchError: cuda.refusedLaunch,
    launches: cuda.launchCount,
  };
}

/** Functions that Heddle calls take pointers and sizes; `_start` takes nothing. */
function wideExports(exports: WebAssembly.Exports): WebAssembly.Exports {
  return Object.fromEntries(
    Object.entries(exports).map(([name, value]) => [
      name,
      typeof value === "function" && name.startsWith("__heddle_") ? wideFunction(value as WasmFunction) : value,
    ]),
  );
}

/** An import that nothing provides throws "not supported yet" when it is called, not before. */
function importsFor(
  module: WebAssembly.Module,
  wasi: Record<string, WasmFunction>,
  cuda: ReadonlyMap<string, WasmFunction>,
  memory: WebAssembly.Memory | null,
): Record<string, Record<string, WebAssembly.ImportValue>> {
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (kind === "memory" && memory !== null) {
      (imports[from] ??= {})[name] = memory;
      continue;
    }
    if (kind !== "function") throw unsupported(`the host module's import of the ${kind} ${from}.${name}`);
    const known = from === WASI_MODULE ? wasi[name] : cuda.get(name);
    (imports[from] ??= {})[name] =
      (known as WebAssembly.ImportValue | undefined) ??
      ((): never => {
        throw missingFunction(name);
      });
  }
  return imports;
}

/** Names the library that the function belongs to, with what Heddle has of it. */
function missingFunction(name: string): HeddleError {
  const { code, message } = unsupported(name);
  const library = libraryOfSymbol(name);
  return new HeddleError(code, message, library === null ? {} : { notes: [describeLibrary(library)] });
}

function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    /* no other way to wait on a thread that must not block */
  }
}
