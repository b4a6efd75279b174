/** Runs a Python script in a thread of its own, which can be ended at any time. */
import { Worker } from "node:worker_threads";
import { ReportedError } from "../session/error-report.ts";
import { BROKEN_PIPE, type ScriptAnswer, type ScriptEnd, type ScriptRequest } from "./script-request.ts";

/** Python's own stack lies on the thread's. */
const STACK_MB = 64;

export interface RunningScript {
  /** Python is there: the script's own time begins. */
  readonly begins: Promise<void>;
  readonly end: Promise<ScriptEnd>;
  /** Ends the script where it is. */
  stop(): Promise<void>;
}

export function startScript(request: ScriptRequest): RunningScript {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./script-worker-node.${extension}`, import.meta.url), {
    workerData: request,
    name: "heddle script",
    resourceLimits: { stackSizeMb: STACK_MB, maxOldGenerationSizeMb: 8192 },
  });
  let begin = (): void => {};
  const begins = new Promise<void>((resolve) => (begin = resolve));
  const end = new Promise<ScriptEnd>((resolve, reject) => {
    worker.on("message", (answer: ScriptAnswer) => {
      if (answer.kind === "begins") begin();
      else if (answer.kind === "ended") resolve(answer.end);
      else reject(new ReportedError(answer.report));
    });
    worker.on("error", reject);
    worker.on("exit", (code) => {
      if (code === BROKEN_PIPE) resolve({ exitCode: BROKEN_PIPE, launches: 0, report: "" });
      reject(new Error(`the script's thread ended with code ${code} and said nothing`));
    });
  });
  return {
    begins,
    end,
    stop: async () => {
      await worker.terminate();
    },
  };
}
