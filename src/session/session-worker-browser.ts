/** The dedicated worker that works on requests of a page, one after another; session-browser.ts is the page's side. */
import type { ResultRecord } from "../bench/results.ts";
import type { Device } from "../device/device.ts";
import type { BrowserLocations } from "../frontend/clang/clang-loader-browser.ts";
import { browserEnvironment, type BrowserEnvironment } from "../library/environment-browser.ts";
import { sharedMemories } from "./activity.ts";
import { reportOf, type ErrorReport } from "./error-report.ts";
import type { ProgramEnd, SessionEvent } from "./events.ts";
import { browserPlatform } from "./platform-browser.ts";
import type { CodeTexts, SessionRequest } from "./request.ts";
import { perform } from "./session.ts";

export interface WorkerOrder {
  readonly locations: BrowserLocations;
  readonly request: SessionRequest;
  /** null: the page is not cross-origin isolated. */
  readonly activity: SharedArrayBuffer | null;
}

export type WorkerReply =
  /** Sent before a program begins: memories of its devices, where the page can share them. */
  | { readonly kind: "devices"; readonly memories: readonly WebAssembly.Memory[] }
  | { readonly kind: "event"; readonly event: SessionEvent }
  | { readonly kind: "result"; readonly result: ProgramEnd | readonly ResultRecord[] | CodeTexts }
  | { readonly kind: "failed"; readonly report: ErrorReport };

const announce = (devices: readonly Device[]): void => reply({ kind: "devices", memories: sharedMemories(devices) });
const reply = (message: WorkerReply): void => postMessage(message);

/** Opened by the first request: the compiler stays. All requests of a worker have the same locations. */
let environment: BrowserEnvironment | null = null;

addEventListener("message", ({ data: { locations, request, activity } }: MessageEvent<WorkerOrder>) => {
  // The page ends this worker to stop it: nothing here needs a signal.
  const { signal } = new AbortController();
  environment ??= browserEnvironment(locations);
  perform(
    request,
    browserPlatform({ locations, environment, activity, announce }),
    (event) => reply({ kind: "event", event }),
    signal,
  ).then(
    (result) => reply({ kind: "result", result }),
    (error: unknown) => reply({ kind: "failed", report: reportOf(error) }),
  );
});
