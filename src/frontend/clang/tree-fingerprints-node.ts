/**
 * Fingerprints of the package's folders, remembered by the sizes and times of their files: looking at 500 files takes a
 * fifth of the time that reading and hashing them takes (Node.js only).
 */
import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import type { SyncStore } from "../../store/store.ts";

/**
 * A file may change twice between two ticks of the file system's clock. So the fingerprint of a folder with a younger
 * file is not remembered.
 */
const SETTLED_MS = 2000;

export interface FingerprintRequest {
  /** An absolute path. */
  readonly folder: string;
  /** What else the fingerprint depends on. */
  readonly about: readonly string[];
  /** null: nothing is remembered. */
  readonly store: SyncStore | null;
  /** Reads the folder's files. */
  readonly make: () => string;
}

export function rememberedFingerprint({ folder, about, store, make }: FingerprintRequest): string {
  if (store === null) return make();
  // Before the files are read: what changes in between has other times.
  const { text, newestMs } = describeFiles(folder);
  const key = createHash("sha256")
    .update(JSON.stringify(["fingerprint of files", folder, about]))
    .update(text)
    .digest("hex");
  const known = store.get(key);
  if (known !== null) return new TextDecoder().decode(known);
  const made = make();
  if (newestMs < Date.now() - SETTLED_MS) store.put(key, new TextEncoder().encode(made));
  return made;
}

/** A line for each file below a folder: path, size, times, number of the file. */
function describeFiles(folder: string): { readonly text: string; readonly newestMs: number } {
  const lines: string[] = [];
  let newestMs = 0;
  const visit = (directory: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = `${directory}/${entry.name}`;
      if (entry.isDirectory()) {
        visit(path);
        continue;
      }
      const { size, mtimeMs, ctimeMs, ino } = statSync(path);
      newestMs = Math.max(newestMs, mtimeMs, ctimeMs);
      lines.push(`${path}\0${size} ${mtimeMs} ${ctimeMs} ${ino}\n`);
    }
  };
  visit(folder);
  return { text: lines.sort().join(""), newestMs };
}
