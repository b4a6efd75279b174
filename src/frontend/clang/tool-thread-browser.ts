/** Starts the dedicated worker of tool-worker-browser.ts. */
import type { ToolAnswer, ToolPort } from "./tool-thread.ts";

/** Absent where the page may not share memory: a tool on another thread could not wait for a file. */
export const startBrowserToolThread: (() => ToolPort) | undefined =
  typeof SharedArrayBuffer === "function" && globalThis.crossOriginIsolated ? start : undefined;

function start(): ToolPort {
  const worker = new Worker(new URL("./tool-worker-browser.js", import.meta.url), {
    type: "module",
    name: "heddle compiler",
  });
  return {
    post: (message) => worker.postMessage(message),
    listen: (answer, end) => {
      worker.addEventListener("message", ({ data }: MessageEvent<ToolAnswer>) => answer(data));
      worker.addEventListener("error", ({ message }) => end(new Error(message || "its script could not be loaded")));
    },
    // Workers end with the page.
    hold: () => undefined,
  };
}
