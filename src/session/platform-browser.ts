/** What a session needs in a dedicated worker of a page: it compiles and runs on the worker's own thread. */
import { HeddleError } from "../base/diagnostics.ts";
import type { EmulatedDevice } from "../device/emulated/emulated-device.ts";
import type { BrowserLocations } from "../frontend/clang/clang-loader-browser.ts";
import type { DeviceOptions } from "../library/environment.ts";
import type { BrowserEnvironment } from "../library/environment-browser.ts";
import type { DeviceProgram } from "../program/device-program.ts";
import { MemoryFiles } from "../runtime/host/host-files-memory.ts";
import { ActivityWriter } from "./activity.ts";
import { EventStreams, textInput } from "./event-streams.ts";
import type { Emit } from "./events.ts";
import { executeProgram, type OpenedDevices } from "./execute-program.ts";
import { memorySourceReader } from "../frontend/clang/memory-source-reader.ts";
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
  /** Opened before the program was compiled. */
  #preloaded: Promise<OpenedDevices> | null = null;
  #emit: Emit = () => undefined;

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

  /** Host code compiles on another thread meanwhile, if there is one: else this is as good as later. */
  preload(program: DeviceProgram): void {
    // Checkers watch more of a program whose host code puts work on several streams, which is not known yet.
    if (this.#settings.check !== null) return;
    this.#preloaded = this.#open(null).then((opened) => {
      try {
        this.#devices[0]?.preload([program]);
      } catch (error) {
        // A mistake in device code is reported when the program loads it, if it does.
        if (!(error instanceof HeddleError)) throw error;
      }
      return opened;
    });
    // `run` awaits it, and reports.
    this.#preloaded.catch(() => undefined);
  }

  async run({ wasm, argv, env }: ThreadOrder, emit: Emit): Promise<ThreadEnd> {
    this.#emit = emit;
    const { files: given, stdin, timeLaunches, launchEvents } = this.#settings;
    const files = new MemoryFiles(given);
    try {
      const end = await executeProgram({
        wasm,
        argv,
        env: env ?? {},
        openDevices: () => this.#preloaded ?? this.#open(wasm),
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
      this.#close();
    }
  }

  stop(): void {
    // While the program runs, no message reaches this thread.
  }

  discard(): void {
    // The program may not have compiled.
    void this.#preloaded?.catch(() => undefined).then(() => this.#close());
  }

  #close(): void {
    for (const device of this.#devices) device.close();
    this.#devices = [];
  }

  /** @param wasm the program, where it is known already. */
  async #open(wasm: Uint8Array | null): Promise<OpenedDevices> {
    if (this.#settings.devices !== 1) throw new HeddleError("unsupported", "in a browser a program sees one device");
    const { checking, profiling, timeline, observer } = await openTools(this.#settings, wasm, {}, (recording) =>
      this.#emit({ kind: "recorded", recording }),
    );
    const device = await this.#environment.openDevice(deviceOptions(this.#settings), observer ?? undefined);
    this.#devices = [device];
    this.#announce(this.#devices);
    return { devices: this.#devices, note: null, checking, profiling, timeline, parallel: device.memory.shared };
  }
}

export function deviceOptions({ device, gpu, engine, workers, reuse }: RunSettings): DeviceOptions {
  return {
    device: device ?? "emulated",
    engine,
    reuse,
    ...(gpu === null ? {} : { gpu }),
    ...(workers === null ? {} : { workers }),
  };
}

/** Without shared memory there is nothing to wait on: the program spins. */
function sleeper(): ((milliseconds: number) => void) | undefined {
  if (typeof SharedArrayBuffer !== "function") return undefined;
  const word = new Int32Array(new SharedArrayBuffer(4));
  return (milliseconds) => void Atomics.wait(word, 0, 0, milliseconds);
}
