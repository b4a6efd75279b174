/** What an isolated run may read, on Node.js: the files that the user names, and nothing that a program points to. */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { SourceReader } from "../store/source-reader.ts";
import { memorySourceReader } from "../frontend/clang/memory-source-reader.ts";
import type { RunSettings } from "./request.ts";

/**
 * Reads what isolated sources include: the request's own files, and what lies in the directories that the user named.
 * A path is judged by where it leads, so no symbolic link and no `..` leaves them.
 */
export function isolatedSourceReader({ files, isolation }: RunSettings): SourceReader {
  const own = memorySourceReader(files);
  const admitted = (isolation?.includes ?? []).flatMap((path) => realPath(resolve(path)) ?? []);
  const real = (path: string): string | null => {
    const full = realPath(resolve(path));
    const isInside = (root: string): boolean =>
      full === root || full?.startsWith(root.endsWith(sep) ? root : `${root}${sep}`) === true;
    return full !== null && admitted.some(isInside) ? full : null;
  };
  return {
    readFile: (path) => {
      const content = own.readFile(path);
      if (content !== null) return content;
      const full = real(path);
      return full !== null && statSync(full).isFile() ? readFileSync(full) : null;
    },
    isDirectory: (path) => {
      if (own.isDirectory(path)) return true;
      const full = real(path);
      return full !== null && statSync(full).isDirectory();
    },
  };
}

/** null: there is nothing, or the process may not look. */
function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
