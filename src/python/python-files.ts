/** The files of a script in a page: they lie in Python's own file system, in memory. */
import type { ImportSource } from "../frontend/triton/evaluate/module.ts";
import { SourceText } from "../frontend/triton/syntax/source-text.ts";
import type { PythonFiles } from "./run-script.ts";

type Contents = ReadonlyMap<string, Uint8Array>;

/** Returns what was written, by path in the folder. */
export function writeFiles(
  files: PythonFiles,
  folder: string,
  contents: Readonly<Record<string, Uint8Array | string>>,
): Contents {
  files.mkdirTree(folder);
  const written = new Map<string, Uint8Array>();
  for (const [path, content] of Object.entries(contents)) {
    const full = resolvePath(folder, path);
    files.mkdirTree(parentOf(full));
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    files.writeFile(full, bytes);
    written.set(path, bytes);
  }
  return written;
}

/** Files that are new, or have other bytes than before. Python's own cache is none. */
export function changedFiles(
  files: PythonFiles,
  folder: string,
  before: Contents,
): { readonly path: string; readonly bytes: Uint8Array }[] {
  return listFiles(files, folder)
    .map((full) => ({ path: full.slice(folder.length + 1), bytes: files.readFile(full) }))
    .filter(({ path, bytes }) => !sameBytes(bytes, before.get(path)))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function listFiles(files: PythonFiles, folder: string): string[] {
  return files.readdir(folder).flatMap((name) => {
    if (name === "." || name === ".." || name === "__pycache__") return [];
    const path = `${folder}/${name}`;
    const { mode } = files.stat(path);
    if (files.isDir(mode)) return listFiles(files, path);
    return files.isFile(mode) ? [path] : [];
  });
}

function sameBytes(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** null: there is no such file. */
export function fileLines(files: PythonFiles, folder: string, path: string): string[] | null {
  return fileText(files, resolvePath(folder, path))?.split(/\r?\n/) ?? null;
}

function fileText(files: PythonFiles, full: string): string | null {
  try {
    return new TextDecoder().decode(files.readFile(full));
  } catch {
    // The file system throws an object of its own for what is not there.
    return null;
  }
}

/** As Python finds modules: relative names beside the file, others there and in each folder above. */
export function importFromFolder(files: PythonFiles, folder: string): ImportSource {
  return (name, from) => {
    const dots = /^\.*/.exec(name)?.[0].length ?? 0;
    const parts = name.slice(dots).split(".").filter(Boolean);
    let at = parentOf(resolvePath(folder, from.file));
    for (let up = 1; up < dots; up++) at = parentOf(at);
    for (;;) {
      for (const path of [`${[at, ...parts].join("/")}.py`, [at, ...parts, "__init__.py"].join("/")]) {
        const text = fileText(files, path);
        if (text !== null)
          return new SourceText(path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path, text);
      }
      if (dots > 0 || at === "") return null;
      at = parentOf(at);
    }
  };
}

/** Without "." and "..", from the root. */
export function resolvePath(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** "" is above the root. */
function parentOf(full: string): string {
  return full.slice(0, full.lastIndexOf("/"));
}
