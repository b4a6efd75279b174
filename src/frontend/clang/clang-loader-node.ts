/** Loads the Clang package and Heddle's own headers from the file system (Node.js only). */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import type { ClangResources, OwnDirectory } from "./clang.ts";
import type { SourceReader } from "./virtual-files.ts";

/** Directories of the package that the compiler sees, relative to its root. */
const OWN_DIRECTORIES: readonly OwnDirectory[] = ["include", "hostlib", "libdevice", "kernels"];

/** The directory that holds package.json, seen from src/… as from dist/…. */
export function packageRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, "package.json")) || !existsSync(join(directory, "include"))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error("BUG: the package's root directory was not found");
    directory = parent;
  }
  return directory;
}

function clangDirectory(): string {
  const require = createRequire(import.meta.url);
  return dirname(require.resolve("@yowasp/clang"));
}

function readTree(root: string): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const visit = (directory: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (!/\.(md|json|ts)$/.test(entry.name)) files.set(relative(root, path).split(sep).join("/"), readFileSync(path));
    }
  };
  for (const name of OWN_DIRECTORIES) if (existsSync(join(root, name))) visit(join(root, name));
  return files;
}

/**
 * V8 of Node.js 22 to 24 unrolls loops of Clang's largest functions when it optimizes them, and needs 450 MB for a moment. Kernels
 * profit from unrolling: it is off only while Clang runs.
 */
function withoutLoopUnrolling(run: () => void): void {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 22 || major > 24) return run();
  setFlagsFromString("--no-wasm-loop-unrolling");
  try {
    run();
  } finally {
    setFlagsFromString("--wasm-loop-unrolling");
  }
}

export function nodeClangResources(): ClangResources {
  let own: Map<string, Uint8Array> | null = null;
  const ownFiles = (): Map<string, Uint8Array> => (own ??= readTree(packageRoot()));
  return {
    fingerprint: async (own) => {
      const hash = createHash("sha256");
      const directory = clangDirectory();
      for (const root of [join(directory, ".."), packageRoot()]) hash.update(`${(JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version}\0`);
      for (const [path, bytes] of ownFiles()) if (path.startsWith(`${own}/`)) hash.update(`${path}\0${bytes.length}\0`).update(bytes);
      return hash.digest("hex");
    },
    module: async () => WebAssembly.compile(readFileSync(join(clangDirectory(), "llvm.core.wasm"))),
    systemArchive: async () => readFileSync(join(clangDirectory(), "llvm-resources.tar")),
    ownFiles: async () => ownFiles(),
    whileRunning: withoutLoopUnrolling,
  };
}

/** Reads the user's files, relative to the process's working directory. */
export const nodeSourceReader: SourceReader = {
  readFile: (path) => {
    try {
      return statSync(path).isFile() ? readFileSync(path) : null;
    } catch (error) {
      if (["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
      throw error;
    }
  },
  isDirectory: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
};
