/**
 * A bench on a thread of its own. A launch on an emulated device blocks its thread, and so does a call of a GPU's
 * driver; the main thread still receives Ctrl-C.
 */
import { Worker } from "node:worker_threads";
import { Interrupted } from "../measure/sampling.ts";
import type { BenchMessage, BenchOrder, BenchWorkerData, Origin } from "./bench-worker-node.ts";
import { ReportedError } from "./error-report.ts";
import type { Emit } from "./events.ts";
import type { BenchRequest } from "./request.ts";

/** What a launch has to end after Ctrl-C, so that the device is closed as usual; then as much for the thread. */
const GRACE_MS = 300;
const STACK_MB = 64;

/** A launch on a GPU still runs, or a call of its driver: only the end of the process ends it. */
export class StuckInLaunch extends Interrupted {}

export interface BenchThreadOptions {
  /** Heddle's own. */
  readonly version: string;
  /** null: ladders lie in their repositories. */
  readonly origins?: readonly Origin[] | null;
}

export class BenchThread {
  /** Rejects with Interrupted or StuckInLaunch after `stop`; results until then were emitted. */
  readonly result: Promise<void>;
  readonly #worker: Worker;
  readonly #onGpu: boolean;
  #isGivenUp = false;
  #reject: (error: Error) => void = () => undefined;

  constructor(request: BenchRequest, { version, origins = null }: BenchThreadOptions, emit: Emit) {
    this.#onGpu = request.settings.device === "cuda";
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    this.#worker = new Worker(new URL(`./bench-worker-node.${extension}`, import.meta.url), {
      workerData: { request, version, origins } satisfies BenchWorkerData,
      name: "heddle bench",
      resourceLimits: { stackSizeMb: STACK_MB, maxOldGenerationSizeMb: 8192 },
    });
    this.result = new Promise((resolve, reject) => {
      this.#reject = reject;
      this.#worker.on("message", (message: BenchMessage) => {
        if (this.#isGivenUp) return;
        if (message.kind === "event") emit(message.event);
        else if (message.kind === "finished") resolve();
        else if (message.kind === "interrupted") reject(new Interrupted());
        else reject(new ReportedError(message.report));
      });
      this.#worker.on("error", reject);
      this.#worker.on("exit", (code) => {
        if (!this.#isGivenUp) reject(new Error(`the bench's thread ended with code ${code}`));
      });
    });
  }

  /** Ends the bench before its next launch. `result` does not wait for a launch that takes longer than a moment. */
  stop(): void {
    this.#worker.postMessage("stop" satisfies BenchOrder);
    setTimeout(() => void this.#giveUp(), GRACE_MS).unref();
  }

  async #giveUp(): Promise<void> {
    this.#isGivenUp = true;
    const late = new Promise<null>((resolve) => setTimeout(resolve, GRACE_MS, null));
    const isEnded = (await Promise.race([this.#worker.terminate(), late])) !== null;
    // The driver may wait for its launches when a process ends in order.
    this.#reject(isEnded && !this.#onGpu ? new Interrupted() : new StuckInLaunch());
  }
}
