/** What a session needs in a dedicated worker of a page: it compiles and runs on the worker's own thread. */
import { HeddleError } from "../base/diagnostics.ts";
import type { EmulatedDevice } from "../device/emulated/emulated-device.ts";
import type { BrowserLocations } from "../frontend/clang/clang-loader-browser.ts";
import type { BrowserEnvironment } from "../library/environment-browser.ts";
import { MemoryFiles } from "../runtime/host/host-files-memory.ts";
import { ActivityWriter } from "./activity.ts";
import { EventStreams, textInput } from "./event-streams.ts";
import type { Emit } from "./events.ts";
import { executeProgram, type OpenedDevices } from "./execute-program.ts";
import { memorySourceReader } from "./memory-source-reader.ts";
import { openTools } from "./open-tools.ts";
import type { ProgramThread, ThreadEnd, ThreadOrder } from "./perform-program.ts";
import type { RunSettings } from "./request.ts";
import type { SessionPlatform } from "./session.ts";

export interface BrowserPlatformParts {
  readonly locations: BrowserLocations;
  readonly environment: BrowserEnvironment;
  /** Memory in which the page reads what the program does; null where it cannot be shared. */
  readonly activity: SharedArrayBuffer | null;
  /** Gets the devices of a program before it begins. */
  readonly announce: Announce;
}

export function browserPlatform({ locations, environment, activity, announce }: BrowserPlatformParts): SessionPlatform {
  return {
    programs: {
      openThread: (settings) => new OwnThread(environment, settings, activity, announce),
      openCompiler: async () => ({
        compiler: await environment.compiler(),
        deviceLibrary: () => environment.deviceLibrary(),
      }),
      reader: ({ files }) => memorySourceReader(files),
    },
    openBench: async () => {
      const { openBrowserBench } = await import("./bench-browser.ts");
      return openBrowserBench(locations, environment);
    },
  };
}

type Announce = (devices: readonly EmulatedDevice[]) => void;

/** The program runs on the thread that asks for it, which the page ends to stop it. */
class OwnThread implements ProgramThread {
  readonly #environment: BrowserEnvironment;
  readonly #settings: RunSettings;
  readonly #activity: SharedArrayBuffer | null;
  readonly #announce: Announce;
  #devices: readonly EmulatedDevice[] = [];

  constructor(
    environment: BrowserEnvironment,
    settings: RunSettings,
    activity: SharedArrayBuffer | null,
    announce: Announce,
  ) {
    this.#announce = announce;
    this.#environment = environment;
    this.#settings = settings;
    this.#activity = activity;
  }

  preload(): void {
    // Both sides are compiled before this thread can do anything else.
  }

  async run({ wasm, argv, env }: ThreadOrder, emit: Emit): Promise<ThreadEnd> {
    const { files: given, stdin, timeLaunches, launchEvents } = this.#settings;
    const files = new MemoryFiles(given);
    try {
      const end = await executeProgram({
        wasm,
        argv,
        env: env ?? {},
        openDevices: () => this.#open(wasm, emit),
        files,
        streams: new EventStreams(textInput(stdin ?? ""), emit),
        sleepMs: sleeper(),
        timeLaunches,
        onLaunch: launchEvents ? (launch) => emit({ kind: "launch", launch }) : null,
        activity: this.#activity === null ? null : new ActivityWriter(this.#activity),
      });
      for (const { path, bytes } of files.written()) emit({ kind: "file", path, bytes });
      return end;
    } finally {
      for (const device of this.#devices) device.close();
    }
  }

  stop(): void {
    // While the program runs, no message reaches this thread.
  }

  discard(): void {
    // The page ends the worker.
  }

  async #open(wasm: Uint8Array, emit: Emit): Promise<OpenedDevices> {
    const { device: kind, devices, gpu, engine, workers, reuse } = this.#settings;
    if (devices !== 1) throw new HeddleError("unsupported", "in a browser a program sees one device");
    const { checking, profiling, timeline, observer } = await openTools(this.#settings, wasm, {}, (recording) =>
      emit({ kind: "recorded", recording }),
    );
    const device = await this.#environment.openDevice(
      {
        device: kind ?? "emulated",
        engine,
        reuse,
        ...(gpu === null ? {} : { gpu }),
        ...(workers === null ? {} : { workers }),
      },
      observer ?? undefined,
    );
    this.#devices = [device];
    this.#announce(this.#devices);
    return { devices: this.#devices, note: null, checking, profiling, timeline, parallel: device.memory.shared };
  }
}

/** Without shared memory there is nothing to wait on: the program spins. */
function sleeper(): ((milliseconds: number) => void) | undefined {
  if (typeof SharedArrayBuffer !== "function") return undefined;
  const word = new Int32Array(new SharedArrayBuffer(4));
  return (milliseconds) => void Atomics.wait(word, 0, 0, milliseconds);
}
