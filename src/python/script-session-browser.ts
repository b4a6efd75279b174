/** Python scripts of a page: each runs in a dedicated worker of its own (script-worker-browser.ts). */
import { inWorker, type WorkerSource } from "../session/in-worker-browser.ts";
import { SessionRun } from "../session/session-run.ts";
import type { Emit, ProgramEnd } from "../session/events.ts";
import type { PageScriptRequest, ScriptLocations } from "./page-script.ts";

export interface ScriptSession {
  /** Runs a script. @param listener is called with each event at once */
  start(request: PageScriptRequest, listener?: Emit): SessionRun<ProgramEnd>;
  /** Has a worker load Python, for the next script. */
  prepare(): void;
}

export function openScriptSession(locations: ScriptLocations): ScriptSession {
  const workers = new ScriptWorkers(locations);
  return {
    start: (request, listener) =>
      new SessionRun((emit, signal) => inWorker<ProgramEnd>(request, locations, workers, emit, signal), listener),
    prepare: () => workers.prepare(),
  };
}

/** A script may change Python itself, so each has one of its own. The next one is loaded while nobody waits. */
class ScriptWorkers implements WorkerSource {
  readonly #locations: ScriptLocations;
  #next: Worker | null = null;

  constructor(locations: ScriptLocations) {
    this.#locations = locations;
  }

  prepare(): void {
    if (this.#next !== null) return;
    this.#next = this.#open();
    this.#next.postMessage({ locations: this.#locations, request: null, activity: null });
  }

  take(): Worker {
    const worker = this.#next ?? this.#open();
    this.#next = null;
    return worker;
  }

  giveBack(worker: Worker): void {
    worker.terminate();
  }

  #open(): Worker {
    return new Worker(new URL("./script-worker-browser.js", import.meta.url), {
      type: "module",
      name: "heddle script",
    });
  }
}
