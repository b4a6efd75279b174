/** The dedicated worker that works on requests of a page, one after another; session-browser.ts is the page's side. */
import type { ResultRecord } from "../bench/results.ts";
import type { Device } from "../device/device.ts";
import type { BrowserLocations } from "../frontend/clang/clang-loader-browser.ts";
import { memorySourceReader } from "../frontend/clang/memory-source-reader.ts";
import { browserEnvironment, type BrowserEnvironment } from "../library/environment-browser.ts";
import type { DeviceProgram } from "../program/device-program.ts";
import { sharedMemories } from "./activity.ts";
import { buildProgram } from "./build-program.ts";
import { reportOf, type ErrorReport } from "./error-report.ts";
import type { ProgramEnd, SessionEvent } from "./events.ts";
import { hasTools } from "./open-tools.ts";
import { browserPlatform, deviceOptions } from "./platform-browser.ts";
import type { CodeTexts, ProgramRequest, SessionRequest } from "./request.ts";
import { perform } from "./session.ts";

/** What the compiler says of a program that nobody has started yet. */
export interface CompiledAhead {
  readonly warnings: string;
  /** null: it compiles. */
  readonly failure: ErrorReport | null;
}

export type WorkerOrder =
  | {
      readonly kind: "perform";
      readonly locations: BrowserLocations;
      readonly request: SessionRequest;
      /** null: the page is not cross-origin isolated. */
      readonly activity: SharedArrayBuffer | null;
    }
  /** See BrowserSession. There is no reply. */
  | { readonly kind: "prepare"; readonly locations: BrowserLocations; readonly request: ProgramRequest }
  | {
      readonly kind: "compile";
      readonly locations: BrowserLocations;
      readonly request: ProgramRequest;
      /** The reply has it, too. */
      readonly id: number;
    };

export type WorkerReply =
  /** Sent before a program begins: memories of its devices, where the page can share them. */
  | { readonly kind: "devices"; readonly memories: readonly WebAssembly.Memory[] }
  | { readonly kind: "event"; readonly event: SessionEvent }
  | { readonly kind: "result"; readonly result: ProgramEnd | readonly ResultRecord[] | CodeTexts }
  | { readonly kind: "failed"; readonly report: ErrorReport }
  | { readonly kind: "compiled"; readonly id: number; readonly ahead: CompiledAhead };

const announce = (devices: readonly Device[]): void => reply({ kind: "devices", memories: sharedMemories(devices) });
const reply = (message: WorkerReply): void => postMessage(message);

/** Opened by the first request: the compiler stays. All requests of a worker have the same locations. */
let environment: BrowserEnvironment | null = null;
/** Preparations that go on: what is asked for next would do the same. */
let preparing: Promise<void> = Promise.resolve();
/** Requests that wait for them. */
let waiting = 0;
/** The last order to compile: an earlier one whose turn has not come is of no interest any more. */
let lastCompiled = 0;

addEventListener("message", ({ data }: MessageEvent<WorkerOrder>) => {
  const { locations } = data;
  environment ??= browserEnvironment(locations);
  if (data.kind === "prepare") {
    const ready = prepareProgram(environment, data.request);
    // What fails here fails again when the program is run, and is reported then.
    preparing = Promise.allSettled([preparing, ready]).then(() => undefined);
    return;
  }
  if (data.kind === "compile") {
    const { id, request } = data;
    const own = environment;
    lastCompiled = id;
    preparing = preparing.then(() => compileNext(own, request, id)).catch(() => undefined);
    return;
  }
  const { request, activity } = data;
  // The page ends this worker to stop it: nothing here needs a signal.
  const { signal } = new AbortController();
  const platform = browserPlatform({ locations, environment, activity, announce });
  waiting++;
  preparing
    .then(() => waiting--)
    .then(() => perform(request, platform, (event) => reply({ kind: "event", event }), signal))
    .then(
      (result) => reply({ kind: "result", result }),
      (error: unknown) => reply({ kind: "failed", report: reportOf(error) }),
    );
});

/** Compiles a program, and gets ready for the next one, unless somebody waits who has started a program. */
async function compileNext(own: BrowserEnvironment, request: ProgramRequest, id: number): Promise<void> {
  if (waiting > 0 || id !== lastCompiled) return;
  reply({ kind: "compiled", id, ahead: await compileAhead(own, request) });
  if (waiting === 0) await prepareProgram(own, request);
}

/**
 * The results stay in the compiler's store, and the device code in the prepared device: who starts the program finds
 * them there.
 */
async function compileAhead(own: BrowserEnvironment, { program, settings }: ProgramRequest): Promise<CompiledAhead> {
  const onDevice = (code: DeviceProgram): void => {
    if (hasTools(settings)) return;
    // What fails here fails again when the program is run, and is reported then.
    void own
      .prepareDevice(deviceOptions(settings))
      .then((device) => device.preload([code]))
      .catch(() => undefined);
  };
  try {
    const reader = memorySourceReader(settings.files);
    const { warnings } = await buildProgram(program, { compiler: await own.compiler(), reader, onDevice });
    return { warnings, failure: null };
  } catch (error) {
    return { warnings: "", failure: reportOf(error) };
  }
}

async function prepareProgram(own: BrowserEnvironment, { program, settings }: ProgramRequest): Promise<void> {
  const works: Promise<unknown>[] = [];
  // A tool that watches belongs to its run.
  if (!hasTools(settings)) works.push(own.prepareDevice(deviceOptions(settings)));
  if ("sources" in program && program.sources[0] !== undefined) {
    const compiler = await own.compiler();
    works.push(compiler.getReady(program.sources[0], program.compile, memorySourceReader(settings.files)));
  }
  await Promise.all(works);
}
