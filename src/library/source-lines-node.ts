/** What reports show of sources, on Node.js. */
import { readFileSync } from "node:fs";

/**
 * A source file's lines; null where it cannot be read: headers that came with Heddle are not on disk under their names.
 */
export function sourceLines(file: string): readonly string[] | null {
  try {
    return readFileSync(file, "utf8").split(/\r?\n/);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}
