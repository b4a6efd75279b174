/** Loads the Clang package and Heddle's own headers from the file system (Node.js only). */
import { HeddleError, bug } from "../../base/diagnostics.ts";
import { createHash } from "node:crypto";
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import type { ClangResources, OwnDirectory } from "./clang.ts";
import { CodeCache } from "./code-cache-node.ts";
import { rememberedFingerprint } from "./tree-fingerprints-node.ts";
import type { BlobStore, SyncStore } from "../../store/store.ts";
import { builtLibrary, type LibraryPlace } from "./lp64/library-place-node.ts";
import { startNodeToolThread } from "./tool-thread-node.ts";
import type { SourceReader } from "../../store/source-reader.ts";

/** Directories of the package that the compiler sees, relative to its root. */
const OWN_DIRECTORIES: readonly OwnDirectory[] = ["include", "hostlib", "libdevice", "libraries"];

/** The directory that holds package.json, seen from src/… as from dist/…. */
export function packageRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, "package.json")) || !existsSync(join(directory, "include"))) {
    const parent = dirname(directory);
    if (parent === directory) bug("the package's root directory was not found");
    directory = parent;
  }
  return directory;
}

function versionAt(root: string): string {
  return (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;
}

/** @throws HeddleError "file-not-found" where the package is not installed, or not whole. */
export function clangDirectory(): string {
  const require = createRequire(import.meta.url);
  try {
    return dirname(require.resolve("@yowasp/clang"));
  } catch (error) {
    throw incompleteInstallation("the package @yowasp/clang is not there", error as Error);
  }
}

/** Reads a file of the compiler's. */
function readClangFile(name: string): Buffer<ArrayBuffer> {
  const path = join(clangDirectory(), name);
  try {
    return readFileSync(path);
  } catch (error) {
    throw incompleteInstallation(`${path} cannot be read`, error as Error);
  }
}

function incompleteInstallation(what: string, cause: Error): HeddleError {
  return new HeddleError("file-not-found", `the compiler is not installed: ${what}`, {
    notes: ['"npm ci" in a clone of Heddle installs it, "npm install heddle" anywhere else'],
    cause,
  });
}

function readTree(root: string, own: OwnDirectory): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const visit = (directory: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (!/\.(md|json|ts)$/.test(entry.name))
        files.set(relative(root, path).split(sep).join("/"), readFileSync(path));
    }
  };
  if (existsSync(join(root, own))) visit(join(root, own));
  return files;
}

let toolsRunning = 0;

/**
 * V8 of Node.js 22 to 24 unrolls loops of Clang's largest functions when it optimizes them, and needs 450 MB for a
 * moment. Kernels profit from unrolling: it is off only while Clang runs, on any thread.
 */
function withoutLoopUnrolling(): () => void {
  const major = Number(process.versions.node.split(".")[0]);
  const unrolls = major >= 22 && major <= 24;
  if (toolsRunning++ === 0 && unrolls) setFlagsFromString("--no-wasm-loop-unrolling");
  return () => {
    if (--toolsRunning === 0 && unrolls) setFlagsFromString("--wasm-loop-unrolling");
  };
}

/** The file's bytes in memory that threads share. */
function readShared(path: string): Uint8Array {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    throw incompleteInstallation(`${path} cannot be read`, error as Error);
  }
  try {
    const bytes = new Uint8Array(new SharedArrayBuffer(fstatSync(file).size));
    for (let done = 0; done < bytes.length;) {
      const count = readSync(file, bytes, done, bytes.length - done, done);
      if (count === 0) throw new Error(`${path} became shorter while it was read`);
      done += count;
    }
    return bytes;
  } finally {
    closeSync(file);
  }
}

export interface NodeClangResources extends ClangResources {
  /**
   * Keeps V8's code of the compiler for other processes, if it has become better than what there was. For when there is
   * nothing else to do.
   */
  keepCode(): Promise<void>;
  /** Of the library of 64-bit programs. */
  libraryPlace(): Promise<LibraryPlace>;
}

/**
 * @param codeStore where V8's code of the compiler is kept (code-cache-node.ts), if anywhere.
 * @param facts where fingerprints of our files are kept (tree-fingerprints-node.ts), if anywhere.
 */
export function nodeClangResources(
  codeStore: BlobStore | null = null,
  facts: SyncStore | null = null,
): NodeClangResources {
  const trees = new Map<OwnDirectory, ReadonlyMap<string, Uint8Array>>();
  let runs = 0;
  let code: CodeCache | null = null;
  let module: Promise<WebAssembly.Module> | null = null;
  const compileModule = async (): Promise<WebAssembly.Module> => {
    const bytes = readClangFile("llvm.core.wasm");
    if (codeStore === null) return WebAssembly.compile(bytes);
    const about = [
      "code",
      versionAt(join(clangDirectory(), "..")),
      bytes.length,
      process.versions.v8,
      process.platform,
      process.arch,
    ].join("\n");
    code = new CodeCache(codeStore, createHash("sha256").update(about).digest("hex"));
    return code.compile(bytes);
  };
  /** Read when they are asked for: a launch of a kernel needs one of them. */
  const tree = (own: OwnDirectory): ReadonlyMap<string, Uint8Array> => {
    let files = trees.get(own);
    if (files === undefined) trees.set(own, (files = readTree(packageRoot(), own)));
    return files;
  };
  const ownFiles = (): Map<string, Uint8Array> => new Map(OWN_DIRECTORIES.flatMap((own) => [...tree(own)]));
  const versions = (): readonly string[] => [join(clangDirectory(), ".."), packageRoot()].map(versionAt);
  let known: readonly string[] | null = null;
  /** @param folder one of OWN_DIRECTORIES, or a folder in one. */
  const fingerprintOf = (folder: string): string => {
    const about = (known ??= versions());
    const path = join(packageRoot(), folder);
    const make = (): string => {
      const hash = createHash("sha256");
      for (const version of about) hash.update(`${version}\0`);
      for (const [name, bytes] of tree(folder.split("/")[0] as OwnDirectory))
        if (name.startsWith(`${folder}/`)) hash.update(`${name}\0${bytes.length}\0`).update(bytes);
      return hash.digest("hex");
    };
    return existsSync(path) ? rememberedFingerprint({ folder: path, about, store: facts, make }) : make();
  };
  const libraryPlace = async (): Promise<LibraryPlace> => ({
    packageFolder: join(packageRoot(), "dist", "lp64"),
    fingerprint: fingerprintOf("hostlib/wasm64"),
  });
  return {
    fingerprint: async (own) => fingerprintOf(own),
    module: () => (module ??= compileModule()),
    systemArchives: async () => {
      const library = builtLibrary(await libraryPlace());
      return [join(clangDirectory(), "llvm-resources.tar"), ...(library === null ? [] : [library])].map(readShared);
    },
    libraryPlace,
    ownFiles: async () => ownFiles(),
    running: () => {
      runs++;
      return withoutLoopUnrolling();
    },
    keepCode: async () => {
      if (toolsRunning === 0) await code?.keep(runs);
    },
    startToolThread: startNodeToolThread,
    toolkitIncludeFolders: () =>
      (process.env["HEDDLE_CUDA_INCLUDE"] ?? "").split(delimiter).filter((folder) => folder !== ""),
  };
}

/** Reads the user's files, relative to the process's working directory. */
export const nodeSourceReader: SourceReader = {
  readsFileSystem: true,
  readFile: (path) => {
    try {
      return statSync(path).isFile() ? readFileSync(path) : null;
    } catch (error) {
      if (
        ["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG"].includes((error as NodeJS.ErrnoException).code ?? "")
      )
        return null;
      throw error;
    }
  },
  isDirectory: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
};
