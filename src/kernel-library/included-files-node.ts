/**
 * The files that a source includes, found by reading its #include lines through the include paths.
 *
 * Conditions are not evaluated. A header that is included under some #if counts: for make it means a rebuild too many.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const INCLUDE = /^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)/gm;

/** The source and all files that it includes, each once. */
export function includedFiles(
  source: string,
  includePaths: readonly string[],
  forced: readonly string[] = [],
): string[] {
  const found = new Set<string>();
  const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const [, quoted, angled] of readFileSync(path, "utf8").matchAll(INCLUDE)) {
      const directories = quoted === undefined ? includePaths : [dirname(path), ...includePaths];
      const target = directories
        .map((directory) => normalize(join(directory, (quoted ?? angled) as string)))
        .find(isFile);
      if (target !== undefined) visit(target);
    }
  };
  visit(source);
  for (const path of forced) if (isFile(path)) visit(path);
  return [...found];
}
