/**
 * Make rules for -M, -MM, -MD and -MMD: the files that a source includes, by reading its #include lines through the
 * include paths.
 *
 * Conditions are not evaluated: a header that is included under some #if counts, which for make only means a rebuild
 * too many. System headers live inside Heddle and are not listed, so -M and -MM are alike.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import type { NvccCommand } from "./options/nvcc-flags.ts";

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

function escapeForMake(path: string): string {
  return path.replaceAll("$", "$$$$").replaceAll(/([ #])/g, "\\$1");
}

export function dependencyRule(command: NvccCommand, source: string, target: string): string {
  const files = includedFiles(source, command.compile.includePaths ?? [], command.compile.forcedIncludes);
  const targets = command.dependencyTargets.length > 0 ? command.dependencyTargets : [target];
  const rule = `${targets.map(escapeForMake).join(" ")}: ${files.map(escapeForMake).join(" \\\n  ")}\n`;
  return command.phonyTargets
    ? rule +
        files
          .slice(1)
          .map((file) => `\n${escapeForMake(file)}:\n`)
          .join("")
    : rule;
}
