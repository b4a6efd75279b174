/**
 * The compile cache on disk (Node.js only): one file for each key in the user's cache directory. Files are written
 * under a temporary name and renamed, so that concurrent runs never see half a file; each begins with a hash of its
 * contents, so that a damaged one counts as absent. Files unused for a month are removed now and then.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { replaceFile } from "./replace-file-node.ts";
import type { BlobStore, SyncStore } from "./store.ts";

export type { SyncStore };

const DIGEST_BYTES = 32;
const DAY_MS = 24 * 3600 * 1000;
const KEEP_DAYS = 30;

/** HEDDLE_CACHE_DIR, else heddle/ in XDG_CACHE_HOME or ~/.cache. */
export function cacheDirectory(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  if (environment["HEDDLE_CACHE_DIR"]) return environment["HEDDLE_CACHE_DIR"];
  return join(environment["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "heddle");
}

export interface NodeStoreOptions {
  /** Called once when the cache cannot be written (full disk, no permission). The compilation goes on without it. */
  readonly warn?: (message: string) => void;
  /** What is put is forgotten, and nothing on the disk changes. Default false. */
  readonly readOnly?: boolean;
}

export function nodeStore(directory: string = cacheDirectory(), options: NodeStoreOptions = {}): BlobStore {
  const files = syncNodeStore(directory, options);
  return { get: async (key) => files.get(key), put: async (key, bytes) => files.put(key, bytes) };
}

export function syncNodeStore(directory: string = cacheDirectory(), options: NodeStoreOptions = {}): SyncStore {
  const { readOnly = false } = options;
  let writable = !readOnly;
  const pathOf = (key: string): string => join(directory, key.slice(0, 2), key);
  const put = (key: string, bytes: Uint8Array): void => {
    const path = pathOf(key);
    mkdirSync(dirname(path), { recursive: true });
    replaceFile(path, Buffer.concat([createHash("sha256").update(bytes).digest(), bytes]));
    removeOld(directory);
  };
  return {
    get: (key) => {
      const path = pathOf(key);
      const file = readIfThere(path);
      if (file === null) return null;
      const bytes = file.subarray(DIGEST_BYTES);
      if (
        file.length < DIGEST_BYTES ||
        !createHash("sha256").update(bytes).digest().equals(file.subarray(0, DIGEST_BYTES))
      ) {
        if (!readOnly) rmSync(path, { force: true });
        return null;
      }
      if (!readOnly) touch(path);
      return bytes;
    },
    put: (key, bytes) => {
      if (!writable) return;
      try {
        put(key, bytes);
      } catch (error) {
        writable = false;
        options.warn?.(`the compile cache in ${directory} cannot be written: ${(error as Error).message}`);
      }
    },
  };
}

/** ERR_ACCESS_DENIED: a process that Node.js permits no more (heddle run --isolated). */
const ABSENT: readonly string[] = ["ENOENT", "ENOTDIR", "EACCES", "ERR_ACCESS_DENIED"];

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (ABSENT.includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}

/** Marks a file as used today; a cache that only others may write is still good for reading. */
function touch(path: string): void {
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age < DAY_MS) return;
  try {
    utimesSync(path, new Date(), new Date());
  } catch (error) {
    if (!["ENOENT", "EACCES", "EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** Once a day, by the date of a marker file. */
function removeOld(directory: string): void {
  const marker = join(directory, "last-cleaned");
  const cleaned = statSync(marker, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (Date.now() - cleaned < DAY_MS) return;
  writeFileSync(marker, "");
  if (cleaned === 0) return;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    // Other folders are no part of this cache.
    if (!entry.isDirectory() || !/^[\da-f]{2}$/.test(entry.name)) continue;
    for (const name of readdirSync(join(directory, entry.name))) {
      const path = join(directory, entry.name, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat !== undefined && Date.now() - stat.mtimeMs > KEEP_DAYS * DAY_MS) rmSync(path, { force: true });
    }
  }
}
