// Writes what users start as a few files instead of three hundred modules, of which every start would pay for each in
// turn (60 ms in a thread, of the 250 that a start may take: docs/performance.md):
//
//   dist/bin           the command line
//   dist/lib           what programs import: package.json names these files
//   dist/page          the same for pages, whose servers need not serve hundreds of files one after the other
//   dist/fingerprint   a hash of our code: results of our compilers are kept under it (content-cache-node.ts)
//
// dist/ itself stays as tsc wrote it, for tests and types. All outputs of a bundle lie in one folder: a thread's script
// is found beside the code that starts it.
import { createHash } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { rolldown } from "rolldown";

const dist = join(import.meta.dirname, "..", "dist");

/** What starts threads finds their scripts beside itself. */
const THREADS = {
  "tool-worker-node": join(dist, "frontend/clang/tool-worker-node.js"),
  "pool-worker-node": join(dist, "device/emulated/pool-worker-node.js"),
};

const PAGE_THREADS = {
  "tool-worker-browser": join(dist, "frontend/clang/tool-worker-browser.js"),
  "pool-worker-browser": join(dist, "device/emulated/pool-worker-browser.js"),
  "session-worker-browser": join(dist, "session/session-worker-browser.js"),
};

/** @param minify see rolldown: names stay, because messages tell some of them */
async function bundle(folder, input, platform = "node", minify = false) {
  const target = join(dist, folder);
  rmSync(target, { recursive: true, force: true });
  const made = await rolldown({
    input,
    platform,
    // Pyodide finds its files beside its own module.
    external: platform === "node" ? [/^node:/, "pyodide"] : [],
    onLog: (level, log) => {
      if (level !== "debug" && level !== "info") throw new Error(log.message);
    },
  });
  await made.write({ dir: target, format: "esm", minify });
}

await bundle("bin", {
  ...THREADS,
  main: join(dist, "cli/main.js"),
  "host-thread-node": join(dist, "session/host-thread-node.js"),
  "runtime-compiler-worker-node": join(dist, "session/runtime-compiler-worker-node.js"),
  "program-worker-node": join(dist, "session/program-worker-node.js"),
  "bench-worker-node": join(dist, "session/bench-worker-node.js"),
  "script-worker-node": join(dist, "python/script-worker-node.js"),
  "pipe-server-node": join(dist, "python/pipe-server-node.js"),
});
chmodSync(join(dist, "bin/main.js"), 0o755);

const entries = ["index", "check", "profile", "triton", "ladder", "tensor"];
const places = (names, folder) => Object.fromEntries(names.map((name) => [name, join(dist, folder, `${name}.js`)]));
await bundle("lib", { ...THREADS, ...places(entries, "") });
const pages = { ...PAGE_THREADS, ...places(["index", "library", "tensor"], "browser") };
await bundle("page", pages, "browser", { compress: false, mangle: false, codegen: { removeWhitespace: true } });

const hash = createHash("sha256");
const compilers = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".js"))
  .map((entry) => relative(dist, join(entry.parentPath, entry.name)))
  .filter((path) => !/^(bin|lib|page|prebuilt|code)\b/.test(path))
  .sort();
for (const path of compilers) hash.update(`${path}\0`).update(readFileSync(join(dist, path)));
writeFileSync(join(dist, "fingerprint"), hash.digest("hex"));
