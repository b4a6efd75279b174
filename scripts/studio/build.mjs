// Builds the studio: dist/studio, a static site. `--without-clang` leaves out what `heddle studio` serves from the
// packages of Clang (90 MB) and of Pyodide (14 MB).
//
//   index.html, assets/     the page (src/studio), by Vite
//   engine-<hash>/          the library for browsers as a few files, and results of the compiler for the gallery
//   gallery/                programs and ladders
//   clang/                  the compiler, compressed
//   pyodide/                Python, compressed: for Python files alone
//   service-worker.js       with the list of all files and their hashes
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { constants, gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { build } from "vite";
import { STUDIO_POLICY } from "../../dist/cli/studio-page/studio-policy.js";
import { PYODIDE_FILES } from "../../dist/cli/studio-page/studio-server.js";
import { galleryLadders, galleryPrograms, galleryScripts } from "./gallery.mjs";
import { prebuildGallery } from "./prebuild-gallery.mjs";
import { runtimeSignatures } from "./signatures.mjs";

const started = performance.now();
const root = join(import.meta.dirname, "../..");
const dist = join(root, "dist");
const site = join(dist, "studio");
const withClang = !process.argv.includes("--without-clang");
/** What is not part of the page: folder of the site → its package's folder, and the files. */
const PACKAGES = [
  { name: "clang", from: "node_modules/@yowasp/clang/gen", files: ["llvm.core.wasm", "llvm-resources.tar"] },
  // Optional: without it the site runs no Python.
  { name: "pyodide", from: "node_modules/pyodide", files: PYODIDE_FILES },
].filter(({ from }) => existsSync(join(root, from)));

const programs = galleryPrograms(root);
const ofEngine = [join(dist, "fingerprint"), join(dist, "resources.json")].map((path) => readFileSync(path, "utf8"));
const engine = `engine-${hashOf([...ofEngine, JSON.stringify(programs)].join("\n"))}`;
/** Written last: a folder without it is of a build that was stopped. */
const LAST_OF_ENGINE = "prebuilt/index.json";
const kept = join(dist, ".studio-clang");

mkdirSync(site, { recursive: true });
for (const name of readdirSync(site)) if (name !== engine) rmSync(join(site, name), { recursive: true, force: true });
if (!existsSync(join(site, engine, LAST_OF_ENGINE))) await buildEngine();
await writeGallery();
await buildPage();
if (withClang) for (const part of PACKAGES) compressPackage(part);
await buildServiceWorker();
const megabytes = filesOf(site).reduce((sum, path) => sum + statSync(join(site, path)).size, 0) / 1e6;
console.log(`studio: ${megabytes.toFixed(1)} MB, ${((performance.now() - started) / 1000).toFixed(1)} s`);

async function buildEngine() {
  const made = await rolldown({
    input: {
      index: join(dist, "browser/index.js"),
      "session-worker-browser": join(dist, "session/session-worker-browser.js"),
      "pool-worker-browser": join(dist, "device/emulated/pool-worker-browser.js"),
      "script-session-browser": join(dist, "python/script-session-browser.js"),
      "script-worker-browser": join(dist, "python/script-worker-browser.js"),
      "tool-worker-browser": join(dist, "frontend/clang/tool-worker-browser.js"),
      ladder: join(dist, "ladder.js"),
    },
    platform: "browser",
    onLog: refuseWarnings,
  });
  await made.write({ dir: join(site, engine), format: "esm", minify: true, chunkFileNames: "[name]-[hash].js" });
  for (const name of ["fingerprints.json", "resources.json"]) cpSync(join(dist, name), join(site, engine, name));
  writeFileSync(join(site, engine, "python-modules.json"), JSON.stringify(pythonModules()));
  await prebuildGallery(programs, join(site, engine, "prebuilt"));
}

async function writeGallery() {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeFileSync(join(site, "package.json"), JSON.stringify({ name: "heddle", version }));
  mkdirSync(join(site, "gallery"));
  const ladders = await galleryLadders(root);
  for (const ladder of ladders) writeFileSync(join(site, "gallery", `${ladder.id}.json`), JSON.stringify(ladder));
  writeFileSync(
    join(site, "gallery/index.json"),
    JSON.stringify({
      programs,
      scripts: galleryScripts(root),
      ladders: ladders.map(({ id, about, files }) => ({ id, about, versions: files.length })),
    }),
  );
}

async function buildPage() {
  await build({
    root: join(root, "src/studio"),
    configFile: join(root, "src/studio/vite.config.ts"),
    logLevel: "warn",
    define: { STUDIO_ENGINE: JSON.stringify(engine), STUDIO_FUNCTIONS: JSON.stringify(runtimeSignatures(root)) },
    build: { outDir: site, emptyOutDir: false },
  });
}

/** Our Python modules, by path. */
function pythonModules() {
  const folder = join(root, "python/modules");
  const paths = filesOf(folder).filter((path) => path.endsWith(".py"));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

function compressPackage({ name: folder, from, files }) {
  mkdirSync(join(site, folder));
  mkdirSync(kept, { recursive: true });
  for (const name of files) {
    const bytes = readFileSync(join(root, from, name));
    // Compressed again only when the package changes: it takes half a minute.
    const packed = join(kept, `${hashOf(bytes)}-${name}.gz`);
    if (!existsSync(packed)) writeFileSync(packed, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
    cpSync(packed, join(site, folder, `${name}.gz`));
  }
}

async function buildServiceWorker() {
  const hashes = Object.fromEntries(
    filesOf(site)
      .sort()
      .map((path) => [path, hashOf(readFileSync(join(site, path)))]),
  );
  if (!withClang)
    for (const { name: folder, from, files } of PACKAGES)
      for (const name of files) hashes[`${folder}/${name}`] = hashOf(readFileSync(join(root, from, name)));
  const made = await rolldown({
    input: join(root, "src/studio/service-worker.ts"),
    platform: "browser",
    transform: { define: { STUDIO_FILES: JSON.stringify(hashes), STUDIO_POLICY: JSON.stringify(STUDIO_POLICY) } },
    onLog: refuseWarnings,
  });
  await made.write({ file: join(site, "service-worker.js"), format: "iife", minify: true });
}

function refuseWarnings(level, log) {
  if (level !== "debug" && level !== "info") throw new Error(log.message);
}

function hashOf(bytes) {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}

function filesOf(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
}
