// Writes dist/bin: the command line as a few files instead of three hundred modules, of which every start would pay for
// each in turn (60 ms in a thread, of the 250 that a start may take: docs/performance.md). dist/ itself stays as tsc
// wrote it, for libraries and tests.
//
// All outputs lie in one folder: a thread's script is found beside the code that starts it.
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

const dist = join(import.meta.dirname, "..", "dist");
const target = join(dist, "bin");
rmSync(target, { recursive: true, force: true });
const bundle = await rolldown({
  input: {
    main: join(dist, "cli/main.js"),
    "program-worker-node": join(dist, "session/program-worker-node.js"),
    "tool-worker-node": join(dist, "frontend/clang/tool-worker-node.js"),
    "pool-worker-node": join(dist, "device/emulated/pool-worker-node.js"),
    "script-worker-node": join(dist, "python/script-worker-node.js"),
  },
  platform: "node",
  // Pyodide finds its files beside its own module.
  external: [/^node:/, "pyodide"],
  onLog: (level, log) => {
    if (level !== "debug" && level !== "info") throw new Error(log.message);
  },
});
await bundle.write({ dir: target, format: "esm" });
chmodSync(join(target, "main.js"), 0o755);
