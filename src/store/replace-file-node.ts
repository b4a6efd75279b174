/** Writes a file so that nobody sees half of it, not even after the writer was killed (Node.js only). */
import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";

/** Writes under a temporary name beside the file, and renames: a reader sees the old content or the new one. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const temporary = `${path}.${process.pid}.${randomUUID()}`;
  try {
    writeFileSync(temporary, content);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}
