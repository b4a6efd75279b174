// What a machine with a GPU gets: folders .gpu-NAME, each with files.tar.xz and the hash of what is in it. .gpu-base
// has Heddle without its compiler; programs are built here.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");
/** What may travel in all, and what a run may bring back as one file. */
export const MOST_BYTES = 64 * 2 ** 20;

const sha256 = (...parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex");
};
/** A short name for content. */
export const idOf = (...parts) => sha256(...parts).slice(0, 16);

export function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}

export const sizeOf = (folder) =>
  existsSync(folder) ? [...filesBelow(folder)].reduce((sum, path) => sum + statSync(path).size, 0) : 0;

/**
 * Writes TO/files.tar.xz and TO/id, unless the content is the same already.
 * @param files where each file lies, by its path in the pack
 */
export function writePack(to, files, level) {
  mkdirSync(to, { recursive: true });
  const sorted = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const id = idOf(...sorted.flatMap(([path, source]) => [path, readFileSync(source)]));
  const [idFile, archive] = [join(to, "id"), join(to, "files.tar.xz")];
  if (existsSync(archive) && existsSync(idFile) && readFileSync(idFile, "utf8").trim() === id) return id;
  const stage = mkdtempSync(join(tmpdir(), "heddle-round-"));
  try {
    for (const [path, source] of sorted) {
      mkdirSync(join(stage, path, ".."), { recursive: true });
      copyFileSync(source, join(stage, path));
    }
    // Names only, in a fixed order: the same content gives the same archive.
    const tar = ["--sort=name", "--owner=0", "--group=0", "--mtime=2020-01-01", "-cf", "-", "-C", stage, "."];
    const plain = execFileSync("tar", tar, { maxBuffer: 2 ** 30 });
    writeFileSync(archive, execFileSync("xz", [`-${level}`, "-c"], { input: plain, maxBuffer: 2 ** 30 }));
    writeFileSync(idFile, `${id}\n`);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  return id;
}

/** Heddle as the command line and scripts run it: no maps, no types, nothing of pages and of the compiler. */
function heddleFiles() {
  const files = new Map();
  const add = (folder, keeps) => {
    for (const path of filesBelow(join(ROOT, folder)))
      if (keeps(relative(ROOT, path))) files.set(relative(ROOT, path), path);
  };
  const left = /^dist\/(?:prebuilt|code|studio|\.studio-clang|\.prepared|page|browser)\/|\.d\.ts$|\.map$/;
  add("dist", (path) => !left.test(path));
  add("node_modules/koffi", (path) => /\.(?:c?js|json)$/.test(path));
  add("node_modules/@koromix/koffi-linux-x64", (path) => !path.includes("musl"));
  add("node_modules/@swc/wasm-typescript", () => true);
  // Of Clang the version alone, which is in the keys of what the cache has.
  for (const file of ["package.json", "gen/bundle.js"])
    add("node_modules/@yowasp/clang", (path) => path.endsWith(file));
  return files;
}

/**
 * Compiles, and puts all results into a folder that travels as a cache: there is no compiler over there.
 * @param work gets the compiler, its store and its hash
 */
export async function cacheOf(folder, work) {
  const [{ openNodeStore }, { nodeStore }, { createCompiler }, { nodeClangResources }, { enableWasmFeatures }] =
    await Promise.all([
      import("../../dist/frontend/clang/prebuilt-node.js"),
      import("../../dist/store/disk-store-node.js"),
      import("../../dist/frontend/clang/compile.js"),
      import("../../dist/frontend/clang/clang-loader-node.js"),
      import("../../dist/engine/emit/v8-flags-node.js"),
    ]);
  enableWasmFeatures();
  const [here, travels] = [openNodeStore(), nodeStore(folder)];
  const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");
  // First for this machine's cache: what is read the second time is all that a finished compilation needs.
  const recording = {
    get: async (key) => {
      const found = await here.get(key);
      if (found !== null) await travels.put(key, found);
      return found;
    },
    put: async (key, bytes) => {
      await Promise.all([here.put(key, bytes), travels.put(key, bytes)]);
    },
  };
  for (const store of [here, recording]) {
    const compiler = await createCompiler({ resources: nodeClangResources(), store, hash });
    await work({ compiler, store, hash });
  }
}

/** What every program needs of the compiler: the device library of both data models. */
async function deviceLibraries(folder) {
  const { deviceLibraryText } = await import("../../dist/frontend/clang/device-library.js");
  await cacheOf(folder, async ({ compiler, store, hash }) => {
    for (const model of ["ilp32", "lp64"]) await deviceLibraryText(compiler, store, hash, model);
  });
}

/** Writes .gpu-base below a folder. */
export async function writeBase(folder, level) {
  const cache = mkdtempSync(join(tmpdir(), "heddle-round-cache-"));
  try {
    await deviceLibraries(cache);
    const files = heddleFiles();
    for (const path of filesBelow(cache)) files.set(join("cache", relative(cache, path)), path);
    return writePack(join(folder, ".gpu-base"), files, level);
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

/** Writes .gpu-node: this very Node.js, for a machine with the same system and processor that has none. */
export function writeNode(folder, level) {
  const stage = mkdtempSync(join(tmpdir(), "heddle-node-"));
  try {
    mkdirSync(join(folder, ".gpu-node"), { recursive: true });
    execFileSync("strip", ["-o", join(stage, "node"), process.execPath]);
    const packed = execFileSync("xz", [`-${level}`, "-c", join(stage, "node")], { maxBuffer: 2 ** 30 });
    writeFileSync(join(folder, ".gpu-node/node.xz"), packed);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** The bytes of the tree that travels: tracked files, and others that git does not ignore. */
export function treeBytes() {
  const list = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: ROOT, maxBuffer: 2 ** 26 });
  return list
    .toString()
    .split("\0")
    .filter((path) => path !== "")
    .reduce((sum, path) => sum + (statSync(join(ROOT, path), { throwIfNoEntry: false })?.size ?? 0), 0);
}
