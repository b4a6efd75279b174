/**
 * The files that a compilation read or looked for; reports the first that is saved, appears or goes.
 *
 * Directories are watched, not files: editors save by renaming, and a header that was not there may come. Where the
 * system does not report changes (network drives), a look every second finds them.
 */
import { statSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";
import type { SourceReader } from "../store/source-reader.ts";

const LOOK_MS = 1000;
/** Saving takes several steps: a file is looked at when nothing has happened for so long. */
const SETTLE_MS = 10;

/** A reader that records what is read through it, with the state of each file before it was read. */
export class WatchedFiles implements SourceReader {
  readonly #reader: SourceReader;
  readonly #states = new Map<string, string>();

  constructor(reader: SourceReader) {
    this.#reader = reader;
  }

  get readsFileSystem(): boolean {
    return this.#reader.readsFileSystem ?? false;
  }

  readFile(path: string): Uint8Array | null {
    this.add(path);
    return this.#reader.readFile(path);
  }

  isDirectory(path: string): boolean {
    this.add(path);
    return this.#reader.isDirectory(path);
  }

  add(path: string): void {
    if (!this.#states.has(path)) this.#states.set(path, stateOf(path));
  }

  /** The files that are there. */
  get paths(): string[] {
    return [...this.#states].flatMap(([path, state]) => (state === ABSENT || state === DIRECTORY ? [] : [path]));
  }

  /**
   * Resolves with the path of a file that is no longer as it was when it was added, or with null when `signal` is
   * aborted.
   */
  changed(signal: AbortSignal | null): Promise<string | null> {
    return new Promise((resolve) => {
      const watchers: FSWatcher[] = [];
      let settling: NodeJS.Timeout | undefined;
      const end = (path: string | null): void => {
        clearInterval(looking);
        clearTimeout(settling);
        for (const watcher of watchers) watcher.close();
        resolve(path);
      };
      const look = (): void => {
        for (const [path, state] of this.#states) if (stateOf(path) !== state) return end(path);
      };
      const looking = setInterval(look, LOOK_MS);
      signal?.addEventListener("abort", () => end(null), { once: true });
      for (const [directory, names] of this.#namesByDirectory()) {
        const watcher = watchDirectory(directory, (name) => {
          if (name !== null && !names.has(name)) return;
          clearTimeout(settling);
          settling = setTimeout(look, SETTLE_MS);
        });
        if (watcher !== null) watchers.push(watcher);
      }
      // What was saved since, while the compiler ran.
      look();
    });
  }

  #namesByDirectory(): Map<string, Set<string>> {
    const directories = new Map<string, Set<string>>();
    for (const path of this.#states.keys()) {
      const names = directories.get(dirname(path));
      if (names === undefined) directories.set(dirname(path), new Set([basename(path)]));
      else names.add(basename(path));
    }
    return directories;
  }
}

const ABSENT = "absent";
const DIRECTORY = "directory";

function stateOf(path: string): string {
  try {
    const stat = statSync(path, { bigint: true });
    return stat.isDirectory() ? DIRECTORY : `${stat.mtimeNs} ${stat.size} ${stat.ino}`;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return ABSENT;
    throw error;
  }
}

/**
 * null: there is no such directory, or the system cannot watch it, and only the look every second finds changes there.
 */
function watchDirectory(directory: string, onEvent: (name: string | null) => void): FSWatcher | null {
  if (stateOf(directory) !== DIRECTORY) return null;
  try {
    const watcher = watch(directory, (_event, name) => onEvent(name));
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch (error) {
    if (
      ["ENOSPC", "EMFILE", "ENOSYS", "EACCES", "EPERM", "ENOENT", "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM"].includes(
        (error as NodeJS.ErrnoException).code ?? "",
      )
    )
      return null;
    throw error;
  }
}
