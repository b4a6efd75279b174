import type { SourceReader } from "../../store/source-reader.ts";

/** Files by path; nothing else is there. */
export function reader(files: Record<string, string>): SourceReader {
  return {
    readFile: (path) => (Object.hasOwn(files, path) ? new TextEncoder().encode(files[path]) : null),
    isDirectory: (path) => Object.keys(files).some((file) => file.startsWith(`${path}/`)),
  };
}
