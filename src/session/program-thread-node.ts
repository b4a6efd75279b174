/** The main thread's side of a running program on Node.js: starts its thread, passes events on, stops it. */
import { Worker } from "node:worker_threads";
import type { DeviceProgram } from "../program/device-program.ts";
import { createActivityMemory, readActivity } from "./activity.ts";
import { ReportedError } from "./error-report.ts";
import type { Emit } from "./events.ts";
import { createOutputMemory, OutputBuffer } from "./output-buffer-node.ts";
import type { DeviceLibraryTexts, ProgramThread, ThreadEnd, ThreadOrder } from "./perform-program.ts";
import type { OutputMode, ProgramMessage, ProgramOrder, ProgramWorkerData } from "./program-worker-node.ts";
import type { RunSettings } from "./request.ts";
import { createInputMemory, standardInput } from "./standard-input-node.ts";

/** Text of the program that lies in the buffer is written at least so often. */
const FLUSH_MS = 50;
const STACK_MB = 64;

/**
 * A thread for one program. It is started before the program is compiled, and loads the runtime and the engine
 * meanwhile; `run` gives it the program, `discard` ends it when there is none.
 */
export class NodeProgramThread implements ProgramThread {
  readonly #settings: RunSettings;
  readonly #outputMemory = createOutputMemory();
  readonly #inputMemory = createInputMemory();
  readonly #activityMemory = createActivityMemory();
  readonly #worker: Worker;
  #deviceMemories: readonly WebAssembly.Memory[] = [];
  /** The device library that the thread has already. */
  #library: DeviceLibraryTexts | null = null;
  /** How the thread ended before it was given a program. */
  #failure: Error | null = null;
  #stop: ((by: "caller" | "timeout") => void) | null = null;

  /** @param idle the program comes later, and perhaps never: the thread may use the time. */
  constructor(
    settings: RunSettings,
    { output, idle = false }: { readonly output: OutputMode; readonly idle?: boolean },
  ) {
    this.#settings = settings;
    const data: ProgramWorkerData = {
      settings,
      outputMode: output,
      output: this.#outputMemory,
      input: this.#inputMemory,
      activity: this.#activityMemory,
      idle,
    };
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    this.#worker = new Worker(new URL(`./program-worker-node.${extension}`, import.meta.url), {
      workerData: data,
      name: "heddle program",
      resourceLimits: { stackSizeMb: STACK_MB, maxOldGenerationSizeMb: 8192 },
    });
    this.#worker.on("error", (error) => void (this.#failure ??= asError(error)));
  }

  preload(program: DeviceProgram, deviceLibrary: () => Promise<DeviceLibraryTexts>): void {
    // What is checked depends on the host program, too (program-worker-node.ts).
    if (this.#settings.check !== null || this.#settings.profile) return;
    deviceLibrary().then(
      (library) => {
        this.#library = library;
        this.#worker.postMessage({ kind: "preload", program, library } satisfies ProgramOrder);
      },
      // The request to run the program reports a library that cannot be made.
      () => undefined,
    );
  }

  discard(): void {
    void this.#worker.terminate();
  }

  stop(by: "caller" | "timeout"): void {
    this.#stop?.(by);
  }

  run({ wasm, library, argv, env }: ThreadOrder, emit: Emit): Promise<ThreadEnd> {
    const worker = this.#worker;
    const output = new OutputBuffer(this.#outputMemory);
    return new Promise((resolve, reject) => {
      const flushing = setInterval(() => output.tryFlush(), FLUSH_MS);
      let isEnded = false;
      const finish = (settle: () => void): void => {
        if (isEnded) return;
        isEnded = true;
        this.#stop = null;
        standardInput.cancel(this.#inputMemory);
        clearInterval(flushing);
        settle();
      };
      const died = (error: Error): void =>
        finish(() => {
          output.rescue();
          const { message, stack = null } = error;
          reject(new ReportedError({ code: "bug", message, place: null, notes: [], stack }));
        });
      this.#stop = (by) =>
        finish(() => {
          const activity = readActivity(this.#activityMemory, this.#deviceMemories);
          void worker.terminate();
          output.rescue();
          resolve({ how: "stopped", by, activity });
        });
      worker.on("message", (message: ProgramMessage) => {
        if (isEnded) return;
        if (message.kind === "devices") this.#deviceMemories = message.memories;
        else if (message.kind === "input") standardInput.request(this.#inputMemory);
        else if (message.kind === "event") emit(message.event);
        else {
          output.flush();
          finish(() => (message.kind === "failed" ? reject(new ReportedError(message.report)) : resolve(message.end)));
        }
      });
      worker.on("error", (error) => died(asError(error)));
      worker.on("exit", (code) => died(unexpectedExit(code)));
      if (this.#failure !== null) return died(this.#failure);
      const order: ProgramOrder = {
        kind: "run",
        wasm,
        library: library === this.#library ? "preloaded" : library,
        argv,
        workingDirectory: process.cwd(),
        env: env ?? (this.#settings.isolation === null ? processEnvironment() : {}),
      };
      worker.postMessage(order);
    });
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Without a stack: the place where the end was noticed says nothing of its reason. */
function unexpectedExit(code: number): Error {
  return Object.assign(new Error(`the program's thread ended with code ${code} and said nothing`), {
    stack: undefined,
  });
}

function processEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
