/** Starts the thread of tool-worker-node.ts (Node.js only). */
import { Worker } from "node:worker_threads";
import type { ToolAnswer, ToolPort } from "./tool-thread.ts";

/** Clang recurses: what its own thread has is not enough for deeply nested templates. */
const STACK_MB = 64;

export function startNodeToolThread(): ToolPort {
  // Run from its sources (tests), the thread is that of dist/: not every Node.js loads TypeScript.
  const script = import.meta.url.endsWith(".ts")
    ? "../../../dist/frontend/clang/tool-worker-node.js"
    : "./tool-worker-node.js";
  const worker = new Worker(new URL(script, import.meta.url), {
    name: "heddle compiler",
    resourceLimits: { stackSizeMb: STACK_MB },
  });
  return {
    post: (message) => worker.postMessage(message),
    listen: (answer, end) => {
      worker.on("message", (message: ToolAnswer) => answer(message));
      worker.on("error", (error) => end(error instanceof Error ? error : new Error(String(error))));
      worker.on("exit", (code) => end(new Error(`the compiler's thread ended with code ${code}`)));
    },
    hold: (held) => (held ? worker.ref() : worker.unref()),
  };
}
