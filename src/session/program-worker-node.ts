/**
 * The thread that a host program runs in. It may block; the main thread still receives Ctrl-C and counts time.
 */
import { parentPort, workerData } from "node:worker_threads";
import { bug, HeddleError } from "../base/diagnostics.ts";
import type { RegisterSource } from "../profile/launch-facts.ts";
import type { DeviceProgram } from "../program/device-program.ts";
import { MemoryFiles } from "../runtime/host/host-files-memory.ts";
import type { HostStreams } from "../runtime/host/host-files.ts";
import { cacheDirectory } from "../store/disk-store-node.ts";
import { ActivityWriter, sharedMemories } from "./activity.ts";
import { openTools } from "./open-tools.ts";
import { chosenKind, createDevices, loadDevices } from "./devices-node.ts";
import { reportOf, type ErrorReport } from "./error-report.ts";
import { EventStreams, textInput } from "./event-streams.ts";
import type { SessionEvent } from "./events.ts";
import { executeProgram, type OpenedDevices } from "./execute-program.ts";
import { NodeFiles } from "./host-files-node.ts";
import { BrokenPipe, BufferedStreams, OutputBuffer } from "./output-buffer-node.ts";
import type { DeviceLibraryTexts, ThreadEnd } from "./perform-program.ts";
import { NodeProcessRooms } from "./process-rooms-node.ts";
import type { RunSettings } from "./request.ts";
import { spawnHostThread } from "./spawn-host-thread-node.ts";
import { openRuntimeCompiler } from "./runtime-compiler-node.ts";
import { InputReader } from "./standard-input-node.ts";
import { sourceLines } from "../library/source-lines-node.ts";
import { warmUpLaunch } from "./warm-up-node.ts";

/** inherit: the program writes to the streams of this process; events: its output becomes events. */
export type OutputMode = "inherit" | "events";

/** Known before the program is compiled: the thread gets ready meanwhile. */
export interface ProgramWorkerData {
  readonly settings: RunSettings;
  readonly outputMode: OutputMode;
  readonly output: SharedArrayBuffer;
  readonly input: SharedArrayBuffer;
  readonly activity: SharedArrayBuffer;
  /** Nothing is to be run for a while: there is time for a warm-up launch. */
  readonly idle: boolean;
}

/** The messages to the thread: perhaps what to preload, then what to run. */
export type ProgramOrder = PreloadOrder | RunOrder;

/** Device code of a program whose host code is still being compiled. */
export interface PreloadOrder {
  readonly kind: "preload";
  readonly program: DeviceProgram;
  readonly library: DeviceLibraryTexts;
}

export interface RunOrder {
  readonly kind: "run";
  readonly wasm: Uint8Array;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** It is not sent again where it came with what to preload. */
  readonly library: "preloaded" | DeviceLibraryTexts;
}

export type ProgramMessage =
  | { readonly kind: "ended"; readonly end: ThreadEnd }
  | { readonly kind: "failed"; readonly report: ErrorReport }
  | { readonly kind: "event"; readonly event: SessionEvent }
  /** Sent before the program begins: memories of its emulated devices, where threads can share them. */
  | { readonly kind: "devices"; readonly memories: readonly WebAssembly.Memory[] }
  /** The program waits for standard input. */
  | { readonly kind: "input" };

const reply = (message: ProgramMessage): void => parentPort?.postMessage(message);
const emit = (event: SessionEvent): void => reply({ kind: "event", event });

const sleepWord = new Int32Array(new SharedArrayBuffer(4));
function sleepMs(milliseconds: number): void {
  Atomics.wait(sleepWord, 0, 0, milliseconds);
}

/** @param wasm the program, where it is known already. */
async function openDevices(
  options: RunSettings,
  library: DeviceLibraryTexts,
  wasm: Uint8Array | null = null,
): Promise<OpenedDevices> {
  // NVIDIA's assembler is not handed what a stranger wrote.
  const openRegisters = async (): Promise<RegisterSource | null> =>
    options.isolation === null ? (await import("../device/cuda/ptxas.ts")).openPtxas(library.narrow) : null;
  // Neither is a file of this machine read because a stranger's program names it.
  const linesOf = options.isolation === null ? sourceLines : (): null => null;
  const { checking, profiling, timeline, observer } = await openTools(
    options,
    wasm,
    { openRegisters, linesOf },
    (recording) => emit({ kind: "recorded", recording }),
  );
  return { ...(await createDevices(options, library, observer)), checking, profiling, timeline, parallel: true };
}

/** Devices that have begun with what they will load. */
async function openPreloaded({ program, library }: PreloadOrder, options: RunSettings): Promise<OpenedDevices> {
  const opened = await openDevices(options, library);
  try {
    opened.devices[0]?.preload?.([program]);
  } catch (error) {
    // A mistake in device code is reported when the program loads it, if it does.
    if (!(error instanceof HeddleError)) throw error;
  }
  return opened;
}

/** @param preloaded devices with the order's library, if that is "preloaded". */
async function main(
  { settings, ...data }: ProgramWorkerData,
  { library, wasm, argv, env, workingDirectory }: RunOrder,
  preloaded: Promise<OpenedDevices> | null,
): Promise<ProgramMessage> {
  const output = new OutputBuffer(data.output);
  const input = new InputReader(data.input, () => reply({ kind: "input" }));
  const read = settings.stdin === null ? (buffer: Uint8Array) => input.read(buffer) : textInput(settings.stdin);
  const streams: HostStreams =
    data.outputMode === "inherit" ? new BufferedStreams(output, read) : new EventStreams(read, emit);
  const { isolation } = settings;
  const copies = isolation === null ? null : new MemoryFiles(settings.files, isolation.fileBytes);
  try {
    const end = await executeProgram({
      wasm,
      argv,
      env,
      streams,
      openDevices: async () => {
        const opened = await (library === "preloaded"
          ? (preloaded ?? bug("no library was sent"))
          : openDevices(settings, library, wasm));
        reply({ kind: "devices", memories: sharedMemories(opened.devices) });
        return opened;
      },
      files:
        copies ?? new NodeFiles({ workingDirectory, directories: settings.directories, withheld: [cacheDirectory()] }),
      sleepMs,
      spawnThread: spawnHostThread,
      rooms: isolation === null ? new NodeProcessRooms() : null,
      compileAtRunTime: openRuntimeCompiler(settings),
      timeLaunches: settings.timeLaunches,
      onLaunch: settings.launchEvents ? (launch) => emit({ kind: "launch", launch }) : null,
      activity: new ActivityWriter(data.activity),
    });
    // Who started a program without files of this machine gets those that it wrote.
    for (const { path, bytes } of copies?.written() ?? []) emit({ kind: "file", path, bytes });
    return { kind: "ended", end };
  } catch (error) {
    if (error instanceof BrokenPipe) return { kind: "ended", end: { how: "output-closed" } };
    return { kind: "failed", report: reportOf(error) };
  } finally {
    output.flush();
  }
}

// The engine loads while the program is compiled, or while nothing happens.
const data = workerData as ProgramWorkerData;
const kind = chosenKind(data.settings);
// A failure comes again in main(), which reports it.
void (data.idle && kind === "emulated" ? warmUpLaunch(data.settings) : loadDevices(kind)).catch(() => {});
let preloaded: Promise<OpenedDevices> | null = null;
parentPort?.on("message", (order: ProgramOrder) => {
  if (order.kind === "preload") {
    preloaded = openPreloaded(order, data.settings);
    preloaded.catch(() => {}); // main() awaits it, and reports
  } else void main(data, order, preloaded).then(reply);
});
