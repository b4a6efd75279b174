/** What reports show of sources, on Node.js. */
import { readFileSync } from "node:fs";
import { normalize } from "node:path";

/** The files that reports may show, by path; null: any. */
let shown: ReadonlyMap<string, string> | null = null;

/** From now on reports of this process show lines of these texts only. */
export function limitSourceLines(texts: ReadonlyMap<string, string>): void {
  shown = new Map([...texts].map(([path, text]) => [normalize(path), text]));
}

/**
 * A source file's lines; null where it cannot be read: headers that came with Heddle are not on disk under their names.
 */
export function sourceLines(file: string): readonly string[] | null {
  if (shown !== null) return shown.get(normalize(file))?.split(/\r?\n/) ?? null;
  try {
    return readFileSync(file, "utf8").split(/\r?\n/);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}
