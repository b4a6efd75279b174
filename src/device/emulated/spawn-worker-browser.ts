/** Starts pool workers as dedicated workers of a browser. */
import type { WorkerSpawner } from "./worker-pool-options.ts";

export function browserWorkerSpawner(): WorkerSpawner {
  return (data, onDeath) => {
    const worker = new Worker(new URL("./pool-worker-browser.js", import.meta.url), {
      type: "module",
      name: `heddle device ${data.index}`,
    });
    worker.addEventListener("error", (event) => onDeath(event.message || "its script could not be loaded"));
    worker.postMessage(data);
    return { terminate: () => worker.terminate() };
  };
}
