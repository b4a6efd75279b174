/**
 * The file system that the compiler sees: a read-only system tree (its own headers and libraries, ours), files made for
 * one run, and the user's files, which are asked for one by one as the compiler looks for them.
 *
 * wasi-libc hands us paths without their leading slash, so `a/b` may be relative or absolute: the user's reader is
 * asked for the relative path first. What was read and what was looked for in vain is recorded: both decide whether a
 * cached result is still right.
 */

import { acceptDialectBytes } from "./source-dialect.ts";
import type { SourceReader, Dependencies } from "../../store/source-reader.ts";

export type VirtualEntry =
  /** `size`, in bytes: of a file whose contents come later. */
  | { readonly kind: "file"; readonly path: string; bytes: Uint8Array; readonly id: bigint; readonly size?: number }
  | { readonly kind: "directory"; readonly path: string; readonly id: bigint };

/** Everything of ours is mounted below this directory, so that it never hides a file of the user's. */
export const SYSTEM_ROOT = "heddle";

/** Resolves `.` and `..`; keeps leading `..`. No leading or trailing slash. */
export function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}

/** The read-only tree, shared by all runs. */
export class SystemTree {
  readonly files: Map<string, VirtualEntry> = new Map();
  readonly directories: Map<string, VirtualEntry> = new Map();
  #nextId = 1n;

  add(path: string, bytes: Uint8Array): void {
    const clean = normalizePath(path);
    this.files.set(clean, { kind: "file", path: clean, bytes, id: this.#nextId++ });
    for (let slash = clean.lastIndexOf("/"); slash > 0; slash = clean.lastIndexOf("/", slash - 1)) {
      const directory = clean.slice(0, slash);
      if (this.directories.has(directory)) break;
      this.directories.set(directory, { kind: "directory", path: directory, id: this.#nextId++ });
    }
  }
}

export class VirtualFiles {
  readonly dependencies: Dependencies = { read: new Map(), missing: new Set() };
  readonly #system: SystemTree;
  readonly #reader: SourceReader | null;
  readonly #own: Map<string, VirtualEntry> = new Map();
  readonly #seen: Map<string, VirtualEntry | null> = new Map();
  #nextId = 1n << 32n;

  constructor(system: SystemTree, reader: SourceReader | null) {
    this.#system = system;
    this.#reader = reader;
  }

  /** A file of this run (a source given as text, an intermediate). Hides the user's file of the same path. */
  put(path: string, bytes: Uint8Array): VirtualEntry & { readonly kind: "file" } {
    const clean = normalizePath(path);
    const entry = { kind: "file" as const, path: clean, bytes, id: this.#nextId++ };
    this.#own.set(clean, entry);
    return entry;
  }

  /**
   * A file of this run whose contents, of `size` bytes, are asked for when it is first read; when it is first opened,
   * if the size is null: not known before.
   */
  putLater(path: string, size: number | null, contents: () => Uint8Array): void {
    const clean = normalizePath(path);
    this.#own.set(clean, {
      kind: "file",
      path: clean,
      id: this.#nextId++,
      ...(size === null ? {} : { size }),
      get bytes() {
        const bytes = contents();
        Object.defineProperty(this, "bytes", { value: bytes, writable: true });
        return bytes;
      },
    });
  }

  take(path: string): Uint8Array | null {
    const entry = this.#own.get(normalizePath(path));
    return entry?.kind === "file" ? entry.bytes : null;
  }

  remove(path: string): boolean {
    return this.#own.delete(normalizePath(path));
  }

  rename(from: string, to: string): boolean {
    const entry = this.#own.get(normalizePath(from));
    if (entry?.kind !== "file") return false;
    this.#own.delete(normalizePath(from));
    // The same entry, since it may still be open and grow: llvm-ar renames its output before it has written all of it.
    this.#own.set(normalizePath(to), Object.assign(entry, { path: normalizePath(to) }));
    return true;
  }

  lookup(path: string): VirtualEntry | null {
    const clean = normalizePath(path);
    const own = this.#own.get(clean);
    if (own !== undefined) return own;
    if (clean === "" || clean === SYSTEM_ROOT || clean.startsWith(`${SYSTEM_ROOT}/`)) {
      return (
        this.#system.files.get(clean) ??
        this.#system.directories.get(clean) ??
        (clean === "" ? { kind: "directory", path: "", id: 0n } : this.#ownDirectory(clean))
      );
    }
    const seen = this.#seen.get(clean);
    if (seen !== undefined) return seen;
    const entry = this.#lookupUser(clean);
    this.#seen.set(clean, entry);
    return entry;
  }

  #lookupUser(clean: string): VirtualEntry | null {
    for (const candidate of clean.startsWith("..") ? [clean] : [clean, `/${clean}`]) {
      const bytes = this.#reader?.readFile(candidate) ?? null;
      if (bytes !== null) {
        this.dependencies.read.set(candidate, bytes);
        return { kind: "file", path: candidate, bytes: acceptDialectBytes(bytes), id: this.#nextId++ };
      }
      if (this.#reader?.isDirectory(candidate)) return { kind: "directory", path: candidate, id: this.#nextId++ };
      this.dependencies.missing.add(candidate);
    }
    return this.#ownDirectory(clean);
  }

  /** A file given as text has directories too. */
  #ownDirectory(clean: string): VirtualEntry | null {
    for (const own of this.#own.keys())
      if (own.startsWith(`${clean}/`)) return { kind: "directory", path: clean, id: this.#nextId++ };
    return null;
  }
}
