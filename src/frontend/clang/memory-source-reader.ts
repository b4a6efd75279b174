/** A request's own files, as the compiler asks for them. */
import type { SourceReader } from "../../store/source-reader.ts";
import { normalizePath } from "./virtual-files.ts";

/** @param files by path relative to the working directory. */
export function memorySourceReader(files: Readonly<Record<string, Uint8Array | string>>): SourceReader {
  const known = new Map(Object.entries(files).map(([path, content]) => [normalizePath(path), content]));
  return {
    ownFiles: files,
    readFile: (path) => {
      const content = path.startsWith("/") ? undefined : known.get(normalizePath(path));
      return typeof content === "string" ? new TextEncoder().encode(content) : (content ?? null);
    },
    isDirectory: (path) =>
      !path.startsWith("/") && [...known.keys()].some((name) => name.startsWith(`${normalizePath(path)}/`)),
  };
}
